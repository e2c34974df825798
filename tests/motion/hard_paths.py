"""Paths drawn at random, hard to time: past singular places, tiny, sharp, uneven, by torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from singular_paths import path_past, planned, singular_joints

from armwerk.arrays import Array
from armwerk.mechanics.serial import SerialModel
from armwerk.modelling import model as model_of
from armwerk.motion import Limits, Path, Trajectory
from armwerk.robot import Arm

FREE: dict[str, Any] = {"speed": 3.0, "acceleration": 40.0, "jerk": 3000.0}
"""Of the tool [m/s, m/s², m/s³]: the joints hold it back."""


class HardProblem(NamedTuple):
    """A path with where the arm stands and what its joints may do.

    Attributes:
        model: Of the arm.
        q0: Where it stands [rad or m]. Shape (n,).
        path: What it drives.
        limits: Of the joints.
        drives: Whether torques take the place of the joints' limits of acceleration.
    """

    model: SerialModel
    q0: Array
    path: Path
    limits: Limits
    drives: bool = False

    def plan(self, optimal: bool | None = None) -> Trajectory:
        """Return the motion."""
        return self.path.plan(
            self.model, self.q0, limits=self.limits, optimal=optimal, drives=self.drives
        )


def weaker(arm: Arm, factor: float) -> Arm:
    """Return an arm whose drives have less."""
    joints = [
        replace(joint, max_force=None if joint.max_force is None else joint.max_force * factor)
        for joint in arm.joints
    ]
    return replace(arm, joints=tuple(joints))


def quick_jerk(arm: Arm) -> Limits:
    """Return the described limits with a jerk that does not keep the drives from their best."""
    usual = Limits.of(arm)
    return Limits.of(arm, jerk=50.0 * usual.jerk)


def driven(one: HardProblem, strength: float) -> HardProblem:
    """Return a path driven by torques, of drives that have a share of what is described."""
    model = model_of(weaker(one.model.arm, strength))
    assert isinstance(model, SerialModel)
    return one._replace(model=model, limits=quick_jerk(model.arm), drives=True)


def _arm(name: str) -> SerialModel:
    model = model_of(name)
    assert isinstance(model, SerialModel)
    return model


def _random(kind: str, arm: str) -> np.random.Generator:
    return np.random.default_rng(list(f"{kind} {arm}".encode()))


def _standing(
    arm: str, q0: Array, build: Callable[[Path, Array], Path], **tool: Any
) -> HardProblem:
    """Return a path from where an arm stands, built from there and the tool's point."""
    model = _arm(arm)
    start = np.asarray(model.fk(q0))
    path = build(Path(start, **(tool or FREE)), start[:3, 3].copy())
    return HardProblem(model, q0, path, Limits.of(model.arm))


def _steps(random: np.random.Generator, count: int, low: float, high: float) -> Array:
    """Return points of a random walk from zero on [m]. Shape (count, 3)."""
    along = random.normal(size=(count, 3))
    along /= np.linalg.norm(along, axis=1)[:, None]
    return np.asarray(np.cumsum(along * random.uniform(low, high, (count, 1)), axis=0))


def past(arm: str, number: int, beside: float, kind: str) -> HardProblem:
    """Return a path a hair beside a singular place, from a configuration near to it."""
    model, random = _arm(arm), np.random.default_rng([number, *arm.encode()])
    q = singular_joints(model, random)
    assert q is not None
    one = path_past(model, q, beside, kind, number)
    q0 = planned(model, one).sample(0.0)[0]
    return HardProblem(model, q0, one.path, Limits.of(model.arm))


def tiny(arm: str, q0: Array, size: float) -> HardProblem:
    """Return lines of about a size [m], in any direction, blended."""
    walk = _steps(_random("tiny", arm), 12, 0.5 * size, 1.5 * size)
    return _standing(arm, q0, lambda path, p: path.lines(p + walk, blend=0.2 * size))


