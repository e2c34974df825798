"""Shapes of every kind in space: every cell of a map by the tests of the collision room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.collision.kernels.fields import is_plain, owner
from armwerk.collision.kernels.layout import WIDTH, MeshTables
from armwerk.collision.kernels.pair_contact import make_scratch, touch, touch_plain
from armwerk.compiled import entry
from armwerk.planning.kernels.spatial import move, near

Cells = NDArray[np.unsignedinteger]


@entry()
def fill_any(back: Array, on: Array, bodies: Array, meshes: MeshTables, out: Cells) -> int:
    """Add body number + 1 per contact, and return the number of contacts.

    A body may have several rows, one after the other; it counts once.

    Args:
        back: For each line the inverse of its transform, row by row. Shape (lines, 12).
        on: Row of each part at each place. Shape (parts, places, WIDTH).
        bodies: Rows of the bodies, sorted by owner. Shape (rows, WIDTH).
        meshes: All meshes.
        out: Added to. Shape (lines, places).
    """
    count = bodies.shape[0]
    moved, balls, close = np.empty((count, WIDTH)), np.empty((4, count)), np.empty(count, np.uint8)
    scratch = make_scratch()
    hits = 0
    for i in range(back.shape[0]):
        move(back[i], bodies, moved, balls)
        for p in range(on.shape[0]):
            for j in range(on.shape[1]):
                part = on[p, j]
                if not near(part, balls, close):
                    continue
                hit, plain = -1, is_plain(part)
                for k in range(count):
                    number = owner(bodies[k])
                    if number == hit or not close[k]:
                        continue
                    if (
                        touch_plain(part, moved[k])
                        if plain and is_plain(moved[k])
                        else touch(part, moved[k], meshes, scratch)
                    ):
                        hit = number
                        out[i, j] += number + 1
                        hits += 1
    return hits
