"""An arm and its surroundings packed once, for kernels that check many configurations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes, length_scale, moving_links
from armwerk.collision.covers import box_around, covers
from armwerk.collision.kernels import layout
from armwerk.collision.packing import IntArray, MeshShelf, row_of
from armwerk.collision.region import Region
from armwerk.geometry import Capsule, Cone, Cylinder, Mesh, Shape, Sphere
from armwerk.mechanics.chain import pack
from armwerk.mechanics.kernels.layout import KIND, SETTINGS
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

Described: TypeAlias = Arm | Assembly


class Scene(NamedTuple):
    """Everything but the arm's joints, in the order in which the kernels take it.

    Rows are described in `armwerk.collision.kernels.layout`.

    Args:
        shapes: Shapes of the arm in the frames of their links. Shape (s, SIZE).
        covers: Covers of those that have some, in the same frames. Shape (c, SIZE).
        bodies: Rows of the bodies in the world; a region has several. Shape (b, SIZE).
        boxes: Lowest and highest corners of those rows. Shape (6, b).
        pairs: Which shapes are held against which. Shape (p, 2).
        triangles: With the last three, the tables of all meshes.
        nodes: Trees of boxes.
        meshes: One row per mesh.
        points: One corner of every piece of a mesh.
    """

    shapes: Array
    covers: Array
    bodies: Array
    boxes: Array
    pairs: IntArray
    triangles: Array
    nodes: Array
    meshes: IntArray
    points: Array


def link_rows(arms: Sequence[Arm]) -> Array:
    """Return the joints of one or more serial arms. Shape (n, LINK)."""
    rows: list[Array] = []
    for arm in arms:
        chain = pack(arm)
        first = len(rows)
        for k in range(chain.dof):
            before = 0 if k == 0 else first + k
            kind = chain.constants[k, SETTINGS, KIND]
            rows.append(np.array([*chain.constants[k, :3].ravel(), kind, before]))
    return np.array(rows)


def pack_scene(
    parts: Sequence[ArmShapes], bodies: Iterable[Shape | Region], exact: bool, pairs: IntArray
) -> Scene:
    """Return the scene of arms and bodies.

    Args:
        parts: Shapes of each moving arm.
        bodies: What stands around them.
        exact: Whether shapes are tested as they are; else their covers take their place, and
            mesh bodies become boxes: quicker, and never a contact missed.
        pairs: Which shapes are held against which. Shape (p, 2).
    """
    shelf = MeshShelf()
    rows, hidden = _shape_rows(parts, exact, shelf)
    owners = rows[:, layout.COVERS].copy() if not exact else None
    around = _body_rows(bodies, exact, shelf)
    boxes = np.array([box for _, box in around]).reshape(-1, 6).T
    if owners is not None:
        rows, pairs = _by_covers(rows, hidden, pairs)
        hidden = np.zeros((0, layout.SIZE))
    return Scene(
        np.ascontiguousarray(rows),
        np.ascontiguousarray(hidden),
        np.array([row for row, _ in around]).reshape(-1, layout.SIZE),
        np.ascontiguousarray(boxes),
        np.ascontiguousarray(pairs, dtype=np.int64),
        *shelf.tables(),
    )


def _shape_rows(parts: Sequence[ArmShapes], exact: bool, shelf: MeshShelf) -> tuple[Array, Array]:
    rows: list[Array] = []
    hidden: list[Array] = []
    first = 0
    for part in parts:
        carrier = length_scale(part.arm) if isinstance(part.arm, Arm) else 0.0
        for frame, shape in zip(part.frames, part.shapes, strict=True):
            link, moved = _in_link(part.arm, frame, shape)
            owner = link + first if link else 0
            own_covers = [row_of(cover, shelf, owner, carrier) for cover in covers(moved)]
            skip = not exact and own_covers  # covers take its place; no tree is needed
            row = np.zeros(layout.SIZE) if skip else row_of(moved, shelf, owner, carrier)
            row[layout.COVER], row[layout.COVERS] = len(hidden), len(own_covers)
            rows.append(row)
            hidden += own_covers
        first += len(part.arm.tree) if isinstance(part.arm, Assembly) else part.arm.dof
    empty = np.zeros((0, layout.SIZE))
    return np.array(rows) if rows else empty, np.array(hidden) if hidden else empty


def _in_link(arm: Described, frame: int, shape: Shape) -> tuple[int, Shape]:
    """Return the link of a frame, and a shape of that frame right behind the link's joint."""
    if isinstance(arm, Assembly):
        return frame + 1 if frame else 0, shape  # its body stands still
    chain = pack(arm)
    counts = moving_links(arm)
    link = counts[frame]
    T = np.eye(4)
    for k, joint in enumerate((None, *arm.joints, None)):
        if k > frame:
            break
        if joint is not None and joint.is_moving:
            T = np.eye(4)
        step = chain.rows[k].copy()
        step[3] = (0.0, 0.0, 0.0, 1.0)
        T = T @ step
    return link, shape.moved(_straight(T))


