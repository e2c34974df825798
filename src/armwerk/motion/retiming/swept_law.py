"""The law of nearly least time of a very long run, found window by window.

A known law is cut into cells, and one quadratic spline b over all of them says how much faster it
is driven; see `quickest_law`. Cells hang together with their neighbours only. So b is found in a
window of cells after the other, the coefficients at both ends of it held: behind it b is so small
that every limit is kept, and before it what was found already. At any time all of b keeps every
limit. A window begins well before the one before ended, where the braking for its end began.

The law is then held against all limits, block by block. Where one is passed b is lowered about the
place, so gently that jerks hardly change by it, and the place is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.motion.kernels.speed_barrier import SpeedProblem, quickest_speeds
from armwerk.motion.path.stop_to_stop import Run, RunGrid
from armwerk.motion.retiming.known_law import KnownLaw, smooth_law
from armwerk.motion.retiming.limit_check import LimitExcess, knot_times, limit_peaks
from armwerk.motion.retiming.lowered_limits import PATIENCE
from armwerk.motion.retiming.path_grid import PathGrid
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.quickest_law import (
    LONGEST,
    Round,
    even_square,
    speed_problem,
    timed_cells,
)

CARE = Round(100, 0, 1.6, 1.6, (0.03, 0.003), 3, 1, at_points=False)
"""How carefully a law is looked for."""
SPARING = CARE._replace(per_point=1.1)
"""The same of very long runs: cells as many as the computing time of a line leaves."""
_WINDOW = 12_000  # cells that b is looked for at once
_OVERLAP = 1_500  # cells of the next window in which the end of one may be felt
_HELD = 2  # coefficients that a cell shares with its neighbour
_BEGIN = 0.8  # of the largest even b: it must leave room for going from one to the next
_BLOCK = 4_000  # cells that are held against limits at once
_CHECKS = 3  # times that a whole law is held against limits
_LITTLE = 1.001  # factor by which it may as well be slowed as a whole
_ROUNDS = 8  # in which places that pass a limit are slowed
_GENTLE = 4.0  # windows of the mean over which b is lowered
_LEAST = 12  # even cells over which it is lowered at least
_STEPS = 32  # even ones within which that is told
_BETWEEN = 1.0 + 5e-4  # for what may lie between the times of the check
_MARGIN = 1.0 + 1e-4  # by how much more than needed a place is slowed


class SweptLaw(NamedTuple):
    """What was found.

    Args:
        law: From rest to rest.
        excess: By what factor it must be slowed to keep all limits; 1: not at all.
        lost: By what factor it takes longer than what was found at first, which passed limits
            between the points it was looked at.
    """

    law: PathLaw
    excess: float
    lost: float


def swept_law(
    run: Run,
    grid: RunGrid,
    rough: PathLaw,
    window: float,
    check: Callable[[PathLaw], LimitExcess],
) -> SweptLaw | None:
    """Return a law of nearly least time; None where none was found.

    Args:
        run: What is driven.
        grid: Of it, with the limits.
        rough: About how it may be driven from rest to rest; it need not keep the limits.
        window: Time in which accelerations rise [s].
        check: Where a law passes limits, and by how much.
    """
    borders = grid.s[:-1][np.diff(grid.s) <= 0.0]
    care = CARE if len(grid) <= LONGEST else SPARING
    cells = max(care.cells, int(care.per_point * len(grid)))
    known = smooth_law(borders, rough, cells)
    c = _swept(run, grid, known)
    if c is None:
        return None
    width = max(_GENTLE * window, _LEAST * rough.duration / cells)
    quickest = _about_time(known, c)
    left = _CHECKS
    while True:
        left -= 1
        excess = _slowed(run, grid, known, c, width)
        law = _told(known, c)
        if law is None or not np.isfinite(excess):
            return None
        found = check(law)
        excess = max(excess, found.factor * _BETWEEN)
        if left == 0 or not _LITTLE < excess < np.inf:
            return SweptLaw(law, max(excess, 1.0), _about_time(known, c) / quickest)
        # what knots did not show holds back its surroundings, not all of a long run
        _lower(known, c, _factors(known.states[:, 0], found.s, found.used), width)


def _told(known: KnownLaw, c: Array) -> PathLaw | None:
    """Return the law by time; None where it is not finite."""
    count = 3 * CARE.parts * (len(known.times) - 1)
    times, states = np.zeros(count + 1), np.empty((count, 4))
    for block in _blocks(len(known.times) - 1, _BLOCK):
        own, first = known.near(*block)
        here = (block[0] - first, block[1] - first)
        pieces = slice(3 * CARE.parts * block[0], 3 * CARE.parts * block[1])
        times[1:][pieces], states[pieces] = timed_cells(own, here, c[first:], CARE.parts)
    np.cumsum(times, out=times)
    if not np.isfinite(states).all() or not np.isfinite(times[-1]):
        return None
    return PathLaw(times, states, float(known.states[-1, 0]))


def _about_time(known: KnownLaw, c: Array) -> float:
    """Return how long a law takes [s], by the middles of its cells."""
    total = 0.0
    for low, high in _blocks(len(known.times) - 1, _WINDOW):
        own, first = known.near(low, high)
        cells = np.arange(low, high) - first
        basis = own.basis(cells, np.full(high - low, 0.5))[:, 2]
        b = sum(basis[:, k] * c[low + k : high + k] for k in range(3))
        total += float(own.widths[cells] @ (1.0 / np.sqrt(b)))
    return total


def _blocks(count: int, size: int) -> list[tuple[int, int]]:
    """Return blocks of cells, about as long as wanted, as (first, behind the last)."""
    ends = np.linspace(0, count, max(round(count / size), 1) + 1).astype(int).tolist()
    return list(pairwise(ends))


def _ranges(marked: Flags) -> list[tuple[int, int]]:
    """Return where cells are marked, in blocks, as (first, behind the last)."""
    ends = np.flatnonzero(np.diff(marked, prepend=False, append=False)).tolist()
    return [
        (first + low, first + high)
        for first, last in zip(ends[::2], ends[1::2], strict=True)
        for low, high in _blocks(last - first, _BLOCK)
    ]


def _stretch(grid: RunGrid, known: KnownLaw, cells: tuple[int, int]) -> PathGrid:
    """Return the stretch of a grid that cells lie in."""
    low, high = known.states[cells[0], 0], known.states[cells[1], 0]
    first = max(int(np.searchsorted(grid.s, low, "left")) - 1, 0)
    last = min(int(np.searchsorted(grid.s, high, "right")) + 1, len(grid))
    return grid.between(first, last)


def _swept(run: Run, grid: RunGrid, known: KnownLaw) -> Array | None:
    """Return the coefficients of b, window by window [1/s²]. Shape (k + 2,)."""
    count = len(known.times) - 1
    c = np.empty(count + 2)
    windows = [(max(low - _OVERLAP, 0), high) for low, high in _blocks(count, _WINDOW)]

    def problem(k: int) -> tuple[SpeedProblem, float] | None:
        low, high = windows[k]
        own, first = known.near(low, high)
        part = _stretch(grid, known, (low, high))
        given = speed_problem(run, part, own, (low - first, high - first), CARE)
        even = 0.0 if given is None else even_square(given)
        return None if given is None or not 0.0 < even < np.inf else (given, even)

    ahead, end = problem(0), 0.0
    for k, (low, high) in enumerate(windows):
        here, ahead = ahead, problem(k + 1) if k + 1 < len(windows) else ahead
        if here is None or ahead is None:
            return None
        given, even = here
        before, end = end, _BEGIN * min(even, ahead[1])
        if k == 0:
            c[: high + 2] = end
        else:
            new = np.arange(windows[k - 1][1] + 2, high + 2)
            share = np.clip((new - new[0] + 1) / max(len(new) - 4, 1), 0.0, 1.0)
            c[new] = before ** (1.0 - share) * end**share
        time = (known.times[high] - known.times[low]) / np.sqrt(even)
        weights = time * np.array(CARE.barriers) / len(given.cell)
        held = (_HELD if k > 0 else 0, _HELD if k + 1 < len(windows) else 0)
        found, steps = quickest_speeds(given, c[low : high + 2], weights, PATIENCE, held)
        if steps == 0:
            return None
        c[low : high + 2] = found
    return c


def _slowed(run: Run, grid: RunGrid, known: KnownLaw, c: Array, width: float) -> float:
    """Lower b within some time of where limits are passed [s].

    Returns:
        By what factor all of it must be slowed yet.
    """
    needed = np.ones(len(c))
    changed: Flags = np.ones(len(c), dtype=bool)
    for left in range(_ROUNDS - 1, -1, -1):
        for low, high in _ranges(changed[:-2] | changed[1:-1] | changed[2:]):
            needed[low + 1 : high + 1] = _needed(run, grid, known, c, (low, high))
        if left == 0 or not 1.0 < needed.max() < np.inf:
            break
        changed = _lower(known, c, needed[1:-1], width)
    return float(needed.max())


def _lower(known: KnownLaw, c: Array, needed: Array, width: float) -> Flags:
    """Lower b about the cells that must be slowed; return which coefficients changed. (k + 2,).

    Args:
        known: The law with its cells.
        c: Coefficients of b, which are changed [1/s²]. Shape (k + 2,).
        needed: By what factors cells must be slowed, at least 1. Shape (k,).
        width: Within which b comes down [s].
    """
    lower = np.zeros(len(c))
    lower[1:-1] = -2.0 * np.log(np.where(needed > 1.0, needed * _MARGIN, 1.0))
    spread = _spread(known, lower, width)
    changed = spread < -1e-15
    c *= np.exp(np.where(changed, spread, 0.0))
    return np.asarray(changed)


def _spread(known: KnownLaw, lower: Array, width: float) -> Array:
    """Return numbers at most as large as given ones that change as slowly by σ as can be. (k + 2,).

    Cells may be very short beside one another, so that they are evened out by σ.

    Args:
        known: The law with its cells.
        lower: At most zero, for each coefficient of a spline. Shape (k + 2,).
        width: Within which they come down to the lowest [s].
    """
    from scipy.ndimage import minimum_filter1d, uniform_filter1d

    widths, middles = known.widths, 0.5 * (known.times[1:] + known.times[:-1])
    # where a spline with such coefficients has their values, were these in a line
    places = np.concatenate([[middles[0] - widths[0]], middles, [middles[-1] + widths[-1]]])
    step = width / _STEPS
    at = (places - places[0]) / step
    even = np.zeros(int(at[-1]) + 2)
    for side in (0, 1):
        np.minimum.at(even, at.astype(int) + side, lower)
    # the mean over as many as were lowered is as low at the place itself
    even = minimum_filter1d(even, 2 * _STEPS + 1, mode="nearest")
    for _ in range(2):
        even = uniform_filter1d(even, _STEPS + 1, mode="nearest")
    return np.asarray(np.interp(at, np.arange(len(even)), even))


def _needed(run: Run, grid: RunGrid, known: KnownLaw, c: Array, cells: tuple[int, int]) -> Array:
    """Return by what factors cells must be slowed to keep all limits, at least 1. Shape (k,)."""
    own, first = known.near(*cells)
    thirds, states = timed_cells(own, (cells[0] - first, cells[1] - first), c[first:], CARE.parts)
    ends = np.cumsum(thirds)
    law = PathLaw(np.append(0.0, ends), states, float(known.states[cells[1], 0]))
    part = _stretch(grid, known, cells)
    inner = part.s[(part.s >= states[0, 0]) & (part.s <= law.length)]
    if not np.isfinite(ends[-1]):
        return np.full(cells[1] - cells[0], np.inf)
    every = knot_times(law, inner)
    # at its very end a law counts as resting
    every = every[every < ends[-1]]
    at, used = limit_peaks(run, law, every, part)
    return _factors(known.states[cells[0] : cells[1] + 1, 0], at[:, 0], used)


def _factors(ends: Array, s: Array, used: Array) -> Array:
    """Return by what factors cells must be slowed to keep all limits, at least 1. Shape (k,).

    Args:
        ends: Arc lengths at which cells begin, and the end of the last [m]. Shape (k + 1,).
        s: Places of a law [m]. Shape (m,).
        used: Fractions of the limits of velocity, acceleration, jerk there. Shape (m, 3).
    """
    factor = np.ones(len(s))
    for order in range(3):
        np.maximum(factor, used[:, order] ** (1.0 / (order + 1)) * _BETWEEN, out=factor)
    which = np.searchsorted(ends, s, "right") - 1
    needed = np.ones(len(ends) - 1)
    np.maximum.at(needed, np.clip(which, 0, len(needed) - 1), factor)
    return needed
