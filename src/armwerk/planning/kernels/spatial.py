"""Solids in space: every cell of a map, boxes by separating axes, others by the collision room.

From line to line the bodies are moved instead of the arm, the other way round: that is done once
per line, and the parts stay where they were packed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.collision.kernels.convex_contact import touch_plain
from armwerk.collision.kernels.fields import centre, is_plain, owner, reach
from armwerk.collision.kernels.layout import WIDTH, MeshTables
from armwerk.collision.kernels.pair_contact import make_scratch, touch
from armwerk.collision.kernels.rows import place
from armwerk.collision.kernels.separating import box_box
from armwerk.compiled import entry, inner

Cells = NDArray[np.unsignedinteger]


@inner(inline=True)
def move(T: Array, bodies: Array, moved: Array, balls: Array) -> None:
    """Place all bodies, and keep the balls around them by coordinate. Shape of balls (4, rows)."""
    for k in range(bodies.shape[0]):
        place(T, bodies[k], moved[k])
        balls[0, k], balls[1, k], balls[2, k] = centre(moved[k])
        balls[3, k] = reach(moved[k])


@inner(inline=True)
def near(row: Array, balls: Array, close: NDArray[np.uint8]) -> bool:
    """Note which balls the ball around a row meets; a row without end meets all. Any?"""
    (X, Y, Z), R = centre(row), reach(row)
    some = 0
    for k in range(balls.shape[1]):
        x, y, z, r = X - balls[0, k], Y - balls[1, k], Z - balls[2, k], R + balls[3, k]
        close[k] = x * x + y * y + z * z <= r * r
        some += close[k]
    return some > 0


@entry()
def fill_boxes(back: Array, on: Array, bodies: Array, out: Cells) -> int:
    """Add body number + 1 per contact of two boxes, and return the number of contacts.

    Args:
        back: For each line the inverse of its transform, row by row. Shape (lines, 12).
        on: Row of each part at each place. Shape (parts, places, WIDTH).
        bodies: Rows of the bodies. Shape (bodies, WIDTH).
        out: Added to. Shape (lines, places).
    """
    count = bodies.shape[0]
    moved, balls, close = np.empty((count, WIDTH)), np.empty((4, count)), np.empty(count, np.uint8)
    hits = 0
    for i in range(back.shape[0]):
        move(back[i], bodies, moved, balls)
        for p in range(on.shape[0]):
            for j in range(on.shape[1]):
                part = on[p, j]
                if not near(part, balls, close):
                    continue
                for k in range(count):
                    if close[k] and box_box(part, moved[k]):
                        out[i, j] += owner(bodies[k]) + 1
                        hits += 1
    return hits


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
