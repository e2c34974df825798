"""The largest squared speeds b of a long run, found window by window.

One quadratic spline b over all cells of a known law says how much faster it is driven; see
`quickest_law`. Cells hang together with their neighbours only. So b is found in a window of cells
after the other, the coefficients at both ends of it held: behind it b is so small that every limit
is kept, and before it what was found already. At any time all of b keeps every limit. A window
begins well before the one before ended, where the braking for its end began.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.motion.kernels.speed_barrier import quickest_speeds
from armwerk.motion.kernels.speed_rows import SpeedProblem
from armwerk.motion.retiming.lowered_limits import PATIENCE, searched_on
from armwerk.motion.retiming.lowered_speeds import lowered_speeds, slower
from armwerk.motion.retiming.quickest_law import even_square
from armwerk.motion.retiming.swept_cells import SweptCells, blocks

_WINDOW = 12_000  # cells that b is looked for at once
_OVERLAP = 1_500  # cells of the next window in which the end of one may be felt
_HELD = 2  # coefficients that a cell shares with its neighbour
_BEGIN = 0.8  # of the largest even b: it must leave room for going from one to the next
_MENDS = 3  # times that a window is solved again
_LOST = 1.015  # factor by which lowering may slow a window without its being solved again
_INSIDE = 0.98  # of a lowered b, from which the search goes on: limits must not be touched
_APART = 6  # coefficients from the ends of a window on that are not moved for that


def swept_speeds(cells: SweptCells) -> Array | None:
    """Return the coefficients of b, None where none were found [1/s²]. Shape (k + 2,)."""
    count = cells.count
    c = np.empty(count + 2)
    windows = [(max(low - _OVERLAP, 0), high) for low, high in blocks(0, count, _WINDOW)]
    ahead, end = _begun(cells, *windows[0]), 0.0
    for k, (low, high) in enumerate(windows):
        here, ahead = ahead, _begun(cells, *windows[k + 1]) if k + 1 < len(windows) else ahead
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
        found = _solved(cells, given, even, (low, high), c[low : high + 2])
        if found is None:
            return None
        c[low : high + 2] = found
    return c


def trial_time(cells: SweptCells, low: int, high: int) -> float:
    """Return how long a window takes at least, driven slowly at both ends [s]; infinite: nothing.

    Args:
        cells: Of the run.
        low: First of the window.
        high: The one behind its last.
    """
    begun = _begun(cells, low, high)
    if begun is None:
        return np.inf
    given, even = begun
    c = np.full(cells.count + 2, _BEGIN * even)
    found = _solved(cells, given, even, (low, high), c[low : high + 2])
    if found is None:
        return np.inf
    c[low : high + 2] = found
    return cells.time(c, low, high)


def mended_speeds(cells: SweptCells, c: Array, width: float) -> tuple[Array, Flags]:
    """Return coefficients of b lowered where limits are passed, and which changed. Each (k + 2,).

    A window that gets much slower by that is solved again, with the limits lowered that were
    passed. What changed must be held against limits again.

    Args:
        cells: Of the run.
        c: What was found [1/s²]. Shape (k + 2,).
        width: Within which b comes down [s].
    """
    windows = blocks(0, cells.count, _WINDOW)
    used = np.concatenate([cells.used(c, *window) for window in windows])
    kept, changed = lowered_speeds(cells.known, c, slower(used), width)
    for low, high in windows:
        free = cells.time(c, low, high)
        if cells.time(kept, low, high) > _LOST * free and np.isfinite(used[low:high]).all():
            first, last = max(low - _OVERLAP, 0), min(high + _OVERLAP, cells.count)
            window, near = (low - first, high - first), slice(first, last + 2)
            part = cells.part(first, last)
            kept[near] = _mended(part, kept[near], used[low:high], window, width)
            changed[near] = True
    return kept, changed


def _begun(cells: SweptCells, low: int, high: int) -> tuple[SpeedProblem, float] | None:
    """Return what is to be solved in a window, and the largest even b; None where it is none."""
    given = cells.problem(low, high)
    even = 0.0 if given is None else even_square(given)
    return None if given is None or not 0.0 < even < np.inf else (given, even)


def _held(cells: SweptCells, low: int, high: int) -> tuple[int, int]:
    """Return how many coefficients of a window are held, of the first and of the last."""
    return _HELD if low > 0 else 0, _HELD if high < cells.count else 0


def _solved(
    cells: SweptCells, given: SpeedProblem, even: float, window: tuple[int, int], begin: Array
) -> Array | None:
    """Return the coefficients of a window, found from what it begins with; None: not found."""
    low, high = window
    time = (cells.known.times[high] - cells.known.times[low]) / np.sqrt(even)
    weights = time * np.array(cells.care.barriers) / len(given.cell)
    held = _held(cells, low, high)
    found, steps = quickest_speeds(given, begin, weights, PATIENCE, held)
    return found if steps > 0 else None


def _mended(
    cells: SweptCells, c: Array, used: Array, window: tuple[int, int], width: float
) -> Array:
    """Return coefficients of b that are larger in a window, or as they are.

    Args:
        cells: The window, and on either side of it those that may be lowered with it.
        c: Coefficients lowered where limits were passed [1/s²]. Shape (k + 2,).
        used: What cells of the window used of limits before. Shape (m, 3).
        window: First cell, and the one behind the last.
        width: Within which b comes down [s].
    """
    low, high = window
    best, least = c, cells.time(c, low, high)
    given = cells.problem(low, high)
    if given is None:
        return best
    weights = least * np.array(cells.care.barriers[-1:]) / len(given.cell)
    tight = np.ones_like(used)
    for _ in range(_MENDS):
        tight *= used
        begin = c[low : high + 2].copy()
        begin[_APART:-_APART] *= _INSIDE
        c = c.copy()
        c[low : high + 2] = searched_on(given, tight, begin, weights, _held(cells, low, high))
        free, used = cells.time(c, low, high), cells.used(c, low, high)
        needed = np.ones(cells.count)
        needed[low:high] = slower(used)
        c, _ = lowered_speeds(cells.known, c, needed, width)
        time = cells.time(c, low, high)
        if time < least:
            best, least = c, time
        if time < _LOST * free or not np.isfinite(used).all():
            break
    return best
