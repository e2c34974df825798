"""A configuration space: the cells, what was counted, and what can be done with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, ShapeError
from armwerk.planning.maps.grid import GridAxis

if TYPE_CHECKING:
    from armwerk.collision.arm_shapes import ArmShapes
    from armwerk.collision.bodies import Bodies

ENDINGS = (".png", ".svg", ".npy", ".npz")


@dataclass(frozen=True, eq=False)
class ConfigurationSpace:
    """Which bodies an arm hits over two or three of its joints.

    Args:
        arm: The arm.
        shapes: Its solids.
        parts: Names of those that move, one test each per cell and body.
        bodies: What is around it.
        axes: The joints that run, with their values.
        q: Values of all joints, of which those of the axes do not count [rad or m]. Shape (n,).
        cells: Sum of body number + 1 over all contacts, 0 where free. Shape (ny, nx): a column per
            value of the first axis, a row per value of the second, the largest on top; with three
            axes (nz, ny, nx). Read-only.
        hits: Number of tests that found contact.
        seconds: What filling the cells took [s].
        method: The way they were filled.
        impossible: Where a closed chain of the arm cannot close, so that it cannot be there; None:
            nowhere. Shape as ``cells``.
    """

    arm: Any
    shapes: ArmShapes
    parts: tuple[str, ...]
    bodies: Bodies
    axes: tuple[GridAxis, ...]
    q: Array
    cells: NDArray[np.unsignedinteger]
    hits: int
    seconds: float
    method: str
    impossible: NDArray[np.bool_] | None = None

    @property
    def tests(self) -> int:
        """Number of tests that the map stands for: cells times parts times bodies."""
        return int(self.cells.size) * len(self.parts) * len(self.bodies)

    @property
    def share(self) -> float:
        """Hits per test, 0 to 1."""
        return self.hits / self.tests if self.tests else 0.0

    @property
    def free(self) -> NDArray[np.bool_]:
        """Where the arm can be and touches nothing. Shape as ``cells``."""
        free = self.cells == 0
        return np.asarray(free if self.impossible is None else free & ~self.impossible)

    @property
    def free_share(self) -> float:
        """Share of the cells that are free, 0 to 1."""
        return float(np.count_nonzero(self.free) / self.cells.size)

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

    def hit_by(self, body: int | str) -> NDArray[np.bool_]:
        """Return where a body is hit by any part, found anew for it alone. Shape as ``cells``.

        Args:
            body: Its name or its number.
        """
        from armwerk.collision.bodies import Bodies
        from armwerk.planning.mapping import cspace

        chosen = Bodies([self.bodies[body]])
        return np.asarray(cspace(self.arm, chosen, **self.asked()).cells > 0)

    def clearance(self) -> Array:
        """Return the distance of the arm to the nearest body [m], 0 in contact.

        Of boxes that stay upright on one plane it is exact to rounding. Shape as ``cells``.
        """
        from armwerk.planning.maps.clearance import clearance

        return clearance(self)

    def save(self, path: str | Path) -> Path:
        """Write a picture (.png, .svg), the bare cells (.npy), or all that is known (.npz).

        Raises:
            DescriptionError: For another ending, or when the file cannot be written.
        """
        path = checked_path(path)
        if path.suffix.lower() in {".png", ".svg"}:
            return self.plot(path)
        from armwerk.planning.maps.storage import save

        return save(self, path)

    def plot(
        self, path: str | Path, *, title: str | None = None, clearance: bool = False, **more: Any
    ) -> Path:
        """Draw the map; see `armwerk.planning.maps.picture`.

        Args:
            path: Ends in .png or .svg.
            title: Above the picture; None: the arm's title.
            clearance: Whether to show distances instead of bodies.
            more: ``route``: joint values along a way to be drawn. Shape (m, n).
        """
        from armwerk.planning.maps.picture import draw

        return draw(self, path, title=title, clearance=clearance, **more)

    def asked(self) -> dict[str, Any]:
        """Return the arguments with which `cspace` makes this map again."""
        return {
            "axes": tuple(axis.index for axis in self.axes),
            "shape": tuple(axis.count for axis in self.axes),
            "q": self.q,
            "shapes": self.shapes,
            "ranges": [(axis.low, axis.high) for axis in self.axes],
        }

    def __repr__(self) -> str:
        names = ", ".join(axis.name for axis in self.axes)
        return (
            f"<ConfigurationSpace of '{self.arm.name}' over {names}: {self.cells.shape}, "
            f"{self.hits} of {self.tests} tests hit>"
        )


def checked_path(path: str | Path) -> Path:
    """Return the path when its ending names a format that a map can be saved in."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise DescriptionError(
            "unknown format",
            element=f"file '{path}'",
            value=path.suffix,
            allowed=", ".join(ENDINGS),
        )
    return path
