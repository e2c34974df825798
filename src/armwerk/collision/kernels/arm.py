"""A whole arm in one compiled loop: where its links are, and what they touch.

The ball around a shape is held against the boxes around all bodies at once; only what is left is
placed in the world and tested, covers first. ``boxes``, Shape (6, b), are the lowest and highest
corners of the bodies, ``pairs``, Shape (p, 2), the shapes of the arm that are held against each
other.
"""

from __future__ import annotations

import numpy as np

from armwerk.collision.kernels.layout import (
    BOX,
    COVER,
    COVERS,
    KIND,
    LINK,
    MIDDLE,
    OWNER,
    REACH,
    SIZE,
    Array,
)
from armwerk.collision.kernels.pair_contact import (
    TABLES,
    touch,
    touch_plain,
    working,
)
from armwerk.collision.kernels.rows import place
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.trig import sincos

_KIND, _BEFORE = LINK - 2, LINK - 1
_ROWS = "float64[:,::1]"
SCENE = f"{_ROWS}, {_ROWS}, {_ROWS}, {_ROWS}, int64[:,::1], {TABLES}"
"""Types of shapes, covers, bodies, boxes, pairs and the four tables of meshes."""


@inner
def walk(links: Array, q: Array, F: Array) -> None:
    """Fill the frames right behind all joints, twelve numbers each; row 0 is the world."""
    for k in range(12):
        F[0, k] = 1.0 if k % 5 == 0 else 0.0
    for i in range(links.shape[0]):
        C, before, out = links[i], F[int(links[i, _BEFORE])], F[i + 1]
        sine, cosine, shift = 0.0, 1.0, 0.0
        if C[_KIND] == 0.0:
            sine, cosine = sincos(q[i])
        else:
            shift = q[i]
        for r in range(3):
            a, b, c, d = before[4 * r], before[4 * r + 1], before[4 * r + 2], before[4 * r + 3]
            x = a * C[0] + b * C[4] + c * C[8]
            y = a * C[1] + b * C[5] + c * C[9]
            z = a * C[2] + b * C[6] + c * C[10]
            out[4 * r] = cosine * x + sine * y
            out[4 * r + 1] = cosine * y - sine * x
            out[4 * r + 2] = z
            out[4 * r + 3] = a * C[3] + b * C[7] + c * C[11] + d + shift * z


@inner
def settle(shapes: Array, F: Array, balls: Array, ready: Array) -> None:
    """Fill the balls around all shapes, middle and radius, and forget what was placed."""
    for s in range(shapes.shape[0]):
        row, T = shapes[s], F[int(shapes[s, OWNER])]
        x, y, z = row[MIDDLE], row[MIDDLE + 1], row[MIDDLE + 2]
        balls[s, 0] = T[0] * x + T[1] * y + T[2] * z + T[3]
        balls[s, 1] = T[4] * x + T[5] * y + T[6] * z + T[7]
        balls[s, 2] = T[8] * x + T[9] * y + T[10] * z + T[11]
        balls[s, 3] = row[REACH]
        ready[s] = 0


@inner
def prepare(
    s: int, shapes: Array, covers: Array, F: Array, world: Array, hidden: Array, ready: Array
) -> None:
    """Place a shape and its covers in the world."""
    row = shapes[s]
    T = F[int(row[OWNER])]
    place(T, row, world[s])
    first = int(row[COVER])
    for c in range(first, first + int(row[COVERS])):
        place(T, covers[c], hidden[c])
    ready[s] = 1


@inner
def near_boxes(ball: Array, boxes: Array, gaps: Array) -> None:
    """Fill the squared distances of a ball's middle to all boxes."""
    x, y, z = ball[0], ball[1], ball[2]
    for b in range(boxes.shape[1]):
        u = max(boxes[0, b] - x, x - boxes[3, b], 0.0)
        v = max(boxes[1, b] - y, y - boxes[4, b], 0.0)
        w = max(boxes[2, b] - z, z - boxes[5, b], 0.0)
        gaps[b] = u * u + v * v + w * w


@inner
def hits_body(
    s: int,
    body: Array,
    world: Array,
    hidden: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    S: Array,
    W: Array,
) -> bool:
    """Whether a placed shape touches a body; its covers are asked first."""
    row = world[s]
    first, count = int(row[COVER]), int(row[COVERS])
    if count > 0:
        close = False
        plain = body[KIND] <= BOX
        for c in range(first, first + count):
            if (
                touch_plain(hidden[c], body)
                if plain
                else touch(hidden[c], body, triangles, nodes, meshes, points, S, W)
            ):
                close = True
                break
        if not close:
            return False
    return touch(row, body, triangles, nodes, meshes, points, S, W)


@inner
def covers_meet(i: int, j: int, world: Array, hidden: Array) -> bool:
    """Whether the covers of two placed shapes touch, so that the shapes themselves may.

    Covers are spheres or capsules; a shape without covers stands for itself where it is plain.
    """
    first, second = int(world[i, COVER]), int(world[j, COVER])
    one, two = int(world[i, COVERS]), int(world[j, COVERS])
    if (one == 0 and world[i, KIND] > BOX) or (two == 0 and world[j, KIND] > BOX):
        return True
    for c in range(max(one, 1)):
        for d in range(max(two, 1)):
            a = hidden[first + c] if one > 0 else world[i]
            b = hidden[second + d] if two > 0 else world[j]
            if touch_plain(a, b):
                return True
    return False


