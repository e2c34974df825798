"""One body around an arm, and the names of several."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from armwerk.collision.mesh_check import checked_mesh, checked_size
from armwerk.collision.region import Region
from armwerk.errors import DescriptionError
from armwerk.geometry import Mesh, Shape

Body: TypeAlias = Shape | Region

MOST_BODIES = 100_000


def named_bodies(shapes: tuple[Body, ...]) -> tuple[Body, ...]:
    """Return bodies that are solids, each with a name of its own.

    Raises:
        DescriptionError: For something that is no body, a name used twice, a mesh that is not
            closed or has triangles without area, or too many of them.
    """
    if len(shapes) > MOST_BODIES:
        raise DescriptionError(
            "too many bodies", element="bodies", value=len(shapes), allowed=f"up to {MOST_BODIES}"
        )
    taken: set[str] = set()
    for number, body in enumerate(shapes):
        if not isinstance(body, Shape | Region):
            raise DescriptionError(
                "not a body", element=f"body {number}", value=body, allowed="a shape or a Region"
            )
        checked_size(body.shape if isinstance(body, Region) else body)
        if isinstance(body, Mesh):
            checked_mesh(body)
        if body.name and body.name in taken:
            raise DescriptionError(
                "name used twice", element=f"body '{body.name}'", allowed="a name of its own"
            )
        taken.add(body.name)
    named: list[Body] = []
    for number, body in enumerate(shapes):
        name = body.name
        if not name:
            name = f"{type(body).__name__.lower()}{number}"
            while name in taken:
                name += "_"
            taken.add(name)
        named.append(_renamed(body, name))
    return tuple(named)


def _renamed(body: Body, name: str) -> Body:
    if body.name == name:
        return body
    if isinstance(body, Region):
        return Region(body.shape, name)
    return replace(body, name=name)  # type: ignore[type-var]
