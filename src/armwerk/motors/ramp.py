"""One axis by ramps, steps and brakes: what a module's firmware does in every cycle."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, NamedTuple


def approach_speed(way: float, acceleration: float, dt: float) -> float:
    """Return the largest speed of a cycle after which whole cycles of braking end on a goal.

    k cycles of deceleration a from speed v cover k v dt - a dt² k (k - 1) / 2; the fewest k that
    suffice, and v from that.

    Args:
        way: To go, not negative [rad or m].
        acceleration: Of the brake [rad/s² or m/s²].
        dt: Cycle [s].
    """
    quantum = acceleration * dt * dt
    if way <= quantum:
        return way / dt
    count = math.ceil(0.5 * (math.sqrt(1.0 + 8.0 * way / quantum) - 1.0))
    return way / (count * dt) + 0.5 * (count - 1) * acceleration * dt


class CubicStep(NamedTuple):
    """A cubic from one position and speed to another.

    Attributes:
        start: Position and speed at its beginning.
        end: At its end.
        duration: [s].
    """

    start: tuple[float, float]
    end: tuple[float, float]
    duration: float

    def at(self, time: float) -> tuple[float, float]:
        """Return position and speed at a time since its beginning [s]."""
        T, (p, v), (g, w) = self.duration, self.start, self.end
        s = time / T
        a, b = 2 * (p - g) + T * (v + w), 3 * (g - p) - T * (2 * v + w)
        position = ((a * s + b) * s + T * v) * s + p
        return position, ((3 * a * s + 2 * b) * s + T * v) / T

    def peaks(self) -> tuple[float, float]:
        """Return the largest speed and acceleration on the way, as magnitudes."""
        T, (p, v), (g, w) = self.duration, self.start, self.end
        first = (6.0 * (g - p) / T - 4.0 * v - 2.0 * w) / T
        last = (6.0 * (p - g) / T + 2.0 * v + 4.0 * w) / T
        speeds = [abs(v), abs(w)]
        if first * last < 0.0:  # the speed is largest where the acceleration changes sign
            speeds.append(abs(self.at(T * first / (first - last))[1]))
        return max(speeds), max(abs(first), abs(last))


@dataclass(slots=True)
class RampAxis:
    """Where an axis should be, cycle by cycle.

    Args:
        position: [rad or m].
        velocity: [rad/s or m/s].
    """

    position: float
    velocity: float = 0.0
    _mode: Literal["hold", "ramp", "step", "brake"] = field(init=False, default="hold")
    _goal: float = field(init=False, default=0.0)
    _fastest: float = field(init=False, default=0.0)
    _swing: float = field(init=False, default=0.0)
    _step: CubicStep | None = field(init=False, default=None)
    _passed: float = field(init=False, default=0.0)

    @property
    def moving(self) -> bool:
        """Whether it is on its way."""
        return self._mode != "hold"

    def ramp(self, goal: float, velocity: float, acceleration: float) -> None:
        """Run to a goal with a speed and an acceleration."""
        self._mode, self._goal = "ramp", goal
        self._fastest, self._swing = velocity, acceleration

    def step(self, goal: float, time: float, velocity: float | None, acceleration: float) -> None:
        """Be at a goal in a time [s] with a speed; None: at rest.

        ``acceleration`` is what it brakes with where the next step does not come in time.
        """
        self._step = CubicStep((self.position, self.velocity), (goal, velocity or 0.0), time)
        self._mode, self._passed, self._swing = "step", 0.0, acceleration
        self._goal = math.nan if velocity else goal

    def brake(self, acceleration: float) -> None:
        """Come to rest with an acceleration."""
        if self.velocity == 0.0:
            self._mode = "hold"
            return
        self._mode, self._swing = "brake", acceleration

    def put(self, position: float) -> None:
        """Stand at a position."""
        self.position, self.velocity, self._mode = position, 0.0, "hold"

    def advance(self, dt: float) -> None:
        """Let one cycle pass [s]."""
        if self._mode == "ramp":
            self._advance_ramp(dt)
        elif self._mode == "step":
            self._advance_step(dt)
        elif self._mode == "brake":
            self._advance_brake(dt)
        else:
            self.velocity = 0.0

    def _advance_ramp(self, dt: float) -> None:
        way = self._goal - self.position
        speed = min(approach_speed(abs(way), self._swing, dt), self._fastest)
        reached = speed * dt >= abs(way) * (1.0 - 1e-12)
        speed = math.copysign(speed, way)
        change = self._swing * dt * (1.0 + 1e-9)
        if abs(speed - self.velocity) > change:
            speed = self.velocity + math.copysign(change, speed - self.velocity)
            reached = False
        self.velocity = speed
        self.position = self._goal if reached else self.position + speed * dt
        if reached and abs(speed) <= change:
            self._mode = "hold"

    def _advance_step(self, dt: float) -> None:
        step = self._step
        if step is None:
            self._mode = "hold"
            return
        self._passed += dt
        if self._passed < step.duration - 1e-9:
            self.position, self.velocity = step.at(self._passed)
            return
        self.position, self.velocity = step.end
        # what comes after it is another step, given before the next cycle, or a brake
        self._mode = "hold" if not math.isnan(self._goal) else "brake"

    def _advance_brake(self, dt: float) -> None:
        change = self._swing * dt
        if abs(self.velocity) <= change:
            self.velocity, self._mode = 0.0, "hold"
            return
        self.velocity -= math.copysign(change, self.velocity)
        self.position += self.velocity * dt
