"""The three loops of a servo, for all axes at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError


def require_gain(name: str, value: float, unit: str, *, least: float = 0.0) -> None:
    """Refuse a gain that is no finite number, or below the least one."""
    if not math.isfinite(value) or value < least:
        raise DescriptionError(
            "out of range", element=name, value=value, allowed=f"at least {least:g} {unit}".strip()
        )


@dataclass(frozen=True, slots=True)
class PositionLoop:
    """v = f v_set + k (p - q).

    Args:
        gain: k [1/s].
        feed_forward: f, the fraction of the set point's speed that is used [1].
    """

    gain: float = 25.0
    feed_forward: float = 1.0

    def __post_init__(self) -> None:
        require_gain("gain of the position loop", self.gain, "1/s")
        require_gain("feed_forward of the position loop", self.feed_forward, "")

    def speeds(self, error: Array, wanted: Array) -> Array:
        """Return the speeds to ask for [rad/s or m/s]."""
        return np.asarray(self.feed_forward * wanted + self.gain * error)


@dataclass(slots=True, eq=False)
class VelocityLoop:
    """tau = J (b e + c ∫ e dt), e being the error of the speed.

    Args:
        inertia: J of every axis as the drive was tuned for [kg m² or kg]. Shape (n,).
        gain: b [1/s].
        integral: c [1/s²].
    """

    inertia: Array
    gain: float = 120.0
    integral: float = 2400.0
    _sum: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_gain("gain of the velocity loop", self.gain, "1/s")
        require_gain("integral of the velocity loop", self.integral, "1/s²")
        self.inertia = np.array(self.inertia, dtype=np.float64)
        self._sum = np.zeros(len(self.inertia))

    def forces(self, error: Array, dt: float, full: Array) -> Array:
        """Return the forces to ask for; the integral stands still where a motor is at its limit."""
        self._sum = self._sum + np.where(full > 0, 0.0, error * dt)
        return np.asarray(self.inertia * (self.gain * error + self.integral * self._sum))

    def reset(self) -> None:
        """Forget what was summed up."""
        self._sum = np.zeros(len(self.inertia))


@dataclass(slots=True, eq=False)
class CurrentLoop:
    """A closed current loop: the current follows what is asked for with a short lag.

    Over a step the mean force of a lag T is exact: f + (f_asked - f) (1 - T/dt (1 - exp(-dt/T))).

    Args:
        time_constant: T [s]; 0: at once.
        torque_constant: Force per current, seen at the joint [N m/A or N/A].
        max_current: What the amplifier gives [A].
    """

    time_constant: float = 0.0003
    torque_constant: float = 1.0
    max_current: float = math.inf
    _current: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_gain("time_constant of the current loop", self.time_constant, "s")
        require_gain("torque_constant of the current loop", self.torque_constant, "N m/A")
        if self.torque_constant == 0.0 or not self.max_current > 0.0:
            raise DescriptionError(
                "must be above 0",
                element="torque_constant [N m/A] and max_current [A] of the current loop",
                value=(self.torque_constant, self.max_current),
            )
        self._current = np.zeros(0)

    @property
    def currents(self) -> Array:
        """The currents that flow [A]. Shape (n,), or (0,) before the first step."""
        return self._current.copy()

    def forces(self, wanted: Array, max_force: Array, dt: float) -> Array:
        """Return the mean forces of this step, within what current and motor allow."""
        most = np.minimum(self.max_current, max_force / self.torque_constant)
        asked = np.clip(wanted / self.torque_constant, -most, most)
        before = self._current if len(self._current) == len(asked) else np.zeros(len(asked))
        if self.time_constant == 0.0:
            self._current = asked
            return np.asarray(asked * self.torque_constant)
        left = math.exp(-dt / self.time_constant)
        mean = 1.0 - self.time_constant / dt * (1.0 - left)
        self._current = asked + (before - asked) * left
        return np.asarray((before + (asked - before) * mean) * self.torque_constant)

    def reset(self) -> None:
        """Let all currents be 0."""
        self._current = np.zeros(0)
