"""Many solids as one surface: triangles that share corners, round ones no finer than seen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Integers
from armwerk.pictures.cell_solids import AROUND, Kind, Solid, Triangles, template, triangles

_AROUND = np.array([8, 12, 20, AROUND])  # corners of what is round, from the smallest on
_COARSE = 0.12  # samples by which a round outline may be cut short


class Surface(NamedTuple):
    """Triangles in the world.

    Args:
        points: Corners [m]. Shape (v, 3).
        arrows: Unit normals at the corners. Shape (v, 3).
        faces: Corners of the triangles, counter-clockwise from outside. Shape (n, 3).
        colours: Red, green, blue of the triangles, 0 to 1. Shape (n, 3).
    """

    points: Array
    arrows: Array
    faces: NDArray[np.int32]
    colours: NDArray[np.float32]


def surface_of(parts: Triangles) -> Surface:
    """Return triangles that share no corners as a surface."""
    points = np.ascontiguousarray(parts.corners.reshape(-1, 3))
    arrows = np.ascontiguousarray(parts.normals.reshape(-1, 3))
    faces = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
    return Surface(points, arrows, faces, np.ascontiguousarray(parts.colours[:, :3]))


def joined(parts: Sequence[Surface]) -> Surface:
    """Return several surfaces as one, their triangles in order."""
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    faces = [part.faces + np.int32(start) for part, start in zip(parts, starts, strict=False)]
    return Surface(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.arrows for part in parts]),
        np.concatenate(faces),
        np.concatenate([part.colours for part in parts]),
    )


def surface(solids: Sequence[Solid], eye: Array, focal: float) -> Surface:
    """Return the surface of some solids as fine as it is seen.

    Args:
        solids: Opaque.
        eye: Where the camera stands [m]. Shape (3,).
        focal: Its focal length [samples].
    """
    parts = [surface_of(triangles([solid for solid in solids if solid.kind == "mesh"]))]
    for kind in ("box", "sphere", "ball", "cylinder"):
        group = [solid for solid in solids if solid.kind == kind]
        if not group:
            continue
        poses = np.array([solid.pose for solid in group])
        sizes = np.array([solid.size for solid in group], dtype=np.float64)
        tints = np.array([solid.colour for solid in group], dtype=np.float64)
        if kind == "box":
            parts.append(_placed(kind, AROUND, poses, sizes, tints))
            continue
        finest = _fineness(sizes[:, 0], poses[:, :3, 3], sizes[:, 2], eye, focal)
        for level in np.unique(finest):
            chosen = finest == level
            around = int(_AROUND[level])
            parts.append(_placed(kind, around, poses[chosen], sizes[chosen], tints[chosen]))
    return joined(parts)


def _fineness(radii: Array, places: Array, lengths: Array, eye: Array, focal: float) -> Integers:
    """Return for each round solid the first of `_AROUND` whose corners are not seen."""
    away = np.sqrt(((places - eye) ** 2).sum(axis=1)) - lengths
    seen = radii * focal / np.maximum(away, 1e-3)  # radius in the picture [samples]
    most = _COARSE / (1.0 - np.cos(np.pi / _AROUND[:-1]))
    return np.asarray(np.searchsorted(most, seen), dtype=np.int64)


def _placed(kind: Kind, around: int, poses: Array, sizes: Array, tints: Array) -> Surface:
    from armwerk.pictures.raster_points import place

    corners, normals, faces, bright = _shared(kind, around)
    count = len(poses)
    points, arrows = np.empty((2, count * len(corners), 3))
    place(
        corners, normals, np.ascontiguousarray(poses), np.ascontiguousarray(sizes), points, arrows
    )
    starts = np.arange(count, dtype=np.int32) * np.int32(len(corners))
    every = (faces[None] + starts[:, None, None]).reshape(-1, 3)
    colours = (tints[:, None, :] * bright[:, None]).reshape(-1, 3)
    return Surface(points, arrows, every, colours.astype(np.float32))


@cache
def _shared(kind: Kind, around: int) -> tuple[Array, Array, NDArray[np.int32], Array]:
    """Return corners and normals of the solid of size 1, its triangles and their brightness."""
    corners, normals, bright = template(kind, around)
    rows = np.hstack([corners.reshape(-1, 3), normals.reshape(-1, 3)])
    _, chosen, where = np.unique(rows.round(9), axis=0, return_index=True, return_inverse=True)
    faces = where.reshape(-1, 3).astype(np.int32)
    kept = rows[chosen]
    return np.ascontiguousarray(kept[:, :3]), np.ascontiguousarray(kept[:, 3:]), faces, bright
