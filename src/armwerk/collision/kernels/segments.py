"""Segments, straight lines in joint space, proved free of contact from end to end.

Along a segment joint i moves at |way[i]| per unit of the share of the segment. By the bound of
`armwerk.collision.kernels.motion` a shape then moves at most at

    speed ≤ Σ |way[i]| distance to axis i   (|way[i]| where joint i slides)

per unit, seen from where it is looked at, whichever way it goes. So a look at one place proves
all shares free that are nearer than distance / speed of every pair of shape and body; what is left
on either side of them is looked at next, the widest intervals first, where contact most likely
shows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.kernels.arm import (
    box_gaps,
    centres_apart,
    forward_frames,
    make_scene_scratch,
    place_centres,
    place_shape,
)
from armwerk.collision.kernels.fields import (
    axis_z,
    carried,
    cover_range,
    frame_origin,
    frame_z,
    half_edges,
    half_length,
    owner,
    position,
    radius_of,
    reach,
    slack,
    vector_at,
)
from armwerk.collision.kernels.layout import (
    BOX,
    CAPSULE,
    KIND,
    JointChain,
    MovingPoints,
    PackedScene,
    SceneScratch,
)
from armwerk.collision.kernels.motion import BARELY
from armwerk.collision.kernels.pair_distance import gap
from armwerk.collision.kernels.rows import local_direction, local_point
from armwerk.collision.kernels.signatures import (
    BOOLEAN,
    CHAIN,
    INTEGER,
    MOVING,
    NUMBER,
    NUMBERS,
    ROWS,
    SCENE,
    SCENE_SCRATCH,
    answers,
)
from armwerk.collision.kernels.simple import segment_box, segment_segment
from armwerk.collision.kernels.vectors import ahead, cross, dot, minus, scaled
from armwerk.compiled import TypeText, entry, inner

_OPEN = 256  # intervals that wait; of more than half of that the latest are taken first
_STILL = 1e-300  # [m] added to a speed that may be 0
_TOUCHES = -1.0  # what a look returns for contact


class SegmentScratch(NamedTuple):
    """Working space for segments, one after the other.

    Args:
        scene: For the scene.
        frames: Of the links. Shape (links + 1, 12).
        speeds: Of the shapes. Shape (s,).
        gaps: Squared distances of the centres of shapes to the boxes of bodies. Shape (s, b).
        q: Where is looked. Shape (n,).
        paces: How far each joint goes. Shape (n,).
        waiting: Both ends of intervals not yet proved, as shares. Shape (2, _OPEN).
    """

    scene: SceneScratch
    frames: Array
    speeds: Array
    gaps: Array
    q: Array
    paces: Array
    waiting: Array


SEGMENT_SCRATCH = TypeText.of_record(
    SegmentScratch, SCENE_SCRATCH, ROWS, NUMBERS, ROWS, NUMBERS, NUMBERS, ROWS
)


@inner
def make_segment_scratch(chain: JointChain, scene: PackedScene) -> SegmentScratch:
    """Return the working space of a scene's segments."""
    n = chain.before.shape[0]
    return SegmentScratch(
        make_scene_scratch(scene),
        np.zeros((n + 1, 12)),
        np.zeros(scene.shapes.shape[0]),
        np.zeros((scene.shapes.shape[0], scene.bodies.shape[0])),
        np.zeros(n),
        np.zeros(n),
        np.zeros((2, _OPEN)),
    )


