"""An axis that ramps to a cruising speed, cruises, and ramps to its end speed.

A ramp changes the speed from one value to another in the least time. It begins and ends without
acceleration and is symmetric about its middle, so that it covers the mean of its two speeds times
its duration. How long a change x takes is all that the planning of an axis needs to know of it.

With speeds u (start), w (end) and p (cruise), ramp times τ(|p - u|), τ(|p - w|) and a duration T,
the way covered is

    F(p) = p T - φ(p - u) - φ(p - w)   for p above both,   φ(x) = x τ(x) / 2,

and, mirrored, with plus signs for p below both. F rises with p, so that within a time T an axis
can cover every way between F(least p) and F(greatest p), where the ramps alone fill T or p meets
the velocity limit. A duration is possible exactly when the way lies in that span. The span does
not grow evenly with T: an axis that is fast at both ends can be quick, or stop and go back, but
nothing in between, so that the possible durations may have gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, sqrt
from typing import NamedTuple, Protocol, TypeAlias

Phases: TypeAlias = list[tuple[float, float]]
"""Durations [s], each with the jerk or change of speed that the ramp has then."""
_EQUAL = 1e-12  # durations nearer than this, relatively, are one
_ROUNDING = 1e-14  # fraction of a way by which it may be missed


def rising_root(f: Callable[[float], float], low: float, high: float) -> float:
    """Return where ``f`` passes zero from below to above, between f(low) <= 0 <= f(high).

    False position with halved weights, and a bisection whenever that shrinks the bracket too
    little: about ten calls on smooth functions, sixty at worst. The end of the last bracket where
    the function is smaller in size is returned.
    """
    f_low, f_high = f(low), f(high)
    if f_high <= 0.0:
        return high
    if f_low >= 0.0:
        return low
    best_low, best_high = f_low, f_high
    for _ in range(200):
        width = high - low
        x = high - f_high * width / (f_high - f_low)
        if not low < x < high:
            x = 0.5 * (low + high)
        y = f(x)
        if y == 0.0:
            return x
        if y < 0.0:
            low, f_low, best_low = x, y, y
            f_high *= 0.5
        else:
            high, f_high, best_high = x, y, y
            f_low *= 0.5
        if high - low > 0.5 * width:
            x = 0.5 * (low + high)
            if not low < x < high:
                break
            y = f(x)
            if y < 0.0:
                low, f_low, best_low = x, y, y
            else:
                high, f_high, best_high = x, y, y
    return low if -best_low < best_high else high


class Ramp(Protocol):
    """The quickest change of speed within limits of acceleration and jerk."""

    @property
    def kink(self) -> float:
        """Change of speed beyond which the acceleration limit counts."""
        ...

    def time(self, change: float) -> float:
        """Return how long a change of speed takes at least; the change is not negative."""
        ...

    def change(self, time: float) -> float:
        """Return the largest change of speed within a time, the inverse of `time`."""
        ...

    def phases(self, change: float, time: float) -> list[tuple[float, float]]:
        """Return the phases of a change, of either sign, that takes ``time``."""
        ...


@dataclass(frozen=True, slots=True)
class SineRamp:
    """a(t) = A sin²(π t / T): change of speed A T / 2, largest jerk π A / T.

    So that T is the larger of 2 x / a_max and sqrt(2 π x / j_max). Phases are (duration, change).
    """

    acceleration: float
    jerk: float

    @property
    def kink(self) -> float:
        """Change of speed beyond which the acceleration limit counts."""
        return 0.5 * pi * self.acceleration**2 / self.jerk

    def time(self, change: float) -> float:
        """Return how long a change of speed takes at least."""
        return max(2.0 * change / self.acceleration, sqrt(2.0 * pi * change / self.jerk))

    def change(self, time: float) -> float:
        """Return the largest change of speed within a time."""
        return min(0.5 * self.acceleration * time, time * time * self.jerk / (2.0 * pi))

    def phases(self, change: float, time: float) -> list[tuple[float, float]]:
        """Return the one phase (duration, change of speed)."""
        return [(time, change)]


@dataclass(frozen=True, slots=True)
class TrapezoidRamp:
    """Jerk j, 0, -j: T = x / a_max + a_max / j_max, or 2 sqrt(x / j_max) when a_max is not met.

    Phases are (duration, jerk).
    """

    acceleration: float
    jerk: float

    @property
    def kink(self) -> float:
        """Change of speed beyond which the acceleration limit counts."""
        return self.acceleration**2 / self.jerk

    def time(self, change: float) -> float:
        """Return how long a change of speed takes at least."""
        if change >= self.kink:
            return change / self.acceleration + self.acceleration / self.jerk
        return 2.0 * sqrt(change / self.jerk)

    def change(self, time: float) -> float:
        """Return the largest change of speed within a time."""
        rise = self.acceleration / self.jerk
        if time >= 2.0 * rise:
            return (time - rise) * self.acceleration
        return 0.25 * time * time * self.jerk

    def phases(self, change: float, time: float) -> list[tuple[float, float]]:
        """Return the phases (duration, jerk); longer than needed is the same shape, stretched."""
        size = abs(change)
        if size == 0.0 or time <= 0.0:
            return [(max(time, 0.0), 0.0)]
        minimum = self.time(size)
        rise = min(self.acceleration / self.jerk, 0.5 * minimum) * time / minimum
        hold = max(time - 2.0 * rise, 0.0)
        jerk = change / (rise * (rise + hold))
        return [(rise, jerk), (hold, 0.0), (rise, -jerk)]


class RampedPlan(NamedTuple):
    """A ramp, a stretch of constant speed, a ramp: (change of speed, duration) of each."""

    first: tuple[float, float]
    cruise: float
    last: tuple[float, float]


@dataclass(frozen=True, slots=True)
class RampedAxis:
    """The ways one axis can get from a start speed to an end speed over a distance.

    Args:
        distance: To cover, with its sign [rad or m].
        start: Speed at the start [rad/s or m/s], at most ``velocity`` in size.
        end: Speed at the end, likewise.
        velocity: Largest speed.
        ramp: How speed changes.
    """

    distance: float
    start: float
    end: float
    velocity: float
    ramp: Ramp

    def next_duration(self, minimum: float) -> float:
        """Return the shortest possible duration [s] that is not below ``minimum``."""
        high, low = max(self.start, self.end), min(self.start, self.end)
        direct = self.ramp.time(high - low)
        time = max(minimum, direct)
        upper = _Side(self.distance, high, high - low, self.velocity, self.ramp)
        lower = _Side(-self.distance, -low, high - low, self.velocity, self.ramp)
        for side in (upper, lower):
            filled = side.filling(time)
            slack = _ROUNDING * (abs(self.distance) + self.velocity * time)
            if side.reach(filled, time) < side.distance - slack:
                time = max(time, side.first_time(filled))
        return minimum if time <= minimum * (1.0 + _EQUAL) else time

    def phases(self, duration: float) -> Phases:
        """Return ramp, cruise and ramp of a possible duration, one after the other."""
        plan = self.plan(duration)
        return [
            *self.ramp.phases(*plan.first),
            (plan.cruise, 0.0),
            *self.ramp.phases(*plan.last),
        ]

    def plan(self, duration: float) -> RampedPlan:
        """Return the motion of a possible duration; of an impossible one the nearest."""
        u, w = self.start, self.end
        high, low = max(u, w), min(u, w)
        spread = high - low
        if self.distance > high * duration - spread * self.ramp.time(spread) / 2:
            side = _Side(self.distance, high, spread, self.velocity, self.ramp)
            return self._beyond(side.cruise(duration), high, 1.0, duration)
        if self.distance < low * duration + spread * self.ramp.time(spread) / 2:
            side = _Side(-self.distance, -low, spread, self.velocity, self.ramp)
            return self._beyond(side.cruise(duration), low, -1.0, duration)
        return self._between(duration)

    def _beyond(self, extra: float, edge: float, sign: float, duration: float) -> RampedPlan:
        """Return the plan whose cruising speed lies ``extra`` beyond the edge."""
        far = extra + abs(self.end - self.start)
        near_time, far_time = self.ramp.time(extra), self.ramp.time(far)
        cruise = max(duration - near_time - far_time, 0.0)
        near, distant = (sign * extra, near_time), (sign * far, far_time)
        if self.start == edge:
            return RampedPlan(near, cruise, (-distant[0], far_time))
        return RampedPlan(distant, cruise, (-near[0], near_time))

    def _between(self, duration: float) -> RampedPlan:
        """Return one ramp from speed to speed, made longer, and a cruise at one of them."""
        u, w = self.start, self.end
        change = w - u
        if change == 0.0:
            return RampedPlan((0.0, 0.0), duration, (0.0, 0.0))
        # way = mean speed · t + cruising speed · (T - t), for either cruising speed
        before = 2.0 * (self.distance - u * duration) / change
        after = 2.0 * (w * duration - self.distance) / change
        minimum = self.ramp.time(abs(change))
        if before <= after:
            time = min(max(before, minimum), duration)
            return RampedPlan((0.0, 0.0), duration - time, (change, time))
        time = min(max(after, minimum), duration)
        return RampedPlan((change, time), duration - time, (0.0, 0.0))


@dataclass(frozen=True, slots=True)
class _Side:
    """Cruising speeds p = edge + x, x not negative, above both end speeds.

    The side below both is the mirror image. x is kept apart from p, and found by the time of its
    ramp, since ramps take sqrt(x) and would lose half of the figures of p - edge.

    Args:
        distance: To cover.
        edge: The larger of the two end speeds.
        spread: Between the two end speeds.
        velocity: Largest speed.
        ramp: How speed changes.
    """

    distance: float
    edge: float
    spread: float
    velocity: float
    ramp: Ramp

    @property
    def max_change(self) -> float:
        """The largest x."""
        return max(self.velocity - self.edge, 0.0)

    def ramps(self, x: float) -> float:
        """Return how long both ramps take."""
        return self.ramp.time(x) + self.ramp.time(x + self.spread)

    def reach(self, x: float, duration: float) -> float:
        """Return the way F covered in a time."""
        far = x + self.spread
        lost = x * self.ramp.time(x) + far * self.ramp.time(far)
        return (self.edge + x) * duration - lost / 2

    def filling(self, duration: float) -> float:
        """Return the largest x whose ramps fit into a time."""
        ramp, spread = self.ramp, self.spread
        if self.ramps(self.max_change) <= duration:
            return self.max_change
        if spread == 0.0:
            return ramp.change(duration / 2)

        def excess(time: float) -> float:
            return time + ramp.time(ramp.change(time) + spread) - duration

        return ramp.change(rising_root(excess, 0.0, duration / 2))

    def first_time(self, x: float) -> float:
        """Return the first time at which F of the filling x reaches the distance.

        Beyond ``x``, where it does not. F is convex between the kinks while p < 0 and rises for
        p >= 0, so that the first kink at which it is reached ends the bracket of the first root.
        """
        ramp = self.ramp

        def missing(time: float) -> float:
            change = ramp.change(time)
            return self.reach(change, time + ramp.time(change + self.spread)) - self.distance

        places = (ramp.kink, ramp.kink - self.spread, -self.edge, self.max_change)
        low = ramp.time(x)
        for place in sorted(p for p in places if x < p <= self.max_change):
            high = ramp.time(place)
            if missing(high) >= 0.0:
                time = rising_root(missing, low, high)
                return time + ramp.time(ramp.change(time) + self.spread)
            low = high
        short = self.distance - self.reach(self.max_change, self.ramps(self.max_change))
        return self.ramps(self.max_change) + max(short, 0.0) / self.velocity

    def cruise(self, duration: float) -> float:
        """Return the x that covers the distance in a possible time."""
        filled = self.filling(duration)
        return rising_root(lambda x: self.reach(x, duration) - self.distance, 0.0, filled)
