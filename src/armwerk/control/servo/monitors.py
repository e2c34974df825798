"""Monitors of a source of set points: speed, standstill, brake ramp, joint ranges.

A monitor looks at every set point before a drive gets it. `Supervisor` asks all of them and keeps
the first alarm until somebody acknowledges it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.limits import Limits

Order: TypeAlias = Literal["move", "brake", "rest"]
"""What a source was last told: go on, come to rest, stay at rest."""


class SourceSample(NamedTuple):
    """One set point of a source; arrays have one entry per axis, (n,).

    Attributes:
        time: [s].
        dt: Cycle [s].
        position: [rad or m].
        velocity: [rad/s or m/s].
        order: What the source was last told.
        since: Time since then [s].
        start_position: Position when it was told [rad or m].
        start_velocity: Velocity when it was told [rad/s or m/s].
    """

    time: float
    dt: float
    position: Array
    velocity: Array
    order: Order
    since: float
    start_position: Array
    start_velocity: Array


@dataclass(frozen=True, slots=True)
class Alarm:
    """What a monitor has to say.

    Args:
        monitor: Which one.
        axis: Name of the axis.
        time: [s].
        value: What was found.
        allowed: What would have been right.
        unit: Of both.
    """

    monitor: str
    axis: str
    time: float
    value: float
    allowed: float
    unit: str

    def __str__(self) -> str:
        return (
            f"{self.monitor}: axis '{self.axis}' at {self.time:.3f} s: {self.value:.6g} "
            f"{self.unit} (allowed: {self.allowed:.6g} {self.unit})"
        )


class Monitor(Protocol):
    """Looks at every set point."""

    def look(self, sample: SourceSample) -> Alarm | None:
        """Return what is wrong with a set point; None: nothing."""
        ...


def _worst(
    name: str, sample: SourceSample, values: Array, allowed: Array, limits: Limits, per: str
) -> Alarm | None:
    """Return an alarm of the axis that is furthest over what is allowed; None: none is."""
    over = values - allowed
    axis = int(np.argmax(over))
    if not over[axis] > 0.0:
        return None
    unit = limits.units[axis] + per
    most = float(allowed[axis])
    return Alarm(name, limits.names[axis], sample.time, float(values[axis]), most, unit)


@dataclass(frozen=True, slots=True)
class SpeedMonitor:
    """Speeds stay below a limit.

    Args:
        limits: Of the axes.
        fraction: Of the limits that is allowed [1]; 1e-6 more is rounding.
    """

    limits: Limits
    fraction: float = 1.0

    def look(self, sample: SourceSample) -> Alarm | None:
        """Return the axis that is too fast."""
        allowed = self.fraction * self.limits.velocity * (1.0 + 1e-6)
        return _worst("speed", sample, np.abs(sample.velocity), allowed, self.limits, "/s")


@dataclass(frozen=True, slots=True)
class StandstillMonitor:
    """A source that was told to rest stays where it is.

    Args:
        limits: Of the axes, for names and units.
        tolerance: By which a set point may move all the same [rad or m].
    """

    limits: Limits
    tolerance: float = 1e-4

    def look(self, sample: SourceSample) -> Alarm | None:
        """Return the axis that moves."""
        if sample.order != "rest":
            return None
        away = np.abs(sample.position - sample.start_position)
        allowed = np.full(len(away), self.tolerance)
        return _worst("standstill", sample, away, allowed, self.limits, "")


@dataclass(frozen=True, slots=True)
class BrakeRampMonitor:
    """A source that was told to brake slows down at least as fast as a ramp.

    Args:
        limits: Of the axes; the ramp is a fraction of their accelerations.
        fraction: Of the acceleration that braking must reach [1].
        delay: Time until it must have begun [s].
        tolerance: Speed that is left out of account [rad/s or m/s].
    """

    limits: Limits
    fraction: float = 0.5
    delay: float = 0.02
    tolerance: float = 1e-3

    def look(self, sample: SourceSample) -> Alarm | None:
        """Return the axis that does not brake as it should."""
        if sample.order != "brake":
            return None
        ramp = self.fraction * self.limits.acceleration * max(0.0, sample.since - self.delay)
        allowed = np.maximum(np.abs(sample.start_velocity) - ramp, 0.0) + self.tolerance
        return _worst("brake ramp", sample, np.abs(sample.velocity), allowed, self.limits, "/s")


@dataclass(frozen=True, slots=True)
class RangeMonitor:
    """Axes stay within their ranges, and can always stop before the end of it.

    Args:
        limits: Of the axes.
        tolerance: Rounding that is left out of account [rad or m].
    """

    limits: Limits
    tolerance: float = 1e-6

    def look(self, sample: SourceSample) -> Alarm | None:
        """Return the axis that is beyond its range, or cannot stop before its end any more."""
        way = sample.velocity**2 / (2.0 * self.limits.acceleration)
        # one cycle more: a ramp that begins with the next set point is soon enough
        way = np.maximum(way - np.abs(sample.velocity) * sample.dt, 0.0)
        ahead = sample.position + np.sign(sample.velocity) * way
        high = _worst(
            "joint range", sample, ahead, self.limits.highest + self.tolerance, self.limits, ""
        )
        if high is not None:
            return high
        low = _worst(
            "joint range", sample, -ahead, self.tolerance - self.limits.lowest, self.limits, ""
        )
        if low is None:
            return None
        return Alarm(low.monitor, low.axis, low.time, -low.value, -low.allowed, low.unit)


@dataclass(slots=True, eq=False)
class Supervisor:
    """Asks monitors about every set point of a source and keeps the first alarm.

    Args:
        limits: Of the axes.
        monitors: Asked in order.
    """

    limits: Limits
    monitors: Sequence[Monitor]
    alarm: Alarm | None = field(init=False, default=None)
    _order: Order = field(init=False, default="move")
    _new: bool = field(init=False, default=True)
    _since: float = field(init=False, default=0.0)
    _position: Array = field(init=False)
    _velocity: Array = field(init=False)

    def __post_init__(self) -> None:
        self._position = self._velocity = np.zeros(len(self.limits.names))

    @classmethod
    def of(cls, limits: Limits) -> Supervisor:
        """Return one with the four usual monitors."""
        kinds = (SpeedMonitor, StandstillMonitor, BrakeRampMonitor, RangeMonitor)
        return cls(limits, [kind(limits) for kind in kinds])

    def expect(self, order: Order) -> None:
        """Say what the source is told from the next set point on."""
        self._order, self._new = order, True

    def acknowledge(self) -> None:
        """Take back the alarm."""
        self.alarm = None
        self.expect("move")

    def look(self, time: float, dt: float, position: Array, velocity: Array) -> Alarm | None:
        """Return the alarm that is on, asking the monitors about a set point if none is."""
        if self._new:
            self._new, self._since = False, time
            self._position, self._velocity = position.copy(), velocity.copy()
        if self.alarm is not None:
            return self.alarm
        sample = SourceSample(
            time,
            dt,
            position,
            velocity,
            self._order,
            time - self._since,
            self._position,
            self._velocity,
        )
        for monitor in self.monitors:
            self.alarm = monitor.look(sample)
            if self.alarm is not None:
                break
        return self.alarm
