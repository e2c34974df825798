"""The time law of a path: as fast as every limit allows, from rest to rest.

Along a path everything that moves is a vector x(s) of the arc length: joints, tool point, tool
orientation. With s(t) the law,

    velocity      x' ṡ
    acceleration  x' s̈ + x'' ṡ²
    jerk          x' s⃛ + 3 x'' ṡ s̈ + x''' ṡ³

and each has a limit. The law is found in three steps. A pass backwards and one forwards give the
fastest speeds under the limits of velocity and acceleration. The mean of that speed over a short
window of time turns its jumps of acceleration into ramps, which bounds the jerk. What then still
passes a limit lowers speed and acceleration around the place, and the steps are repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.motion.curves.curve import Array
from armwerk.motion.kernels.ramps_by_path import eroded, fastest, loads, lowered
from armwerk.motion.path_law import KERNELS, PathLaw, averaged, bang_bang

ROUNDS = 12
WINDOWS = (1.0, 0.6, 0.35)
"""Shares of the longest useful window that are tried; the fastest law counts."""
_CELLS = 12  # steps per window
_MOST_STEPS = 1500
_TINY = 1e-12
_THIRD = 0.9  # share of a jerk limit that curvature alone may use up at constant speed
_NEAR = 1.0 + 1e-3  # how far off the last few rounds may leave a law that is then slowed as a whole


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """What a run looks like by arc length, on a grid.

    Args:
        s: Arc lengths, borders twice [m]. Shape (m,).
        x: q, q', q'', q'''. Shape (m, 4, n).
        t: First to third derivative of the tool's pose as twists. Shape (m, 3, 6).
        limits: Of velocity, acceleration, jerk for translation, rotation and each joint;
            infinite: none. Shape (m, 3, 2 + n).
    """

    s: Array
    x: Array
    t: Array
    limits: Array


class Timed(NamedTuple):
    """A law and where it was held back.

    Args:
        law: From rest to rest.
        speed: Speeds on the grid before the mean was taken [m/s]. Shape (m,).
        free: The same without the limits of the joints [m/s]. Shape (m,).
        rows: Which row is nearest to its limit at each point of the grid. Shape (m,).
    """

    law: PathLaw
    speed: Array
    free: Array
    rows: NDArray[np.int64]


def time_law(course: Course, profile: str) -> Timed:
    """Return the fastest law found for a course."""
    sizes = _sizes(course)
    ceiling = _ceiling(sizes, course.limits)
    steepest = _least(course.limits[:, 2] / np.maximum(sizes[0], _TINY))
    hardest = _least(course.limits[:, 1] / np.maximum(sizes[0], _TINY))
    best: PathLaw | None = None
    base = ceiling
    for window in _windows(course, steepest, hardest, profile):
        law, speed = _law(course, ceiling, steepest, window, profile)
        if best is None or law.duration < best.duration:
            best, base = law, speed
    assert best is not None
    free = _without_joints(course, sizes)
    return Timed(best, base, free, _rows(course, best))


def _sizes(course: Course) -> Array:
    """Return |x'|, |x''|, |x'''| of every row. Shape (3, m, 2 + n)."""
    m, n = len(course.s), course.x.shape[2]
    out = np.empty((3, m, 2 + n))
    out[:, :, 2:] = np.abs(np.moveaxis(course.x[:, 1:], 1, 0))
    for group in range(2):
        part = course.t[:, :, 3 * group : 3 * group + 3]
        out[:, :, group] = np.linalg.norm(part, axis=2).T
    return out


def _ceiling(sizes: Array, limits: Array) -> Array:
    """Return the largest constant speeds. Shape (m,)."""
    sizes = np.maximum(sizes, _TINY)
    first = limits[:, 0] / sizes[0]
    second = np.sqrt(limits[:, 1] / sizes[1])
    third = np.cbrt(_THIRD * limits[:, 2] / sizes[2])
    return np.asarray(np.minimum(np.minimum(first, second), third).min(axis=1))


def _least(rows: Array) -> Array:
    return np.asarray(rows.min(axis=1))


def _windows(course: Course, steepest: Array, hardest: Array, profile: str) -> list[float]:
    """Return the windows worth trying [s]; 0 when no jerk is limited."""
    if not np.isfinite(steepest).any():
        return [0.0]
    peak = KERNELS[profile][0]
    ratio = np.where(np.isfinite(hardest), hardest / steepest, 0.0)
    # on a short way the full acceleration is never reached: a' = (j² L / 2)^(1/3)
    short = np.cbrt(course.s[-1] / (2.0 * np.min(steepest)))
    most = short if not ratio.any() else min(float(np.median(ratio[ratio > 0.0])), short)
    return [peak * most * share for share in WINDOWS]


def _law(
    course: Course, ceiling: Array, steepest: Array, window: float, profile: str
) -> tuple[PathLaw, Array]:
    limits = np.ascontiguousarray(course.limits[:, 1])
    share = np.ones(len(course.s))
    peak = KERNELS[profile][0]
    cap = steepest * window / peak if window > 0.0 else np.full(len(share), np.inf)
    law, speed = None, ceiling
    worst = np.inf
    for _ in range(ROUNDS):
        law, speed = _one(course, ceiling * share, limits, cap, share**2, window, profile)
        at = _samples(law)
        used, _rows = loads(course.s, course.x, course.t, course.limits, at)
        worst = float((used.max(axis=0) ** (1.0 / np.arange(1, 4))).max())
        if worst <= 1.0:
            break
        share = lowered(course.s, share, at, used, 0.5 * window, 1.0 + 2e-3)
    assert law is not None
    return (law.slowed(worst) if worst > 1.0 else law), speed


def _one(
    course: Course,
    ceiling: Array,
    limits: Array,
    cap: Array,
    share: Array,
    window: float,
    profile: str,
) -> tuple[PathLaw, Array]:
    """Return the law for given ceilings, and its speeds before the mean is taken."""
    s, x, t = course.s, course.x, course.t
    if window <= 0.0:
        squares = fastest(s, ceiling, x, t, limits, cap, share)
        return bang_bang(s, squares), np.sqrt(squares)
    below = eroded(s, ceiling, 0.5 * window)
    squares = fastest(s, below, x, t, limits, cap, share)
    opened = _without_peaks(s, squares, window)
    squares = fastest(s, np.minimum(below, opened), x, t, limits, cap, share)
    law = bang_bang(s, squares)
    cells = int(np.clip(window / max(law.duration, window) * _MOST_STEPS, 4, _CELLS))
    return averaged(law, window, profile, cells), np.sqrt(squares)


def _without_peaks(s: Array, squares: Array, window: float) -> Array:
    """Return ceilings under which every top speed is held for at least the window. Shape (m,).

    Without, speeding up would turn into braking at once, and the mean over the window would have
    twice the jerk. Opening in the sense of image processing: the largest speed not above the given
    one whose peaks are all that wide.
    """
    from scipy.ndimage import grey_opening

    law = bang_bang(s, squares)
    step = max(window / 24, law.duration / 4000)
    times = np.arange(0.0, law.duration + step, step)
    speed = law.evaluate(times)[:, 1]
    width = max(int(round(window / step)), 1)
    padded = np.pad(speed, width)
    opened = grey_opening(padded, size=width)[width:-width]
    # at least what a stop would leave: the way must be driven after all
    floor = 0.05 * speed.max()
    at = np.interp(s, law.evaluate(times)[:, 0], times)
    return np.maximum(np.interp(at, times, opened), floor)


def _samples(law: PathLaw) -> Array:
    """Return the states of a law at the start, the middle and the end of its pieces."""
    ends = law.states.copy()
    step = np.diff(law.times)[:, None]
    s, v, a, j = law.states[:, :1], law.states[:, 1:2], law.states[:, 2:3], law.states[:, 3:]
    x = step
    ends = np.hstack(
        [s + x * (v + x * (0.5 * a + x * j / 6.0)), v + x * (a + 0.5 * x * j), a + x * j, j]
    )
    both = np.empty((2 * len(ends), 4))
    both[0::2], both[1::2] = law.states, ends
    return both


def _without_joints(course: Course, sizes: Array) -> Array:
    """Return the speeds that translation and rotation alone would allow. Shape (m,)."""
    limits = course.limits.copy()
    limits[:, :, 2:] = np.inf
    if not np.isfinite(limits).any():
        return np.full(len(course.s), np.inf)
    ceiling = _ceiling(sizes, limits)
    cap = np.full(len(course.s), np.inf)
    squares = fastest(
        course.s,
        ceiling,
        course.x,
        course.t,
        np.ascontiguousarray(limits[:, 1]),
        cap,
        np.ones(len(course.s)),
    )
    return np.sqrt(squares)


def _rows(course: Course, law: PathLaw) -> NDArray[np.int64]:
    """Return which row is nearest to its limit at each point of the grid. Shape (m,)."""
    at = _samples(law)
    used, rows = loads(course.s, course.x, course.t, course.limits, at)
    order = used.argmax(axis=1)
    most = rows[np.arange(len(at)), order]
    place = np.clip(np.searchsorted(at[:, 0], course.s), 0, len(at) - 1)
    return np.asarray(most[place])
