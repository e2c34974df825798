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
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from armwerk.arrays import Array, Flags
from armwerk.motion.kernels.path_speeds import eroded, fastest, limit_use, lowered
from armwerk.motion.options import Profile
from armwerk.motion.retiming.limit_check import slowing
from armwerk.motion.retiming.path_grid import ACCELERATION, JERK, VELOCITY, LawSamples, PathGrid
from armwerk.motion.retiming.path_law import KERNELS, PathLaw, averaged, bang_bang

ROUNDS = 12
WINDOWS = (1.0, 1.6, 2.5, 0.6)
"""Windows that are tried, over the one that just reaches the full acceleration; the fastest law
counts."""
_TINY = 1e-12
_WITHIN = np.array([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0])  # of a piece of the law, where it is checked
_THIRD = 0.9  # fraction of a jerk limit that curvature alone may use up at constant speed
DOWN = 1.01
"""By how much more than needed a place is slowed, so that rounds come to an end."""
AT_REST = np.zeros(1)
"""Speeds at the start of a run [m/s]. Shape (1,)."""


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
    (best, base, slowed), _ = quickest(grid, window_choices(grid, profile), profile)
    return TimedLaw(best, base, without_joints(grid), nearest_rows(grid, best), slowed)


def rough_law(grid: PathGrid) -> TimedLaw:
    """Return about how a run may be driven: the first law of all that `time_law` tries, as it is.

    It may pass limits of jerk, and those of acceleration where the curvature changes.
    """
    window = window_choices(grid, "trapezoid")[0]
    law, speed = law_under(grid, ceilings(grid), np.ones(len(grid.s)), window, "trapezoid")
    return TimedLaw(law, speed, without_joints(grid), nearest_rows(grid, law), 1.0)


def quickest(
    grid: PathGrid, windows: list[float], profile: Profile
) -> tuple[tuple[PathLaw, Array, float], float]:
    """Return the fastest law, see `_law`, and the window it was found with [s]."""
    ceiling = ceilings(grid)
    found, window = _law(grid, ceiling, windows[0], profile), windows[0]
    tries = windows[1:]
    while tries:
        other = _law(grid, ceiling, tries[0], profile, found[0].duration)
        better = other[0].duration < found[0].duration
        if better:
            found, window = other, tries[0]
        # where longer is better shorter is not, and the other way round
        longer = tries[0] > windows[0]
        tries = [w for w in tries[1:] if (w > windows[0]) == (longer == better)]
    return found, window


def ceilings(grid: PathGrid) -> Array:
    """Return the largest constant speeds [m/s]. Shape (m,)."""
    fraction = grid.limits / np.maximum(grid.sizes, _TINY)
    second = np.sqrt(fraction[:, ACCELERATION])
    third = np.cbrt(_THIRD * fraction[:, JERK])
    return np.asarray(np.minimum(np.minimum(fraction[:, VELOCITY], second), third).min(axis=1))


def window_choices(grid: PathGrid, profile: Profile) -> list[float]:
    """Return the windows worth trying [s]; 0 when no jerk is limited."""
    limits, rates = grid.limits, np.maximum(grid.sizes[:, 0], _TINY)
    steepest = (limits[:, JERK] / rates).min(axis=1)
    hardest = (limits[:, ACCELERATION] / rates).min(axis=1)
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
    fraction, before = np.ones(len(grid.s)), None
    for left in range(ROUNDS - 1, -1, -1):
        law, speed = law_under(grid, ceiling, fraction, window, profile)
        if law.duration >= beaten:
            return law, speed, 1.0
        changed = None if before is None else changed_places(grid.s, before, speed, window)
        at = law_samples(law, grid.borders, grid.s, changed)
        if not len(at.s):
            worst = 1.0
            break
        used = limit_use(grid, at).used
        worst = slowing(used)
        if worst <= 1.0 + 1e-6 or left == 0:
            break
        fraction = lowered(grid.s, fraction, at, used, 0.5 * window, DOWN)
        before = speed
    worst = max(worst, 1.0)
    return law.slowed(worst), speed, worst


def changed_places(s: Array, before: Array, speed: Array, window: float) -> Flags:
    """Return where a law may differ from the one before, whose speeds were others. Shape (m,)."""
    places = np.flatnonzero(np.abs(speed - before) > 1e-9 * before)
    reach = 2.0 * window * before[places]
    edges = np.zeros(len(s) + 1, dtype=np.int64)
    np.add.at(edges, np.searchsorted(s, s[places] - reach, "left"), 1)
    np.add.at(edges, np.searchsorted(s, s[places] + reach, "right"), -1)
    return np.asarray(np.cumsum(edges)[:-1] > 0)


def law_under(
    grid: PathGrid, ceiling: Array, fraction: Array, window: float, profile: Profile
) -> tuple[PathLaw, Array]:
    """Return the law from rest to rest, and its speeds before the mean; see `speeds_under`."""
    squares = speeds_under(grid, ceiling, fraction, window, profile)
    return smoothed(grid.s, squares, window, profile), np.sqrt(squares)