def sharp(arm: str, q0: Array, degrees: float) -> HardProblem:
    """Return a zigzag that turns by an angle at each corner, with narrow blends."""
    random = _random("sharp", arm)
    turn = np.pi - np.deg2rad(degrees)
    side, ends, heading = 0.06, [], random.uniform(0.0, 2.0 * np.pi)
    at = np.zeros(3)
    for k in range(4):
        at = at + side * np.array([np.cos(heading), np.sin(heading), 0.2])
        ends.append(at)
        heading += np.pi - turn if k % 2 else turn - np.pi
    return _standing(arm, q0, lambda path, p: path.lines(p + np.array(ends), blend=0.003))


def uneven(arm: str, q0: Array, joint: int, factor: float) -> HardProblem:
    """Return a corner driven with one joint whose limits are those of others times a factor."""
    walk = _steps(_random("uneven", arm), 2, 0.08, 0.12)
    one = _standing(arm, q0, lambda path, p: path.lines(p + walk, blend=0.02))
    scale = np.ones(one.model.dof)
    scale[joint] = factor
    limits = one.limits
    return one._replace(
        limits=Limits(limits.velocity * scale, limits.acceleration * scale, limits.jerk * scale)
    )


def tool_only(arm: str, q0: Array, share: float) -> HardProblem:
    """Return a corner with limits of the tool that are a share of `FREE`."""
    walk = _steps(_random("tool", arm), 2, 0.04, 0.08)
    tool = {key: share * value for key, value in FREE.items()}
    return _standing(arm, q0, lambda path, p: path.lines(p + walk, blend=0.01), **tool)


def curved(arm: str, q0: Array) -> HardProblem:
    """Return a spline through random points."""
    walk = _steps(_random("curved", arm), 4, 0.04, 0.08)
    return _standing(arm, q0, lambda path, p: path.spline(list(p + walk)))


def joint_space(arm: str, q0: Array) -> HardProblem:
    """Return motions of all joints there, aside and back, blended."""
    model, random = _arm(arm), _random("joints", arm)
    low, high = model.chain.ranges().T
    reach = np.minimum(0.15 * (high - low), 0.8)
    goals = [np.clip(q0 + random.uniform(-1.0, 1.0, len(q0)) * reach, low, high) for _ in range(3)]
    path = Path(np.asarray(model.fk(q0)), **FREE)
    for goal in goals[:-1]:
        path = path.ptp(goal, blend=0.1)
    return HardProblem(model, q0, path.ptp(goals[-1]), Limits.of(model.arm))


def _degrees(*values: float) -> Array:
    return np.asarray(np.deg2rad(np.array(values)))


PUMA = np.array([0.3, 0.6, -0.4, 0.2, 0.9, 0.1])
UR = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])
PANDA = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.7, 0.5])
"""Where arms stand [rad], away from singularities."""

