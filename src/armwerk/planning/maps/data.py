"""A map before and after it is filled: what every method is given, and what is known in the end.

Both are plain data, on which computing and pictures stand. Maps of serial arms are filled line by
line: along each line one joint runs, from line to line the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array, Flags
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies import Bodies
from armwerk.collision.body import Body
from armwerk.collision.kernels.layout import PackedScene
from armwerk.errors import ShapeError
from armwerk.mechanics.chain import Chain
from armwerk.planning.arms import Described
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.parts import ArmPart, FrameMotion, frame_motion
from armwerk.planning.options import MapMethod, Progress

Cells: TypeAlias = NDArray[np.unsignedinteger]
_CHUNK = 2_000_000  # tests between two calls of progress


@dataclass(frozen=True, eq=False)
class MapData:
    """The fields of a `ConfigurationSpace`, described there, and what follows from them alone."""

    arm: Described
    shapes: ArmShapes
    parts: tuple[str, ...]
    bodies: Bodies
    axes: tuple[GridAxis, ...]
    q: Array
    cells: Cells
    hits: int
    seconds: float
    method: MapMethod
    impossible: Flags | None = None

    @property
    def tests(self) -> int:
        """Number of tests that the map stands for: cells times parts times bodies."""
        return int(self.cells.size) * len(self.parts) * len(self.bodies)

    @property
    def fraction(self) -> float:
        """Hits per test, 0 to 1."""
        return self.hits / self.tests if self.tests else 0.0

    @property
    def share(self) -> float:
        """Earlier name of `fraction`."""
        return self.fraction

    @property
    def free(self) -> Flags:
        """Where the arm can be and touches nothing. Shape as ``cells``."""
        free = self.cells == 0
        return np.asarray(free if self.impossible is None else free & ~self.impossible)

    @property
    def free_fraction(self) -> float:
        """Free cells per cell, 0 to 1."""
        return float(np.count_nonzero(self.free) / self.cells.size)

    @property
    def free_share(self) -> float:
        """Earlier name of `free_fraction`."""
        return self.free_fraction

    def index(self, q: ArrayLike) -> tuple[int, ...]:
        """Return the cell next to joint values, to be used as ``cells[c.index(q)]``.

        Args:
            q: All joint values, or those of the axes alone [rad or m].

        Raises:
            ShapeError: When they are off the map, or not as many as either.
        """
        values = np.asarray(q, dtype=np.float64)
        if values.shape == (len(self.q),):
            values = values[[axis.index for axis in self.axes]]
        if values.shape != (len(self.axes),):
            raise ShapeError(
                f"q: shape must be ({len(self.q)},) or ({len(self.axes)},), got {values.shape}"
            )
        places = []
        for axis, value in zip(self.axes, values, strict=True):
            place = axis.nearest(float(value)) if np.isfinite(value) else -1
            if place < 0:
                raise ShapeError(
                    f"q: joint '{axis.name}' at {value * axis.scale:g} {axis.unit} is off the map, "
                    f"{axis.low * axis.scale:g} to {axis.high * axis.scale:g} {axis.unit}"
                )
            places.append(place)
        column, row = places[0], self.axes[1].count - 1 - places[1]
        return (row, column) if len(places) == 2 else (places[2], row, column)

    def at(self, *index: int) -> Array:
        """Return all joint values of a cell [rad or m]. Shape (n,)."""
        if len(index) != self.cells.ndim:
            raise ShapeError(f"index: needs {self.cells.ndim} numbers, got {len(index)}")
        q = self.q.copy()
        column, row = index[-1], index[-2]
        q[self.axes[0].index] = self.axes[0].values[column]
        q[self.axes[1].index] = self.axes[1].values[::-1][row]
        if len(index) == 3:
            q[self.axes[2].index] = self.axes[2].values[index[0]]
        return q


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
    parts: tuple[ArmPart, ...]
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
        return frame_motion(self.chain, self.q, a.index, b.index)

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
