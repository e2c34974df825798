"""A map in pieces, for engines that divide the work: strips of two axes, slices of three."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.engines import run_chunks
from armwerk.planning.maps.filling import MapRequest, fill
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.task import Filled
from armwerk.planning.options import Progress

Strip: TypeAlias = tuple[int, int]
"""First value of the axis that is cut, the one behind the last."""

_TESTS = 20_000_000  # of one piece, a second or so of the most general method


@dataclass(frozen=True)
class StripAxis(GridAxis):
    """A part of an axis, with the very values of the whole.

    Args:
        whole: The axis it is a part of.
        first: Number of its first value there.
    """

    whole: GridAxis
    first: int

    @property
    def step(self) -> float:
        """From value to value [rad or m]."""
        return self.whole.step

    @cached_property
    def values(self) -> Array:
        """All values, ascending [rad or m]. Shape (count,)."""
        return self.whole.values[self.first : self.first + self.count]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces that are done, each with the number of its first value; they add up in any order."""

    done: tuple[tuple[int, Filled], ...]

    def __add__(self, other: Pieces) -> Pieces:
        return Pieces((*self.done, *other.done))


def cut_axis(request: MapRequest) -> int:
    """Return which of the axes is cut: the third, or the first of two."""
    return 2 if len(request.grid) == 3 else 0


def strips(request: MapRequest) -> list[Strip]:
    """Return from where to where the pieces go."""
    axis = request.grid[cut_axis(request)]
    others = [other.count for other in request.grid if other is not axis]
    tests = int(np.prod(others)) * max(1, len(request.solids) * len(request.bodies))
    size = max(1, _TESTS // tests)
    return [(first, min(first + size, axis.count)) for first in range(0, axis.count, size)]


def fill_piece(request: MapRequest, strip: Strip) -> Pieces:
    """Return one piece of a map."""
    first, last = strip
    whole = request.grid[cut_axis(request)]
    ends = (float(whole.values[first]), float(whole.values[last - 1]) + whole.step)
    part = StripAxis(whole.index, whole.name, whole.kind, *ends, last - first, whole, first)
    grid = tuple(part if axis is whole else axis for axis in request.grid)
    return Pieces(((first, fill(replace(request, grid=grid))),))


def fill_in_pieces(
    request: MapRequest, engine: str, workers: int | None, progress: Progress | None
) -> Filled:
    """Return the whole map, made by an engine; the same cells for any."""
    found = run_chunks(
        request, strips(request), fill_piece, engine, workers=workers, progress=progress
    )
    pieces = [piece for _, piece in sorted(found.done, key=lambda one: one[0])]
    along = 0 if cut_axis(request) == 2 else 1
    cells = np.concatenate([piece.cells for piece in pieces], axis=along)
    impossible = None
    if any(piece.impossible is not None for piece in pieces):
        masks = [
            np.zeros(piece.cells.shape, bool) if piece.impossible is None else piece.impossible
            for piece in pieces
        ]
        impossible = np.concatenate(masks, axis=along)
    hits = sum(piece.hits for piece in pieces)
    return Filled(np.ascontiguousarray(cells), hits, pieces[0].method, impossible)
