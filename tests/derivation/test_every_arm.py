"""Random arms of one to six axes, turns and slides: every pose, nothing wrong, nothing missing.

The whole way of a pose, fast and careful, on generated code that Python runs itself; compiling a
thousand arms would take hours. What must be there is known from the joint values that made the
pose, and for some poses from a count by Newton's method from many starts (`multistart.py`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations, product
from typing import cast

import numpy as np
import pytest
from multistart import REGULAR, frames, gap, jacobian, regular_solutions
from random_arms import neat_arm, random_arm

import armwerk as aw
from armwerk.arrays import Array
from armwerk.derivation.inverse import METHODS, DerivationMethod, inverse_of
from armwerk.derivation.inverse.soundness import lost_postures
from armwerk.derivation.program import Program
from armwerk.derivation.ring import Ring
from armwerk.derivation.runtime.generate import generate
from armwerk.derivation.runtime.interface import Kernels
from armwerk.derivation.runtime.interpreted import interpreted_module
from armwerk.derivation.runtime.kinematics import kinematics
from armwerk.derivation.runtime.solver import ClosedFormSolver
from armwerk.errors import UnsupportedError
from armwerk.mechanics.inverse.interface import SolutionSet

RIGHT = 2e-9  # [m], entries of the rotation
SAME = 1e-4  # [rad], [m]; regular solutions are known to 1e-9, divided by the least singular value
COPY = 9e-7  # [rad], [m]; copies of a solution are nearer than this
STEP = math.pi / 6


def postures(arm: aw.Arm, count: int, draw: np.random.Generator) -> Array:
    """Return joint values, half of them with all angles multiples of 30°. Shape (count, n)."""
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    q = np.where(turns, np.pi, 0.8) * draw.uniform(-1.0, 1.0, (count, arm.dof))
    special = np.where(
        turns, STEP * draw.integers(-5, 7, q.shape), 0.1 * draw.integers(-8, 9, q.shape)
    )
    q[::2] = special[::2]
    return q


def hard_postures(arm: aw.Arm, count: int, draw: np.random.Generator) -> Array:
    """Return joint values of which one in four is random; one is a hair beside a special one.

    The others have angles that are multiples of 15°, 30°, 45°, 90° or 180°. Shape (count, n).
    """
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    shape = (count, arm.dof)
    steps = np.radians(draw.choice([15.0, 30.0, 45.0, 90.0, 180.0], (count, 1)))
    angles = np.arctan2(*(f(steps * draw.integers(-12, 13, shape)) for f in (np.sin, np.cos)))
    angles = np.round(angles / steps) * steps  # exactly 180° where it is
    special = np.where(turns, angles, 0.1 * draw.integers(-8, 9, shape))
    anywhere = np.where(turns, np.pi, 0.8) * draw.uniform(-1.0, 1.0, shape)
    hair = draw.choice([1e-12, 1e-9, 1e-6, 1e-3], (count, 1)) * draw.uniform(-1.0, 1.0, shape)
    some = draw.random(shape) < draw.choice([0.2, 1.0], (count, 1))
    kind = (np.arange(count) % 4)[:, None]
    q = np.where(kind == 0, anywhere, special)
    return np.asarray(np.where(kind == 1, q + hair * some, q))


def solver_of(arm: aw.Arm) -> Callable[[Array], SolutionSet] | None:
    """Return what solves an arm, its closed form without compiling it; None: it is redundant."""
    inverse = inverse_of(arm)
    if inverse.program is None:
        with suppress(UnsupportedError):
            return None if inverse.reason.startswith("redundant") else _counting(arm)
        return None
    if inverse.program.given:
        return None
    return _interpreted(arm, inverse.program)


def _interpreted(arm: aw.Arm, program: Program) -> Callable[[Array], SolutionSet]:
    """Return what solves an arm by a program, run by Python itself."""
    module = interpreted_module(generate(program, kinematics(arm)))
    return ClosedFormSolver.from_kernels(arm, "interpreted", cast(Kernels, module)).solution_set


def _counting(arm: aw.Arm) -> Callable[[Array], SolutionSet]:
    """Return elimination with its count, for six axes without closed form."""
    return aw.model(arm, ik="general").solutions


def examined(
    arm: aw.Arm, joints: Array, counted: int, starts: int, draw: np.random.Generator
) -> Counter[str]:
    """Return how many poses of an arm were looked at, and how many solutions compared."""
    solver = solver_of(arm)
    if solver is None:
        return Counter({"redundant": 1})
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    seen: Counter[str] = Counter({"arms": 1})
    for number, q in enumerate(joints):
        at = frames(arm, q[None])
        pose = at[0, -1]
        with np.errstate(all="ignore"):
            found = solver(np.ascontiguousarray(pose))
        _all_right(arm, found, pose)
        seen["poses"] += 1
        if found.family:
            continue
        _all_different(arm, found)
        wanted = np.empty((0, arm.dof))
        if np.linalg.svd(jacobian(arm, at)[0], compute_uv=False).min() > REGULAR:
            wanted = q[None]
        if number < counted:
            more = regular_solutions(arm, pose, starts, draw)
            wanted = np.concatenate([wanted, more])
            seen["counted"] += len(more)
        for one in wanted:
            assert any(gap(one, row, turns) < SAME for row in found.joints), (arm.joints, q, one)
    return seen


def _all_right(arm: aw.Arm, found: SolutionSet, pose: Array) -> None:
    if len(found.joints):
        reached = frames(arm, found.joints)[:, -1]
        assert np.abs(reached - pose).max() < RIGHT, arm.joints


def _all_different(arm: aw.Arm, found: SolutionSet) -> None:
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    for one, two in combinations(found.joints, 2):
        assert gap(one, two, turns) > COPY, arm.joints


HALF = math.pi / 2
LOST: dict[str, tuple[list[tuple[str, float, float, float, float]], list[float]]] = {
    "two_axes_in_a_plane": (  # a helper of the formulas divides by nothing
        [
            ("R", 0.231, 0.484, HALF, HALF),
            ("R", 0.0, 0.315, HALF, 0.0),
            ("R", 0.388, 0.0, -HALF, 0.0),
            ("R", 0.0, 0.46, HALF, 0.0),
            ("R", 0.403, 0.0, 0.0, HALF),
        ],
        [0.0, -math.pi / 3, math.pi, math.pi, STEP],
    ),
    "roots_fall_together": (  # a root that vanishes takes all digits of a slide with it
        [
            ("T", 0.0, 0.0, 0.0, HALF),
            ("R", 0.0, 0.0, HALF, HALF),
            ("R", 0.0, 0.0, -HALF, 0.49223451046681443),
            ("R", 0.0, 0.187, math.pi, 0.0),
            ("R", 0.099, 0.251, -HALF, 0.0),
            ("R", 0.0, 0.0, math.pi, 0.0),
        ],
        [-0.3, HALF, 2 * math.pi / 3, -math.pi / 3, -math.pi / 3, 0.0],
    ),
    "factor_of_elimination": (  # all formulas of an angle have a factor that says nothing of it
        [
            ("R", 0.0, 0.0, HALF, HALF),
            ("R", 0.0, 0.0, HALF, 2.851861769),
            ("R", 0.555, 0.513, HALF, 0.0),
            ("R", 0.589, 0.222, 0.0, HALF),
            ("R", 0.0, 0.0, -HALF, 0.299332895),
            ("R", 0.0, 0.0, 0.0, 0.0),
        ],
        [-STEP, HALF, math.pi, -2 * math.pi / 3, -HALF, HALF],
    ),
}
HAIRS = (0.0, 1e-12, 1e-9, 1e-6)


def lost_arm(name: str, off: float = 0.0) -> aw.Arm:
    """Return an arm of `LOST`, lengths and offsets that are not zero moved by a hair."""

    def moved(size: float, share: float) -> float:
        return size + share * off if size else 0.0

    return aw.Arm.from_dh(
        [
            aw.Joint(
                "revolute" if kind == "R" else "prismatic",
                d=moved(d, 0.7),
                a=moved(a, -0.4),
                alpha=alpha,
                offset=moved(offset, 0.3),
            )
            for kind, d, a, alpha, offset in LOST[name][0]
        ]
    )


def _found_beside(arm: aw.Arm, joints: list[float], solver: Callable[[Array], SolutionSet]) -> None:
    """Poses at and a hair beside joint values give them back."""
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    for off in HAIRS:
        q = np.array(joints) + off * np.linspace(-1.0, 1.0, arm.dof)
        pose = np.ascontiguousarray(frames(arm, q[None])[0, -1])
        with np.errstate(all="ignore"):
            found = solver(pose)
        _all_right(arm, found, pose)
        assert any(gap(q, row, turns) < SAME for row in found.joints), off


@pytest.mark.parametrize("kin", HAIRS)
@pytest.mark.parametrize("name", LOST)
def test_poses_at_which_formulas_lose_all_digits(name: str, kin: float) -> None:
    arm = lost_arm(name, kin)
    solver = solver_of(arm)
    assert solver is not None
    _found_beside(arm, LOST[name][1], solver)


def test_elimination_finds_what_formulas_of_six_turns_lose() -> None:
    arm = lost_arm("factor_of_elimination")
    program = inverse_of(arm, "elimination").program
    assert program is not None
    _found_beside(arm, LOST["factor_of_elimination"][1], _interpreted(arm, program))


@pytest.mark.parametrize("method", METHODS)
def test_formulas_that_hold_at_special_postures_are_taken(method: DerivationMethod) -> None:
    ring = Ring(lost_arm("factor_of_elimination"))
    inverse = inverse_of(ring.arm, method)
    if inverse.program is not None:
        assert (lost_postures(ring, inverse.program) > 10) == (method == "elimination")
    assert inverse_of(ring.arm).method == "twists"
    puma = aw.load_arm("puma560")
    assert lost_postures(Ring(puma), cast(Program, inverse_of(puma, "rules").program)) == 0


def test_an_arm_that_is_hardly_regular_anywhere() -> None:
    rows = ((0.0, 0.0, -3.141331840367764), (0.264, 0.264, math.pi), (0.264, 0.0, 2.88))
    arm = aw.Arm.from_dh([aw.Joint("revolute", d=d, a=a, alpha=alpha) for d, a, alpha in rows])
    inverse = inverse_of(arm)
    assert inverse.program is not None
    assert lost_postures(Ring(arm), inverse.program) == 0


@pytest.mark.parametrize(
    ("arms", "poses", "counted", "starts", "seed"),
    [
        (12, 12, 2, 60, 21),
        pytest.param(1000, 100, 4, 200, 22, marks=pytest.mark.soak),
    ],
)
def test_nothing_wrong_and_nothing_missing(
    arms: int, poses: int, counted: int, starts: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    seen: Counter[str] = Counter()
    bad: list[tuple[object, ...]] = []
    for _ in range(arms):
        arm = random_arm(draw)
        seen += _examined_or_noted(arm, postures(arm, poses, draw), (counted, starts), draw, bad)
    assert not bad
    assert seen["arms"] >= 0.5 * arms
    assert seen["poses"] >= poses * seen["arms"]
    assert seen["counted"] > arms


CLASSES = [kinds for kinds in map("".join, product("RT", repeat=6)) if kinds.count("T") <= 3]


@pytest.mark.parametrize(
    ("arms", "poses", "counted", "starts", "seed"),
    [
        (16, 10, 2, 40, 41),
        pytest.param(1000, 100, 4, 200, 42, marks=pytest.mark.soak),
    ],
)
def test_arms_as_people_type_them(
    arms: int, poses: int, counted: int, starts: int, seed: int
) -> None:
    """Every second arm has six axes, of all classes in turn."""
    seen: Counter[str] = Counter()
    bad: list[tuple[object, ...]] = []
    for number in range(arms):
        draw = np.random.default_rng([seed, number])
        arm = neat_arm(draw, None if number % 2 else CLASSES[number // 2 % len(CLASSES)])
        joints = hard_postures(arm, poses, draw)
        seen += _examined_or_noted(arm, joints, (counted, starts), draw, bad)
    assert not bad
    assert seen["arms"] >= 0.5 * arms


def _examined_or_noted(
    arm: aw.Arm,
    joints: Array,
    effort: tuple[int, int],
    draw: np.random.Generator,
    bad: list[tuple[object, ...]],
) -> Counter[str]:
    """Return what was seen of an arm; one that fails is noted, and the others are looked at."""
    try:
        return examined(arm, joints, *effort, draw)
    except AssertionError as error:
        bad.append((arm.joints, *error.args))
    return Counter({"arms": 1, "poses": len(joints)})