@inner(borrows=True)
def _speed(
    s: int,
    stop: int,
    frames: Array,
    paces: Array,
    chain: JointChain,
    moving: MovingPoints,
    shapes: Array,
) -> float:
    """Return how fast a shape can get, seen from link ``stop`` on its way to the base."""
    points, sliding, parents = moving.points, chain.sliding, chain.parents
    most = 0.0
    carrier = owner(shapes[s])
    for c in range(moving.first[s], moving.first[s + 1]):
        p, extra = carried(frames[carrier], vector_at(points, c)), points[c, 3]
        total = 0.0
        link = carrier
        while link != stop and link > 0:
            if sliding[link - 1] == 0:
                off = cross(minus(p, frame_origin(frames[link])), frame_z(frames[link]))
                total += paces[link - 1] * (math.sqrt(dot(off, off)) + extra)
            else:
                total += paces[link - 1]
            link = parents[link - 1]
        most = max(most, total)
    return most


@inner(borrows=True)
def _apart(a: Array, b: Array, far: float, scene: PackedScene, work: SceneScratch) -> float:
    """Return the distance of two rows as `gap` does; that of capsules and boxes in closed form."""
    if a[KIND] > CAPSULE or b[KIND] > BOX:
        return gap(a, b, far, scene.meshes, work.scratch)
    if b[KIND] == BOX:
        way = local_direction(b, scaled(half_length(a), axis_z(a)))
        start = minus(local_point(b, position(a)), way)
        square = segment_box(start, scaled(2.0, way), half_edges(b))[1]
    else:
        one, two = scaled(2.0 * half_length(a), axis_z(a)), scaled(2.0 * half_length(b), axis_z(b))
        start = ahead(minus(position(a), position(b)), -0.5, minus(one, two))
        square = segment_segment(start, one, (0.0, 0.0, 0.0), two)[2]
    found = math.sqrt(square) - radius_of(a) - radius_of(b)
    return 0.0 if 0.0 < found <= slack(a) + slack(b) else found


@inner(borrows=True)
def _covers_apart(s: int, body: Array, far: float, scene: PackedScene, work: SceneScratch) -> bool:
    """Whether a placed shape has covers, all of which are further from a body than ``far``."""
    first, last = cover_range(work.rows[s])
    for c in range(first, last):
        if _apart(work.covers[c], body, far * BARELY, scene, work) <= far:
            return False
    return last > first


@inner(borrows=True)
def _free_of(
    s: int,
    b: int,
    safe: float,
    margin: float,
    scene: PackedScene,
    work: SegmentScratch,
) -> float:
    """Return how much of the segment is free of one body for one shape, at most ``safe``."""
    at, speed = work.scene, work.speeds[s]
    place_shape(s, scene, work.frames, at)
    far = speed * safe + margin
    if _covers_apart(s, scene.bodies[b], far, scene, at):
        return safe
    free = _apart(at.rows[s], scene.bodies[b], far * BARELY, scene, at) - margin
    if free <= 0.0:
        return _TOUCHES
    return safe if free > speed * safe else free / speed / BARELY


