"""A map of a serial arm that is to be filled: what every method is given, and what it gives back.

Maps are filled line by line: along each line one joint runs, from line to line the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.collision.body import Body
from armwerk.collision.kernels.layout import PackedScene
from armwerk.mechanics.chain import Chain
from armwerk.planning.maps.data import Cells
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.motion import FrameMotion
from armwerk.planning.maps.parts import ArmPart
from armwerk.planning.options import MapMethod, Progress

_CHUNK = 2_000_000  # tests between two calls of progress


@dataclass(frozen=True, eq=False)
class MapTask:
    """One map to be filled.

    Args:
        chain: The packed arm.
        q: All joint values; those of the axes do not count. Shape (n,).
        parts: The arm's moving parts.
        bodies: What is around it.
        axes: The two joints that run; the first one along the rows.
        dtype: Of the cells.
        packed: Returns parts and bodies as rows of the collision room; asked only when needed.
        progress: Called with the fraction done, 0 to 1, once in a while.
    """

    chain: Chain
    q: Array
    parts: Sequence[ArmPart]
    bodies: Sequence[Body]
    axes: tuple[GridAxis, GridAxis]
    dtype: np.dtype[np.unsignedinteger]
    packed: Callable[[], PackedScene]
    progress: Progress | None = field(default=None)

    @property
    def inner_first(self) -> tuple[GridAxis, GridAxis]:
        """The axes in the order of the chain."""
        one, two = sorted(self.axes, key=lambda axis: axis.index)
        return one, two

    def motion(self) -> FrameMotion:
        """Return how the arm moves over this map."""
        a, b = self.inner_first
        return FrameMotion(self.chain, self.q, a.index, b.index)

    def as_rows(self, lines: Cells) -> Cells:
        """Return lines over the joint nearer to the base as the rows of the map."""
        if self.axes[0] is self.inner_first[1]:
            return lines
        return np.ascontiguousarray(lines.T[::-1])


@dataclass(frozen=True, eq=False)
class Filled:
    """A map that is done.

    Args:
        cells: Sums of body number + 1. Shape (ny, nx).
        hits: Number of contacts.
        method: The method taken.
        impossible: Where a closed chain of the arm cannot close; None: nowhere.
    """

    cells: Cells
    hits: int
    method: MapMethod
    impossible: Flags | None = None


def in_chunks(
    kernel: Callable[[slice, Cells], int], out: Cells, tests: int, progress: Progress | None
) -> int:
    """Run a kernel over the lines of ``out``, in pieces when somebody watches.

    Args:
        kernel: Takes a slice of the lines and their part of ``out``, returns contacts.
        out: Shape (lines, places).
        tests: For one cell.
        progress: Called with the fraction done.
    """
    if progress is None:
        return kernel(slice(None), out)
    hits = 0
    lines = max(1, _CHUNK // max(1, out.shape[1] * tests))
    for first in range(0, len(out), lines):
        some = slice(first, first + lines)
        hits += kernel(some, out[some])
        progress(min(1.0, (first + lines) / len(out)))
    return hits
