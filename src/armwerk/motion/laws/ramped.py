"""An axis that ramps to a cruising speed, cruises, and ramps to its end speed.

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

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from armwerk.motion.laws.ramps import Ramp
from armwerk.motion.laws.roots import rising_root

Phases: TypeAlias = list[tuple[float, float]]
"""Durations [s], each with the jerk or change of speed that the ramp has then."""
_EQUAL = 1e-12  # durations nearer than this, relatively, are one
_ROUNDING = 1e-14  # fraction of a way by which it may be missed


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
