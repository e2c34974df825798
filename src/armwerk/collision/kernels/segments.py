"""Segments, straight lines in joint space, proved free of contact from end to end."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.kernels.arm import (
    box_gaps,
    centres_apart,
    first_contact,
    forward_frames,
    make_scene_scratch,
    place_centres,
    place_shape,
)
from armwerk.collision.kernels.fields import owner, reach, vector_at
from armwerk.collision.kernels.layout import JointChain, MovingPoints, PackedScene, SceneScratch
from armwerk.collision.kernels.motion import (
    BARELY,
    CONTACT,
    FREE,
    UNDECIDED,
    displacement,
    pair_state,
)
from armwerk.collision.kernels.pair_distance import gap
from armwerk.collision.kernels.signatures import (
    BOOLEAN,
    CHAIN,
    INTEGER,
    MOVING,
    NUMBER,
    ROWS,
    SCENE,
    answers,
)
from armwerk.compiled import entry, inner

_DEEP = 60  # halvings of an interval: the last is shorter than rounding
_COARSE = 0.1  # [rad or m] between the first looks at a line, where most that are blocked show it
_LEVELS = 12  # of these first looks, each twice as fine as the one before


@inner
def _bodies_state(
    frames: Array, margin: float, moves: Array, scene: PackedScene, work: SceneScratch
) -> int:
    """Return whether bodies are nearer than the margin, or may get there within the moves."""
    shapes, bodies, gaps = scene.shapes, scene.bodies, work.gaps
    for s in range(shapes.shape[0]):
        if owner(shapes[s]) == 0:
            continue
        far = moves[s] + margin
        box_gaps(vector_at(work.centres, s), scene.boxes, gaps)
        for b in range(bodies.shape[0]):
            if math.sqrt(gaps[b]) - reach(shapes[s]) > far:
                continue
            place_shape(s, scene, frames, work)
            found = gap(work.rows[s], bodies[b], far * BARELY, scene.meshes, work.scratch)
            if found <= margin:
                return CONTACT
            if found <= far:
                return UNDECIDED
    return FREE


@inner
def _own_state(
    frames: Array,
    radii: Array,
    moves: Array,
    chain: JointChain,
    moving: MovingPoints,
    scene: PackedScene,
    work: SceneScratch,
) -> int:
    """Return whether shapes of the arm touch each other, or may within the interval."""
    shapes, pairs = scene.shapes, scene.pairs
    for p in range(pairs.shape[0]):
        i, j, stop = pairs[p, 0], pairs[p, 1], moving.commons[p]
        apart = math.sqrt(centres_apart(i, j, work.centres)) - reach(shapes[i]) - reach(shapes[j])
        if apart > moves[i] + moves[j]:
            continue
        move = displacement(i, stop, frames, radii, chain, moving, shapes)
        move += displacement(j, stop, frames, radii, chain, moving, shapes)
        state = pair_state(i, j, move, frames, scene, work)
        if state != FREE:
            return state
    return FREE


@inner
def _blocked_at(
    start: Array,
    way: Array,
    q: Array,
    frames: Array,
    chain: JointChain,
    scene: PackedScene,
    work: SceneScratch,
) -> tuple[float, int]:
    """Look at the end of a segment, its middle, the quarters, … down to `_COARSE`.

    Returns:
        Where there is contact, as a share of the segment, -1: nowhere; and how many configurations
        were looked at.
    """
    most = np.abs(way).max()
    looks, level, count = 0, 0, 1
    while level == 0 or most / count > 0.5 * _COARSE:
        for step in range(count):
            share = 1.0 if level == 0 else (step + 0.5) / count
            q[:] = start + share * way
            forward_frames(chain, q, frames)
            looks += 1
            if first_contact(frames, scene, work)[0] >= 0:
                return share, looks
        count *= 2 if level > 0 else 1
        level += 1
        if level > _LEVELS:
            break
    return -1.0, looks


@entry(answers(BOOLEAN, NUMBER, INTEGER)(CHAIN, ROWS, NUMBER, NUMBER, MOVING, SCENE))
def segments_free(
    chain: JointChain,
    Q: Array,
    margin: float,
    finest: float,
    moving: MovingPoints,
    scene: PackedScene,
) -> tuple[bool, float, int]:
    """Prove that straight lines in joint space between waypoints touch nothing, ends included.

    Args:
        chain: Joints of the arm.
        Q: Waypoints. Shape (k, n), k at least 2.
        margin: Distance to keep from bodies [m].
        finest: What moves less than this and is not proved counts as contact [m].
        moving: The points by which shapes move.
        scene: The arm and its surroundings.

    Returns:
        Whether it is proved; else where it is not, in segments from the start; and how many
        configurations were looked at.
    """
    work = make_scene_scratch(scene)
    frames = np.zeros((chain.before.shape[0] + 1, 12))
    moves, n = np.zeros(scene.shapes.shape[0]), Q.shape[1]
    q, radii, way = np.zeros(n), np.zeros(n), np.zeros(n)
    low, high = np.zeros(_DEEP + 2), np.zeros(_DEEP + 2)
    looks = 0
    for k in range(Q.shape[0] - 1):
        way[:] = Q[k + 1] - Q[k]
        share, tried = _blocked_at(Q[k], way, q, frames, chain, scene, work)
        looks += tried
        if share >= 0.0:
            return False, k + share, looks
        waiting = 1
        low[0], high[0] = 0.0, 1.0
        while waiting > 0:
            waiting -= 1
            a, b = low[waiting], high[waiting]
            share = 0.5 * (a + b)
            q[:] = Q[k] + share * way
            radii[:] = 0.5 * (b - a) * np.abs(way)
            forward_frames(chain, q, frames)
            looks += 1
            place_centres(scene.shapes, frames, work.centres, work.ready)
            longest = 0.0
            for s in range(scene.shapes.shape[0]):
                moves[s] = displacement(s, 0, frames, radii, chain, moving, scene.shapes)
                longest = max(longest, moves[s])
            state = _bodies_state(frames, margin, moves, scene, work)
            if state == FREE:
                state = _own_state(frames, radii, moves, chain, moving, scene, work)
            if state == CONTACT or (state == UNDECIDED and longest <= finest):
                return False, k + share, looks
            if state == UNDECIDED:
                low[waiting], high[waiting] = share, b
                low[waiting + 1], high[waiting + 1] = a, share
                waiting += 2
                if waiting > _DEEP:
                    return False, k + share, looks
    return True, float(Q.shape[0] - 1), looks
