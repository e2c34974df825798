"""Which shapes of an arm are held against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.collision.arm_shapes import moving_links
from armwerk.collision.kernels import layout
from armwerk.collision.kernels.layout import PackedScene
from armwerk.collision.scene_arrays import pack_scene
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.collision.checker import Checker

SAMPLES = 200


def self_pairs(checker: Checker) -> Integers:
    """Return the pairs of shapes of a checker's arms that may touch or not. Shape (p, 2).

    Left out: shapes of one link, of neighbouring links, what stands still both times, pairs that
    touch in every one of `SAMPLES` configurations, and made shapes that are thicker than what holds
    them apart, see `_thicker_than_apart`.
    """
    none = np.zeros((0, 2), dtype=np.int64)
    scene = pack_scene(checker.shapes, (), True, none)
    links = scene.shapes[:, layout.OWNER].astype(np.int64).tolist()
    before = _links_before(checker, set(links))
    pairs = [
        (i, j)
        for i in range(len(links))
        for j in range(i + 1, len(links))
        if links[i] != links[j] and before[links[i]] != links[j] and before[links[j]] != links[i]
    ]
    if not pairs:
        return none
    candidates = np.array(pairs, dtype=np.int64)
    candidates = candidates[~_thicker_than_apart(checker, candidates)]
    return candidates[~_always_touching(checker, scene, candidates)]


def _thicker_than_apart(checker: Checker, pairs: Integers) -> Flags:
    """Return which pairs touch because the thickness of their shapes is a guess. Shape (p,).

    Two links of an arm hang together by those between them, say a quill that slides through one and
    ends in the other. Where these bring the ends of the two nearer to each other than the guessed
    radii are together, the arm is built for that, and the guess is too thick. Shapes that were
    given are never left out for this.
    """
    whose: list[tuple[int, int, float]] = []  # of every shape: arm, link, radius
    spans: list[Array] = []
    for number, shapes in enumerate(checker.shapes):
        if not shapes.made or not isinstance(shapes.arm, Arm):
            spans.append(np.zeros(0))
            whose += [(number, 0, 0.0)] * len(shapes)
            continue
        links = moving_links(shapes.arm)
        spans.append(_spans(shapes.arm))
        for frame, shape in zip(shapes.frames, shapes.shapes, strict=True):
            whose.append((number, links[frame], float(getattr(shape, "radius", 0.0))))
    out = np.zeros(len(pairs), dtype=np.bool_)
    for n, (i, j) in enumerate(pairs.tolist()):
        (arm, one, thick), (other, two, thin) = whose[i], whose[j]
        if arm == other and thick and thin:
            between = spans[arm][min(one, two) : max(one, two) - 1]
            out[n] = bool(between.sum() < thick + thin)
    return out


def _spans(arm: Arm) -> Array:
    """Return how near each moving link brings the joint behind it to its own [m]. Shape (n,)."""
    links = moving_links(arm)
    spans = []
    for number, joint in enumerate(arm.moving, start=1):
        T = np.eye(4)
        for row in (row for k, row in enumerate(arm.joints, start=1) if links[k] == number):
            T = T @ row_matrix(*(float(v) for v in (row.offset, row.d, row.a, row.alpha)))
        x, y, z = T[:3, 3]
        if joint.kind == "prismatic":
            low, high = joint.limits or (-np.inf, np.inf)
            z += float(np.clip(-z, low, high))
        spans.append(float(np.sqrt(x * x + y * y + z * z)))
    return np.array(spans)


def _links_before(checker: Checker, shaped: set[int]) -> list[int]:
    """Return for every link the nearest one towards the base that has shapes; -1: none."""
    if isinstance(checker.arms[0], Assembly):
        tree = checker.arms[0].tree
        places = {name: k for k, name in enumerate(tree, start=1)} | {next(iter(tree)): 0}
        parents = [-1, *(places.get(str(place.fix), -1) for place in tree.values())]
    else:
        parents = [-1, *checker.chain.parents.tolist()]
    result = []
    for parent in parents:
        link = parent
        while link >= 0 and link not in shaped:
            link = parents[link]
        result.append(link)
    return result


def _always_touching(checker: Checker, scene: PackedScene, pairs: Integers) -> Flags:
    """Return which pairs touch in all samples within the limits. Shape (p,)."""
    from armwerk.collision.kernels import arm

    frames = checker.frames(_samples(checker.limits))
    frames = frames[np.abs(frames[:, 1:]).max(axis=(1, 2)) > 0]  # closed chains that close
    always = np.zeros(len(pairs), dtype=np.bool_)
    for n in range(len(pairs)):
        one = scene._replace(pairs=pairs[n : n + 1])
        few = arm.first_contacts(frames[:8], one)[:, 0]  # most pairs show within a few samples
        if len(few) and (few >= 0).all():
            always[n] = bool((arm.first_contacts(frames, one)[:, 0] >= 0).all())
    return always


def _samples(limits: Array) -> Array:
    """Return configurations spread over the limits, a turn or a metre where there are none."""
    low = np.where(np.isfinite(limits[:, 0]), limits[:, 0], -np.pi)
    high = np.where(np.isfinite(limits[:, 1]), limits[:, 1], np.pi)
    return np.ascontiguousarray(low + _halton(SAMPLES, len(limits)) * (high - low))


def _halton(count: int, size: int) -> Array:
    """Return evenly spread points of the unit cube, the Halton sequence from its second point on.

    Coordinate k of point i has the digits of i in the k-th prime base, behind the point and in
    reverse order. Shape (count, size).
    """
    bases: list[int] = []
    number = 2
    while len(bases) < size:
        if all(number % base for base in bases):
            bases.append(number)
        number += 1
    points = np.zeros((count, size))
    for k, base in enumerate(bases):
        rest, weight = np.arange(1, count + 1), 1.0 / base
        while rest.any():
            points[:, k] += weight * (rest % base)
            rest, weight = rest // base, weight / base
    return points
