"""How far a moving arm can get, and whether that keeps it clear: proofs for whole intervals.

Within an interval of a motion joint i is at most radii[i] away from where it is in the middle. A
point x of the arm then gets at most this far: let the joints leave the middle one after the other,
the innermost first. Joint i then carries x round an axis from which x is as far as in the middle,
since only the joints behind it could change that and they have yet to move. An angle radii[i] has
a chord of at most min(radii[i], 2) times that distance, so

    moved ← moved + min(radii[i], 2) distance of x to the axis in the middle

and a sliding joint adds radii[i]. What is swept by a ball, a sphere or a capsule, moves as its
core does; a box as its corners, since displacements are affine in the point; all else as the
ball around it. `MovingPoints` are those points, each with a radius that goes along.

A shape that is further away from a body than it can get does not touch it in the whole interval.
"""

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
from armwerk.collision.kernels.fields import (
    carried,
    frame_origin,
    frame_z,
    owner,
    reach,
    vector_at,
)
from armwerk.collision.kernels.layout import JointChain, MovingPoints, PackedScene, SceneScratch
from armwerk.collision.kernels.pair_distance import gap
from armwerk.collision.kernels.signatures import (
    CHAIN,
    INTEGER_ROWS,
    INTEGERS,
    MOVING,
    NUMBERS,
    ROWS,
    SCENE,
    STACKED,
    answers,
)
from armwerk.collision.kernels.vectors import cross, dot, minus
from armwerk.compiled import entry, inner

FREE, UNDECIDED, CONTACT = 0, 1, 2
BARELY = 1.0000001  # a distance is asked for a little further than it matters


@inner
def displacement(
    s: int,
    stop: int,
    frames: Array,
    radii: Array,
    chain: JointChain,
    moving: MovingPoints,
    shapes: Array,
) -> float:
    """Return how far a shape can get, seen from link ``stop`` on its way to the base."""
    points, sliding, parents = moving.points, chain.sliding, chain.parents
    most = 0.0
    carrier = owner(shapes[s])
    for c in range(moving.first[s], moving.first[s + 1]):
        p, extra = carried(frames[carrier], vector_at(points, c)), points[c, 3]
        moved = 0.0
        link = carrier
        while link != stop and link > 0:
            frame, turn = frames[link], radii[link - 1]
            if sliding[link - 1] == 0:
                off = cross(minus(p, frame_origin(frame)), frame_z(frame))
                moved += min(turn, 2.0) * (math.sqrt(dot(off, off)) + extra)
            else:
                moved += turn
            link = parents[link - 1]
        most = max(most, moved)
    return most


@entry(answers(ROWS, ROWS)(CHAIN, STACKED, ROWS, ROWS, INTEGER_ROWS, MOVING))
def displacements(
    chain: JointChain,
    frames: Array,
    radii: Array,
    shapes: Array,
    pairs: Integers,
    moving: MovingPoints,
) -> tuple[Array, Array]:
    """Return how far shapes get in m intervals, Shape (m, s), and pairs of them, Shape (m, p).

    Args:
        chain: The joints.
        frames: In the middle of each interval. Shape (m, links + 1, 12).
        radii: How far each joint gets away from there [rad or m]. Shape (m, n).
        shapes: Of the arm.
        pairs: Of them; what they get towards each other is seen from where both hang.
        moving: The points by which shapes move.
    """
    m = frames.shape[0]
    single, double = np.zeros((m, shapes.shape[0])), np.zeros((m, pairs.shape[0]))
    for n in range(m):
        F, r = frames[n], radii[n]
        for s in range(shapes.shape[0]):
            single[n, s] = displacement(s, 0, F, r, chain, moving, shapes)
        for p in range(pairs.shape[0]):
            i, j, stop = pairs[p, 0], pairs[p, 1], moving.commons[p]
            double[n, p] = displacement(i, stop, F, r, chain, moving, shapes) + displacement(
                j, stop, F, r, chain, moving, shapes
            )
    return single, double


@inner
def pair_state(
    i: int, j: int, move: float, frames: Array, scene: PackedScene, work: SceneScratch
) -> int:
    """Return whether two shapes of the arm touch now, cannot within ``move``, or may."""
    one, two = reach(scene.shapes[i]), reach(scene.shapes[j])
    if math.sqrt(centres_apart(i, j, work.centres)) - one - two > move:
        return FREE
    place_shape(i, scene, frames, work)
    place_shape(j, scene, frames, work)
    found = gap(work.rows[i], work.rows[j], move * BARELY, scene.meshes, work.scratch)
    if found <= 0.0:
        return CONTACT
    return UNDECIDED if found <= move else FREE


@entry(answers(NUMBERS, NUMBERS, INTEGERS)(STACKED, ROWS, ROWS, SCENE))
def prove_intervals(
    frames: Array, moves: Array, pair_moves: Array, scene: PackedScene
) -> tuple[Array, Array, Integers]:
    """Return what is certain about m intervals, from their middles and how far shapes get.

    Args:
        frames: In the middle of each interval. Shape (m, links + 1, 12).
        moves: How far each shape gets. Shape (m, s).
        pair_moves: How far the shapes of each pair get towards each other. Shape (m, p).
        scene: The arm and its surroundings.

    Returns:
        Distance to the bodies in the middle; a lower bound of it in the whole interval; and of the
        arm itself `FREE`, `UNDECIDED` or `CONTACT`. Each of shape (m,).
    """
    shapes, bodies, pairs = scene.shapes, scene.bodies, scene.pairs
    m = frames.shape[0]
    out, least = np.full(m, math.inf), np.full(m, math.inf)
    states = np.zeros(m, dtype=np.int64)
    work = make_scene_scratch(scene)
    rows, gaps = work.rows, work.gaps
    for n in range(m):
        F = frames[n]
        place_centres(shapes, F, work.centres, work.ready)
        best, low = math.inf, math.inf
        for s in range(shapes.shape[0]):
            if owner(shapes[s]) == 0:
                continue
            move = moves[n, s]
            box_gaps(vector_at(work.centres, s), scene.boxes, gaps)
            for b in range(bodies.shape[0]):
                far = max(best, low + move)
                if math.sqrt(gaps[b]) - reach(shapes[s]) >= far:
                    continue
                place_shape(s, scene, F, work)
                found = gap(rows[s], bodies[b], far, scene.meshes, work.scratch)
                best = min(best, found)
                low = min(low, found - move)
        out[n], least[n] = best, low
        for p in range(pairs.shape[0]):
            state = pair_state(pairs[p, 0], pairs[p, 1], pair_moves[n, p], F, scene, work)
            states[n] = max(states[n], state)
            if state == CONTACT:
                break
    return out, least, states
