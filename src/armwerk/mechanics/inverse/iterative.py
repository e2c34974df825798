"""What all iterative methods share: checked arguments, the order of results, and the reasons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Integers
from armwerk.mechanics.arrays import goal_array, joint_vector, pose_array
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import in_order
from armwerk.mechanics.inverse.interface import Solution, Task
from armwerk.robot.arm import Arm


class IterativeSolver(ABC):
    """The words of `InverseSolver` in front of a search and a collection.

    Args:
        arm: The arm, for messages.
        chain: The same arm, packed.
    """

    name: ClassVar[str] = ""

    def __init__(self, arm: Arm, chain: Chain) -> None:
        self.arm = arm
        self.chain = chain

    @abstractmethod
    def search(self, T: Array, q0: Array | None, task: Task, *, nearest: bool) -> Solution:
        """Return a solution within limits: the first found, or the nearest to q0 of several.

        Args:
            T: Exactly rigid. Shape (4, 4).
            q0: Where the search starts; None: anywhere. Shape (n,).
            task: What of the pose counts.
            nearest: Whether to look on for a nearer one.
        """

    @abstractmethod
    def collect(self, Ts: Array, within_limits: bool) -> tuple[Array, Integers]:
        """Return the solutions found for each exactly rigid pose, in any order; see `all_batch`."""

    def all(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return the solutions that are found of a pose, in order. Shape (k, n)."""
        solutions, counts = self.collect(goal_array(T, "pose")[None], within_limits)
        return in_order(solutions[0, : counts[0]])

    def all_batch(self, Ts: ArrayLike, within_limits: bool = False) -> tuple[Array, Integers]:
        """Return the solutions of m poses, nan behind the last: (m, kmax, n), and (m,)."""
        solutions, counts = self.collect(pose_array(Ts, "Ts")[0], within_limits)
        for row, count in zip(solutions, counts, strict=True):
            row[:count] = in_order(row[:count])
        return solutions, counts

    def nearest(self, T: ArrayLike, q: ArrayLike, task: Task = "pose") -> Array | None:
        """Return the nearest to q of the solutions within limits that are found, or None."""
        near = joint_vector(q, self.chain.dof)
        solution = self.search(goal_array(T, task), near, task, nearest=True)
        return solution.q if solution.success else None

    def solve(self, T: ArrayLike, q0: ArrayLike | None = None, task: Task = "pose") -> Solution:
        """Return the first solution within limits that is found."""
        start = None if q0 is None else joint_vector(q0, self.chain.dof)
        return self.search(goal_array(T, task), start, task, nearest=False)

    def out_of_reach(self, position: float, rotation: float, starts: int) -> str:
        """Return the sentence for a pose that no start led to."""
        return (
            f"out of reach as far as {starts} starts can tell: "
            f"{position:.3g} m and {rotation:.3g} rad are left at best"
        )

    def outside_limits(self, q: Array) -> str:
        """Return the sentence for a pose whose solutions break a joint limit."""
        low, high = self.chain.limits.T
        i = int(np.argmax(np.maximum(q - high, low - q) * self.chain.metric))
        joint = self.arm.moving[i]
        return (
            f"solutions were found only outside the joint limits: joint '{joint.name}' would need "
            f"{q[i]:.4g} {joint.unit} (allowed: {low[i]:.4g} to {high[i]:.4g} {joint.unit})"
        )
