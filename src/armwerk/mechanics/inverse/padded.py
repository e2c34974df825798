"""Inverse kinematics of an arm with fewer than six joints by elimination, and whether that is all.

In: an arm and a pose. Out: its solutions, counted.

Joints that turn are put in front of the arm until there are six, about axes that have nothing to do
with it. Elimination finds every solution of that arm; those in which the added joints stand at zero
are the solutions of the arm itself, so a count of the former proves the latter complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Integers
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.mechanics.arrays import goal_array, joint_vector, pose_array
from armwerk.mechanics.chain import Chain, pack
from armwerk.mechanics.choice import in_order, wrap
from armwerk.mechanics.completed import joint_lines
from armwerk.mechanics.inverse.eliminating import EliminatingSolver
from armwerk.mechanics.inverse.folds import each_once
from armwerk.mechanics.inverse.general import GeneralSolver
from armwerk.mechanics.inverse.interface import SolutionSet, Task
from armwerk.mechanics.inverse.solution_search import GoalSearch
from armwerk.mechanics.kernels.direct import fk_batch
from armwerk.mechanics.kernels.jacobian import jacobian_batch
from armwerk.mechanics.kernels.turns import nearest_row
from armwerk.robot.arm import Arm
from armwerk.robot.axes import place_frames
from armwerk.robot.joint import Joint, JointKind

if TYPE_CHECKING:
    pass

_AT_ZERO = 1e-5  # [rad] within which an added joint may stand at zero; Newton's method decides
_POINTS = np.array([[0.31, -0.57, 0.23], [-0.43, 0.29, 0.61], [0.59, 0.37, -0.41]])
_DIRECTIONS = np.array([[0.48, 0.36, 0.8], [-0.64, 0.6, 0.48], [0.28, -0.72, 0.63]])
"""Axes of the added joints, nobody's neat ones; places in lengths of the arm."""


class _ChainKinematics:
    """Direct kinematics and Jacobian of a packed arm, as a search asks for them."""

    def __init__(self, chain: Chain) -> None:
        self._arm, self.dof, self.limits = chain.constants, chain.dof, chain.limits

    def fk(self, q: ArrayLike) -> Array:
        return fk_batch(self._arm, np.ascontiguousarray(q))

    def jacobian(self, q: ArrayLike) -> Array:
        return jacobian_batch(self._arm, np.ascontiguousarray(q))


class PaddedSolver(EliminatingSolver):
    """All solutions of an arm with fewer than six joints; see the module.

    Args:
        arm: The arm.
        chain: The same arm, packed.

    Raises:
        UnsupportedError: For an arm that elimination cannot take; says why.
    """

    def __init__(self, arm: Arm, chain: Chain) -> None:
        padded = padded_arm(arm, chain)
        super().__init__(arm, chain)
        self._added = 6 - chain.dof
        self._general = GeneralSolver(padded, pack(padded))
        self._kinematics = _ChainKinematics(chain)

    def proved(self, T: ArrayLike, within_limits: bool = False) -> Array | None:
        """Return every solution of a pose; None: not proved. Shape (k, n)."""
        pose = goal_array(T, "pose")
        found = self._general.proved(pose)
        if found is None:
            return None
        solutions = self._own(pose, found)
        return self._within(pose, solutions) if within_limits else solutions

    def solution_set(self, T: ArrayLike) -> SolutionSet:
        """Return the solutions of a pose, and whether it is proved that there are no others."""
        pose = goal_array(T, "pose")
        found = self.proved(pose)
        if found is not None:
            return SolutionSet(in_order(found), method="general", proved=True)
        searched = each_once(self.chain, pose, self.numeric.more(pose, self._none))
        return SolutionSet(in_order(searched), method="general")

    def all(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return the solutions of a pose, in order. Shape (k, n)."""
        pose = goal_array(T, "pose")
        found = self.solution_set(pose).joints
        return in_order(self._within(pose, found)) if within_limits else found

    def all_batch(self, Ts: ArrayLike, within_limits: bool = False) -> tuple[Array, Integers]:
        """Return the solutions of m poses, nan behind the last: (m, kmax, n), and (m,)."""
        poses, _ = pose_array(Ts, "Ts")
        rows = [self.all(T, within_limits) for T in poses]
        counts = np.array([len(row) for row in rows], dtype=np.int64)
        solutions = np.full((len(rows), counts.max(initial=0), self.chain.dof), np.nan)
        for k, row in enumerate(rows):
            solutions[k, : len(row)] = row
        return solutions, counts

    def nearest(self, T: ArrayLike, q: ArrayLike, task: Task = "pose") -> Array | None:
        """Return the solution within limits nearest to q; None when there is none."""
        if task != "pose":
            return self.numeric.nearest(T, q, task)
        pose, near = goal_array(T, "pose"), joint_vector(q, self.chain.dof)
        known = self.proved(pose)
        if known is None:
            return self.numeric.nearest(pose, near)
        best = nearest_row(self.chain.constants, pose, known, near, self._limits)
        return known[best].copy() if best >= 0 else None

    @property
    def _none(self) -> Array:
        return np.empty((0, self.chain.dof))

    def _own(self, T: Array, found: Array) -> Array:
        """Return what the arm itself solves of the solutions with added joints, each once."""
        still = np.abs(found[:, : self._added]).max(axis=1, initial=0.0) < _AT_ZERO
        starts = found[still, self._added :]
        if not len(starts):
            return self._none
        search = GoalSearch.of(self._kinematics, T, self.chain.revolute)
        return each_once(self.chain, T, wrap(self.chain, search.descend(starts)))


def padded_arm(arm: Arm, chain: Chain) -> Arm:
    """Return an arm of six joints: turning ones in front of the given arm, which they carry.

    Raises:
        UnsupportedError: When it has six joints or more, or three and more to spare.
    """
    count = 6 - chain.dof
    if not 0 < count <= len(_POINTS):
        raise UnsupportedError(
            f"arm '{arm.name}' has {chain.dof} joints; elimination takes three to six"
        )
    lines = joint_lines(arm)
    size = chain.scale
    points = np.vstack([arm.base[:3, 3] + size * _POINTS[:count], lines.points])
    directions = np.vstack([_DIRECTIONS[:count], lines.directions])
    turns: list[JointKind] = ["revolute"] * count
    kinds = turns + [joint.kind for joint in arm.moving]
    try:
        placed = place_frames(kinds, points, directions, lines.tool)
    except DescriptionError as error:
        raise UnsupportedError(f"arm '{arm.name}' cannot be eliminated: {error}") from None
    return Arm(
        [
            Joint(kind, d=row.d, a=row.a, alpha=row.alpha, offset=row.offset)
            for kind, row in zip(kinds, placed.rows, strict=True)
        ],
        f"{arm.name}_padded",
        placed.base,
        placed.tool,
    )
