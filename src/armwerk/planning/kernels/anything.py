"""Shapes of every kind in space: every cell of a map by the tests of the collision room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.collision.kernels.layout import BOX, KIND, OWNER, SIZE
from armwerk.collision.kernels.pair_contact import touch, touch_plain, working
from armwerk.compiled import entry
from armwerk.planning.kernels.spatial import move, near

Cells = NDArray[np.unsignedinteger]


@entry()
def fill_any(
    back: Array,
    on: Array,
    bodies: Array,
    triangles: Array,
    nodes: Array,
    meshes: NDArray[np.int64],
    points: Array,
    out: Cells,
) -> int:
    """Add body number + 1 per contact, and return the number of contacts.

    A body may have several rows, one after the other; it counts once.

    Args:
        back: For each line the inverse of its transform, row by row. Shape (lines, 12).
        on: Row of each part at each place. Shape (parts, places, SIZE).
        bodies: Rows of the bodies, sorted by owner. Shape (rows, SIZE).
        triangles: First of the four tables of `armwerk.collision.kernels.layout`.
        nodes: Second table.
        meshes: Third table.
        points: Fourth table.
        out: Added to. Shape (lines, places).
    """
    count = bodies.shape[0]
    moved, balls, close = np.empty((count, SIZE)), np.empty((4, count)), np.empty(count, np.uint8)
    S, W = working()
    hits = 0
    for i in range(back.shape[0]):
        move(back[i], bodies, moved, balls)
        for p in range(on.shape[0]):
            for j in range(on.shape[1]):
                part = on[p, j]
                if not near(part, balls, close):
                    continue
                hit, plain = -1, part[KIND] <= BOX
                for k in range(count):
                    owner = int(bodies[k, OWNER])
                    if owner == hit or not close[k]:
                        continue
                    if (
                        touch_plain(part, moved[k])
                        if plain and moved[k, KIND] <= BOX
                        else touch(part, moved[k], triangles, nodes, meshes, points, S, W)
                    ):
                        hit = owner
                        out[i, j] += owner + 1
                        hits += 1
    return hits
