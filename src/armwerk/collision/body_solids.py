"""Bodies around an arm as solids that are seen.

A half-space is a pane on its surface, a region is a shell of glass: both are seen through.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.body import Body, Region
from armwerk.geometry import Box, Capsule, Cone, Cylinder, HalfSpace, Mesh, Shape, Sphere
from armwerk.pictures.cell_solids import Solid, pose_at
from armwerk.pictures.palette import WHITE, Colour, mixed, solution_colour
from armwerk.pictures.solids import cylinder, frame_along

PANE = 1.2
"""Edge of the pane that stands for a half-space, in lengths of what is seen beside it."""
_THICK = 1e-3  # [m] of a pane
_GLASS = 0.14  # opacity of regions and panes


def body_colour(number: int) -> Colour:
    """Return the colour of a body, counted from 0, the one it has in maps too."""
    return mixed(solution_colour(number), WHITE, 0.12)


def body_solids(body: Body, colour: Colour, size: float) -> list[Solid]:
    """Return what is seen of a body.

    Args:
        body: A shape or a region.
        colour: Red, green, blue, 0 to 1.
        size: Of what is seen beside it, for half-spaces, which have none of their own [m].
    """
    alpha = 1.0
    shape: Shape
    if isinstance(body, Region):
        shape, alpha = body.shape, _GLASS
    else:
        shape = body
    if isinstance(shape, HalfSpace):
        return [_pane(shape, colour, PANE * size)]
    return [solid._replace(alpha=alpha) for solid in _solids(shape, colour)]


def _solids(shape: Shape, colour: Colour) -> list[Solid]:
    pose = pose_at(shape.position, shape.rotation)
    if isinstance(shape, Box):
        x, y, z = (float(edge) for edge in shape.size)
        return [Solid("box", pose, (x, y, z), colour)]
    if isinstance(shape, Sphere):
        return [_ball(shape.position, shape.radius, colour)]
    if isinstance(shape, Cylinder):
        size = (shape.radius, shape.radius, shape.length)
        return [Solid("cylinder", pose, size, colour)]
    if isinstance(shape, Capsule):
        half = shape.rotation[:, 2] * shape.length / 2
        size = (shape.radius, shape.radius, shape.length)
        ends = [_ball(shape.position + way * half, shape.radius, colour) for way in (-1, 1)]
        return [Solid("cylinder", pose, size, colour), *ends] if shape.length > 0 else ends[:1]
    return [Solid("mesh", np.eye(4), (0.0, 0.0, 0.0), colour, 1.0, _triangles(shape))]


def _ball(place: Array, radius: float, colour: Colour) -> Solid:
    return Solid("sphere", pose_at(place), (radius, radius, radius), colour)


def _triangles(shape: Shape) -> Array:
    """Return the triangles of a cone or a mesh, counter-clockwise from outside (m, 3, 3) [m]."""
    if isinstance(shape, Mesh):
        corners = shape.triangles @ shape.rotation.T + shape.position
        first, second, third = np.moveaxis(corners, 1, 0)
        # of an open surface the sum tells to which side most of it turns
        outwards = np.cross(second - first, third - first)
        signed = np.vecdot(first - corners.mean(axis=(0, 1)), outwards).sum()
        return np.asarray(corners if signed > 0 else corners[:, ::-1])
    assert isinstance(shape, Cone)
    half = shape.rotation[:, 2] * shape.length / 2
    ends = shape.position - half, shape.position + half
    faces = cylinder(*ends, max(shape.radius, 1e-6), tip=max(shape.top_radius, 1e-6))
    rows = [
        np.stack([face[0], face[k], face[k + 1]]) for face in faces for k in range(1, len(face) - 1)
    ]
    return np.array(rows)


def _pane(shape: HalfSpace, colour: Colour, edge: float) -> Solid:
    frame = frame_along(shape.normal)
    place = shape.position - 0.5 * _THICK * frame[:, 2]
    return Solid("box", pose_at(place, frame), (edge, edge, _THICK), colour, 2 * _GLASS)
