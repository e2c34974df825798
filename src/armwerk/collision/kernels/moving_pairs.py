"""Shapes that move on both sides: distances of pairs, and how near they get within intervals."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.kernels.arm import (
    centres_apart,
    make_scene_scratch,
    place_centres,
    place_shape,
)
from armwerk.collision.kernels.fields import reach, slack
from armwerk.collision.kernels.layout import PackedScene
from armwerk.collision.kernels.pair_distance import gap
from armwerk.collision.kernels.signatures import NUMBERS, ROWS, SCENE, STACKED, answers
from armwerk.compiled import entry


@entry(answers(NUMBERS, NUMBERS)(STACKED, ROWS, SCENE))
def prove_pairs(frames: Array, moves: Array, scene: PackedScene) -> tuple[Array, Array]:
    """Return how near the pairs of a scene are to each other in m intervals.

    Args:
        frames: In the middle of each interval. Shape (m, frames, 12).
        moves: How far the two shapes of each pair get, together. Shape (m, p).
        scene: Its shapes and pairs.

    Returns:
        Smallest distance in the middle, and a lower bound of it in the whole interval [m]. Each of
        shape (m,).
    """
    shapes, pairs = scene.shapes, scene.pairs
    m = frames.shape[0]
    out, least = np.full(m, math.inf), np.full(m, math.inf)
    work = make_scene_scratch(scene)
    for n in range(m):
        F = frames[n]
        place_centres(shapes, F, work.centres, work.ready)
        best, low = math.inf, math.inf
        for p in range(pairs.shape[0]):
            i, j, move = pairs[p, 0], pairs[p, 1], moves[n, p]
            far = max(best, low + move)
            apart = math.sqrt(centres_apart(i, j, work.centres))
            if apart - reach(shapes[i]) - reach(shapes[j]) >= far:
                continue
            place_shape(i, scene, F, work)
            place_shape(j, scene, F, work)
            found = gap(work.rows[i], work.rows[j], far, scene.meshes, work.scratch)
            best = min(best, found)
            # what rounding may make of a touch at the very end of an interval is none
            low = min(low, found - move - slack(shapes[i]) - slack(shapes[j]))
        out[n], least[n] = best, low
    return out, least
