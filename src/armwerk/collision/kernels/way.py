"""Ways of straight lines in joint space, proved free of contact from end to end."""

from __future__ import annotations

import math

import numpy as np

from armwerk.collision.kernels.arm import (
    SCENE,
    first_hit,
    near_boxes,
    prepare,
    settle,
    space,
    walk,
)
from armwerk.collision.kernels.layout import OWNER, Array
from armwerk.collision.kernels.motion import (
    CONTACT,
    CORES,
    FREE,
    UNDECIDED,
    pair_state,
    shape_move,
)
from armwerk.collision.kernels.pair_contact import working
from armwerk.collision.kernels.pair_distance import gap
from armwerk.compiled import entry, inner

_ROWS = "float64[:,::1]"
_DEEP = 60  # halvings of an interval: the last is shorter than rounding
_COARSE = 0.1  # [rad or m] between the first looks at a line, where most that are blocked show it


@inner
def _bodies_state(
    F: Array,
    margin: float,
    moves: Array,
    shapes: Array,
    covers: Array,
    bodies: Array,
    boxes: Array,
    pairs: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    world: Array,
    hidden: Array,
    balls: Array,
    near: Array,
    ready: Array,
    S: Array,
    W: Array,
    P: Array,
) -> int:
    """Return whether bodies are nearer than the margin, or may get there within the moves."""
    for s in range(shapes.shape[0]):
        if shapes[s, OWNER] == 0.0:
            continue
        far = moves[s] + margin
        near_boxes(balls[s], boxes, near)
        for b in range(bodies.shape[0]):
            if math.sqrt(near[b]) - balls[s, 3] > far:
                continue
            if ready[s] == 0:
                prepare(s, shapes, covers, F, world, hidden, ready)
            found = gap(
                world[s], bodies[b], far * 1.0000001, triangles, nodes, meshes, points, S, W, P
            )
            if found <= margin:
                return CONTACT
            if found <= far:
                return UNDECIDED
    return FREE


@inner
def _own_state(
    F: Array,
    links: Array,
    radii: Array,
    moves: Array,
    cores: Array,
    first: Array,
    commons: Array,
    shapes: Array,
    covers: Array,
    bodies: Array,
    boxes: Array,
    pairs: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    world: Array,
    hidden: Array,
    balls: Array,
    near: Array,
    ready: Array,
    S: Array,
    W: Array,
    P: Array,
) -> int:
    """Return whether shapes of the arm touch each other, or may within the interval."""
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        x, y, z = balls[i, 0] - balls[j, 0], balls[i, 1] - balls[j, 1], balls[i, 2] - balls[j, 2]
        apart = math.sqrt(x * x + y * y + z * z) - balls[i, 3] - balls[j, 3]
        if apart > moves[i] + moves[j]:
            continue
        move = shape_move(i, commons[p], F, links, radii, cores, first, shapes)
        move += shape_move(j, commons[p], F, links, radii, cores, first, shapes)
        state = pair_state(
            i,
            j,
            move,
            F,
            shapes,
            covers,
            triangles,
            nodes,
            meshes,
            points,
            world,
            hidden,
            balls,
            ready,
            S,
            W,
            P,
        )
        if state != FREE:
            return state
    return FREE


@entry(f"Tuple((boolean, float64, int64))({_ROWS}, {_ROWS}, float64, float64, {CORES}, {SCENE})")
def way_free(
    links: Array,
    Q: Array,
    margin: float,
    finest: float,
    cores: Array,
    first: Array,
    commons: Array,
    shapes: Array,
    covers: Array,
    bodies: Array,
    boxes: Array,
    pairs: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
) -> tuple[bool, float, int]:
    """Prove that straight lines in joint space between waypoints touch nothing, ends included.

    Args:
        links: Joints of the arm; the last nine arrays are its scene.
        Q: Waypoints. Shape (k, n), k at least 2.
        margin: Distance to keep from bodies [m].
        finest: What moves less than this and is not proved counts as contact [m].
        cores: With the next two, see `armwerk.collision.kernels.motion`.
        first: Where cores of a shape begin.
        commons: Of the pairs.

    Returns:
        Whether it is proved; else where it is not, in segments from the start; and how many
        configurations were looked at.
    """
    scene = (shapes, covers, bodies, boxes, pairs, triangles, nodes, meshes, points)
    room = (*space(shapes, covers, bodies), *working())
    balls, ready = room[2], room[4]
    F, P = np.zeros((links.shape[0] + 1, 12)), np.zeros((2, 3))
    moves, n = np.zeros(shapes.shape[0]), Q.shape[1]
    q, radii, way = np.zeros(n), np.zeros(n), np.zeros(n)
    low, high = np.zeros(_DEEP + 2), np.zeros(_DEEP + 2)
    looks = 0
    for k in range(Q.shape[0] - 1):
        way[:] = Q[k + 1] - Q[k]
        most = np.abs(way).max()
        level, count = 0, 1
        while level == 0 or most / count > 0.5 * _COARSE:  # the end, the middle, the quarters, …
            for step in range(count):
                share = 1.0 if level == 0 else (step + 0.5) / count
                q[:] = Q[k] + share * way
                walk(links, q, F)
                looks += 1
                if first_hit(F, *scene, *room)[0] >= 0:
                    return False, k + share, looks
            count *= 2 if level > 0 else 1
            level += 1
            if level > 12:
                break
        open_ = 1
        low[0], high[0] = 0.0, 1.0
        while open_ > 0:
            open_ -= 1
            a, b = low[open_], high[open_]
            share = 0.5 * (a + b)
            q[:] = Q[k] + share * way
            radii[:] = 0.5 * (b - a) * np.abs(way)
            walk(links, q, F)
            looks += 1
            settle(shapes, F, balls, ready)
            longest = 0.0
            for s in range(shapes.shape[0]):
                moves[s] = shape_move(s, 0, F, links, radii, cores, first, shapes)
                longest = max(longest, moves[s])
            state = _bodies_state(F, margin, moves, *scene, *room, P)
            if state == FREE:
                state = _own_state(F, links, radii, moves, cores, first, commons, *scene, *room, P)
            if state == CONTACT or (state == UNDECIDED and longest <= finest):
                return False, k + share, looks
            if state == UNDECIDED:
                low[open_], high[open_] = share, b
                low[open_ + 1], high[open_ + 1] = a, share
                open_ += 2
                if open_ > _DEEP:
                    return False, k + share, looks
    return True, float(Q.shape[0] - 1), looks