@inner
def first_hit(
    F: Array,
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
    gaps: Array,
    ready: Array,
    S: Array,
    W: Array,
) -> tuple[int, int]:
    """Return shape and body that touch, or shape and -2 - the other shape, or (-1, -1)."""
    settle(shapes, F, balls, ready)
    for s in range(shapes.shape[0] - 1, -1, -1):
        if shapes[s, OWNER] == 0.0:  # stands still, as the bodies do
            continue
        near_boxes(balls[s], boxes, gaps)
        far = balls[s, 3] * balls[s, 3]
        plain = shapes[s, KIND] <= BOX
        for b in range(bodies.shape[0]):
            if gaps[b] <= far:
                if ready[s] == 0:
                    prepare(s, shapes, covers, F, world, hidden, ready)
                if plain and bodies[b, KIND] <= BOX:
                    if touch_plain(world[s], bodies[b]):
                        return s, b
                elif hits_body(s, bodies[b], world, hidden, triangles, nodes, meshes, points, S, W):
                    return s, b
    for n in range(pairs.shape[0]):
        i, j = pairs[n, 0], pairs[n, 1]
        x, y, z = balls[i, 0] - balls[j, 0], balls[i, 1] - balls[j, 1], balls[i, 2] - balls[j, 2]
        far = balls[i, 3] + balls[j, 3]
        if x * x + y * y + z * z <= far * far:
            if ready[i] == 0:
                prepare(i, shapes, covers, F, world, hidden, ready)
            if ready[j] == 0:
                prepare(j, shapes, covers, F, world, hidden, ready)
            if not covers_meet(i, j, world, hidden):
                continue
            if world[i, KIND] <= BOX and world[j, KIND] <= BOX:
                return i, -2 - j
            if touch(world[i], world[j], triangles, nodes, meshes, points, S, W):
                return i, -2 - j
    return -1, -1


@inner
def space(shapes: Array, covers: Array, bodies: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Return the working space of a scene: shapes and covers in the world, balls, gaps, ready."""
    return (
        np.zeros((shapes.shape[0], SIZE)),
        np.zeros((covers.shape[0], SIZE)),
        np.zeros((shapes.shape[0], 4)),
        np.zeros(bodies.shape[0]),
        np.zeros(shapes.shape[0], dtype=np.int64),
    )


@entry(f"boolean[::1]({_ROWS}, {_ROWS}, {SCENE})")
def contacts(
    links: Array,
    q: Array,
    shapes: Array,
    covers: Array,
    bodies: Array,
    boxes: Array,
    pairs: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
) -> Array:
    """Return for m configurations (m, n) whether the arm touches anything. Shape (m,)."""
    out = np.zeros(q.shape[0], dtype=np.bool_)
    F = np.zeros((links.shape[0] + 1, 12))
    world, hidden, balls, gaps, ready = space(shapes, covers, bodies)
    S, W = working()
    for m in range(q.shape[0]):
        walk(links, q[m], F)
        found = first_hit(
            F,
            shapes,
            covers,
            bodies,
            boxes,
            pairs,
            triangles,
            nodes,
            meshes,
            points,
            world,
            hidden,
            balls,
            gaps,
            ready,
            S,
            W,
        )
        out[m] = found[0] >= 0
    return out


@entry(f"int64[:,::1](float64[:,:,::1], {SCENE})")
def firsts_at(
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
) -> Array:
    """Return for frames (m, links + 1, 12) the first contact as `first_hit` does. Shape (m, 2)."""
    out = np.zeros((frames.shape[0], 2), dtype=np.int64)
    world, hidden, balls, gaps, ready = space(shapes, covers, bodies)
    S, W = working()
    for m in range(frames.shape[0]):
        out[m, 0], out[m, 1] = first_hit(
            frames[m],
            shapes,
            covers,
            bodies,
            boxes,
            pairs,
            triangles,
            nodes,
            meshes,
            points,
            world,
            hidden,
            balls,
            gaps,
            ready,
            S,
            W,
        )
    return out


@entry(f"float64[:,:,::1]({_ROWS}, {_ROWS})")
def frames_of(links: Array, q: Array) -> Array:
    """Return the frames of m configurations as `walk` fills them. Shape (m, links + 1, 12)."""
    out = np.zeros((q.shape[0], links.shape[0] + 1, 12))
    for m in range(q.shape[0]):
        walk(links, q[m], out[m])
    return out


@entry(f"Tuple((int64[::1], int64))(float64[:,:,::1], {SCENE})")
def sums_at(
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
) -> tuple[Array, int]:
    """Return for each configuration the sum of body number + 1 over all hits, and all hits.

    Every moving shape is held against every body; the arm itself does not count. Shape (m,).
    """
    out = np.zeros(frames.shape[0], dtype=np.int64)
    world, hidden, balls, gaps, ready = space(shapes, covers, bodies)
    S, W = working()
    hits = 0
    for m in range(frames.shape[0]):
        F = frames[m]
        settle(shapes, F, balls, ready)
        for s in range(shapes.shape[0]):
            if shapes[s, OWNER] == 0.0:
                continue
            near_boxes(balls[s], boxes, gaps)
            far = balls[s, 3] * balls[s, 3]
            last = -1  # a body of several rows counts once; its rows stand together
            for b in range(bodies.shape[0]):
                owner = int(bodies[b, OWNER])
                if gaps[b] <= far and owner != last:
                    if ready[s] == 0:
                        prepare(s, shapes, covers, F, world, hidden, ready)
                    if hits_body(
                        s, bodies[b], world, hidden, triangles, nodes, meshes, points, S, W
                    ):
                        out[m] += owner + 1
                        hits += 1
                        last = owner
    return out, hits


@entry(f"{_ROWS}({_ROWS}, {_ROWS})")
def rows_at(F: Array, shapes: Array) -> Array:
    """Return all shapes in the world for one configuration's frames. Shape (s, SIZE)."""
    out = np.zeros((shapes.shape[0], SIZE))
    for s in range(shapes.shape[0]):
        place(F[int(shapes[s, OWNER])], shapes[s], out[s])
    return out