def smoothed(s: Array, squares: Array, window: float, profile: Profile) -> PathLaw:
    """Return the law of squared speeds [m²/s²] at arc lengths, its mean over a window of time."""
    law = bang_bang(s, squares)
    return averaged(law, window, profile) if window > 0.0 else law


def speeds_under(
    grid: PathGrid,
    ceiling: Array,
    fraction: Array,
    window: float,
    profile: Profile,
    known: Array = AT_REST,
    ends: bool = True,
) -> Array:
    """Return the squared speeds for given ceilings, before the mean is taken [m²/s²]. Shape (m,).

    Args:
        grid: The run, or a stretch of it.
        ceiling: Largest speeds [m/s]. Shape (m,).
        fraction: By which they are lowered, and accelerations by its square. Shape (m,).
        window: Of the mean [s].
        profile: Its weight.
        known: Speeds of the first points [m/s]. Shape (k,).
        ends: Whether it ends at rest.
    """

    def held(below: Array) -> Array:
        below[: len(known)] = known
        if ends:
            below[-1] = 0.0
        return below

    s, softer = grid.s, fraction**2
    if window <= 0.0:
        return fastest(grid, held(ceiling * fraction), 0.0, softer)
    rise = KERNELS[profile][0] / window
    below = held(eroded(s, ceiling * fraction, 0.5 * window))
    squares = fastest(grid, below, rise, softer)
    below = held(np.minimum(below, _without_peaks(s, squares, window)))
    return fastest(grid, below, rise, softer)


def _without_peaks(s: Array, squares: Array, window: float) -> Array:
    """Return ceilings under which every top speed is held for at least the window. Shape (m,).

    Without, speeding up would turn into braking at once, and the mean over the window would have
    twice the jerk. Opening in the sense of image processing: the largest speed not above the given
    one whose peaks are all that wide.
    """
    law = bang_bang(s, squares)
    step = max(window / 12, law.duration / max(2000, 2 * len(s)))
    times = np.arange(0.0, law.duration + step, step)
    speed = law.evaluate(times)[:, 1]
    width = max(round(window / step), 1)
    padded = np.pad(speed, width, mode="edge")
    lowest = sliding_window_view(padded, width).min(axis=1)
    opened = sliding_window_view(lowest, width).max(axis=1)[1:-1]
    # at least what a stop would leave: the way must be driven after all
    floor = 0.05 * speed.max()
    at = np.interp(s, law.evaluate(times)[:, 0], times)
    return np.asarray(np.maximum(np.interp(at, times, opened), floor))


def law_samples(law: PathLaw, borders: Array, s: Array, changed: Flags | None = None) -> LawSamples:
    """Return the states of a law within its pieces and on both sides of borders.

    Args:
        law: What is looked at.
        borders: Arc lengths where curvature or rates may jump [m]. Shape (k,).
        s: Arc lengths of the grid [m]. Shape (m,).
        changed: Points of the grid about which alone it is looked at; None: everywhere.
    """
    x = np.diff(law.times)[:, None] * _WITHIN
    states = law.states
    if changed is not None:
        last = len(s) - 1
        above = np.clip(np.searchsorted(s, states[:, 0]), 0, last)
        below = np.clip(np.searchsorted(s, states[:, 0], "right") - 1, 0, last)
        keep = changed[below] | changed[above]
        x, states = x[keep], states[keep]
        borders = borders[changed[np.clip(np.searchsorted(s, borders), 0, last)]]
    begin, v, a, j = (states[:, k, None] for k in range(4))
    within = (
        begin + x * (v + x * (0.5 * a + x * j / 6.0)),
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


def without_joints(grid: PathGrid, rests: tuple[bool, bool] = (True, True)) -> Array:
    """Return the speeds that translation and rotation alone would allow [m/s]. Shape (m,).

    Args:
        grid: The run, or a stretch of it.
        rests: Whether it begins and ends at rest.
    """
    if not np.isfinite(grid.tool_limits).any():
        return np.full(len(grid.s), np.inf)
    free = grid._replace(joint_limits=np.full_like(grid.joint_limits, np.inf))
    ceiling = ceilings(free)
    for end, rest in zip((0, -1), rests, strict=True):
        ceiling[end] = 0.0 if rest else ceiling[end]
    return np.asarray(np.sqrt(fastest(free, ceiling, 0.0, np.ones(len(grid.s)))))


def nearest_rows(grid: PathGrid, law: PathLaw) -> NDArray[np.int64]:
    """Return which row is nearest to its limit at each point of the grid. Shape (m,)."""
    at = law_samples(law, grid.borders[:0], grid.s)
    used, rows = limit_use(grid, at)
    order = used.argmax(axis=1)
    tightest = rows[np.arange(len(order)), order]
    place = np.clip(np.searchsorted(at.s, grid.s), 0, len(order) - 1)
    return np.asarray(tightest[place])
