"""The cells of a long run, looked at in windows: what is to be solved, how long it takes, its law.

In: a run with its grid and a known law cut into cells. Out, for a window of cells under some b:
the problem of the least time, the time, what is used of limits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.kernels.speed_rows import SpeedProblem
from armwerk.motion.path.stop_to_stop import Run, RunGrid
from armwerk.motion.retiming.known_law import KnownLaw
from armwerk.motion.retiming.limit_check import knot_times, use_by_cells
from armwerk.motion.retiming.lowered_limits import with_lower_rates
from armwerk.motion.retiming.path_grid import PathGrid
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.quickest_law import Round, speed_problem

_JERK = 0.98  # of the limits of jerk that is used where they are looked at, for what lies between
_BLOCK = 4_000  # cells that are held against limits at once


@dataclass(frozen=True, slots=True, eq=False)
class SweptCells:
    """A long run and a known law, cut into cells, by which it is driven.

    Args:
        run: What is driven.
        grid: Of it, with the limits.
        known: The law with its cells.
        care: How carefully a quicker law is looked for.
    """

    run: Run
    grid: RunGrid
    known: KnownLaw
    care: Round

    @property
    def count(self) -> int:
        """How many cells there are."""
        return len(self.known.times) - 1

    def part(self, low: int, high: int) -> SweptCells:
        """Return the cells from one to before another."""
        known = KnownLaw(self.known.times[low : high + 1], self.known.states[low : high + 1])
        return replace(self, known=known)

    def problem(self, low: int, high: int) -> SpeedProblem | None:
        """Return what is to be solved in a window; None where it cannot be driven as it is."""
        own, first = self.known.near(low, high)
        cells = (low - first, high - first)
        given = speed_problem(self.run, self._stretch(low, high), own, cells, self.care)
        if given is None:
            return None
        factor = np.ones((1, 2, self.run.dof + 2))
        factor[:, 1] = 1.0 / _JERK
        return with_lower_rates(given, factor)

    def time(self, c: Array, low: int, high: int) -> float:
        """Return how long a window takes [s]; not a number where b is none.

        Args:
            c: Coefficients of b, of all cells [1/s²]. Shape (k + 2,).
            low: First cell of the window.
            high: The one behind its last.
        """
        own, first = self.known.near(low, high)
        return own.passing(c[first:], low - first, high - first)

    def used(self, c: Array, low: int, high: int) -> Array:
        """Return what cells of a window use of limits, velocity to jerk, at least 1. Shape (m, 3).

        Infinite where the law is not finite; see `time`.
        """
        return np.concatenate([self._used(c, *block) for block in blocks(low, high, _BLOCK)])

    def law(self, c: Array) -> PathLaw | None:
        """Return the law by time; None where it is not finite."""
        parts = self.care.parts
        count = 3 * parts * self.count
        times, states = np.zeros(count + 1), np.empty((count, 4))
        for low, high in blocks(0, self.count, _BLOCK):
            pieces = slice(3 * parts * low, 3 * parts * high)
            times[1:][pieces], states[pieces] = self._timed(c, low, high)
        np.cumsum(times, out=times)
        if not np.isfinite(states).all() or not np.isfinite(times[-1]):
            return None
        return PathLaw(times, states, float(self.known.states[-1, 0]))

    def _timed(self, c: Array, low: int, high: int) -> tuple[Array, Array]:
        """Return cells of the law by time; see `KnownLaw.by_time`."""
        own, first = self.known.near(low, high)
        return own.by_time(c[first:], (low - first, high - first), self.care.parts)

    def _used(self, c: Array, low: int, high: int) -> Array:
        thirds, states = self._timed(c, low, high)
        times = np.append(0.0, np.cumsum(thirds))
        if not np.isfinite(times[-1]):
            return np.full((high - low, 3), np.inf)
        law = PathLaw(times, states, float(self.known.states[high, 0]))
        part = self._stretch(low, high)
        inner = part.s[(part.s >= states[0, 0]) & (part.s <= law.length)]
        every = knot_times(law, inner)
        # at its very end a law counts as resting
        ends = np.ascontiguousarray(self.known.states[low : high + 1, 0])
        return use_by_cells(self.run, law, every[every < times[-1]], part, ends)

    def _stretch(self, low: int, high: int) -> PathGrid:
        """Return the stretch of the grid that a window lies in."""
        begin, end = self.known.states[low, 0], self.known.states[high, 0]
        first = max(int(np.searchsorted(self.grid.s, begin, "left")) - 1, 0)
        last = min(int(np.searchsorted(self.grid.s, end, "right")) + 1, len(self.grid))
        return self.grid.between(first, last)


def blocks(low: int, high: int, size: int) -> list[tuple[int, int]]:
    """Return blocks of cells, about as long as wanted, as (first, behind the last)."""
    ends = np.linspace(low, high, max(round((high - low) / size), 1) + 1).astype(int).tolist()
    return list(pairwise(ends))
