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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.motion.kernels.path_speeds import eroded, fastest, limit_use, lowered
from armwerk.motion.options import Profile
from armwerk.motion.retiming.path_grid import ACCELERATION, JERK, VELOCITY, LawSamples, PathGrid
from armwerk.motion.retiming.path_law import KERNELS, PathLaw, averaged, bang_bang

ROUNDS = 12
WINDOWS = (1.0, 1.6, 2.5, 0.6)
"""Windows that are tried, over the one that just reaches the full acceleration; the fastest law
counts."""
_TINY = 1e-12
_WITHIN = np.array([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0])  # of a piece of the law, where it is checked
_THIRD = 0.9  # fraction of a jerk limit that curvature alone may use up at constant speed
_DOWN = 1.01  # by how much more than needed a place is slowed, so that rounds come to an end


class TimedLaw(NamedTuple):
    """A law and where it was held back.

    Args:
        law: From rest to rest.
        speed: Speeds on the grid before the mean was taken [m/s]. Shape (m,).
        free: The same without the limits of the joints [m/s]. Shape (m,).
        rows: Which row is nearest to its limit at each point of the grid. Shape (m,).
        slowed: By what factor the law had to be slowed as a whole; 1: not at all.
    """

    law: PathLaw
    speed: Array
    free: Array
    rows: NDArray[np.int64]
    slowed: float


def time_law(grid: PathGrid, profile: Profile) -> TimedLaw:
    """Return the fastest law found on a grid."""
    sizes, limits = grid.sizes, grid.limits
    ceiling = _ceiling(sizes, limits)
    rates = np.maximum(sizes[:, 0], _TINY)
    steepest = (limits[:, JERK] / rates).min(axis=1)
    hardest = (limits[:, ACCELERATION] / rates).min(axis=1)
    windows = _windows(grid, steepest, hardest, profile)
    best, base, slowed = _law(grid, ceiling, windows[0], profile)
    tries = windows[1:]
    while tries:
        law, speed, worst = _law(grid, ceiling, tries[0], profile, best.duration)
        better = law.duration < best.duration
        if better:
            best, base, slowed = law, speed, worst
        # where longer is better shorter is not, and the other way round
        longer = tries[0] > windows[0]
        tries = [w for w in tries[1:] if (w > windows[0]) == (longer == better)]
    return TimedLaw(best, base, _without_joints(grid), _rows(grid, best), slowed)


def _ceiling(sizes: Array, limits: Array) -> Array:
    """Return the largest constant speeds. Shape (m,)."""
    fraction = limits / np.maximum(sizes, _TINY)
    second = np.sqrt(fraction[:, ACCELERATION])
    third = np.cbrt(_THIRD * fraction[:, JERK])
    return np.asarray(np.minimum(np.minimum(fraction[:, VELOCITY], second), third).min(axis=1))


def _windows(grid: PathGrid, steepest: Array, hardest: Array, profile: Profile) -> list[float]:
    """Return the windows worth trying [s]; 0 when no jerk is limited."""
    if not np.isfinite(steepest).any():
        return [0.0]
    peak = KERNELS[profile][0]
    ratio = np.where(np.isfinite(hardest), hardest / steepest, 0.0)
    # on a short way the full acceleration is never reached: a' = (j² L / 2)^(1/3)
    short = np.cbrt(grid.s[-1] / (2.0 * np.min(steepest)))
    rise_time = short if not ratio.any() else min(float(np.median(ratio[ratio > 0.0])), short)
    return [peak * max(rise_time, _TINY) * fraction for fraction in WINDOWS]


def _law(
    grid: PathGrid,
    ceiling: Array,
    window: float,
    profile: Profile,
    beaten: float = np.inf,
) -> tuple[PathLaw, Array, float]:
    """Return the law for a window, its speeds before the mean, and by how much it was slowed.

    What takes longer than ``beaten`` [s] is of no use, and is given up.
    """
    fraction = np.ones(len(grid.s))
    for left in range(ROUNDS - 1, -1, -1):
        law, speed = _one(grid, ceiling * fraction, fraction**2, window, profile)
        if law.duration >= beaten:
            return law, speed, 1.0
        at = _samples(law, grid.borders)
        used = limit_use(grid, at).used
        worst = float((used.max(axis=0) ** (1.0 / np.arange(1, 4))).max())
        if worst <= 1.0 + 1e-6 or left == 0:
            break
        fraction = lowered(grid.s, fraction, at, used, 0.5 * window, _DOWN)
    worst = max(worst, 1.0)
    return law.slowed(worst), speed, worst