@inner(borrows=True)
def _look(
    half: float,
    margin: float,
    chain: JointChain,
    moving: MovingPoints,
    scene: PackedScene,
    work: SegmentScratch,
) -> tuple[float, float]:
    """Look at one configuration of a segment, whose frames are there.

    Returns:
        How much of the segment to either side is free, as a share, at most ``half``;
        `_TOUCHES`: contact. And how fast the fastest shape can get.
    """
    shapes, pairs = scene.shapes, scene.pairs
    at, frames, speeds, gaps = work.scene, work.frames, work.speeds, work.gaps
    count = scene.bodies.shape[0]
    place_centres(shapes, frames, at.centres, at.ready)
    safe, fastest = half, 0.0
    soonest, first, body = half, -1, -1
    for s in range(shapes.shape[0]):
        speeds[s] = 0.0
        if owner(shapes[s]) == 0:
            continue
        speeds[s] = _speed(s, 0, frames, work.paces, chain, moving, shapes)
        fastest = max(fastest, speeds[s])
        box_gaps(vector_at(at.centres, s), scene.boxes, gaps[s])
        nearest, which = math.inf, -1
        for b in range(count):
            if gaps[s, b] < nearest:
                nearest, which = gaps[s, b], b
        likely = (math.sqrt(nearest) - reach(shapes[s]) - margin) / (speeds[s] + _STILL)
        if likely < soonest:
            soonest, first, body = likely, s, which
    if first >= 0:  # what is likely nearest: most of the others then need no look
        safe = _free_of(first, body, safe, margin, scene, work)
    for s in range(shapes.shape[0] - 1, -1, -1):
        if owner(shapes[s]) == 0:
            continue
        around = reach(shapes[s]) + margin
        for b in range(count):
            far = speeds[s] * safe + around
            if gaps[s, b] <= far * far and not (s == first and b == body):
                safe = _free_of(s, b, safe, margin, scene, work)
            if safe < 0.0:
                return _TOUCHES, fastest
    for p in range(pairs.shape[0]):
        i, j, stop = pairs[p, 0], pairs[p, 1], moving.commons[p]
        apart = math.sqrt(centres_apart(i, j, at.centres)) - reach(shapes[i]) - reach(shapes[j])
        if apart > (speeds[i] + speeds[j]) * safe:
            continue
        speed = _speed(i, stop, frames, work.paces, chain, moving, shapes)
        speed += _speed(j, stop, frames, work.paces, chain, moving, shapes)
        if apart > speed * safe:
            continue
        place_shape(i, scene, frames, at)
        place_shape(j, scene, frames, at)
        free = _apart(at.rows[i], at.rows[j], speed * safe * BARELY, scene, at)
        if free <= 0.0:
            return _TOUCHES, fastest
        if free <= speed * safe:
            safe = free / speed / BARELY
    return safe, fastest


_PROOF = answers(NUMBER, INTEGER)


@entry(_PROOF(NUMBERS, NUMBERS, NUMBER, NUMBER, CHAIN, MOVING, SCENE, SEGMENT_SCRATCH))
def segment_blocked(
    start: Array,
    end: Array,
    margin: float,
    finest: float,
    chain: JointChain,
    moving: MovingPoints,
    scene: PackedScene,
    work: SegmentScratch,
) -> tuple[float, int]:
    """Prove that a straight line in joint space touches nothing, its ends included.

    Returns:
        Where it is not proved, as a share of the segment, -1: it is free; and how many
        configurations were looked at. See `segments_free`.
    """
    n = start.shape[0]
    low, high = work.waiting[0], work.waiting[1]
    for i in range(n):
        work.paces[i] = abs(end[i] - start[i])
    first, count, looks = 0, 0, 0
    a, b, share, half = 0.0, 1.0, 1.0, 1.0  # the end comes first, where branches begin to touch
    while True:
        for i in range(n):
            work.q[i] = start[i] + share * (end[i] - start[i])
        forward_frames(chain, work.q, work.frames)
        looks += 1
        safe, fastest = _look(half, margin, chain, moving, scene, work)
        if safe < half:
            if safe == _TOUCHES or half * fastest <= finest:
                return share, looks
            if count + 2 > _OPEN:
                return share, looks
            if share - safe > a:
                place = (first + count) % _OPEN
                low[place], high[place] = a, share - safe
                count += 1
            if share + safe < b:
                place = (first + count) % _OPEN
                low[place], high[place] = share + safe, b
                count += 1
        if count == 0:
            return -1.0, looks
        count -= 1
        if count < _OPEN // 2:
            place = first
            first = (first + 1) % _OPEN
        else:
            place = (first + count) % _OPEN
        a, b = low[place], high[place]
        share, half = 0.5 * (a + b), 0.5 * (b - a)


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
    work = make_segment_scratch(chain, scene)
    looks = 0
    for k in range(Q.shape[0] - 1):
        share, tried = segment_blocked(Q[k], Q[k + 1], margin, finest, chain, moving, scene, work)
        looks += tried
        if share >= 0.0:
            return False, k + share, looks
    return True, float(Q.shape[0] - 1), looks
