"""A law that is known, cut into cells: the parameter by which a quicker one is looked for.

In: a law and the borders of its run. Out: `KnownLaw`, smooth, with a cell's end at every border.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.motion.kernels.even_spline import spline_values, spline_ways
from armwerk.motion.kernels.known_cells import (
    cell_basis,
    cell_states,
    passing_time,
    pieces_by_time,
)
from armwerk.motion.retiming.path_law import PathLaw

_SMOOTH = 3  # cells to a knot of the spline
_SLOWEST = 0.02  # of the root of the largest speed
_LEAST = 0.35  # of an even cell, the shortest beside a border
_TOUCHING = 0.02  # of an even cell, within which borders count as one
_FINE = 4  # places of a cell at which its way is summed up
_STEPS = 6  # of Newton's method


class KnownLaw(NamedTuple):
    """A law at the borders of its cells, a quintic in between.

    Attributes:
        times: σ there [s]. Shape (k + 1,).
        states: Arc length, speed, acceleration by σ there. Shape (k + 1, 3).
    """

    times: Array
    states: Array

    @property
    def widths(self) -> Array:
        """How long the cells are [s]. Shape (k,)."""
        return np.diff(self.times)

    def near(self, low: int, high: int) -> tuple[KnownLaw, int]:
        """Return cells from one to before another with a neighbour on either side.

        Returns:
            The law of these cells, and which of all cells is the first of them.
        """
        first, last = max(low - 1, 0), min(high + 1, len(self.times) - 1)
        return KnownLaw(self.times[first : last + 1], self.states[first : last + 1]), first

    def evaluate(self, cell: Integers, share: Array) -> Array:
        """Return s and its derivatives by σ, from the start of a cell on. Shape (m, 4)."""
        return cell_states(self.times, self.states, cell, share)

    def share(self, cell: Integers, s: Array) -> Array:
        """Return where arc lengths within cells are passed, from 0 to 1. Shape (m,)."""
        begin = self.states[cell, 0]
        way, h = self.states[cell + 1, 0] - begin, self.widths[cell]
        low, high = np.zeros(len(s)), np.ones(len(s))
        share = np.clip((s - begin) / way, low, high)
        for _ in range(_STEPS):
            at = self.evaluate(cell, share)
            off = at[:, 0] + begin - s
            low, high = np.where(off < 0.0, share, low), np.where(off < 0.0, high, share)
            with np.errstate(divide="ignore", invalid="ignore"):
                ahead = share - off / (h * at[:, 1])
            share = np.where((ahead > low) & (ahead < high), ahead, 0.5 * (low + high))
        return np.asarray(share)

    def basis(self, cell: Integers, share: Array) -> Array:
        """Return how b'', b' and b are made of the coefficients of a cell. Shape (m, 3, 3)."""
        return cell_basis(self.times, cell, share)

    def passing(self, c: Array, first: int, last: int) -> float:
        """Return how long cells from one to before another take [s]; not a number: b is none.

        Args:
            c: Coefficients of b [1/s²]. Shape (k + 2,).
            first: Of the cells.
            last: The one behind them.
        """
        return passing_time(self.times, c, first, last)

    def by_time(self, c: Array, which: tuple[int, int], parts: int) -> tuple[Array, Array]:
        """Return cells of the law by time under a b; see `pieces_by_time`."""
        return pieces_by_time(self.times, self.states, c, which, parts)


def smooth_law(borders: Array, law: PathLaw, cells: int) -> KnownLaw:
    """Return a smooth law like a given one, cut into cells that end at all borders of a run.

    Its speed is the square of a spline w through zero at both ends, so that it leaves them like the
    cube of time whatever the spline is, and never turns back.

    Args:
        borders: Arc lengths where curvature or rates may jump [m]. Shape (k,).
        law: From rest to rest.
        cells: About how many.
    """
    coarse = max(cells // _SMOOTH, 8)
    width = law.duration / coarse
    knots = np.linspace(0.0, law.duration, coarse + 1)
    roots = np.sqrt(np.maximum(law.evaluate(knots)[:, 1], 0.0))
    roots[1:-1] = np.maximum(roots[1:-1], _SLOWEST * roots.max())
    roots[0] = roots[-1] = 0.0
    padded = np.concatenate([-roots[2:0:-1], roots, -roots[-2:-4:-1]])
    fine = np.linspace(0.0, law.duration, _FINE * cells + 1)
    way = np.append(0.0, np.cumsum(spline_ways(padded, width, fine[:-1], fine[1:])))
    faster = law.length / way[-1]
    borders = np.unique(borders)
    cell = np.clip(np.searchsorted(way, borders / faster) - 1, 0, len(fine) - 2)
    crossed = np.interp(borders / faster, way, fine)
    for _ in range(4):
        gone = way[cell] + spline_ways(padded, width, fine[cell], crossed)
        crossed = (
            crossed + (borders / faster - gone) / spline_values(padded, width, crossed)[:, 0] ** 2
        )
    # between borders that are passed at nearly the same time there is no room for a cell
    apart = np.diff(crossed, prepend=-law.duration) > _TOUCHING * law.duration / cells
    borders, crossed = borders[apart], crossed[apart]
    way *= faster
    way[-1] = law.length
    times = fine[::_FINE]
    if len(borders):
        k = np.searchsorted(crossed, times)
        low = np.abs(times - crossed[np.maximum(k - 1, 0)])
        near = np.minimum(low, np.abs(times - crossed[np.minimum(k, len(crossed) - 1)]))
        keep = near > _LEAST * law.duration / cells
        keep[0] = keep[-1] = True
        times = times[keep]
    every = np.concatenate([times, crossed])
    order = np.argsort(every, kind="stable")
    root, rate = spline_values(padded, width, every).T
    states = np.stack([np.interp(every, fine, way), faster * root**2, 2 * faster * root * rate], 1)
    states[len(times) :, 0] = borders
    states[0] = (0.0, 0.0, 0.0)
    states[len(times) - 1] = (law.length, 0.0, 0.0)
    return KnownLaw(every[order], states[order])
