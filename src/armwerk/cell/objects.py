"""The moving things of a world, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import UnknownNameError
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
        """Put it somewhere.

        Args:
            position: Of its centre [m]. Shape (3,).
            rotation: R_world_thing; None: as it is. Shape (3, 3).
            velocity: [m/s]; None: at rest. Shape (3,).
        """
        simulation, index = self._runtime.simulation, self._index
        self._runtime.order(lambda: simulation.place(index, position, rotation, velocity))

    def __repr__(self) -> str:
        x, y, z = self.position
        return f"<{self.kind} '{self.name}' at ({x:.4f}, {y:.4f}, {z:.4f}) m>"


class Objects(Mapping[str, Object]):
    """All moving things of a world by name, in file order."""

    def __init__(self, runtime: CellRuntime) -> None:
        self._known = {
            name: Object(runtime, index, name) for name, index in runtime.indices.items()
        }

    def __getitem__(self, name: str) -> Object:
        try:
            return self._known[name]
        except (KeyError, TypeError):
            raise UnknownNameError("thing in the cell", str(name), self._known) from None

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)