HARD: dict[str, Callable[[], HardProblem]] = {
    "kr6_r900, past a stretched wrist": lambda: past("kr6_r900", 9, 1e-2, "lin"),
    "puma560, past a stretched wrist": lambda: past("puma560", 14, 1e-2, "corner"),
    "kr6_r900, turned past a singularity": lambda: past("kr6_r900", 9, 1e-4, "turned"),
    "ur5e, into a singularity": lambda: past("ur5e", 39, 1e-3, "end"),
    "ur5e, tiny lines": lambda: tiny("ur5e", _degrees(0, -90, 90, -90, -90, 0), 0.002),
    "tx60, tiny lines": lambda: tiny("tx60", np.array([0.3, 0.4, 1.2, 0.2, 0.8, 0.1]), 0.01),
    "irb140, sharp corners": lambda: sharp(
        "irb140", np.array([0.2, 0.2, -0.4, 0.3, 0.7, 0.1]), 20.0
    ),
    "ur10e, nearly half a turn": lambda: sharp("ur10e", _degrees(0, -90, 90, -90, -90, 0), 2.0),
    "ur5e, a slow joint": lambda: uneven("ur5e", UR, 2, 0.1),
    "xarm6, a slow wrist": lambda: uneven(
        "xarm6", np.array([0.2, -0.4, -0.9, 0.2, 1.2, 0.1]), 4, 0.05
    ),
    "irb120, tool without limits": lambda: tool_only("irb120", _degrees(0, 0, 0, 0, 30, 0), 100.0),
    "irb120, slow tool": lambda: tool_only("irb120", _degrees(0, 0, 0, 0, 90, 0), 0.02),
    "ur5e, from a stretched elbow": lambda: _standing(
        "ur5e", _degrees(10, -60, 0, -40, -90, 20), lambda path, p: path.lin(0.8 * p)
    ),
    "panda, curved": lambda: curved("panda", PANDA),
    "iiwa7, tiny lines": lambda: tiny("iiwa7", _degrees(0, 30, 0, -90, 0, 60, 0), 0.005),
    "scara2, joints": lambda: joint_space("scara2", np.array([0.3, 0.8, 0.05, 0.1])),
    "five_axis, sharp corners": lambda: sharp("five_axis", _degrees(10, 40, -70, 30, 0), 30.0),
    "coupled_puma, joints": lambda: joint_space("coupled_puma", PUMA),
    "stanford, curved": lambda: curved("stanford", np.array([0.3, 0.8, 0.5, 0.4, 0.9, 0.2])),
    "kr16, joints": lambda: joint_space("kr16", _degrees(0, -90, 90, 0, 30, 0)),
    "puma560, corner by torque": lambda: driven(tool_only("puma560", PUMA, 1.0), 0.6),
    "puma560, past a stretched wrist by torque": lambda: driven(
        past("puma560", 14, 1e-2, "corner"), 1.0
    ),
    "ur5e, tiny lines by torque": lambda: driven(tiny("ur5e", UR, 0.01), 0.4),
    "ur5e, joints by torque": lambda: driven(joint_space("ur5e", UR), 0.3),
    "panda, curved by torque": lambda: driven(curved("panda", PANDA), 0.5),
}
"""By name: how the path is made."""

STANDS: dict[str, Array] = {
    "puma560": PUMA,
    "ur5e": UR,
    "panda": PANDA,
    "irb140": np.array([0.2, 0.2, -0.4, 0.3, 0.7, 0.1]),
    "xarm6": np.array([0.2, -0.4, -0.9, 0.2, 1.2, 0.1]),
    "kr6_r900": np.array([0.1, -1.2, 1.4, 0.2, 0.8, 0.0]),
    "iiwa7": _degrees(0, 30, 0, -90, 0, 60, 0),
    "stanford": np.array([0.3, 0.8, 0.5, 0.4, 0.9, 0.2]),
}
"""Where arms stand [rad or m] from which more paths are drawn."""


def drawn(seed: int) -> HardProblem:
    """Return a hard path of a kind, an arm and sizes that are drawn at random."""
    random = np.random.default_rng([2026, seed])
    arm = list(STANDS)[random.integers(len(STANDS))]
    q0 = STANDS[arm] + random.uniform(-0.1, 0.1, len(STANDS[arm]))
    size, degrees = float(np.exp(random.uniform(-6.2, -4.6))), float(random.uniform(2.0, 40.0))
    joint, factor = int(random.integers(len(q0))), float(random.uniform(0.03, 0.3))
    kinds: tuple[Callable[[], HardProblem], ...] = (
        lambda: tiny(arm, q0, size),
        lambda: sharp(arm, q0, degrees),
        lambda: uneven(arm, q0, joint, factor),
        lambda: curved(arm, q0),
        lambda: joint_space(arm, q0),
        lambda: tool_only(arm, q0, 10.0 * factor),
    )
    return kinds[seed % len(kinds)]()


DRAWN: dict[str, Callable[[], HardProblem]] = {
    f"drawn {seed}": partial(drawn, seed) for seed in range(21) if seed != 7
}
"""Twenty of them; the one that is left out is out of reach."""
