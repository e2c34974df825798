"""What the axes of a motion may do: range, velocity, acceleration, jerk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError, ShapeError, UnsupportedError
from armwerk.robot.arm import Arm
from armwerk.robot.joint import Joint
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.mechanics.interface import ArmModel

RATES = ("velocity", "acceleration", "jerk")
_UNITS = {"revolute": "rad", "prismatic": "m"}
_KEPT = 32  # arms whose limits are remembered


def is_number(value: object) -> bool:
    """Return whether a value is one real number, nan and infinity included."""
    return isinstance(value, Real) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Limits:
    """Limits of n axes.

    Args:
        velocity: Largest magnitude [rad/s or m/s], above 0. Shape (n,).
        acceleration: Largest magnitude [rad/s² or m/s²], above 0. Shape (n,).
        jerk: Largest magnitude [rad/s³ or m/s³], above 0. Shape (n,).
        lowest: Smallest position [rad or m]. Shape (n,). None: no limit.
        highest: Largest position [rad or m]. Shape (n,). None: no limit.
        names: Of the axes; empty: "q1", "q2", …
        units: Of the positions, "rad" or "m"; empty: all "rad".
    """

    velocity: Array
    acceleration: Array
    jerk: Array
    lowest: Array
    highest: Array
    names: tuple[str, ...]
    units: tuple[str, ...]
    _scaled: dict[tuple[float, float], Limits] = field(init=False, repr=False)

    def __init__(
        self,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        jerk: ArrayLike,
        lowest: ArrayLike | None = None,
        highest: ArrayLike | None = None,
        names: Sequence[str] = (),
        units: Sequence[str] = (),
    ) -> None:
        put = object.__setattr__
        for rate, given in zip(RATES, (velocity, acceleration, jerk), strict=True):
            put(self, rate, _vector(given, rate))
        n = len(self.velocity)
        for name, end, free in (("lowest", lowest, -np.inf), ("highest", highest, np.inf)):
            put(self, name, np.full(n, free) if end is None else _vector(end, name))
        put(self, "names", tuple(names) or tuple(f"q{i + 1}" for i in range(n)))
        put(self, "units", tuple(units) or ("rad",) * n)
        put(self, "_scaled", {})
        for name in (*RATES, "lowest", "highest", "names", "units"):
            if len(getattr(self, name)) != n:
                raise ShapeError(f"limits: {name} must have {n} values as velocity has")
        for rate in RATES:
            for axis, value in enumerate(getattr(self, rate)):
                if not 0.0 < value < np.inf:
                    raise MotionError(
                        f"the limit of {rate} must be finite and above 0, got {value:g} "
                        f"{self.unit(axis, rate)}",
                        axis=self.axis(axis),
                    )

    @classmethod
    def of(cls, model: ArmModel | Arm | Assembly) -> Limits:
        """Return the limits in an arm's description.

        Args:
            model: An `Arm`, an assembly of parts, or an `ArmModel`.

        Raises:
            MotionError: When a joint has no limit of velocity, acceleration or jerk.
        """
        return cls._described(description_of(model))

    @classmethod
    def _described(cls, arm: object) -> Limits:
        kept = _known.get(id(arm))
        if kept is not None and kept[0] is arm:
            return kept[1]
        limits = _read(arm)
        _known[id(arm)] = (arm, limits)
        if len(_known) > _KEPT:
            _known.popitem(last=False)
        return limits

    @classmethod
    def wanted(cls, given: object, arm: object) -> Limits:
        """Return limits that were given; None: those in an arm's description.

        Raises:
            MotionError: For anything but limits.
        """
        if given is None:
            return cls._described(arm)
        if not isinstance(given, Limits):
            raise MotionError(f"limits must be Limits(velocity, …), got {given!r:.80}")
        return given

    @property
    def dof(self) -> int:
        """Number n of axes."""
        return len(self.velocity)

    def axis(self, index: int) -> str:
        """Return the name of an axis for a message."""
        return f"joint '{self.names[index]}'"

    def unit(self, index: int, rate: str = "position") -> str:
        """Return the unit of an axis's "position", "velocity", "acceleration" or "jerk"."""
        power = ("position", *RATES).index(rate)
        return self.units[index] + ("", "/s", "/s²", "/s³")[power]

    def scaled(self, speed: float = 1.0, acceleration: float = 1.0) -> Limits:
        """Return limits under overrides.

        Args:
            speed: Fraction of the velocity, above 0, at most 1.
            acceleration: Fraction of the acceleration and of the jerk, above 0, at most 1.

        Raises:
            MotionError: For an override out of range.
        """
        if type(speed) is type(acceleration) is float and speed == acceleration == 1.0:
            return self  # as nearly always
        for name, value in (("speed", speed), ("acceleration", acceleration)):
            if not is_number(value) or not 0.0 < value <= 1.0:
                raise MotionError(f"{name} must be above 0 and at most 1, got {value!r}")
        if speed == 1.0 and acceleration == 1.0:
            return self
        found = self._scaled.get((speed, acceleration))
        if found is not None:
            return found
        found = replace(
            self,
            velocity=self.velocity * speed,
            acceleration=self.acceleration * acceleration,
            jerk=self.jerk * acceleration,
        )
        if len(self._scaled) < _KEPT:
            self._scaled[speed, acceleration] = found
        return found


_known: OrderedDict[int, tuple[object, Limits]] = OrderedDict()


def description_of(model: object) -> object:
    """Return the description that a model was made of; what is no model is one itself."""
    return getattr(model, "arm", model)


def _read(arm: object) -> Limits:
    if not isinstance(arm, Arm | Assembly):
        raise UnsupportedError(f"limits come from an arm or its model, got {arm!r:.80}")
    joints = arm.moving
    rates = {}
    for rate in RATES:
        rates[rate] = np.array([getattr(joint, f"max_{rate}") or np.nan for joint in joints])
        missing = [joint.name for joint, x in zip(joints, rates[rate], strict=True) if np.isnan(x)]
        if missing:
            raise MotionError(
                f"has no max_{rate} in the description of '{arm.name}'; describe it there, or "
                "give limits=Limits(velocity, acceleration, jerk)",
                axis=", ".join(f"joint '{name}'" for name in missing),
            )
    free = (-np.inf, np.inf)
    ranges = np.array([free if joint.limits is None else joint.limits for joint in joints])
    kinds = [joint.kind if isinstance(joint, Joint) else joint.joint_kind for joint in joints]
    return Limits(
        rates["velocity"],
        rates["acceleration"],
        rates["jerk"],
        lowest=ranges[:, 0],
        highest=ranges[:, 1],
        names=tuple(joint.name for joint in joints),
        units=tuple(_UNITS[kind] for kind in kinds),
    )


def _vector(value: ArrayLike, name: str) -> Array:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim != 1 or not len(array) or np.isnan(array).any():
        raise ShapeError(f"limits: {name} must be numbers of shape (n,), got {value!r:.80}")
    array.setflags(write=False)
    return array
