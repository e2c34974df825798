"""How far a whole arm is from everything: the smallest distance, where, and between what."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.collision.kernels.arm import (
    box_gaps,
    centres_apart,
    make_scene_scratch,
    place_centres,
    place_shape,
)
from armwerk.collision.kernels.fields import owner, reach, vector_at
from armwerk.collision.kernels.layout import OWN, PackedScene
from armwerk.collision.kernels.pair_distance import gap, keep_points
from armwerk.collision.kernels.signatures import (
    BOOLEAN,
    INTEGER_ROWS,
    NUMBERS,
    SCENE,
    STACKED,
    answers,
)
from armwerk.compiled import entry


@entry(answers(NUMBERS, INTEGER_ROWS, STACKED)(STACKED, SCENE, BOOLEAN))
def smallest_distances(
    frames: Array, scene: PackedScene, itself: bool
) -> tuple[Array, Integers, Array]:
    """Return for frames (m, links + 1, 12) the smallest distances, between what, and points.

    Shapes (m,), (m, 2) and (m, 2, 3). Numbers as of `first_contact`, -1 twice and an infinite
    distance when there is nothing around. ``itself``: whether the arm's own pairs count.
    """
    shapes, bodies, pairs = scene.shapes, scene.bodies, scene.pairs
    count = frames.shape[0]
    out, names = np.full(count, math.inf), np.full((count, 2), -1, dtype=np.int64)
    points = np.full((count, 2, 3), math.nan)
    work = make_scene_scratch(scene)
    rows, gaps, vectors = work.rows, work.gaps, work.scratch.vectors
    for m in range(count):
        place_centres(shapes, frames[m], work.centres, work.ready)
        best = math.inf
        for s in range(shapes.shape[0]):
            if owner(shapes[s]) == 0:
                continue
            box_gaps(vector_at(work.centres, s), scene.boxes, gaps)
            for b in range(bodies.shape[0]):
                if math.sqrt(gaps[b]) - reach(shapes[s]) >= best:
                    continue
                place_shape(s, scene, frames[m], work)
                found = gap(rows[s], bodies[b], best, scene.meshes, work.scratch)
                if found < best:
                    best = found
                    names[m, 0], names[m, 1] = s, b
                    keep_points(vectors, points[m])
        for n in range(pairs.shape[0] if itself else 0):
            i, j = pairs[n, 0], pairs[n, 1]
            apart = (
                math.sqrt(centres_apart(i, j, work.centres)) - reach(shapes[i]) - reach(shapes[j])
            )
            if apart >= best:
                continue
            place_shape(i, scene, frames[m], work)
            place_shape(j, scene, frames[m], work)
            found = gap(rows[i], rows[j], best, scene.meshes, work.scratch)
            if found < best:
                best = found
                names[m, 0], names[m, 1] = i, OWN - j
                keep_points(vectors, points[m])
        out[m] = best
    return out, names, points
