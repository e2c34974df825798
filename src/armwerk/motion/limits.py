"""What the axes of a motion may do: range, velocity, acceleration, jerk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError, ShapeError, UnsupportedError
from armwerk.motion.assumed import UNITS, filled_rates, kind_of, tell
from armwerk.robot.arm import Arm
from armwerk.robot.files import load
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.mechanics.interface import ArmModel

RATES = ("velocity", "acceleration", "jerk")
JUMP = 1e-5
"""[s] in which the whole acceleration is reached where no limit of jerk is wanted."""
LEAST_RATE = 1e-9
"""[per s, s² or s³] that a limit is at least: less is a slip of the pen, not a motion."""
_MOST = 1e20  # that a limit is at most; powers of it are still numbers
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
        jerk: Largest magnitude [rad/s³ or m/s³], above 0; infinite: the acceleration may
            jump, and is reached within `JUMP`. Shape (n,).
        lowest: Smallest position [rad or m]. Shape (n,). None: no limit.
        highest: Largest position [rad or m]. Shape (n,). None: no limit.
        names: Of the axes; empty: "q1", "q2", …
        units: Of the positions, "rad" or "m"; empty: all "rad".
        assumed: What is not from a description but a sensible guess, in words; empty: nothing.
    """

    velocity: Array
    acceleration: Array
    jerk: Array
    lowest: Array
    highest: Array
    names: tuple[str, ...]
    units: tuple[str, ...]
    assumed: str
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
        assumed: str = "",
    ) -> None:
        put = object.__setattr__
        for rate, given in zip(RATES, (velocity, acceleration, jerk), strict=True):
            put(self, rate, _vector(given, rate))
        n = len(self.velocity)
        if len(self.jerk) == len(self.acceleration) and np.isposinf(self.jerk).any():
            jumps = np.isposinf(self.jerk) & np.isfinite(self.acceleration)
            put(self, "jerk", _vector(np.where(jumps, self.acceleration / JUMP, self.jerk), "jerk"))
        for name, end, free in (("lowest", lowest, -np.inf), ("highest", highest, np.inf)):
            put(self, name, np.full(n, free) if end is None else _vector(end, name))
        put(self, "names", tuple(names) or tuple(f"q{i + 1}" for i in range(n)))
        put(self, "units", tuple(units) or ("rad",) * n)
        put(self, "assumed", assumed)
        put(self, "_scaled", {})
        for name in (*RATES, "lowest", "highest", "names", "units"):
            if len(getattr(self, name)) != n:
                raise ShapeError(f"limits: {name} must have {n} values as velocity has")
        for axis, (low, high) in enumerate(zip(self.lowest, self.highest, strict=True)):
            if low > high:
                raise MotionError(
                    f"the lowest position {low:g} {self.unit(axis)} is above the highest, {high:g}",
                    axis=self.axis(axis),
                )
        for rate in RATES:
            for axis, value in enumerate(getattr(self, rate)):
                if not LEAST_RATE <= value <= _MOST:
                    allowed = f"from {LEAST_RATE:g} to {_MOST:g}"
                    if not 0.0 < value < np.inf:
                        allowed = "finite and above 0"
                    raise MotionError(
                        f"the limit of {rate} must be {allowed}, got {value:g} "
                        f"{self.unit(axis, rate)}",
                        axis=self.axis(axis),
                    )

    @classmethod
    def of(
        cls,
        model: ArmModel | Arm | Assembly | str | Path,
        *,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        jerk: ArrayLike | None = None,
    ) -> Limits:
        """Return the limits in an arm's description; what it leaves open is assumed.

        What is assumed stands in `assumed`, and an `AssumedLimitsWarning` says it once.

        Args:
            model: An `Arm`, an assembly of parts, an `ArmModel`, or the name or file of one.
            velocity: In place of those described [rad/s or m/s]: one for each joint, shape (n,),
                or one for all of them, if they are of one kind. None: as described.
            acceleration: Likewise [rad/s² or m/s²].
            jerk: Likewise [rad/s³ or m/s³].

        Raises:
            MotionError: For a rate that is not above 0, or one number for joints of two kinds.
            ShapeError: For another number of rates than joints.
        """
        arm = description_of(load(model) if isinstance(model, str | Path) else model)
        given = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk}
        if all(value is None for value in given.values()):
            return cls._described(arm)
        limits = _read(arm, given)
        tell(limits.assumed)
        return limits

    @classmethod
    def _described(cls, arm: object) -> Limits:
        kept = _known.get(id(arm))
        if kept is not None and kept[0] is arm:
            return kept[1]
        limits = _read(arm, {})
        tell(limits.assumed)
        _known[id(arm)] = (arm, limits)
        if len(_known) > _KEPT:
            _known.popitem(last=False)
        return limits

    @classmethod
    def wanted(cls, given: object, arm: object) -> Limits:
        """Return limits that were given; None: those of an arm, see `of`.

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


def _read(arm: object, given: dict[str, ArrayLike | None]) -> Limits:
    if not isinstance(arm, Arm | Assembly):
        raise UnsupportedError(f"limits come from an arm or its model, got {arm!r:.80}")
    joints = arm.moving
    kinds = [kind_of(joint) for joint in joints]
    wanted = {
        rate: _for_each(value, rate, kinds) for rate, value in given.items() if value is not None
    }
    rates, assumed = filled_rates(joints, wanted, arm.name)
    free = (-np.inf, np.inf)
    ranges = np.array([free if joint.limits is None else joint.limits for joint in joints])
    return Limits(
        rates["velocity"],
        rates["acceleration"],
        rates["jerk"],
        lowest=ranges[:, 0],
        highest=ranges[:, 1],
        names=tuple(joint.name for joint in joints),
        units=tuple(UNITS[kind] for kind in kinds),
        assumed=assumed,
    )


def _for_each(value: ArrayLike, rate: str, kinds: Sequence[str]) -> Array:
    """Return a rate for each joint, from one for all of them or as they are."""
    if is_number(value):
        if len(set(kinds)) > 1 and value != np.inf:  # without bound is so in any unit
            raise MotionError(
                f"one {rate}, {value!r}, cannot hold for joints that turn [rad] and joints that "
                f"slide [m]; give {len(kinds)} numbers, one for each joint"
            )
        value = np.full(len(kinds), value)
    found = _vector(value, rate)
    if len(found) != len(kinds):
        raise ShapeError(
            f"limits: {rate} must be one number, or {len(kinds)} numbers, one for each joint; got "
            f"{len(found)}"
        )
    return found


def _vector(value: ArrayLike, name: str) -> Array:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim != 1 or not len(array) or np.isnan(array).any():
        raise ShapeError(f"limits: {name} must be numbers of shape (n,), got {value!r:.80}")
    array.setflags(write=False)
    return array
