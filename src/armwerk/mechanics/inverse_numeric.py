"""Inverse kinematics by damped least squares with restarts: the method that nearly always works.

The descent itself is in `armwerk.mechanics.kernels.descent`. Starts are spread evenly over the
joint ranges in a fixed order, so equal questions get equal answers. What is found is right; that
nothing else exists is not proven.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.kernels import search as kernels
from armwerk.mechanics.solution import TASK_SIZES, Solution, Task
from armwerk.robot.arm import Arm

STARTS = 200  # descents before a pose counts as out of reach; one in a thousand needs more than 20
HANDFUL = 8  # solutions given of infinitely many, for arms with joints to spare


@dataclass(frozen=True, slots=True, eq=False)
class NumericSolver:
    """Damped least squares; see the module."""

    arm: Arm
    chain: Chain
    home: Array
    name: str = "numeric"

    def solve(self, T: Array, q0: Array | None, task: Task = "pose") -> Solution:
        """Return the first solution within limits that is found."""
        mode = kernels.ANY if q0 is None else kernels.SEEDED
        start = self.home if q0 is None else q0
        size = TASK_SIZES[task]
        return self._solution(kernels.search(self.chain.constants, T, start, size, STARTS, mode))

    def nearest(self, T: Array, q0: Array, task: Task = "pose") -> Solution:
        """Return the solution within limits nearest to q0 of all that are found.

        One that is within half a radian of q0 is taken without looking further.
        """
        size = TASK_SIZES[task]
        found = kernels.search(self.chain.constants, T, q0, size, STARTS, kernels.NEAREST)
        return self._solution(found)

    def all(self, Ts: Array, within_limits: bool) -> tuple[Array, NDArray[np.int64]]:
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

    def _solution(self, result: Array) -> Solution:
        n = self.chain.dof
        status, position, rotation, iterations, starts = result[n:].tolist()
        q = result[:n].copy()
        reason = "solved"
        if status == kernels.OUT_OF_REACH:
            reason = out_of_reach(position, rotation, int(starts))
        elif status == kernels.OUTSIDE_LIMITS:
            reason = outside_limits(self.arm, self.chain, q)
        return Solution(
            q,
            status == kernels.SOLVED,
            position,
            rotation,
            int(iterations),
            int(starts) - 1,
            self.name,
            reason,
        )


def make(arm: Arm, chain: Chain) -> NumericSolver:
    """Return the solver of an arm."""
    return NumericSolver(arm, chain, chain.home())


def out_of_reach(position: float, rotation: float, starts: int) -> str:
    """Return the sentence for a pose that no start led to."""
    return (
        f"out of reach as far as {starts} starts can tell: "
        f"{position:.3g} m and {rotation:.3g} rad are left at best"
    )


def outside_limits(arm: Arm, chain: Chain, q: Array) -> str:
    """Return the sentence for a pose whose solutions break a joint limit."""
    low, high = chain.limits.T
    i = int(np.argmax(np.maximum(q - high, low - q) * chain.metric))
    joint = arm.moving[i]
    return (
        f"solutions were found only outside the joint limits: joint '{joint.name}' would need "
        f"{q[i]:.4g} {joint.unit} (allowed: {low[i]:.4g} to {high[i]:.4g} {joint.unit})"
    )
