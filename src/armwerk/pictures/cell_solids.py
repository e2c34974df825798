"""Coloured solids: what a cell is drawn from, as plain data and as triangles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array
from armwerk.pictures.palette import Colour

Kind: TypeAlias = Literal["box", "sphere", "ball", "cylinder", "mesh"]
AROUND = 28  # corners of what is drawn round
_ANYWHERE = np.zeros(3)
_STRIPE = 0.72  # brightness of a ball's darker sectors, by which its rolling is seen


class Solid(NamedTuple):
    """A solid somewhere in the world.

    Args:
        kind: "box", "sphere", "ball" (a sphere with sectors), "cylinder" along its own z, "mesh".
        pose: T_world_solid, its middle. Shape (4, 4).
        size: Full edges of a box, three times the radius of a sphere, radius, radius and length
            of a cylinder [m]; of a mesh unused. Shape (3,).
        colour: Red, green, blue, 0 to 1.
        alpha: 1: opaque.
        mesh: Triangles of a mesh, counter-clockwise from outside, world [m]. Shape (m, 3, 3).
    """

    kind: Kind
    pose: Array
    size: tuple[float, float, float]
    colour: Colour
    alpha: float = 1.0
    mesh: Array | None = None


class Triangles(NamedTuple):
    """Corners [m] and unit normals (n, 3, 3), red, green, blue and opacity (n, 4)."""

    corners: Array
    normals: Array
    colours: NDArray[np.float32]


def pose_at(position: ArrayLike, rotation: ArrayLike | None = None) -> Array:
    """Return T_world_solid. Shape (4, 4)."""
    pose = np.eye(4)
    pose[:3, 3] = position
    if rotation is not None:
        pose[:3, :3] = rotation
    return pose


def rod(start: ArrayLike, end: ArrayLike, radius: float, colour: Colour) -> list[Solid]:
    """Return the cylinder between two points [m]; nothing when they are the same."""
    return _between("cylinder", start, end, radius, radius, colour, None)


def bar(
    start: ArrayLike, end: ArrayLike, width: float, colour: Colour, side: ArrayLike | None = None
) -> list[Solid]:
    """Return the bar of square section between two points [m], with a face towards ``side``."""
    return _between("box", start, end, width, width, colour, side)


def plate(
    start: ArrayLike,
    end: ArrayLike,
    section: tuple[float, float],
    colour: Colour,
    side: ArrayLike,
) -> list[Solid]:
    """Return the plate between two points [m]; its section is thick along ``side``, then wide."""
    return _between("box", start, end, *section, colour, side)


def _between(
    kind: Kind,
    start: ArrayLike,
    end: ArrayLike,
    x: float,
    y: float,
    colour: Colour,
    side: ArrayLike | None,
) -> list[Solid]:
    from armwerk.pictures.raster_points import between

    a, b = (
        np.ascontiguousarray(start, dtype=np.float64),
        np.ascontiguousarray(end, dtype=np.float64),
    )
    hint = _ANYWHERE if side is None else np.ascontiguousarray(side, dtype=np.float64)
    pose = np.eye(4)
    length = between(a, b, hint, pose)
    return [Solid(kind, pose, (x, y, length), colour)] if length > 0 else []


def globe(centre: ArrayLike, radius: float, colour: Colour) -> Solid:
    """Return a plain sphere [m]."""
    return Solid("sphere", pose_at(centre), (radius, radius, radius), colour)


def prism(outline: Array, lower: Array, upper: Array, colour: Colour) -> Solid:
    """Return the body between two surfaces over an outline; either may slant.

    Args:
        outline: Corners of a simple polygon, in either sense [m]. Shape (k, 2).
        lower: Heights of the corners below [m]. Shape (k,).
        upper: Heights above [m]. Shape (k,).
        colour: Of all of it.
    """
    if _area(outline) < 0:
        outline, lower, upper = outline[::-1], lower[::-1], upper[::-1]
    top = np.column_stack([outline, upper])
    bottom = np.column_stack([outline, lower])
    caps = ears(outline)
    faces = [top[caps], bottom[caps[:, ::-1]]]
    after, below = np.roll(top, -1, axis=0), np.roll(bottom, -1, axis=0)
    faces += [np.stack([bottom, below, after], axis=1), np.stack([bottom, after, top], axis=1)]
    return Solid("mesh", np.eye(4), (1.0, 1.0, 1.0), colour, mesh=np.concatenate(faces))


def slab(outline: Array, thickness: float, colour: Colour) -> Solid:
    """Return a flat convex plate around an outline in space [m]. Shape (k, 3)."""
    normal = np.cross(outline[1] - outline[0], outline[2] - outline[1])
    half = normal / np.linalg.norm(normal) * thickness / 2
    top, bottom = outline + half, outline - half
    fan = np.array([(0, i, i + 1) for i in range(1, len(outline) - 1)])
    after, below = np.roll(top, -1, axis=0), np.roll(bottom, -1, axis=0)
    faces = [top[fan], bottom[fan[:, ::-1]]]
    faces += [np.stack([bottom, below, after], axis=1), np.stack([bottom, after, top], axis=1)]
    return Solid("mesh", np.eye(4), (1.0, 1.0, 1.0), colour, mesh=np.concatenate(faces))


def ears(outline: Array) -> NDArray[np.intp]:
    """Return a simple counter-clockwise polygon cut into triangles. (k, 2) to (k - 2, 3)."""
    left = list(range(len(outline)))
    found: list[tuple[int, int, int]] = []
    while len(left) > 3:
        for place in range(len(left)):
            a, b, c = left[place - 1], left[place], left[(place + 1) % len(left)]
            rest = outline[[i for i in left if i not in (a, b, c)]]
            if _turn(outline[a], outline[b], outline[c]) > 0 and not _any_inside(
                rest, outline[[a, b, c]]
            ):
                break
        else:
            place = 0  # corners on one line, or an outline that crosses itself
            a, b, c = left[-1], left[0], left[1]
        found.append((a, b, c))
        left.pop(place)
    return np.array([*found, tuple(left)], dtype=np.intp)


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _any_inside(points: Array, triangle: Array) -> bool:
    if not len(points):
        return False
    sides = np.roll(triangle, -1, axis=0) - triangle
    away = points[:, None, :] - triangle
    turns = sides[:, 0] * away[..., 1] - sides[:, 1] * away[..., 0]
    return bool((turns >= 0).all(axis=1).any())


def _area(outline: Array) -> float:
    after = np.roll(outline, -1, axis=0)
    return float((outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0]).sum()) / 2


@cache
def template(kind: Kind, around: int = AROUND) -> tuple[Array, Array, Array]:
    """Return corners and normals of the solid of size 1, and the brightness of its triangles.

    Args:
        kind: Any but "mesh".
        around: Corners of what is round; a multiple of 4.
    """
    if kind == "box":
        corners, normals = _box()
    elif kind == "cylinder":
        corners, normals = _cylinder(around)
    else:
        corners, normals = _sphere(around)
    bright = np.ones(len(corners))
    if kind == "ball":
        middle = corners.mean(axis=1)
        odd = (middle > 0).sum(axis=1) % 2 == 1
        bright[odd] = _STRIPE
    return corners, normals, bright


def _box() -> tuple[Array, Array]:
    faces, normals = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            n, u = np.zeros(3), np.zeros(3)
            n[axis], u[(axis + 1) % 3] = sign, 1.0
            v = np.cross(n, u)
            quad = [n / 2 + (a * u + b * v) / 2 for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            faces += [[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]
            normals += [[n, n, n]] * 2
    return np.array(faces), np.array(normals)


def _cylinder(around: int) -> tuple[Array, Array]:
    angles = 2 * np.pi * np.arange(around) / around
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(around)])
    after = np.roll(ring, -1, axis=0)
    up, middle = np.array([0.0, 0.0, 0.5]), np.zeros_like(ring)
    z = np.broadcast_to([0.0, 0.0, 1.0], ring.shape)
    corners = [
        np.stack([ring - up, after - up, after + up], axis=1),
        np.stack([ring - up, after + up, ring + up], axis=1),
        np.stack([middle + up, ring + up, after + up], axis=1),
        np.stack([middle - up, after - up, ring - up], axis=1),
    ]
    normals = [
        np.stack([ring, after, after], axis=1),
        np.stack([ring, after, ring], axis=1),
        np.stack([z, z, z], axis=1),
        -np.stack([z, z, z], axis=1),
    ]
    return np.concatenate(corners), np.concatenate(normals)


def _sphere(around: int) -> tuple[Array, Array]:
    rings = around // 2
    polar = np.pi * np.arange(rings + 1) / rings
    angles = 2 * np.pi * np.arange(around + 1) / around
    grid = np.stack(
        [
            np.sin(polar)[:, None] * np.cos(angles),
            np.sin(polar)[:, None] * np.sin(angles),
            np.broadcast_to(np.cos(polar)[:, None], (rings + 1, around + 1)),
        ],
        axis=-1,
    )
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    upper = np.stack([a, b, c], axis=2)[:-1].reshape(-1, 3, 3)
    lower = np.stack([a, c, d], axis=2)[1:].reshape(-1, 3, 3)
    corners = np.concatenate([upper, lower])
    return corners, corners.copy()


def triangles(solids: Sequence[Solid]) -> Triangles:
    """Return all triangles of some solids."""
    corners, normals, colours = [], [], []
    for kind in ("box", "sphere", "ball", "cylinder"):
        group = [solid for solid in solids if solid.kind == kind]
        if not group:
            continue
        points, arrows, bright = template(kind)
        poses = np.stack([solid.pose for solid in group])
        sizes = np.array([solid.size for solid in group])
        turns = poses[:, :3, :3].transpose(0, 2, 1)
        turned = points.reshape(-1, 3) @ (sizes[:, :, None] * turns) + poses[:, None, :3, 3]
        corners.append(turned.reshape(-1, 3, 3))
        normals.append((arrows.reshape(-1, 3) @ turns).reshape(-1, 3, 3))
        tints = np.array([(*solid.colour, solid.alpha) for solid in group])
        shades = np.column_stack([bright, bright, bright, np.ones_like(bright)])
        colours.append((tints[:, None, :] * shades).reshape(-1, 4))
    for solid in solids:
        if solid.mesh is not None:
            corners.append(solid.mesh)
            flat = np.cross(
                solid.mesh[:, 1] - solid.mesh[:, 0], solid.mesh[:, 2] - solid.mesh[:, 0]
            )
            flat /= np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-30)
            normals.append(np.repeat(flat[:, None, :], 3, axis=1))
            colours.append(np.tile([*solid.colour, solid.alpha], (len(solid.mesh), 1)))
    return _joined(corners, normals, colours)


def _joined(corners: list[Array], normals: list[Array], colours: list[Array]) -> Triangles:
    if not corners:
        return Triangles(
            np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros((0, 4), dtype=np.float32)
        )
    return Triangles(
        np.ascontiguousarray(np.concatenate(corners)),
        np.ascontiguousarray(np.concatenate(normals)),
        np.ascontiguousarray(np.concatenate(colours), dtype=np.float32),
    )
