"""Handles of single motors and of the gripper."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import TYPE_CHECKING

from armwerk.control.by_name import ByName
from armwerk.errors import MotionError, UnsupportedError
from armwerk.motion.limits import is_number

if TYPE_CHECKING:
    from armwerk.control.context import GripperHandle, RobotContext

STOP = 1e-9  # [rad or m] how far beyond a stop still counts as at it
_STILL = 1e-3  # [rad/s or m/s] slower than this counts as standing
_MAX_WAIT = 10.0  # [s] after which jaws that never come to rest are no longer waited for


class Motor:
    """One motor of a robot, of its arm or of its gripper."""

    __slots__ = ("_context", "_index", "_unit", "name")

    def __init__(self, context: RobotContext, index: int, name: str, unit: str) -> None:
        self._context = context
        self._index = index
        self._unit = unit
        self.name = name

    @property
    def value(self) -> float:
        """Where it is [rad or m]."""
        self._context.read()
        return float(self._context.body.values[self._index])

    @property
    def rate(self) -> float:
        """How fast it moves [rad/s or m/s]."""
        self._context.read()
        return float(self._context.body.rates[self._index])

    @property
    def goal(self) -> float:
        """Where it is driven to [rad or m]."""
        self._context.read()
        return float(self._context.body.goals[self._index])

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest value [rad or m]; infinite where it is free."""
        low, high = self._context.ranges[self._index].tolist()
        return low, high

    @property
    def moving(self) -> bool:
        """Whether it has not yet come to rest at its goal."""
        self._context.read()
        body = self._context.body
        away = abs(float(body.values[self._index] - body.goals[self._index]))
        return away > 1e-6 or abs(float(body.rates[self._index])) > _STILL

    def set(self, value: float) -> None:
        """Drive it to a value [rad or m]; returns at once.

        Raises:
            MotionError: For a value beyond its limits.
        """
        goal = self._checked(value)
        with self._context.act(f"motors['{self.name}'].set"):
            self._context.body.set_goal(self._index, goal)

    def _checked(self, value: float) -> float:
        if not is_number(value) or not isfinite(value):
            raise MotionError(
                f"the goal must be a finite number [{self._unit}], got {value!r:.60}",
                axis=f"motor '{self.name}'",
            )
        low, high = self.limits
        if not low - STOP <= value <= high + STOP:
            raise MotionError(
                f"{value:.6g} {self._unit} is beyond its limits, {low:.6g} to {high:.6g} "
                f"{self._unit}",
                axis=f"motor '{self.name}'",
            )
        return min(max(float(value), low), high)

    def __repr__(self) -> str:
        return f"<Motor '{self.name}'>"


class Motors(ByName[Motor]):
    """The motors of a robot by name, the arm's first."""

    def __init__(self, context: RobotContext) -> None:
        names = zip(context.body.motors, context.units, strict=True)
        known = {
            name: Motor(context, index, name, unit) for index, (name, unit) in enumerate(names)
        }
        super().__init__(f"motor of robot {context.number}", known)


class Grip:
    """The gripper of a robot.

    The commands wait until the jaws stand still, because they have arrived or hold something;
    ``wait=False`` returns at once. Cups and magnets are switched on by `close` and off by `open`.
    """

    def __init__(self, context: RobotContext) -> None:
        self._context = context
        gripper = context.body.grip
        if gripper is None:
            raise UnsupportedError(
                f"robot {context.number} has no gripper; the cell names one with GRIPPER"
            )
        self._gripper: GripperHandle = gripper

    @property
    def width(self) -> float:
        """Distance of the jaws [m]."""
        self._context.read()
        return float(self._gripper.width)

    @property
    def force(self) -> float:
        """Force with which they press [N]."""
        self._context.read()
        return float(self._gripper.force)

    @property
    def holds(self) -> bool:
        """Whether things are pressed between fingers, or against a cup or magnet that pulls."""
        self._context.read()
        return bool(self._gripper.holds)

    @property
    def held(self) -> frozenset[str]:
        """Names of the things that it holds."""
        self._context.read()
        return self._gripper.held

    def open(self, *, wait: bool = True) -> None:
        """Open as far as it goes."""
        self._command("grip.open", self._gripper.open, wait)

    def close(self, force: float | None = None, *, wait: bool = True) -> None:
        """Close until something is between the jaws, or until they meet.

        Args:
            force: With which to squeeze [N], above 0; None: what the motors give.
            wait: Whether to wait until the jaws stand still.
        """
        if force is not None and not (is_number(force) and 0.0 < force < inf):
            raise MotionError(f"the force of a grip must be above 0 N, got {force!r:.60}")
        self._command("grip.close", lambda: self._gripper.close(force), wait)

    def set(self, width: float, *, wait: bool = True) -> None:
        """Bring the jaws to a distance [m]."""
        if not (is_number(width) and 0.0 <= width < inf):
            raise MotionError(f"the width of a grip must be 0 m or more, got {width!r:.60}")
        self._command("grip.set", lambda: self._gripper.set(float(width)), wait)

    def _command(self, service: str, command: Callable[[], None], wait: bool) -> None:
        context = self._context
        with context.act(service):
            command()
        if wait:
            gripper = self._gripper
            until = context.time + _MAX_WAIT
            context.suspend(service, until, lambda: not gripper.moving)
