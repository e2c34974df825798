"""Inverse kinematics by damped least squares with restarts: the method that nearly always works.

The descent itself is in `armwerk.mechanics.kernels.descent`. Starts are spread evenly over the
joint ranges in a fixed order, so equal questions get equal answers. What is found is right; that
nothing else exists is not proven.
"""

from __future__ import annotations

from typing import ClassVar

from armwerk.arrays import Array, Integers
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.inverse.interface import TASK_SIZES, Solution, Task
from armwerk.mechanics.inverse.iterative import IterativeSolver
from armwerk.mechanics.kernels import search as kernels
from armwerk.robot.arm import Arm

STARTS = 200  # descents before a pose counts as out of reach; one in a thousand needs more than 20
HANDFUL = 8  # solutions given of infinitely many, for arms with joints to spare


class NumericSolver(IterativeSolver):
    """Damped least squares; see the module."""

    name: ClassVar[str] = "numeric"

    def __init__(self, arm: Arm, chain: Chain) -> None:
        super().__init__(arm, chain)
        self._home = chain.home()

    def search(self, T: Array, q0: Array | None, task: Task, *, nearest: bool) -> Solution:
        """Return the first solution within limits, or the nearest to q0 of all that are found.

        One that is within half a radian of q0 is taken without looking further.
        """
        mode = kernels.ANY if q0 is None else kernels.NEAREST if nearest else kernels.SEEDED
        start = self._home if q0 is None else q0
        size = TASK_SIZES[task]
        result = kernels.search(self.chain.constants, T, start, size, STARTS, mode)
        n = self.chain.dof
        status, position, rotation, iterations, starts = result[n:].tolist()
        q = result[:n].copy()
        reason = "solved"
        if status == kernels.OUT_OF_REACH:
            reason = self.out_of_reach(position, rotation, int(starts))
        elif status == kernels.OUTSIDE_LIMITS:
            reason = self.outside_limits(q)
        return Solution(
            q,
            success=status == kernels.SOLVED,
            residual_position=position,
            residual_rotation=rotation,
            iterations=int(iterations),
            restarts=int(starts) - 1,
            method=self.name,
            reason=reason,
        )

    def collect(self, Ts: Array, within_limits: bool) -> tuple[Array, Integers]:
        """Return the solutions found for each pose; a handful for arms with joints to spare.

        Those of arms with joints to spare always keep the limits.
        """
        spare = self.chain.dof > 6
        solutions, counts = kernels.collect_batch(
            self.chain.constants,
            Ts,
            STARTS,
            HANDFUL if spare else kernels.MOST_SOLUTIONS,
            within_limits or spare,
        )
        most = int(counts.max(initial=0))
        return solutions[:, :most], counts
