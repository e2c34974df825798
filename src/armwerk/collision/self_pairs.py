"""Which shapes of an arm are held against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armwerk.collision.kernels import layout
from armwerk.collision.packing import Array, IntArray
from armwerk.collision.scene_arrays import Scene, pack_scene
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.collision.checker import Checker

SAMPLES = 200


def self_pairs(checker: Checker) -> IntArray:
    """Return the pairs of shapes of a checker's arms that may touch or not. Shape (p, 2).

    Left out: shapes of one link, of neighbouring links, what stands still both times, and pairs
    that touch in every one of `SAMPLES` configurations.
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
    return candidates[~_always_touching(checker, scene, candidates)]


def _links_before(checker: Checker, shaped: set[int]) -> list[int]:
    """Return for every link the nearest one towards the base that has shapes; -1: none."""
    if isinstance(checker.arms[0], Assembly):
        tree = checker.arms[0].tree
        places = {name: k for k, name in enumerate(tree, start=1)} | {next(iter(tree)): 0}
        parents = [-1, *(places.get(str(place.fix), -1) for place in tree.values())]
    else:
        parents = [-1, *(int(row[layout.LINK - 1]) for row in checker.links)]
    result = []
    for parent in parents:
        link = parent
        while link >= 0 and link not in shaped:
            link = parents[link]
        result.append(link)
    return result


def _always_touching(checker: Checker, scene: Scene, pairs: IntArray) -> NDArray[np.bool_]:
    """Return which pairs touch in all samples within the limits. Shape (p,)."""
    from armwerk.collision.kernels import arm

    frames = checker.frames(_samples(checker.limits))
    frames = frames[np.abs(frames[:, 1:]).max(axis=(1, 2)) > 0]  # closed chains that close
    always = np.zeros(len(pairs), dtype=np.bool_)
    for n in range(len(pairs)):
        one = scene._replace(pairs=pairs[n : n + 1])
        few = arm.firsts_at(frames[:8], *one)[:, 0]  # most pairs show within a few samples
        if len(few) and (few >= 0).all():
            always[n] = bool((arm.firsts_at(frames, *one)[:, 0] >= 0).all())
    return always


def _samples(limits: Array) -> Array:
    """Return configurations spread over the limits, a turn or a metre where there are none."""
    from scipy.stats import qmc

    low = np.where(np.isfinite(limits[:, 0]), limits[:, 0], -np.pi)
    high = np.where(np.isfinite(limits[:, 1]), limits[:, 1], np.pi)
    points = qmc.Halton(len(limits), scramble=False).random(SAMPLES + 1)[1:]
    return np.ascontiguousarray(low + points * (high - low))
