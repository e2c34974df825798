"""The moving things of a world, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.control.by_name import ByName
from armwerk.errors import ShapeError
from armwerk.geometry.arguments import checked, rotation_argument
from armwerk.scene.scene import Thing, ThingKind

if TYPE_CHECKING:
    from armwerk.cell.runtime import CellRuntime


class Object:
    """A ball or cuboid; its values are those of the present moment."""

    __slots__ = ("_index", "_runtime", "name")

    def __init__(self, runtime: CellRuntime, index: int, name: str) -> None:
        self._runtime = runtime
        self._index = index
        self.name = name

    @property
    def kind(self) -> ThingKind:
        """Either "ball" or "cuboid"."""
        return self.thing.kind  # type: ignore[return-value]

    @property
    def thing(self) -> Thing:
        """Its description in the scene: size, colour and so on."""
        return self._runtime.scene.things[self._index]

    @property
    def position(self) -> Array:
        """Of its centre [m]. Shape (3,)."""
        return np.array(self._runtime.simulation.thing(self._index).position)

    @property
    def velocity(self) -> Array:
        """Of its centre [m/s]. Shape (3,)."""
        return np.array(self._runtime.simulation.thing(self._index).velocity)

    @property
    def rotation(self) -> Array:
        """R_world_thing. Shape (3, 3)."""
        return np.array(self._runtime.simulation.thing(self._index).rotation)

    @property
    def spin(self) -> Array:
        """Angular velocity in the world [rad/s]. Shape (3,)."""
        return np.array(self._runtime.simulation.thing(self._index).spin)

    def place(
        self,
        position: ArrayLike,
        rotation: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
    ) -> None:
        """Put it somewhere; light barriers and trigger zones do not notice.

        Args:
            position: Of its centre [m]. Shape (3,).
            rotation: R_world_thing; None: as it is. Shape (3, 3).
            velocity: [m/s]; None: at rest. Shape (3,).
        """
        runtime, index = self._runtime, self._index
        # checked here: what is carried out later would fail in the run, not at the caller
        place = _one(checked(position, (3,), "position"), "position")
        speed = None if velocity is None else _one(checked(velocity, (3,), "velocity"), "velocity")
        turn = (
            None if rotation is None else _one(rotation_argument(rotation, "rotation"), "rotation")
        )
        runtime.order(lambda: runtime.place(index, place, turn, speed))

    def __repr__(self) -> str:
        x, y, z = self.position
        return f"<{self.kind} '{self.name}' at ({x:.4f}, {y:.4f}, {z:.4f}) m>"


def _one(array: Array, name: str) -> Array:
    """Return a copy of an array that must not be a row of them."""
    if array.ndim > (2 if name == "rotation" else 1):
        raise ShapeError(f"{name}: must be one, got {len(array)}")
    return array.copy()


class Objects(ByName[Object]):
    """All moving things of a world by name, in file order."""

    def __init__(self, runtime: CellRuntime) -> None:
        known = {name: Object(runtime, index, name) for name, index in runtime.indices.items()}
        super().__init__("thing in the cell", known)