def _straight(T: Array) -> Array:
    """Return a product of transforms made exactly rigid again."""
    from armwerk.geometry import nearest_rotation, transform

    return transform(nearest_rotation(T[:3, :3]), T[:3, 3])


def _by_covers(rows: Array, hidden: Array, pairs: IntArray) -> tuple[Array, IntArray]:
    """Return rows in which covers stand in for shapes, and the pairs of those."""
    result: list[Array] = []
    places: list[range] = []
    for row in rows:
        first, count = int(row[layout.COVER]), int(row[layout.COVERS])
        start = len(result)
        result += [hidden[k] for k in range(first, first + count)] if count else [row]
        places.append(range(start, len(result)))
    several = [(i, j) for a, b in pairs for i in places[a] for j in places[b]]
    return np.array(result).reshape(-1, layout.SIZE), np.array(several, dtype=np.int64).reshape(
        -1, 2
    )


def _body_rows(
    bodies: Iterable[Shape | Region], exact: bool, shelf: MeshShelf
) -> list[tuple[Array, Array]]:
    """Return the rows of bodies with the boxes around them."""
    rows: list[tuple[Array, Array]] = []
    for number, body in enumerate(bodies):
        if isinstance(body, Region):
            planes, side = body.walls()
            for plane in planes:
                rows.append(_with_box(row_of(plane, shelf, number), plane))
            if side is not None:
                rows.append((_outside_row(side, number), np.array([-np.inf] * 3 + [np.inf] * 3)))
            continue
        shape = box_around(body) if isinstance(body, Mesh) and not exact else body
        rows.append(_with_box(row_of(shape, shelf, number), shape))
    return rows


def _with_box(row: Array, shape: Shape) -> tuple[Array, Array]:
    """Return a row and the box around its shape, slack included. Shapes (SIZE,), (6,)."""
    slack = row[layout.SLACK]
    return row, (shape.bounds + np.array([[-slack], [slack]])).ravel()


def _outside_row(shape: Shape, owner: int) -> Array:
    """Return the row of everything outside a round shape's side."""
    row = np.zeros(layout.SIZE)
    row[layout.ROT : layout.POS] = np.asarray(shape.rotation).ravel()
    row[layout.POS : layout.DIM] = shape.position
    row[layout.REACH], row[layout.OWNER], row[layout.MESH] = np.inf, owner, -1
    size = shape.bounds if np.isfinite(shape.bounds).all() else shape.position
    row[layout.SLACK] = layout.ALLOWANCE * float(np.abs(size).max())
    if isinstance(shape, Sphere | Capsule):
        row[layout.KIND] = layout.OUTSIDE_CAPSULE
        half = shape.length / 2 if isinstance(shape, Capsule) else 0.0
        row[layout.DIM : layout.DIM + 2] = shape.radius, half
    elif isinstance(shape, Cylinder):
        row[layout.KIND] = layout.OUTSIDE_CYLINDER
        row[layout.DIM] = shape.radius
    elif isinstance(shape, Cone):
        row[layout.KIND] = layout.OUTSIDE_CONE
        growth = (shape.top_radius - shape.radius) / shape.length
        row[layout.DIM : layout.DIM + 2] = (shape.radius + shape.top_radius) / 2, growth
    return row
