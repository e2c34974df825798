"""A map in pieces, for engines that share the work: strips of two axes, slices of three."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.engines import Progress, run_chunks
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.ways import Filled

Chunk = tuple[int, int]  # first value of the axis that is cut, the one behind the last

_TESTS = 20_000_000  # of one piece, a second or so of the most general way


@dataclass(frozen=True)
class Strip(GridAxis):
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
class PiecesTask:
    """A map that is filled piece by piece.

    Args:
        arm: The arm.
        solids: Its shapes.
        bodies: What is around it.
        grid: The axes.
        held: Values of all joints. Shape (n,).
        dtype: Of the cells.
        method: The way to fill it; None: the quickest.
    """

    arm: Any
    solids: Any
    bodies: tuple[Any, ...]
    grid: tuple[GridAxis, ...]
    held: Array
    dtype: np.dtype[Any]
    method: str | None

    @property
    def cut(self) -> int:
        """Which of the axes is cut: the third, or the first of two."""
        return 2 if len(self.grid) == 3 else 0

    def chunks(self) -> list[Chunk]:
        """Return from where to where the pieces go."""
        axis = self.grid[self.cut]
        others = [other.count for other in self.grid if other is not axis]
        tests = int(np.prod(others)) * max(1, len(self.solids) * len(self.bodies))
        size = max(1, _TESTS // tests)
        return [(first, min(first + size, axis.count)) for first in range(0, axis.count, size)]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces that are done, each with the number of its first value; they add up in any order."""

    done: tuple[tuple[int, Filled], ...]

    def __add__(self, other: Pieces) -> Pieces:
        return Pieces((*self.done, *other.done))


def fill_piece(task: PiecesTask, chunk: Chunk) -> Pieces:
    """Return one piece of a map."""
    from armwerk.planning.mapping import fill

    first, last = chunk
    whole = task.grid[task.cut]
    ends = (float(whole.values[first]), float(whole.values[last - 1]) + whole.step)
    strip = Strip(whole.index, whole.name, whole.kind, *ends, last - first, whole, first)
    grid = tuple(strip if axis is whole else axis for axis in task.grid)
    made = fill(task.arm, task.solids, task.bodies, grid, task.held, task.dtype, task.method, None)
    return Pieces(((first, made),))


def fill_in_pieces(
    task: PiecesTask, engine: str, workers: int | None, progress: Progress | None
) -> Filled:
    """Return the whole map, made by an engine; the same cells for any."""
    found = run_chunks(task, task.chunks(), fill_piece, engine, workers=workers, progress=progress)
    pieces = [piece for _, piece in sorted(found.done, key=lambda one: one[0])]
    along = 0 if task.cut == 2 else 1
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
