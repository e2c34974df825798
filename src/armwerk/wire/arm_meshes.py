"""Real links in place of drawn ones: the visual elements of an arm's URDF.

A picture of an arm and its solids by link come in, the picture with these solids goes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from armwerk.collision.body_solids import body_solids
from armwerk.geometry import Mesh, Shape, transform
from armwerk.modelling import model
from armwerk.pictures.palette import BASE, LINK, WHITE, mixed
from armwerk.protocol.viewing import FIXED, ViewedGeometry, ViewedSolid
from armwerk.robot.arm import Arm
from armwerk.wire.arm_stage import ROBOT, ArmStage
from armwerk.wire.geometry import viewed_solid

MOST_TRIANGLES = 150_000
"""Of all links together; more would keep a browser waiting."""
_COARSEST = 6  # cubes along a mesh at least
_FINEST = 1 / 800  # of the largest link, the cubes that vertices are first joined in


def few_triangles(
    shapes: Mapping[str, Sequence[Shape]], most: int = MOST_TRIANGLES
) -> Mapping[str, Sequence[Shape]]:
    """Return shapes whose meshes have few triangles together, coarser ones where they have not.

    Args:
        shapes: By link.
        most: Triangles of all of them.
    """
    largest = max((_size(one) for row in shapes.values() for one in row), default=0.0)
    cell = _FINEST * largest
    while _triangles(shapes) > most and cell < largest:
        cell *= 2.0
        shapes = {
            link: [thinned(one, cell) if isinstance(one, Mesh) else one for one in row]
            for link, row in shapes.items()
        }
    return shapes


def thinned(mesh: Mesh, cell: float) -> Mesh:
    """Return a mesh for the eye whose vertices within one cube of an edge [m] are one vertex.

    A small mesh has smaller cubes, so that its form stays; one of which nothing is left stays too.
    """
    cell = min(cell, _size(mesh) / _COARSEST)
    places = np.floor(mesh.vertices / cell).astype(np.int64)
    _, groups, counts = np.unique(places, axis=0, return_inverse=True, return_counts=True)
    groups = groups.reshape(-1)
    sums = [np.bincount(groups, mesh.vertices[:, axis]) for axis in range(3)]
    faces = groups[mesh.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    if not len(faces):
        return mesh
    turned = (np.arange(3) + faces.argmin(axis=1)[:, None]) % 3  # the side it faces stays
    _, first = np.unique(np.take_along_axis(faces, turned, 1), axis=0, return_index=True)
    return Mesh(np.stack(sums, axis=1) / counts[:, None], faces[first], name=mesh.name)


def _size(shape: Shape) -> float:
    return float(np.ptp(shape.bounds, axis=0).max())


def _triangles(shapes: Mapping[str, Sequence[Shape]]) -> int:
    return sum(len(one.faces) for row in shapes.values() for one in row if isinstance(one, Mesh))


def with_meshes(
    geometry: ViewedGeometry, stage: ArmStage, shapes: Mapping[str, Sequence[Shape]]
) -> ViewedGeometry:
    """Return a geometry with real links.

    Args:
        geometry: Of an arm.
        stage: The same arm.
        shapes: By link, "base", "link1", …, in the frame behind the joint's row, as
            `armwerk.collision.urdf_shapes` returns them.

    Meshes with more triangles than `MOST_TRIANGLES` together are made coarser.
    """
    arm = stage.arm
    assert isinstance(arm, Arm)
    shapes = few_triangles(shapes)
    mechanism = stage.mechanism
    zero = np.zeros(arm.dof)
    members = mechanism.poses(mechanism.start(zero))
    frames = model(arm).frames(zero)
    moving = [place for place, joint in enumerate(arm.joints, start=1) if joint.kind != "fixed"]
    carried = mechanism.motors if mechanism.axes is None else mechanism.axes.members
    solids: list[ViewedSolid] = []
    for number, place in enumerate((0, *moving)):
        body = FIXED if number == 0 else carried[number - 1]
        own = frames[place] if body == FIXED else np.linalg.inv(members[body]) @ frames[place]
        rigid = transform(own[:3, :3], own[:3, 3])
        colour = BASE if number == 0 else mixed(LINK, WHITE, 0.25 * (number % 2))
        for shape in shapes.get(f"link{number}" if number else "base", ()):
            for solid in body_solids(shape.moved(rigid), colour, 1.0):
                solids.append(viewed_solid(solid, "robot", ROBOT, body))
    others = [one for one in geometry.solids if one.role != "robot"]
    return replace(geometry, solids=(*others, *solids))
