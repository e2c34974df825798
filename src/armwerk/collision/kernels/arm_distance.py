"""How far a whole arm is from everything: the smallest distance, where, and between what."""

from __future__ import annotations

import math

import numpy as np

from armwerk.collision.kernels.arm import SCENE, near_boxes, prepare, settle, space
from armwerk.collision.kernels.layout import OWNER, Array
from armwerk.collision.kernels.pair_contact import working
from armwerk.collision.kernels.pair_distance import gap
from armwerk.compiled import entry, inner


@inner
def _keep(P: Array, out: Array) -> None:
    """Copy two points; loops compile in a fraction of the time of an assignment of arrays."""
    for n in range(2):
        for k in range(3):
            out[n, k] = P[n, k]


@entry(f"Tuple((float64[::1], int64[:,::1], float64[:,:,::1]))(float64[:,:,::1], {SCENE}, boolean)")
def gaps_at(
    frames: Array,
    shapes: Array,
    covers: Array,
    bodies: Array,
    boxes: Array,
    pairs: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    itself: bool,
) -> tuple[Array, Array, Array]:
    """Return for frames (m, links + 1, 12) the smallest distances, their names and points.

    Shapes (m,), (m, 2) and (m, 2, 3). Names are numbers as in `first_hit`, (-1, -1) and an infinite
    distance when there is nothing around. ``itself``: whether the arm's own pairs count.
    """
    count = frames.shape[0]
    out, names = np.full(count, math.inf), np.full((count, 2), -1, dtype=np.int64)
    places = np.full((count, 2, 3), math.nan)
    world, hidden, balls, near, ready = space(shapes, covers, bodies)
    S, W = working()
    P = np.zeros((2, 3))
    for m in range(count):
        settle(shapes, frames[m], balls, ready)
        best = math.inf
        for s in range(shapes.shape[0]):
            if shapes[s, OWNER] == 0.0:
                continue
            near_boxes(balls[s], boxes, near)
            for b in range(bodies.shape[0]):
                if math.sqrt(near[b]) - balls[s, 3] >= best:
                    continue
                if ready[s] == 0:
                    prepare(s, shapes, covers, frames[m], world, hidden, ready)
                found = gap(world[s], bodies[b], best, triangles, nodes, meshes, points, S, W, P)
                if found < best:
                    best = found
                    names[m, 0], names[m, 1] = s, b
                    _keep(P, places[m])
        for n in range(pairs.shape[0] if itself else 0):
            i, j = pairs[n, 0], pairs[n, 1]
            x, y, z = (
                balls[i, 0] - balls[j, 0],
                balls[i, 1] - balls[j, 1],
                balls[i, 2] - balls[j, 2],
            )
            if math.sqrt(x * x + y * y + z * z) - balls[i, 3] - balls[j, 3] >= best:
                continue
            if ready[i] == 0:
                prepare(i, shapes, covers, frames[m], world, hidden, ready)
            if ready[j] == 0:
                prepare(j, shapes, covers, frames[m], world, hidden, ready)
            found = gap(world[i], world[j], best, triangles, nodes, meshes, points, S, W, P)
            if found < best:
                best = found
                names[m, 0], names[m, 1] = i, -2 - j
                _keep(P, places[m])
        out[m] = best
    return out, names, places
