"""An axis on one polynomial of fifth degree, without acceleration at both ends.

With speeds u (start) and w (end), distance D, duration T and x = 1 - 2 t / T,

    v(x) = m - (w - u) (3 x - x³) / 4 + (15 / 8) k (1 - x²)²,   m = (u + w) / 2,  k = D / T - m,
    a(x) = (3 / 2 T) (1 - x²) (w - u + 10 k x),
    j(x) = (6 / T²) (15 k x² + (w - u) x - 5 k).

Hence, with W = |w - u| and K = |k|, the largest jerk is 6 (10 K + W) / T², and the largest
acceleration stands where x = 10 K / (W + sqrt(W² + 300 K²)). Which durations keep the limits is
decided by where these functions of 1/T meet them. They rise with 1/T, but for a dip where k is
near 0, that is where the distance suits the two speeds: there a short duration may be possible and
a longer one not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, sqrt

from armwerk.motion.laws.ramped import rising_root

Span = tuple[float, float]
_EQUAL = 1e-12  # durations nearer than this, relatively, are one


@dataclass(frozen=True, slots=True)
class QuinticAxis:
    """The durations in which a quintic keeps the limits of one axis.

    Args:
        distance: To cover, with its sign [rad or m].
        start: Speed at the start [rad/s or m/s], at most ``velocity`` in size.
        end: Speed at the end, likewise.
        velocity: Largest speed.
        acceleration: Largest acceleration.
        jerk: Largest jerk.
        spans: Found from these: possible values of 1 / T, rising. Do not give.
    """

    distance: float
    start: float
    end: float
    velocity: float
    acceleration: float
    jerk: float
    spans: tuple[Span, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spans", tuple(_possible(self)))

    def next_duration(self, minimum: float) -> float:
        """Return the shortest possible duration [s] that is not below ``minimum``."""
        rate = 1.0 / minimum if minimum > 0.0 else inf
        best = 0.0
        for low, high in self.spans:
            if low <= rate * (1.0 + _EQUAL):
                best = max(best, min(high, rate))
        if best == inf:
            return 0.0
        time = 1.0 / best if best > 0.0 else inf
        return minimum if time <= minimum * (1.0 + _EQUAL) else time

    def coefficients(self, duration: float) -> list[float]:
        """Return c_0 … c_5 of the way from 0 in that duration."""
        u, w, t = self.start, self.end, duration
        if t <= 0.0:
            return [0.0] * 6
        d = self.distance - u * t
        e = (w - u) * t
        return [
            0.0,
            u,
            0.0,
            (10 * d - 4 * e) / t**3,
            (7 * e - 15 * d) / t**4,
            (6 * d - 3 * e) / t**5,
        ]


def _possible(axis: QuinticAxis) -> list[Span]:
    """Return the spans of 1 / T in which all limits are kept."""
    sign = -1.0 if axis.distance < 0.0 else 1.0
    D, u, w = sign * axis.distance, sign * axis.start, sign * axis.end
    W, m = abs(w - u), (u + w) / 2
    if D == 0.0 and W == 0.0 and m == 0.0:
        return [(0.0, inf)]

    def acceleration(rate: float) -> float:
        return 1.5 * rate * _peak(W, abs(D * rate - m)) - axis.acceleration

    def jerk(rate: float) -> float:
        return 6.0 * rate * rate * (10.0 * abs(D * rate - m) + W) - axis.jerk

    # At k = 0 two functions of 1 / T may dip; before it they can turn, behind it they rise.
    suits = m / D if D > 0.0 and m > 0.0 else 0.0
    spans = _below(acceleration, [*_bends(W, m, D), suits] if suits else [])
    spans = _common(spans, _below(jerk, _jerk_bends(W, m, D, suits)))
    top = (_bulge(W, m, axis.velocity) + m) / D if D > 0.0 else inf
    return _common(spans, [(0.0, top)])


def _peak(W: float, K: float) -> float:
    """Return the largest (1 - x²) (W + 10 K x)."""
    if K == 0.0:
        return W
    x = 10.0 * K / (W + sqrt(W * W + 300.0 * K * K))
    return (1.0 - x * x) * (W + 10.0 * K * x)


def _bulge(W: float, m: float, velocity: float) -> float:
    """Return the k at which the velocity between the ends meets its limit.

    Up to k = W / 10 the faster end is the fastest place.
    """

    def beyond(k: float) -> float:
        r = W / (10.0 * k)
        return m + W * (3.0 * r - r**3) / 4 + 1.875 * k * (1.0 - r * r) ** 2 - velocity

    minimum = W / 10.0
    largest = max(minimum, velocity) * 4.0
    return rising_root(
        lambda k: beyond(k) if k > minimum else min(m + W / 2 - velocity, 0.0), minimum, largest
    )


def _bends(W: float, m: float, D: float) -> list[float]:
    """Return where the largest acceleration turns, as 1 / T between 0 and m / D, rising.

    In terms of x that is W (1 + x²) = 10 m x (1 - 3 x²), with two roots or none.
    """
    if W / m < 1e-9:
        return [m / (2 * D)]

    def slope(x: float) -> float:
        return 10.0 * m * x * (1.0 - 3.0 * x * x) - W * (1.0 + x * x)

    top = 10.0 * m / (W + sqrt(W * W + 900.0 * m * m))
    if slope(top) <= 0.0:
        return []
    end = 1.0 / sqrt(3.0)
    low = rising_root(slope, 0.0, top)
    high = end - rising_root(lambda y: slope(end - y), 0.0, end - top)
    rates = [(m - W * x / (5.0 * (1.0 - 3.0 * x * x))) / D for x in (high, low)]
    return [rate for rate in rates if 0.0 < rate < m / D]


def _jerk_bends(W: float, m: float, D: float, suits: float) -> list[float]:
    if not suits:
        return []
    top = (2.0 * m + 0.2 * W) / (3.0 * D)
    return [top, suits] if top < suits else [suits]


def _below(f: Callable[[float], float], bends: list[float]) -> list[Span]:
    """Return where f <= 0, for f monotone between the bends and rising without end behind them."""
    places = [0.0, *bends]
    spans: list[Span] = []
    start: float | None = 0.0
    for low, high in pairwise(places):
        if start is not None and f(high) > 0.0:
            spans.append((start, rising_root(f, low, high)))
            start = None
        elif start is None and f(high) <= 0.0:
            start = high - rising_root(lambda y, top=high: f(top - y), 0.0, high - low)  # type: ignore[misc]
    if start is not None:
        spans.append((start, _last_root(f, places[-1])))
    return spans


def _last_root(f: Callable[[float], float], low: float) -> float:
    """Return where a function that rises behind ``low`` passes 0; infinity when it does not."""
    high = max(2.0 * low, 1.0)
    while f(high) <= 0.0:
        low, high = high, 4.0 * high
        if high > 1e150:
            return inf
    return rising_root(f, low, high)


def _common(one: list[Span], two: list[Span]) -> list[Span]:
    pairs = ((max(a[0], b[0]), min(a[1], b[1])) for a in one for b in two)
    return sorted((low, high) for low, high in pairs if low <= high)
