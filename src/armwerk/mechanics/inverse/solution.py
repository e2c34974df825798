"""What an inverse solver answers: joint values, and how far to trust them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.arrays import Array

Task: TypeAlias = Literal["pose", "position"]
TASK_SIZES: dict[Task, int] = {"pose": 6, "position": 3}
TOLERANCE = 1e-9  # [m] and [rad]: a solution is one only if direct kinematics agrees this well


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """One answer of the inverse kinematics, good or bad.

    Args:
        q: Joint values [rad or m]; without success those that came closest. Shape (n,).
        success: Whether direct kinematics of ``q`` is the wanted pose and limits are kept.
        residual_position: Distance left [m].
        residual_rotation: Angle left [rad]; 0 when only a position was asked for.
        iterations: Steps of the method, over all starts.
        restarts: Starts after the first one.
        method: Name of the solver.
        reason: "solved", or a sentence that says what is in the way.
    """

    q: Array
    success: bool
    residual_position: float
    residual_rotation: float
    iterations: int
    restarts: int
    method: str
    reason: str

    def __bool__(self) -> bool:
        return self.success


@dataclass(frozen=True, slots=True, eq=False)
class SolutionSet:
    """All solutions for one pose, as formulas give them.

    Args:
        joints: One configuration per row, angles in (-π, π]. Shape (k, n).
        family: Joints, counted from 1, that can move together without leaving the pose; the
            rows are then single members of infinitely many. Empty: there are no others.
        method: "closed" for the formulas, "numeric" where only iteration found something.
    """

    joints: Array
    family: tuple[int, ...] = ()
    method: Literal["closed", "numeric"] = "closed"

    def __len__(self) -> int:
        return len(self.joints)
