"""A whole arm in one compiled loop: where its links are, and what they touch.

The ball around a shape is held against the boxes around all bodies at once; only what is left is
placed in the world and tested, covers first.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.collision.kernels.convex_contact import touch_plain
from armwerk.collision.kernels.fields import (
    carried,
    centre,
    cover_range,
    is_plain,
    owner,
    put_at,
    reach,
    vector_at,
)
from armwerk.collision.kernels.layout import OWN, WIDTH, JointChain, PackedScene, SceneScratch
from armwerk.collision.kernels.pair_contact import make_scratch, touch
from armwerk.collision.kernels.rows import place
from armwerk.collision.kernels.signatures import (
    CHAIN,
    FLAGS,
    INTEGER,
    INTEGER_ROWS,
    INTEGERS,
    ROWS,
    SCENE,
    STACKED,
    answers,
)
from armwerk.collision.kernels.vectors import Vector, dot, minus
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.trig import sincos


@inner(flatten=True)
def forward_frames(chain: JointChain, q: Array, frames: Array) -> None:
    """Fill the frames right behind all joints; frame 0 is the world.

    A second copy of what mechanics has: here joints of several arms hang from one world, constant
    frames stand before their joints, and frames are kept in twelve numbers.
    """
    before, sliding, parents = chain.before, chain.sliding, chain.parents
    for k in range(12):
        frames[0, k] = 1.0 if k % 5 == 0 else 0.0
    for i in range(before.shape[0]):
        C, parent, out = before[i], frames[parents[i]], frames[i + 1]
        sine, cosine, shift = 0.0, 1.0, 0.0
        if sliding[i] == 0:
            sine, cosine = sincos(q[i])
        else:
            shift = q[i]
        for r in range(3):
            a, b, c, d = parent[4 * r], parent[4 * r + 1], parent[4 * r + 2], parent[4 * r + 3]
            x = a * C[0] + b * C[4] + c * C[8]
            y = a * C[1] + b * C[5] + c * C[9]
            z = a * C[2] + b * C[6] + c * C[10]
            out[4 * r] = cosine * x + sine * y
            out[4 * r + 1] = cosine * y - sine * x
            out[4 * r + 2] = z
            out[4 * r + 3] = a * C[3] + b * C[7] + c * C[11] + d + shift * z


@inner
def make_scene_scratch(scene: PackedScene) -> SceneScratch:
    """Return the working space of a scene."""
    count = scene.shapes.shape[0]
    return SceneScratch(
        np.zeros((count, WIDTH)),
        np.zeros((scene.covers.shape[0], WIDTH)),
        np.zeros((count, 3)),
        np.zeros(scene.bodies.shape[0]),
        np.zeros(count, dtype=np.int64),
        make_scratch(),
    )


@inner(flatten=True)
def place_centres(shapes: Array, frames: Array, centres: Array, ready: Integers) -> None:
    """Fill the centres of the balls around all shapes, and forget what was placed."""
    for s in range(shapes.shape[0]):
        put_at(carried(frames[owner(shapes[s])], centre(shapes[s])), centres, s)
        ready[s] = 0


@inner(flatten=True)
def place_shape(s: int, scene: PackedScene, frames: Array, work: SceneScratch) -> None:
    """Place a shape and its covers in the world, unless they are there."""
    if work.ready[s] == 0:
        _place_shape(s, scene, frames, work)


@inner
def _place_shape(s: int, scene: PackedScene, frames: Array, work: SceneScratch) -> None:
    row = scene.shapes[s]
    frame = frames[owner(row)]
    place(frame, row, work.rows[s])
    first, last = cover_range(row)
    for c in range(first, last):
        place(frame, scene.covers[c], work.covers[c])
    work.ready[s] = 1


@inner(flatten=True)
def box_gaps(p: Vector, boxes: Array, gaps: Array) -> None:
    """Fill the squared distances of a point to all boxes."""
    x, y, z = p
    for b in range(boxes.shape[1]):
        u = max(boxes[0, b] - x, x - boxes[3, b], 0.0)
        v = max(boxes[1, b] - y, y - boxes[4, b], 0.0)
        w = max(boxes[2, b] - z, z - boxes[5, b], 0.0)
        gaps[b] = u * u + v * v + w * w


@inner
def centres_apart(i: int, j: int, centres: Array) -> float:
    """Return the squared distance of the centres of two shapes."""
    between = minus(vector_at(centres, i), vector_at(centres, j))
    return dot(between, between)


@inner
def _hits_body(s: int, body: Array, scene: PackedScene, work: SceneScratch) -> bool:
    """Whether a placed shape touches a body; its covers are asked first."""
    row = work.rows[s]
    first, last = cover_range(row)
    if last > first:
        close = False
        plain = is_plain(body)
        for c in range(first, last):
            if (
                touch_plain(work.covers[c], body)
                if plain
                else touch(work.covers[c], body, scene.meshes, work.scratch)
            ):
                close = True
                break
        if not close:
            return False
    return touch(row, body, scene.meshes, work.scratch)


@inner
def _covers_meet(i: int, j: int, work: SceneScratch) -> bool:
    """Whether the covers of two placed shapes touch, so that the shapes themselves may.

    Covers are spheres or capsules; a shape without covers stands for itself where it is plain.
    """
    (first, first_end), (second, second_end) = cover_range(work.rows[i]), cover_range(work.rows[j])
    one, two = first_end - first, second_end - second
    if (one == 0 and not is_plain(work.rows[i])) or (two == 0 and not is_plain(work.rows[j])):
        return True
    for c in range(max(one, 1)):
        for d in range(max(two, 1)):
            a = work.covers[first + c] if one > 0 else work.rows[i]
            b = work.covers[second + d] if two > 0 else work.rows[j]
            if touch_plain(a, b):
                return True
    return False


@inner(flatten=True)
def first_contact(frames: Array, scene: PackedScene, work: SceneScratch) -> tuple[int, int]:
    """Return the shape and the body that touch, -1 twice: nothing; see `OWN` for two shapes."""
    shapes, bodies, boxes, pairs = scene.shapes, scene.bodies, scene.boxes, scene.pairs
    gaps, rows, centres = work.gaps, work.rows, work.centres
    place_centres(shapes, frames, centres, work.ready)
    for s in range(shapes.shape[0] - 1, -1, -1):
        shape = shapes[s]
        if owner(shape) == 0:  # stands still, as the bodies do
            continue
        box_gaps(vector_at(centres, s), boxes, gaps)
        far = reach(shape) * reach(shape)
        plain = is_plain(shape)
        for b in range(bodies.shape[0]):
            if gaps[b] <= far:
                place_shape(s, scene, frames, work)
                if plain and is_plain(bodies[b]):
                    if touch_plain(rows[s], bodies[b]):
                        return s, b
                elif _hits_body(s, bodies[b], scene, work):
                    return s, b
    for n in range(pairs.shape[0]):
        i, j = pairs[n, 0], pairs[n, 1]
        far = reach(shapes[i]) + reach(shapes[j])
        if centres_apart(i, j, centres) <= far * far:
            place_shape(i, scene, frames, work)
            place_shape(j, scene, frames, work)
            if not _covers_meet(i, j, work):
                continue
            if is_plain(rows[i]) and is_plain(rows[j]):
                return i, OWN - j
            if touch(rows[i], rows[j], scene.meshes, work.scratch):
                return i, OWN - j
    return -1, -1


@entry(FLAGS(CHAIN, ROWS, SCENE))
def contacts(chain: JointChain, q: Array, scene: PackedScene) -> Flags:
    """Return for m configurations (m, n) whether the arm touches anything. Shape (m,)."""
    out = np.zeros(q.shape[0], dtype=np.bool_)
    frames = np.zeros((chain.before.shape[0] + 1, 12))
    work = make_scene_scratch(scene)
    for m in range(q.shape[0]):
        forward_frames(chain, q[m], frames)
        out[m] = first_contact(frames, scene, work)[0] >= 0
    return out


@entry(INTEGER_ROWS(STACKED, SCENE))
def first_contacts(frames: Array, scene: PackedScene) -> Integers:
    """Return for frames (m, links + 1, 12) what `first_contact` does. Shape (m, 2)."""
    out = np.zeros((frames.shape[0], 2), dtype=np.int64)
    work = make_scene_scratch(scene)
    for m in range(frames.shape[0]):
        out[m, 0], out[m, 1] = first_contact(frames[m], scene, work)
    return out


@entry(STACKED(CHAIN, ROWS))
def frames_of(chain: JointChain, q: Array) -> Array:
    """Return the frames of m configurations (m, n). Shape (m, links + 1, 12)."""
    out = np.zeros((q.shape[0], chain.before.shape[0] + 1, 12))
    for m in range(q.shape[0]):
        forward_frames(chain, q[m], out[m])
    return out


@entry(answers(INTEGERS, INTEGER)(STACKED, SCENE))
def contact_sums(frames: Array, scene: PackedScene) -> tuple[Integers, int]:
    """Return for each configuration the sum of body number + 1 over all hits, and all hits.

    Every moving shape is held against every body; the arm itself does not count. Shape (m,).
    """
    shapes, bodies = scene.shapes, scene.bodies
    out = np.zeros(frames.shape[0], dtype=np.int64)
    work = make_scene_scratch(scene)
    gaps = work.gaps
    hits = 0
    for m in range(frames.shape[0]):
        place_centres(shapes, frames[m], work.centres, work.ready)
        for s in range(shapes.shape[0]):
            if owner(shapes[s]) == 0:
                continue
            box_gaps(vector_at(work.centres, s), scene.boxes, gaps)
            far = reach(shapes[s]) * reach(shapes[s])
            last = -1  # a body of several rows counts once; its rows stand together
            for b in range(bodies.shape[0]):
                number = owner(bodies[b])
                if gaps[b] <= far and number != last:
                    place_shape(s, scene, frames[m], work)
                    if _hits_body(s, bodies[b], scene, work):
                        out[m] += number + 1
                        hits += 1
                        last = number
    return out, hits


@entry(ROWS(ROWS, ROWS))
def placed_rows(frames: Array, shapes: Array) -> Array:
    """Return all shapes in the world for one configuration's frames. Shape (s, WIDTH)."""
    out = np.zeros((shapes.shape[0], WIDTH))
    for s in range(shapes.shape[0]):
        place(frames[owner(shapes[s])], shapes[s], out[s])
    return out
