"""How far a moving arm can get, and whether that keeps it clear: proofs for whole intervals.

Within an interval of a motion joint i is at most radii[i] away from where it is in the middle. A
point x of the arm then gets at most this far: let the joints leave the middle one after the other,
the outermost first. Each turns about an axis that is still where it was, by at most radii[i], so

    moved ← moved + min(radii[i], 2) (distance of x to the axis + moved)

and a sliding joint adds radii[i]. What is swept by a ball, a sphere or a capsule, moves as its
core does; a box as its corners, since displacements are affine in the point; all else as the
ball around it. ``cores``, Shape (k, 4), are those points in the frames of their links, each with
a radius that goes along, ``first``, Shape (s + 1,), where those of a shape begin.

A shape that is further away from a body than it can get does not touch it in the whole interval.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.collision.kernels.arm import SCENE, near_boxes, prepare, settle, space
from armwerk.collision.kernels.layout import LINK, OWNER, Array
from armwerk.collision.kernels.pair_contact import working
from armwerk.collision.kernels.pair_distance import gap
from armwerk.compiled import entry, inner

FREE, UNDECIDED, CONTACT = 0, 1, 2
_KIND, _BEFORE = LINK - 2, LINK - 1
_ROWS = "float64[:,::1]"
CORES = "float64[:,::1], int64[::1], int64[::1]"


@inner
def shape_move(
    s: int,
    stop: int,
    F: Array,
    links: Array,
    radii: Array,
    cores: Array,
    first: Array,
    shapes: Array,
) -> float:
    """Return how far a shape can get, seen from link ``stop`` on its way to the base."""
    most = 0.0
    owner = int(shapes[s, OWNER])
    T = F[owner]
    for c in range(first[s], first[s + 1]):
        u, v, w, extra = cores[c, 0], cores[c, 1], cores[c, 2], cores[c, 3]
        x = T[0] * u + T[1] * v + T[2] * w + T[3]
        y = T[4] * u + T[5] * v + T[6] * w + T[7]
        z = T[8] * u + T[9] * v + T[10] * w + T[11]
        moved = 0.0
        link = owner
        while link != stop and link > 0:
            A, r = F[link], radii[link - 1]
            if links[link - 1, _KIND] == 0.0:
                i, j, k = x - A[3], y - A[7], z - A[11]
                a, b, c2 = j * A[10] - k * A[6], k * A[2] - i * A[10], i * A[6] - j * A[2]
                moved += min(r, 2.0) * (math.sqrt(a * a + b * b + c2 * c2) + extra + moved)
            else:
                moved += r
            link = int(links[link - 1, _BEFORE])
        most = max(most, moved)
    return most


@entry(
    f"Tuple(({_ROWS}, {_ROWS}))({_ROWS}, float64[:,:,::1], {_ROWS}, {_ROWS}, int64[:,::1], {CORES})"
)
def moves_of(
    links: Array,
    frames: Array,
    radii: Array,
    shapes: Array,
    pairs: Array,
    cores: Array,
    first: Array,
    commons: Array,
) -> tuple[Array, Array]:
    """Return how far shapes get in m intervals, Shape (m, s), and pairs of them, Shape (m, p).

    ``commons``, Shape (p,), is the link from which both shapes of a pair hang.
    """
    m = frames.shape[0]
    single, double = np.zeros((m, shapes.shape[0])), np.zeros((m, pairs.shape[0]))
    for n in range(m):
        F, r = frames[n], radii[n]
        for s in range(shapes.shape[0]):
            single[n, s] = shape_move(s, 0, F, links, r, cores, first, shapes)
        for p in range(pairs.shape[0]):
            i, j = pairs[p, 0], pairs[p, 1]
            double[n, p] = shape_move(
                i, commons[p], F, links, r, cores, first, shapes
            ) + shape_move(j, commons[p], F, links, r, cores, first, shapes)
    return single, double


@inner
def pair_state(
    i: int,
    j: int,
    move: float,
    F: Array,
    shapes: Array,
    covers: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    world: Array,
    hidden: Array,
    balls: Array,
    ready: Array,
    S: Array,
    W: Array,
    P: Array,
) -> int:
    """Return whether two shapes of the arm touch now, cannot within ``move``, or may."""
    x, y, z = balls[i, 0] - balls[j, 0], balls[i, 1] - balls[j, 1], balls[i, 2] - balls[j, 2]
    if math.sqrt(x * x + y * y + z * z) - balls[i, 3] - balls[j, 3] > move:
        return FREE
    if ready[i] == 0:
        prepare(i, shapes, covers, F, world, hidden, ready)
    if ready[j] == 0:
        prepare(j, shapes, covers, F, world, hidden, ready)
    found = gap(world[i], world[j], move * 1.0000001, triangles, nodes, meshes, points, S, W, P)
    if found <= 0.0:
        return CONTACT
    return UNDECIDED if found <= move else FREE


@entry(
    f"Tuple((float64[::1], float64[::1], int64[::1]))(float64[:,:,::1], {_ROWS}, {_ROWS}, {SCENE})"
)
def proofs(
    frames: Array,
    moves: Array,
    pair_moves: Array,
    shapes: Array,
    covers: Array,
    bodies: Array,
    boxes: Array,
    pairs: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
) -> tuple[Array, Array, Array]:
    """Return what is certain about m intervals, from their middles and how far shapes get.

    Returns:
        Distance to the bodies in the middle; a lower bound of it in the whole interval; and of the
        arm itself `FREE`, `UNDECIDED` or `CONTACT`. Each of shape (m,).
    """
    m = frames.shape[0]
    out, least = np.full(m, math.inf), np.full(m, math.inf)
    states = np.zeros(m, dtype=np.int64)
    world, hidden, balls, near, ready = space(shapes, covers, bodies)
    S, W = working()
    P = np.zeros((2, 3))
    for n in range(m):
        F = frames[n]
        settle(shapes, F, balls, ready)
        best, low = math.inf, math.inf
        for s in range(shapes.shape[0]):
            if shapes[s, OWNER] == 0.0:
                continue
            move = moves[n, s]
            near_boxes(balls[s], boxes, near)
            for b in range(bodies.shape[0]):
                far = max(best, low + move)
                if math.sqrt(near[b]) - balls[s, 3] >= far:
                    continue
                if ready[s] == 0:
                    prepare(s, shapes, covers, F, world, hidden, ready)
                found = gap(world[s], bodies[b], far, triangles, nodes, meshes, points, S, W, P)
                best = min(best, found)
                low = min(low, found - move)
        out[n], least[n] = best, low
        for p in range(pairs.shape[0]):
            state = pair_state(
                pairs[p, 0],
                pairs[p, 1],
                pair_moves[n, p],
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
            states[n] = max(states[n], state)
            if state == CONTACT:
                break
    return out, least, states