def _one(
    grid: PathGrid, ceiling: Array, fraction: Array, window: float, profile: Profile
) -> tuple[PathLaw, Array]:
    """Return the law for given ceilings, and its speeds before the mean is taken."""
    s = grid.s
    if window <= 0.0:
        squares = fastest(grid, ceiling, 0.0, fraction)
        return bang_bang(s, squares), np.sqrt(squares)
    rise = KERNELS[profile][0] / window
    below = eroded(s, ceiling, 0.5 * window)
    squares = fastest(grid, below, rise, fraction)
    below = np.minimum(below, _without_peaks(s, squares, window))
    squares = fastest(grid, below, rise, fraction)
    return averaged(bang_bang(s, squares), window, profile), np.sqrt(squares)


def _without_peaks(s: Array, squares: Array, window: float) -> Array:
    """Return ceilings under which every top speed is held for at least the window. Shape (m,).

    Without, speeding up would turn into braking at once, and the mean over the window would have
    twice the jerk. Opening in the sense of image processing: the largest speed not above the given
    one whose peaks are all that wide.
    """
    from scipy.ndimage import grey_opening

    law = bang_bang(s, squares)
    step = max(window / 12, law.duration / 2000)
    times = np.arange(0.0, law.duration + step, step)
    speed = law.evaluate(times)[:, 1]
    width = max(round(window / step), 1)
    padded = np.pad(speed, width)
    opened = grey_opening(padded, size=(width,))[width:-width]
    # at least what a stop would leave: the way must be driven after all
    floor = 0.05 * speed.max()
    at = np.interp(s, law.evaluate(times)[:, 0], times)
    return np.asarray(np.maximum(np.interp(at, times, opened), floor))


def _samples(law: PathLaw, borders: Array) -> LawSamples:
    """Return the states of a law within its pieces and on both sides of borders."""
    x = np.diff(law.times)[:, None] * _WITHIN
    s, v, a, j = (law.states[:, k, None] for k in range(4))
    within = (
        s + x * (v + x * (0.5 * a + x * j / 6.0)),
        v + x * (a + 0.5 * x * j),
        a + x * j,
        np.broadcast_to(j, x.shape),
    )
    if not len(borders):
        return LawSamples(*(row.ravel() for row in within))
    crossed = np.repeat(law.evaluate(law.when(borders)), 2, axis=0)
    crossed[:, 0] = np.repeat(borders, 2) + np.tile([-1e-9, 1e-9], len(borders)) * law.length
    return LawSamples(
        *(np.concatenate([row.ravel(), more]) for row, more in zip(within, crossed.T, strict=True))
    )


def _without_joints(grid: PathGrid) -> Array:
    """Return the speeds that translation and rotation alone would allow. Shape (m,)."""
    if not np.isfinite(grid.tool_limits).any():
        return np.full(len(grid.s), np.inf)
    free = grid._replace(joint_limits=np.full_like(grid.joint_limits, np.inf))
    squares = fastest(free, _ceiling(free.sizes, free.limits), 0.0, np.ones(len(grid.s)))
    return np.asarray(np.sqrt(squares))


def _rows(grid: PathGrid, law: PathLaw) -> NDArray[np.int64]:
    """Return which row is nearest to its limit at each point of the grid. Shape (m,)."""
    at = _samples(law, grid.borders[:0])
    used, rows = limit_use(grid, at)
    order = used.argmax(axis=1)
    tightest = rows[np.arange(len(order)), order]
    place = np.clip(np.searchsorted(at.s, grid.s), 0, len(order) - 1)
    return np.asarray(tightest[place])
