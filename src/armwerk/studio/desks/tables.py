"""Tables of trajectories and of bodies, as rows that a page edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies
from armwerk.collision.body import Body, Region
from armwerk.errors import DescriptionError
from armwerk.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    HalfSpace,
    Mesh,
    Shape,
    Sphere,
    zyx_from_rotation,
)
from armwerk.motion.path.path import USUAL_SPEED
from armwerk.motion.table.file import parse, written
from armwerk.protocol.moving import (
    BodiesContents,
    BodyRow,
    NamedPoint,
    TableContents,
    TableDefaults,
    TableEnding,
    TableText,
    TrajectoryRow,
)

_MOST_TRIANGLES = 400  # of a mesh that is edited row by row
_KINDS: dict[type[Shape], str] = {
    Box: "box",
    Sphere: "sphere",
    Cylinder: "cylinder",
    Capsule: "capsule",
    Cone: "cone",
    HalfSpace: "half_space",
    Mesh: "mesh",
}


def table_contents(text: str, ending: TableEnding) -> TableContents:
    """Return what a table holds.

    Raises:
        DescriptionError: For anything wrong with it; names the line.
    """
    table = parse(text, ending)
    settings = table.settings
    return TableContents(
        tuple(
            TrajectoryRow(
                row.kind,
                row.name,
                row.point,
                row.inclination,
                row.roll,
                row.angles,
                row.phi,
                row.points,
                row.help,
                row.speed,
                row.blend,
                row.joints,
            )
            for row in table.rows
        ),
        tuple(NamedPoint(point.name, point.point) for point in table.help_points),
        TableDefaults(
            USUAL_SPEED if settings.speed is None else settings.speed,
            settings.blend,
            settings.points,
            settings.acceleration,
            settings.jerk,
            settings.profile or "trapezoid",
            settings.near,
            settings.near_speed,
            settings.far,
            settings.far_speed,
            settings.shape,
        ),
    )


def table_text(text: str, ending: TableEnding) -> TableText:
    """Return a table as a file with an ending has it."""
    assert ending in get_args(TableEnding)
    return TableText(written(parse(text, ".toml"), ending))


def body_rows(bodies: Sequence[Body]) -> BodiesContents:
    """Return bodies as they are edited.

    Raises:
        DescriptionError: For a mesh of very many triangles.
    """
    return BodiesContents(tuple(_row(body) for body in Bodies(bodies)))


def _row(body: Body) -> BodyRow:
    shape = body.shape if isinstance(body, Region) else body
    corners: tuple[float, ...] = ()
    normals: tuple[float, ...] = ()
    if isinstance(shape, Mesh):
        if len(shape.faces) > _MOST_TRIANGLES:
            raise DescriptionError(
                "too many triangles to be edited row by row",
                element=f"body '{body.name}'",
                value=len(shape.faces),
                allowed=f"up to {_MOST_TRIANGLES}",
            )
        corners = _numbers(shape.triangles)
        a, b, c = np.moveaxis(shape.triangles, 1, 0)
        across = np.cross(b - a, c - a)
        normals = _numbers(across / np.linalg.norm(across, axis=1)[:, None])
    x, y, z = _numbers(np.asarray(shape.position))
    turn = (0.0, 0.0, 0.0)
    if not isinstance(shape, HalfSpace):
        u, v, w = _numbers(zyx_from_rotation(shape.rotation))
        turn = (u, v, w)
    kind = _KINDS[type(shape)]
    region = isinstance(body, Region)
    return BodyRow(kind, body.name, region, (x, y, z), turn, _sizes(shape), corners, normals)


def _sizes(shape: Shape) -> tuple[float, ...]:
    if isinstance(shape, Box):
        return _numbers(shape.size)
    if isinstance(shape, HalfSpace):
        return _numbers(shape.normal)
    if isinstance(shape, Sphere):
        return (float(shape.radius),)
    if isinstance(shape, Cone):
        return (float(shape.radius), float(shape.length), float(shape.top_radius))
    if isinstance(shape, Cylinder | Capsule):
        return (float(shape.radius), float(shape.length))
    return ()


def _numbers(values: Array) -> tuple[float, ...]:
    return tuple(float(value) for value in (np.round(values, 12) + 0.0).reshape(-1))
