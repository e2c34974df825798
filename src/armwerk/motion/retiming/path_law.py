"""The law of the path parameter: arc length by time, in pieces of constant jerk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.kernels.constant_jerk import passing_times, states_at
from armwerk.motion.options import Profile


@dataclass(frozen=True, slots=True, eq=False)
class PathLaw:
    """s(t) = s_k + v_k x + a_k x²/2 + j_k x³/6 with x = t - t_k.

    Args:
        times: Where the pieces begin, and the end of the last [s]. Shape (k + 1,).
        states: s, v, a, j at the beginning of each piece. Shape (k, 4).
        length: Where the law ends [m].
    """

    times: Array
    states: Array
    length: float

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self.times[-1])

    def evaluate(self, times: Array) -> Array:
        """Return s, its speed, acceleration and jerk. Shape (m, 4)."""
        return states_at(self.times, self.states, self.length, np.ascontiguousarray(times))

    def jerks_before(self, times: Array) -> Array:
        """Return its jerks just before times [m/s³]. Shape as times."""
        piece = np.searchsorted(self.times, times, "left") - 1
        return np.asarray(self.states[np.clip(piece, 0, len(self.states) - 1), 3])

    def middles(self) -> Array:
        """Return the times halfway through its pieces [s]. Shape (k,)."""
        return np.asarray(0.5 * (self.times[1:] + self.times[:-1]))

    def when(self, s: Array) -> Array:
        """Return the times at which arc lengths are passed [s]. Shape as s."""
        return passing_times(self.times, self.states, np.ascontiguousarray(s))

    def slowed(self, factor: float) -> PathLaw:
        """Return the same motion taking ``factor`` times as long."""
        powers = np.array([1.0, factor, factor**2, factor**3])
        return PathLaw(self.times * factor, self.states / powers, self.length)


def bang_bang(s: Array, squares: Array) -> PathLaw:
    """Return the law with constant acceleration between points of a grid.

    Args:
        s: Arc lengths [m]. Shape (m,).
        squares: Squared speeds there [m²/s²]. Shape (m,).
    """
    keep = np.append(True, np.diff(s) > 0.0)
    s, speed = s[keep], np.sqrt(squares[keep])
    steps = 2.0 * np.diff(s) / (speed[1:] + speed[:-1])
    times = np.append(0.0, np.cumsum(steps))
    states = np.zeros((len(steps), 4))
    states[:, 0], states[:, 1] = s[:-1], speed[:-1]
    states[:, 2] = np.diff(speed) / steps
    return PathLaw(times, states, float(s[-1]))


KERNELS: dict[Profile, tuple[float, Callable[[Array], Array]]] = {
    "trapezoid": (1.0, np.ones_like),
    "sine": (2.0, lambda x: 2.0 * np.sin(np.pi * x) ** 2),
    "quintic": (1.875, lambda x: 30.0 * (x * (1.0 - x)) ** 2),
}
"""Weight over a window of length 1, by profile, and its peak: acceleration rises along its
integral, so the box makes trapezoids of acceleration, the others smooth ones."""


MAX_STEPS = 1500
_CELLS = 12  # steps per window of a profile that is not the box


def averaged(law: PathLaw, window: float, profile: Profile) -> PathLaw:
    """Return a law whose speed is the mean of ``law``'s over a window of time.

    A jump of the acceleration becomes a ramp as long as the window. A law that does not begin at
    rest counts as one that came there at an even speed: the mean begins half a window before it.

    Args:
        law: Ending at rest, its speed linear between its knots.
        window: [s].
        profile: Which weight the mean has, see `KERNELS`.
    """
    most = max(MAX_STEPS, len(law.times))
    cells = min(int(window / (law.duration + window) * most), _CELLS)
    if profile == "trapezoid" or cells < 4:
        # exact: a(t) = (v(t) - v(t - window)) / window has knots where either of the two has
        times = np.union1d(law.times, law.times + window)
        times = times[np.append(True, np.diff(times) > 1e-12 * times[-1])]
        speed = _speed(law, times) - _speed(law, times - window)
        acceleration = np.asarray(speed / window)
    else:
        step = window / cells
        count = int(np.ceil(law.duration / step))
        times = np.arange(count + cells + 1, dtype=np.float64) * step
        change = np.diff(_speed(law, times[: count + 1]))
        shape: Array = KERNELS[profile][1]((np.arange(cells) + 0.5) / cells)
        weight = shape / (float(shape.sum()) * step)
        inner: Array = np.asarray(np.convolve(change, weight), dtype=np.float64)
        acceleration = np.zeros(len(times))
        acceleration[1:-1] = inner
    acceleration[0] = acceleration[-1] = 0.0
    first = float(law.states[0, 1])
    return _integrated(times, acceleration, (-0.5 * window * first, first), law.length)


def _speed(law: PathLaw, times: Array) -> Array:
    """Return the speed of a law, before it that of its start, behind it 0. Shape (m,)."""
    ends = np.append(law.states[:, 1], 0.0)
    return np.asarray(np.interp(times, law.times, ends, right=0.0))


def _integrated(
    times: Array, acceleration: Array, begin: tuple[float, float], length: float
) -> PathLaw:
    """Return the law with an acceleration linear between knots, scaled to end at ``length``.

    Args:
        times: Of the knots [s]. Shape (k,).
        acceleration: There [m/s²]. Shape (k,).
        begin: Arc length and speed at the first [m], [m/s].
        length: Where it ends [m].
    """
    step = np.diff(times)
    jerk = np.diff(acceleration) / step
    rise = np.cumsum(0.5 * step * (acceleration[1:] + acceleration[:-1]))
    speed = begin[1] + np.append(0.0, rise)
    way = step * speed[:-1] + step**2 * (2.0 * acceleration[:-1] + acceleration[1:]) / 6.0
    s = begin[0] + np.append(0.0, np.cumsum(way))
    states = np.stack([s[:-1], speed[:-1], acceleration[:-1], jerk], axis=1)
    return PathLaw(times, states * (length / s[-1]), length)
