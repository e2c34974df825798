"""Two trees that grow until they meet: RRT-Connect whole in one compiled loop.

J. J. Kuffner, S. M. LaValle: RRT-Connect: An efficient approach to single-query path planning,
ICRA 2000. Every branch is proved free, see `armwerk.collision.kernels.segments`. The trees are the
caller's, so that growing can be interrupted after any number of looks and taken up again: the same
trees grow, however often.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.collision.kernels.layout import JointChain, MovingPoints, PackedScene
from armwerk.collision.kernels.segments import (
    SegmentScratch,
    make_segment_scratch,
    segment_blocked,
)
from armwerk.collision.kernels.signatures import (
    CHAIN,
    INTEGER,
    INTEGER_ROWS,
    INTEGERS,
    MOVING,
    NUMBER,
    NUMBERS,
    ROWS,
    SCENE,
    STACKED,
    answers,
)
from armwerk.compiled import TypeText, entry, inner
from armwerk.planning.kernels.splitmix import WORDS, Words, uniform

SEARCHING, MET, FULL = 0, 1, 2
"""What `grow` ends with: looks used up, the trees have met, no room for more nodes."""
TURN, HERE, THERE = 0, 1, 2  # of the numbers of `Trees`: whose turn it is, and where they met
_DRAWS = 64  # configurations drawn until one is on a way shorter than asked for


class FreeSpace(NamedTuple):
    """Where an arm can be.

    Args:
        chain: Joints of the arm.
        moving: The points by which its shapes move.
        scene: The arm and its surroundings.
        low: Smallest joint values [rad or m]. Shape (n,).
        high: Largest ones. Shape (n,).
        margin: Distance to keep from bodies [m].
        finest: What moves less than this and is not proved counts as contact [m].
    """

    chain: JointChain
    moving: MovingPoints
    scene: PackedScene
    low: Array
    high: Array
    margin: float
    finest: float


class Trees(NamedTuple):
    """A tree from the start and one from the goals.

    Args:
        places: Joint values of all nodes. Shape (2, n, room).
        parents: Number of the node before each; -1: it is a root. Shape (2, room).
        counts: Nodes of either tree. Shape (2,).
        numbers: Whose turn it is, and the node of either tree where they met. Shape (3,).
        state: Of the random numbers. Shape (1,).
    """

    places: Array
    parents: Integers
    counts: Integers
    numbers: Integers
    state: Words


SPACE = TypeText.of_record(FreeSpace, CHAIN, MOVING, SCENE, NUMBERS, NUMBERS, NUMBER, NUMBER)
TREES = TypeText.of_record(Trees, STACKED, INTEGER_ROWS, INTEGERS, INTEGERS, WORDS)


@inner(borrows=True)
def blocked(a: Array, b: Array, space: FreeSpace, work: SegmentScratch) -> tuple[bool, int]:
    """Return whether a line is not proved free, and how many looks that took."""
    share, looks = segment_blocked(
        a, b, space.margin, space.finest, space.chain, space.moving, space.scene, work
    )
    return share >= 0.0, looks


@inner(borrows=True)
def _nearest(trees: Trees, tree: int, q: Array, apart: Array) -> int:
    """Return the node of a tree that is nearest to joint values."""
    count = trees.counts[tree]
    for k in range(count):
        apart[k] = 0.0
    for i in range(q.shape[0]):
        row, at = trees.places[tree, i], q[i]
        for k in range(count):
            apart[k] += (row[k] - at) * (row[k] - at)
    best = 0
    for k in range(1, count):
        if apart[k] < apart[best]:
            best = k
    return best


@inner(borrows=True)
def _place(trees: Trees, tree: int, node: int, q: Array) -> None:
    """Fill the joint values of a node."""
    for i in range(q.shape[0]):
        q[i] = trees.places[tree, i, node]


@inner(borrows=True)
def _added(trees: Trees, tree: int, parent: int, q: Array) -> int:
    """Add a node and return its number."""
    node = int(trees.counts[tree])
    for i in range(q.shape[0]):
        trees.places[tree, i, node] = q[i]
    trees.parents[tree, node] = parent
    trees.counts[tree] = node + 1
    return node


@inner(borrows=True)
def distance(a: Array, b: Array) -> float:
    """Return how far two configurations are apart [rad or m]."""
    total = 0.0
    for i in range(a.shape[0]):
        total += (b[i] - a[i]) * (b[i] - a[i])
    return math.sqrt(total)


@inner(borrows=True)
def between(a: Array, b: Array, share: float, out: Array) -> None:
    """Fill the configuration that is a share of the way from a to b; all of it is b itself."""
    for i in range(a.shape[0]):
        out[i] = b[i] if share == 1.0 else a[i] + share * (b[i] - a[i])


@inner(borrows=True)
def _towards(here: Array, there: Array, step: float, q: Array) -> bool:
    """Fill a place at most a step from here; whether that is there."""
    apart = distance(here, there)
    between(here, there, 1.0 if apart <= step else step / apart, q)
    return apart <= step


@inner(borrows=True)
def _draw(space: FreeSpace, trees: Trees, bound: float, q: Array, end: Array) -> None:
    """Fill random joint values; within a bound, such that a way through them can be shorter.

    Then the ends of that way are the start and the nearest goal, the first nodes of both trees.
    """
    for _ in range(_DRAWS):
        for i in range(q.shape[0]):
            q[i] = space.low[i] + uniform(trees.state) * (space.high[i] - space.low[i])
        if bound == math.inf:
            return
        way = 0.0
        for tree in range(2):
            _place(trees, tree, 0, end)
            way += distance(q, end)
        if way < bound:
            return


@entry(answers(INTEGER, INTEGER)(SPACE, TREES, NUMBER, NUMBER, INTEGER))
def grow(space: FreeSpace, trees: Trees, step: float, bound: float, budget: int) -> tuple[int, int]:
    """Grow two trees until they meet.

    Args:
        space: Where the arm can be.
        trees: Both, with at least their roots.
        step: Longest branch [rad or m].
        bound: Only configurations on ways shorter than this matter [rad or m]; inf: all do.
        budget: Looks after which to stop.

    Returns:
        `MET`, `SEARCHING` or `FULL`, and how many configurations were looked at.
    """
    n, room = space.low.shape[0], trees.parents.shape[1]
    work = make_segment_scratch(space.chain, space.scene)
    q, near, new, apart = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(room)
    most = 3 + int(distance(space.low, space.high) / step)  # nodes that one turn may add
    looks = 0
    while looks < budget:
        tree = trees.numbers[TURN]
        other = 1 - tree
        if max(trees.counts[0], trees.counts[1]) + most > room:
            return FULL, looks
        trees.numbers[TURN] = other
        _draw(space, trees, bound, q, near)
        parent = _nearest(trees, tree, q, apart)
        _place(trees, tree, parent, near)
        _towards(near, q, step, new)
        hit, tried = blocked(near, new, space, work)
        looks += tried
        if hit:
            continue
        node = _added(trees, tree, parent, new)
        _place(trees, tree, node, q)
        parent = _nearest(trees, other, q, apart)
        _place(trees, other, parent, near)
        while True:
            there = _towards(near, q, step, new)
            hit, tried = blocked(near, new, space, work)
            looks += tried
            if hit:
                break
            parent = _added(trees, other, parent, new)
            _place(trees, other, parent, near)
            if there:
                trees.numbers[HERE + tree], trees.numbers[HERE + other] = node, parent
                return MET, looks
    return SEARCHING, looks


@entry(ROWS(TREES))
def met_path(trees: Trees) -> Array:
    """Return the path from the start to a goal through where the trees met. Shape (k, n)."""
    n = trees.places.shape[1]
    count = 0
    for tree in range(2):
        node = trees.numbers[HERE + tree]
        while node >= 0:
            count += 1
            node = trees.parents[tree, node]
    out = np.zeros((count - 1, n))  # where they met is a node of both
    node, at = trees.numbers[HERE], 0
    while trees.parents[0, node] >= 0:
        node = trees.parents[0, node]
        at += 1
    node = trees.numbers[HERE]
    last = at
    while node >= 0:
        _place(trees, 0, node, out[last])
        node = trees.parents[0, node]
        last -= 1
    node = trees.parents[1, trees.numbers[THERE]]
    while node >= 0:
        at += 1
        _place(trees, 1, node, out[at])
        node = trees.parents[1, node]
    return out
