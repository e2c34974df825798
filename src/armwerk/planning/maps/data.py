"""What is known of a configuration space: plain data, on which computing and pictures stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array, Flags
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies import Bodies
from armwerk.errors import ShapeError
from armwerk.planning.arms import Described
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.options import MapMethod

Cells: TypeAlias = NDArray[np.unsignedinteger]


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
