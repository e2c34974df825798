"""The bodies around an arm: frozen, in order, each with a name of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.bodies_toml import load_bodies, save_bodies
from armwerk.collision.body import Body, Region, named_bodies
from armwerk.collision.open_mesh import OpenMesh
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry import Shape
from armwerk.geometry.arguments import checked
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.collision.kernels.layout import PackedScene


class Bodies:
    """What an arm can collide with, in the order given.

    Args:
        shapes: Boxes, spheres, cylinders, cones, capsules, half-spaces, closed meshes, regions. A
            body without a name gets its kind and place, as in "box0" or "sphere1".

    Raises:
        DescriptionError: For something else, for a name used twice, for a mesh that is not
            closed or has triangles without area.
    """

    __slots__ = ("_bodies", "_places")
    _bodies: tuple[Body, ...]
    _places: dict[str, int]

    def __init__(self, shapes: Iterable[Body] = ()) -> None:
        if isinstance(shapes, Shape | Region) or not isinstance(shapes, Iterable):
            raise DescriptionError(
                "not a list", element="bodies", value=shapes, allowed="a list of shapes and Regions"
            )
        bodies = named_bodies(tuple(shapes))
        object.__setattr__(self, "_bodies", bodies)
        object.__setattr__(self, "_places", {body.name: k for k, body in enumerate(bodies)})

    @classmethod
    def load(cls, path: str | Path, open_meshes: OpenMesh = "refuse") -> Bodies:
        """Return the bodies of a TOML file, see `armwerk.collision.bodies_toml`, or of a mesh file.

        Args:
            path: Ends in .toml; or in .stl, .obj or .dae, numbers in metres.
            open_meshes: What is made of meshes that are not closed, where the file does not say:
                "close" spans their holes, "hull" takes the convex hull, "surface" keeps the
                triangles as a skin; "refuse": an error.
        """
        return cls(load_bodies(path, open_meshes))

    def save(self, path: str | Path) -> None:
        """Write the bodies to a TOML file; large meshes go to OBJ files beside it."""
        save_bodies(self, path)

    @property
    def names(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(self._places)

    def index(self, name: str) -> int:
        """Return the place of a body, counted from 0.

        Raises:
            UnknownNameError: When there is none of that name.
        """
        if name not in self._places:
            raise UnknownNameError("body", str(name), self._places)
        return self._places[name]

    def touched(self, arm: Arm, rows: Array) -> tuple[str, ...]:
        """Return which body an arm touches in each of m configurations; empty words: none.

        Args:
            arm: A serial arm, with the shapes of its file or made from its links.
            rows: Joint values [rad or m]. Shape (m, n).
        """
        from armwerk.collision.kernels.arm import first_contacts
        from armwerk.collision.kernels.layout import OWNER

        frames, scene = self._around(arm, rows)
        hits = first_contacts(frames, scene)
        return tuple(
            self.names[int(scene.bodies[body, OWNER])] if shape >= 0 else "" for shape, body in hits
        )

    def clearances(self, arm: Arm, rows: Array) -> Array:
        """Return the distance between an arm and the nearest body, below 0 where they overlap.

        Args:
            arm: A serial arm, with the shapes of its file or made from its links.
            rows: Joint values [rad or m]. Shape (m, n).

        Returns:
            [m]. Shape (m,).
        """
        from armwerk.collision.kernels.arm_distance import smallest_distances

        return np.asarray(smallest_distances(*self._around(arm, rows), False)[0])

    def _around(self, arm: Arm, rows: Array) -> tuple[Array, PackedScene]:
        """Return the frames of an arm's links in m configurations, and it among the bodies."""
        from armwerk.collision.arm_shapes import load_shapes
        from armwerk.collision.kernels.arm import frames_of
        from armwerk.collision.scene_arrays import joint_chain, pack_scene

        scene = pack_scene([load_shapes(arm, arm)], self, np.zeros((0, 2), dtype=np.int64))
        given = np.ascontiguousarray(np.atleast_2d(checked(rows, (arm.dof,), "rows")))
        return frames_of(joint_chain((arm,)), given), scene

    def __getitem__(self, name: str | int) -> Body:
        return self._bodies[self.index(name) if isinstance(name, str) else name]

    def __len__(self) -> int:
        return len(self._bodies)

    def __iter__(self) -> Iterator[Body]:
        return iter(self._bodies)

    def __contains__(self, item: object) -> bool:
        return item in self._places if isinstance(item, str) else item in self._bodies

    def __add__(self, other: Iterable[Body]) -> Bodies:
        return Bodies((*self._bodies, *other))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bodies) and self._bodies == other._bodies

    def __hash__(self) -> int:
        return hash(self._bodies)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"bodies cannot be changed; '{name}' is fixed")

    def __reduce__(self) -> tuple[type[Bodies], tuple[tuple[Body, ...]]]:
        return Bodies, (self._bodies,)

    def __repr__(self) -> str:
        return f"<Bodies {', '.join(self.names) or 'none'}>"


def as_bodies(given: Bodies | Iterable[Body] | None) -> Bodies:
    """Return bodies as they are, and anything else made into bodies; None: none."""
    return given if isinstance(given, Bodies) else Bodies(() if given is None else given)
