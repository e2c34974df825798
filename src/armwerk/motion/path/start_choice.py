"""Which joint values a path begins with when nobody says it, and why these.

In: the pose at the start and what stands around. Out: the configurations that may be taken, the
most sensible first, each with what speaks against it.

A configuration speaks against itself when it touches a body, when a part of the arm is below the
floor, or when it is near a singularity. The rest are in the order of their distance to the joint
values that are wanted near, zero without any.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.inverse.interface import Task
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.branches import candidates
from armwerk.motion.path.solved_poses import solutions_of
from armwerk.motion.path.wishes import ArmSurroundings

TOUCHES = "touching '{}'"
BELOW = "below the floor"
SINGULAR = "near a singularity"
UNFIT = "that the path does not fit"
_RANK = {TOUCHES: 4, BELOW: 2, SINGULAR: 1}
_UNDER = 1e-3  # [m] below the floor that still counts as on it
_SINGULAR = 0.03  # smallest share of the Jacobian's singular values: about 2 degrees off


@dataclass(frozen=True, slots=True, eq=False)
class StartCandidate:
    """A configuration at the start.

    Args:
        q: [rad, m]. Shape (n,).
        against: What speaks against it; empty: nothing.
    """

    q: Array
    against: tuple[str, ...]

    @property
    def rank(self) -> int:
        """How much speaks against it, 0: nothing."""
        touches = any(word.startswith("touching") for word in self.against)
        return _RANK[TOUCHES] * touches + sum(_RANK.get(word, 0) for word in self.against)


@dataclass(frozen=True, slots=True, eq=False)
class StartChoice:
    """The configurations that may be taken at the start of a path.

    Args:
        model: Of the arm.
        solutions: How many there are, limits not counted.
        candidates: Those within the limits, the most sensible first.
        near: Where the arm is wanted to be near; None: nowhere in particular. Shape (n,).
    """

    model: SerialModel
    solutions: int
    candidates: tuple[StartCandidate, ...]
    near: Array | None

    @property
    def touching(self) -> str:
        """What all candidates touch at least one of; empty: some touch nothing."""
        words = {one.against[0] for one in self.candidates if one.rank >= _RANK[TOUCHES]}
        free = any(one.rank < _RANK[TOUCHES] for one in self.candidates)
        return "" if free or not words else " and ".join(sorted(words))

    def words(self, chosen: StartCandidate, tried: int) -> str:
        """Return which one was taken and why, in one sentence.

        Args:
            chosen: The one taken.
            tried: How many before it were tried in vain.
        """
        joints = []
        for joint, value in zip(self.model.arm.moving, chosen.q, strict=True):
            turns = joint.unit == "rad"
            number = round(np.rad2deg(float(value)), 2) if turns else round(float(value), 4)
            joints.append(f"{joint.name} {number + 0.0:g} {'deg' if turns else 'm'}")
        first = {tuple(np.round(_principal(self.model, one.q), 6)): one for one in self.candidates}
        reasons = Counter(word for one in first.values() for word in one.against[:1])
        told = [f"{count} {word}" for word, count in sorted(reasons.items())]
        if tried:
            told.append(f"{tried} {UNFIT}")
        which = f"{len(first)} of {self.solutions} solutions within the limits"
        rest = f"; {', '.join(told)}" if told else ""
        near = "zero" if self.near is None else "the joint values wanted"
        last = f"; taken is the nearest to {near}"
        if chosen.against:
            last += f" of those {chosen.against[0]}, since no better one fits"
        elif told:
            last += " of the others"
        return f"chosen {', '.join(joints)}: {which}{rest}{last}"


def choose_start(
    model: SerialModel,
    pose: Array,
    near: Array | None,
    around: ArmSurroundings | None,
    task: Task = "pose",
) -> StartChoice:
    """Return the configurations for the start of a path, the most sensible first.

    Args:
        model: Of the arm.
        pose: T_world_tool at the start. Shape (4, 4).
        near: Joint values to be near; what is below the floor or near a singularity is then no
            worse than others. None: nowhere in particular. Shape (n,).
        around: What the arm must not touch; None: nothing.
        task: The part of the pose that counts.
    """
    home = model.chain.home() if near is None else near
    rows = candidates(model, pose, home, task)
    count = len(solutions_of(model, pose, task, home))
    against: list[list[str]] = [[] for _ in rows]
    if rows:
        table = np.array(rows)
        if around is not None:
            for k, body in enumerate(around.touched(model.arm, table)):
                against[k] += [TOUCHES.format(body)] if body else []
        if near is None:
            low, singular = _below_floor(model, table, pose), _singular(model, table)
            for k in range(len(rows)):
                against[k] += [BELOW] * bool(low[k]) + [SINGULAR] * bool(singular[k])
    found = [StartCandidate(q, tuple(words)) for q, words in zip(rows, against, strict=True)]
    found.sort(key=lambda one: one.rank)  # stable: nearest first among equals
    return StartChoice(model, count, tuple(found), near)


def _below_floor(model: SerialModel, rows: Array, pose: Array) -> Array:
    """Return which rows have a joint below the floor, the tool or the base, whichever is lowest."""
    base = float(model.arm.base[2, 3])
    floor = min(0.0, base, float(pose[2, 3])) - _UNDER
    heights = model.frames(rows)[:, 1:, 2, 3]
    return np.asarray(heights.min(axis=1) < floor)


def _singular(model: SerialModel, rows: Array) -> Array:
    """Return which rows are near a singularity; lengths count in scales of the arm."""
    jacobian = model.jacobian(rows)
    jacobian[:, :3] /= model.chain.scale
    jacobian /= model.chain.metric  # a slide moves as much as its length scale
    values = np.linalg.svd(jacobian, compute_uv=False)
    return np.asarray(values[:, -1] < _SINGULAR * values[:, 0])


def _principal(model: SerialModel, q: Array) -> Array:
    """Return angles without whole turns."""
    return np.where(model.chain.revolute, np.angle(np.exp(1j * q)), q)
