"""Direct and inverse kinematics as a controller sees them: in the world, and switchable."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.control.goals import goal_of, in_base, words_of
from armwerk.control.skills import switched_off
from armwerk.errors import MotionError, ShapeError
from armwerk.mechanics import choice
from armwerk.mechanics.choice import JointSpace
from armwerk.mechanics.extent import millimetre_hint

if TYPE_CHECKING:
    from armwerk.control.context import RobotContext

Direct = Callable[[Array], ArrayLike]
Inverse = Callable[[Array], ArrayLike | None]
_EDGE = 1e-9  # [rad or m] how far beyond a limit still counts as at it


class ControllerKinematics:
    """Where the tool is for which motor values, and the other way round.

    Args:
        context: Gives model, base, limits and skills.
        direct: The controller's own direct kinematics: motor values (n,) -> T_base_tool (4, 4);
            None: the model's, where the skill is on.
        inverse: The controller's own inverse kinematics: T_base_tool (4, 4), or a point (3,) of
            the base frame, -> solutions (k, n) or (n,), None or nothing when out of reach.
    """

    def __init__(
        self, context: RobotContext, direct: Direct | None, inverse: Inverse | None
    ) -> None:
        self._context = context
        self._own_direct = direct
        self._own_inverse = inverse
        self.limits = context.limits

    @property
    def is_own(self) -> bool:
        """Whether the controller has brought its own inverse."""
        return self._own_inverse is not None

    def computing(self) -> AbstractContextManager[None]:
        """Return a context for long computations; none for the controller's own functions."""
        if self._own_direct is None and self._own_inverse is None:
            return self._context.compute()
        return nullcontext()

    @property
    def has_own(self) -> bool:
        """Whether the controller has brought a function of its own."""
        return self._own_direct is not None or self._own_inverse is not None

    def direct(self, q: Array, service: str = "direct") -> Array:
        """Return T_world_tool. Shape (4, 4)."""
        if self._own_direct is not None:
            pose = np.asarray(self._own_direct(q.copy()), dtype=np.float64)
            if pose.shape != (4, 4):
                raise ShapeError(
                    f"direct_kinematics must return a pose of shape (4, 4), got {pose.shape}"
                )
        else:
            if not self._context.skills.mandirkin:
                switched_off("mandirkin", service, "direct_kinematics")
            pose = self._context.model.fk(q)
        return np.asarray(self._context.base @ pose)

    def inverse(self, T: ArrayLike) -> Array:
        """Return the solutions of a goal in the world, limits not counted. Shape (k, n)."""
        goal = in_base(self._context.base, goal_of(T))
        if self._own_inverse is not None:
            return self._own(goal)
        self._require("inverse")
        if goal.ndim == 2:
            return np.asarray(self._context.model.ik(goal))
        return self._context.model.solutions(goal).joints

    def nearest(self, T: ArrayLike, q: Array, service: str = "nearest") -> Array | None:
        """Return the solution within limits nearest to q; None without one. Shape (n,)."""
        goal = in_base(self._context.base, goal_of(T))
        if self._own_inverse is not None:
            return self._choose(self._own(goal), q)
        self._require(service)
        near = np.clip(q, self.limits.lowest, self.limits.highest)
        if goal.ndim == 1:
            return self._to_point(goal, near)
        found = self._context.model.ik_nearest(goal, near)
        return None if found is None else np.asarray(found)

    def required(self, T: ArrayLike, q: Array, service: str) -> Array:
        """Return what `nearest` returns, or raise an error that says what is out of reach."""
        found = self.nearest(T, q, service)
        if found is not None:
            return found
        goal = goal_of(T)
        hint = ""
        if goal.ndim == 2 and self.limits.dof < 6:
            hint = (
                f"; with {self.limits.dof} axes it cannot turn its tool as it likes, so give a "
                "point (3 numbers) where the orientation does not matter"
            )
        inside = in_base(self._context.base, goal)
        place = inside if inside.ndim == 1 else inside[:3, 3]
        hint = millimetre_hint(self._context.model.arm, place) or hint
        raise MotionError(
            f"{service}: {words_of(goal)} is out of reach of robot {self._context.number} "
            f"('{self._context.model.arm.name}') within its joint limits{hint}"
        )

    def _require(self, service: str) -> None:
        if not self._context.skills.maninvkin:
            switched_off("maninvkin", service, "inverse_kinematics")

    def _to_point(self, point: Array, near: Array) -> Array | None:
        """Return motor values that bring the tool to a point of the base frame."""
        found = self._context.model.ik_position(point, near)
        return None if found is None or len(found) == 0 else found

    def _own(self, goal: Array) -> Array:
        assert self._own_inverse is not None
        n = self.limits.dof
        given = self._own_inverse(goal)
        if given is None:
            return np.empty((0, n))
        found = np.asarray(given, dtype=np.float64)
        found = found.reshape(0, n) if found.size == 0 else np.atleast_2d(found)
        if found.ndim != 2 or found.shape[1] != n:
            raise ShapeError(
                f"inverse_kinematics must return solutions of shape (k, {n}) or ({n},), got "
                f"{np.shape(given)}"
            )
        return found

    def _choose(self, solutions: Array, q: Array) -> Array | None:
        """Return the solution within limits nearest to q, angles shifted by full turns."""
        limits = self.limits
        turns = np.array([unit == "rad" for unit in limits.units])
        low, high = limits.lowest - _EDGE, limits.highest + _EDGE
        joints = JointSpace(np.column_stack([low, high]), turns, np.ones(limits.dof))
        return choice.nearest(joints, solutions, q)
