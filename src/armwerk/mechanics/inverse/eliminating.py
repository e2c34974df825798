"""What all inverse methods by elimination share: where it says nothing, descents are asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.mechanics.arrays import goal_array
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.inverse.interface import Solution, Task
from armwerk.mechanics.inverse.reached import reached
from armwerk.mechanics.kernels.turns import keep_limits
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.mechanics.inverse.numeric import NumericSolver


class EliminatingSolver(ABC):
    """An inverse method by elimination; `nearest` is what each has of its own.

    Args:
        arm: The arm.
        chain: The same arm, packed.
    """

    name: ClassVar[str] = "general"

    def __init__(self, arm: Arm, chain: Chain) -> None:
        self.arm, self.chain = arm, chain
        self._limits = np.require(chain.limits, np.float64, ["C", "W"])

    @cached_property
    def numeric(self) -> NumericSolver:
        """The solver for what elimination does not cover; most poses never ask it."""
        from armwerk.mechanics.inverse.numeric import NumericSolver  # compiled code

        return NumericSolver(self.arm, self.chain)

    @abstractmethod
    def nearest(self, T: ArrayLike, q: ArrayLike, task: Task = "pose") -> Array | None:
        """Return the solution within limits nearest to q; None when there is none."""

    def solve(self, T: ArrayLike, q0: ArrayLike | None = None, task: Task = "pose") -> Solution:
        """Return the solution within limits nearest to q0, or any, or why there is none."""
        if task != "pose":
            return self.numeric.solve(T, q0, task)
        pose = goal_array(T, "pose")
        q = self.nearest(pose, self.chain.home() if q0 is None else q0)
        if q is None:
            return self.numeric.solve(T, q0)  # says by how much the pose, or a limit, is missed
        return reached(self.chain, q, pose, self.name)

    def _within(self, T: Array, solutions: Array) -> Array:
        """Return the solutions that keep limits, angles moved by whole turns. Shape (k, n)."""
        rows = np.array(solutions, order="C")
        near = np.zeros(self.chain.dof)
        kept: Array = rows[keep_limits(self.chain.constants, T, rows, near, self._limits)]
        return kept
