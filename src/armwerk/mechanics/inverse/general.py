"""Inverse kinematics of any six-axis arm by elimination, and whether all solutions were found.

A pose makes a loop of the arm. Five of its joints are eliminated, which leaves a trigonometric
polynomial in the sixth (`armwerk.mechanics.kernels.elimination`); its real roots are counted with a
bound of the error, and each gives one solution, which Newton's method brings onto the pose. When
every root is certain and gives its solution, the answer is *proved*: there are no others. Where
that cannot be seen, other joints are taken as the sixth, and at last descents from many starts look
for what is missing; such an answer is right but not proved.

Poses with infinitely many solutions and those at an edge of the reach are never proved.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags, Integers
from armwerk.errors import UnsupportedError
from armwerk.mechanics.arrays import goal_array, joint_vector, pose_array
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import distance, in_order
from armwerk.mechanics.inverse.eliminating import EliminatingSolver
from armwerk.mechanics.inverse.interface import SolutionSet, Task
from armwerk.mechanics.inverse.loop import loop_views
from armwerk.mechanics.kernels.elimination.solve import MOST_SOLUTIONS, solve_pose, solve_poses
from armwerk.mechanics.kernels.turns import nearest_row
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.mechanics.inverse.two_slides import TwoSlides


class GeneralSolver(EliminatingSolver):
    """All solutions of a six-axis arm; see the module.

    Args:
        arm: The arm, for messages.
        chain: The same arm, packed.

    Raises:
        UnsupportedError: For an arm that elimination cannot take; says why.
    """

    def __init__(self, arm: Arm, chain: Chain) -> None:
        views = loop_views(chain)
        if views is None:
            raise UnsupportedError(
                f"arm '{arm.name}' has no general inverse kinematics: elimination takes six joints "
                "of which two that turn stand three apart (1 and 4, 2 and 5, or 3 and 6)"
            )
        super().__init__(arm, chain)
        self._views = views
        self._count = len(views.left)
        self._two_slides = chain.revolute.sum() == 4

    @cached_property
    def _pair(self) -> TwoSlides:
        """Elimination for arms with two slides, which has less to eliminate."""
        from armwerk.mechanics.inverse.two_slides import TwoSlides  # few arms ask it

        return TwoSlides(self.chain)

    def all(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return the solutions of a pose, in order. Shape (k, 6)."""
        pose = goal_array(T, "pose")
        solutions, _ = self._found(pose)
        return in_order(self._within(pose, solutions) if within_limits else solutions)

    def roots(self, T: Array) -> Array:
        """Return what is found for a pose, where solutions meet some of it twice. Shape (k, 6)."""
        found, proved = self._eliminated(T)
        return found if proved else self._more(T, found)

    def solution_set(self, T: ArrayLike) -> SolutionSet:
        """Return the solutions of a pose, and whether it is proved that there are no others."""
        solutions, proved = self._found(goal_array(T, "pose"))
        return SolutionSet(in_order(solutions), method="general", proved=proved)

    def proved(self, T: ArrayLike, within_limits: bool = False) -> Array | None:
        """Return every solution of a pose, in any order; None: not proved. Shape (k, 6)."""
        pose = goal_array(T, "pose")
        solutions, proved = self._eliminated(pose)
        if not proved:
            return None
        return self._within(pose, solutions) if within_limits else solutions

    def all_batch(self, Ts: ArrayLike, within_limits: bool = False) -> tuple[Array, Integers]:
        """Return the solutions of m poses, nan behind the last: (m, kmax, 6), and (m,)."""
        solutions, counts, _ = self.proved_batch(Ts, within_limits)
        return solutions, counts

    def proved_batch(
        self, Ts: ArrayLike, within_limits: bool = False
    ) -> tuple[Array, Integers, Flags]:
        """Return what `all_batch` does, and which answers are proved to be complete. Shape (m,)."""
        poses, _ = pose_array(Ts, "Ts")
        solutions = np.empty((len(poses), MOST_SOLUTIONS, 6))
        counts = np.empty(len(poses), dtype=np.int64)
        proved = np.empty(len(poses), dtype=np.bool_)
        if self._two_slides:
            self._pair.fill(poses, solutions, counts, proved)
        else:
            solve_poses(self._views, poses, solutions, counts, proved)
        for k, pose in enumerate(poses):
            found = solutions[k, : counts[k]]
            if not proved[k]:
                found = self._searched(pose, found)
            if within_limits:
                found = self._within(pose, found)
            counts[k] = len(found)
            solutions[k, : counts[k]] = in_order(found)
            solutions[k, counts[k] :] = np.nan
        return solutions[:, : counts.max(initial=0)], counts, proved

    def nearest(self, T: ArrayLike, q: ArrayLike, task: Task = "pose") -> Array | None:
        """Return the solution within limits nearest to q; None when there is none."""
        if task != "pose":
            return self.numeric.nearest(T, q, task)
        pose, near = goal_array(T, "pose"), joint_vector(q, 6)
        solutions, proved = self._eliminated(pose)
        if not proved:
            solutions = np.ascontiguousarray(self._each_once(pose, solutions))
        best = nearest_row(self.chain.constants, pose, solutions, near, self._limits)
        mine = solutions[best].copy() if best >= 0 else None
        if proved:
            return mine
        other = self.numeric.nearest(pose, near)
        if mine is None or other is None:
            return mine if other is None else other
        return (
            mine if distance(self.chain, mine, near) <= distance(self.chain, other, near) else other
        )

    def _eliminated(self, T: Array) -> tuple[Array, bool]:
        """Return what elimination finds, and whether that is proved to be all."""
        if self._two_slides:
            pair, proved = self._pair.solutions(T)
            return (pair, True) if proved else (self._each_once(T, pair), False)
        found = np.empty((MOST_SOLUTIONS, 6))
        count, proved = solve_pose(self._views, 0, self._count, T, found)
        return found[:count], bool(proved)

    def _found(self, T: Array) -> tuple[Array, bool]:
        """Return all solutions that are found, and whether that is proved to be all."""
        found, proved = self._eliminated(T)
        return (found, True) if proved else (self._searched(T, found), False)

    def _searched(self, T: Array, known: Array) -> Array:
        """Return the known solutions, each once, and those that descents find besides."""
        return self._each_once(T, self._more(T, known))

    def _more(self, T: Array, known: Array) -> Array:
        """Return the known solutions and those that descents find besides."""
        rows = self.numeric.more(T, known)
        return rows[np.isfinite(rows).all(axis=1)]  # not at the world's end

    def _each_once(self, T: Array, solutions: Array) -> Array:
        from armwerk.mechanics.inverse.folds import each_once  # most poses never ask it

        return each_once(self.chain, T, solutions)[:MOST_SOLUTIONS]
