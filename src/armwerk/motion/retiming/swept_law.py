"""The law of nearly least time of a very long run, found window by window.

A known law is cut into cells, and one quadratic spline b over all of them says how much faster it
is driven; see `quickest_law`. Cells hang together with their neighbours only. So b is found in a
window of cells after the other, the coefficients at both ends of it held: behind it b is so small
that every limit is kept, and before it what was found already. At any time all of b keeps every
limit. A window begins well before the one before ended, where the braking for its end began.

What was found in a window is held against all limits, block by block, before the next begins. Where
one is passed it is lowered by as much, see `lowered_limits`, and the window is looked at again: from
a little back on the way to where its search began, which keeps lowered limits too.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.kernels.speed_barrier import SpeedProblem
from armwerk.motion.path.stop_to_stop import Run, RunGrid
from armwerk.motion.retiming.known_law import KnownLaw, smooth_law
from armwerk.motion.retiming.limit_check import check_times, limit_peaks
from armwerk.motion.retiming.lowered_limits import searched_on, used_by_cells, worst_places
from armwerk.motion.retiming.path_grid import PathGrid
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.quickest_law import (
    Round,
    even_square,
    speed_problem,
    timed_cells,
    with_places,
)

CARE = Round(100, 6, 0.8, (3.0, 0.03, 0.003), 3, 1, 0.5)
"""How carefully a law is looked for: cells as many as the computing time of a line leaves."""
_WINDOW = 20_000  # cells that b is looked for at once
_OVERLAP = 1_500  # cells of the next window in which the end of one may be felt
_LEAD = 400  # cells of the next window that are held against limits before it begins
_HELD = 2  # coefficients that a cell shares with its neighbour
_BEGIN = 0.8  # of the largest even b: it must leave room for going from one to the next
_BLOCK = 4_000  # cells that are held against limits at once
_ROUNDS = 5  # in which limits that are passed are lowered
_BACK = 3.0  # times what is passed: of the way to where a search began from which it goes on
_FARTHEST = 0.5  # of that way
_HOPELESS = 3.0  # factor from which on a window is not searched again, nor the rest
_GOOD = 1.003  # factor by which all of a law may be slowed without being looked at again
_BETWEEN = 1.0 + 5e-4  # for what may lie between the times of the check


class SweptLaw(NamedTuple):
    """What was found.

    Args:
        law: From rest to rest.
        excess: By what factor it must be slowed to keep all limits; 1: not at all.
    """

    law: PathLaw
    excess: float


def swept_law(run: Run, grid: RunGrid, rough: PathLaw) -> SweptLaw | None:
    """Return a law of nearly least time; None where none was found.

    Args:
        run: What is driven.
        grid: Of it, with the limits.
        rough: About how it may be driven from rest to rest; it need not keep the limits.
    """
    known = smooth_law(grid.s, rough, CARE.count(grid.s), CARE.even)
    found = _swept(run, grid, known)
    if found is None:
        return None
    c, excess = found
    count = 3 * CARE.parts * (len(known.times) - 1)
    times, states = np.zeros(count + 1), np.empty((count, 4))
    for block in _blocks(len(known.times) - 1, _BLOCK):
        own, first = known.near(*block)
        here = (block[0] - first, block[1] - first)
        pieces = slice(3 * CARE.parts * block[0], 3 * CARE.parts * block[1])
        times[1:][pieces], states[pieces] = timed_cells(own, here, c[first:], CARE.parts)
    np.cumsum(times, out=times)
    law = PathLaw(times, states, float(known.states[-1, 0]))
    sound = np.isfinite(states).all() and np.isfinite(excess) and np.isfinite(times[-1])
    return SweptLaw(law, excess) if sound else None


def _blocks(count: int, size: int) -> list[tuple[int, int]]:
    """Return blocks of cells, about as long as wanted, as (first, behind the last)."""
    ends = np.linspace(0, count, max(round(count / size), 1) + 1).astype(int).tolist()
    return list(pairwise(ends))


def _stretch(grid: RunGrid, known: KnownLaw, cells: tuple[int, int]) -> PathGrid:
    """Return the stretch of a grid that cells lie in."""
    low, high = known.states[cells[0], 0], known.states[cells[1], 0]
    first = max(int(np.searchsorted(grid.s, low, "left")) - 1, 0)
    last = min(int(np.searchsorted(grid.s, high, "right")) + 1, len(grid))
    return grid.between(first, last)


def _swept(run: Run, grid: RunGrid, known: KnownLaw) -> tuple[Array, float] | None:
    """Return the coefficients of b [1/s²], shape (k + 2,), and by what factor to slow all of it."""
    count = len(known.times) - 1
    c, used, excess = np.empty(count + 2), np.ones((count, 3)), 1.0
    windows = [(max(low - _OVERLAP, 0), high) for low, high in _blocks(count, _WINDOW)]

    def problem(k: int) -> tuple[SpeedProblem, float] | None:
        low, high = windows[k]
        own, first = known.near(low, high)
        part = _stretch(grid, known, (low, high))
        given = speed_problem(run, part, own, (low - first, high - first), CARE.looks)
        even = 0.0 if given is None else even_square(given)
        return None if given is None or not 0.0 < even < np.inf else (given, even)

    ahead, end = problem(0), 0.0
    for k, (low, high) in enumerate(windows):
        is_last = k + 1 == len(windows)
        here, ahead = ahead, ahead if is_last else problem(k + 1)
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
        held = (_HELD if k > 0 else 0, 0 if is_last else _HELD)
        time = (known.times[high] - known.times[low]) / np.sqrt(even)
        weights = time * np.array(CARE.barriers) / len(given.cell)
        own = slice(low, high + 2)
        # with much room to all limits at first: that is where it begins again from
        easy = searched_on(given, used[low:high], c[own], weights[:1], held)
        c[own] = searched_on(given, used[low:high], c[own], weights[1:], held)
        # behind the start of the next window too: what is held there leaves it no room to go back
        until = high if is_last else min(windows[k + 1][0] + _LEAD, high)
        for left in range(_ROUNDS, -1, -1):
            passed, places = _passed(run, grid, known, c, (low, until))
            worst = float((passed ** (1.0 / np.arange(1, 4))).max()) * _BETWEEN
            if not worst < _HOPELESS:
                return None
            if left == 0 or worst <= _GOOD:
                break
            used[low:until] *= passed
            near, first = known.near(low, high)
            part = _stretch(grid, known, (low, high))
            given = with_places(given, run, part, near, low - first, places)
            back = min(_BACK * (worst * worst - 1.0), _FARTHEST)
            slower = c[own] + back * (easy - c[own])
            c[own] = searched_on(given, used[low:high], slower, weights[-1:], held)
        excess = max(excess, worst)
    return c, excess


def _passed(
    run: Run, grid: RunGrid, known: KnownLaw, c: Array, cells: tuple[int, int]
) -> tuple[Array, Array]:
    """Return what cells use of limits, see `used_by_cells`, and the places to be looked at."""
    used, places = [], []
    for low, high in _blocks(cells[1] - cells[0], _BLOCK):
        block = (cells[0] + low, cells[0] + high)
        ends = known.states[block[0] : block[1] + 1, 0]
        at, uses = _held_against(run, grid, known, c, block)
        used.append(used_by_cells(ends, at, uses))
        places.append(worst_places(ends, at, uses))
    return np.concatenate(used), np.concatenate(places)


def _held_against(
    run: Run, grid: RunGrid, known: KnownLaw, c: Array, cells: tuple[int, int]
) -> tuple[Array, Array]:
    """Return places within cells (m,), and what is used of limits there (m, 3)."""
    own, first = known.near(*cells)
    thirds, states = timed_cells(own, (cells[0] - first, cells[1] - first), c[first:], CARE.parts)
    ends = np.cumsum(thirds)
    if not np.isfinite(ends[-1]):
        return states[:1, 0], np.full((1, 3), np.inf)
    law = PathLaw(np.append(0.0, ends), states, float(known.states[cells[1], 0]))
    part = _stretch(grid, known, cells)
    inner = part.s[(part.s >= states[0, 0]) & (part.s <= law.length)]
    every = check_times(law, inner, None, at_knots=True)
    # at its very end a law counts as resting
    at, used = limit_peaks(run, law, every[every < ends[-1]], part)
    return at[:, 0], used
