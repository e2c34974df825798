"""Trigger zones and light barriers: which of them fire between one step and the next.

Centres of things come in, step by step; numbers of watches go out.

A zone fires when a centre is inside its circle now and was not the step before, or the other way
round. A barrier fires when the way of a centre from step to step crosses its segment from left to
right, however fast the thing is. Whether it does is decided by four orientations, each exact, with
every centre moved by the same vector (ε, ε²), ε smaller than any number: so no centre ever lies on
a line or passes through an end point, and of barriers that share end points each passage is counted
by exactly one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.errors import ShapeError
from armwerk.scene import Barrier, Scene, Thing, Watch

COLOUR_TOLERANCE = 10  # of 255, per channel
_ENTERS, _LEAVES, _BARRIER = 0, 1, 2
_ERROR = 3.3306690738754716e-16  # (3 + 16 u) u, u = 2⁻⁵³: bound of the rounding in `_turn`
_SPLIT = 134217729.0  # 2²⁷ + 1
_MARGIN = 1e-6  # [m] round a circle, more than the rounding of its test


class ZoneWatcher:
    """Watches the things of a scene.

    Args:
        scene: Its watches say what to look for, its things which of them count.
    """

    def __init__(self, scene: Scene) -> None:
        watches, things = scene.watches, scene.things
        self._count = len(things)
        self._kinds = np.array([_kind(watch) for watch in watches], dtype=np.int64)
        self._places = _rows([_place(watch) for watch in watches])
        self._boxes = _rows([_box(watch) for watch in watches])
        lists = [[i for i, thing in enumerate(things) if matches(w, thing)] for w in watches]
        self._first = np.cumsum([0, *(len(found) for found in lists)]).astype(np.int64)
        self._members = np.array([i for found in lists for i in found], dtype=np.int64)
        self._fired = np.empty(len(self._members), dtype=np.int64)
        self._before = np.empty((self._count, 2))
        self._ways = np.empty((self._count, 4))
        self._started = False

    def start(self, positions: ArrayLike) -> None:
        """Take positions as those of the step before; nothing fires.

        Args:
            positions: Centres of the things of the scene, in its order [m]. Shape (n, 3).
        """
        self._before[:] = self._checked(positions)[:, :2]
        self._started = True

    def put(self, thing: int, position: ArrayLike) -> None:
        """Take it that a thing was here the step before; the way there sets nothing off.

        Args:
            thing: Its place in the scene.
            position: Of its centre [m]. Shape (3,).
        """
        self._before[thing] = np.asarray(position, dtype=np.float64)[:2]

    def check(self, positions: ArrayLike) -> list[int]:
        """Return the watches that fire, by their place in the scene, in its order.

        A watch that several things set off at once is there several times. The first call without
        `start` is one.

        Args:
            positions: As for `start`.
        """
        array = self._checked(positions)
        if not self._started:
            self.start(array)
            return []
        count = _check(
            array,
            self._before,
            self._ways,
            self._kinds,
            self._places,
            self._boxes,
            self._first,
            self._members,
            self._fired,
        )
        return self._fired[:count].tolist() if count else []

    def _checked(self, positions: ArrayLike) -> Array:
        array = np.ascontiguousarray(positions, dtype=np.float64)
        if array.shape != (self._count, 3):
            raise ShapeError(
                f"positions must have shape ({self._count}, 3), one row per thing of the scene;"
                f" got {array.shape}"
            )
        return array


def matches(watch: Watch, thing: Thing) -> bool:
    """Say whether a thing is of the kind and colour that a watch looks for."""
    if thing.kind != watch.watched:
        return False
    if watch.colour is None:
        return True
    pairs = zip(bytes.fromhex(watch.colour), bytes.fromhex(thing.colour), strict=True)
    return all(abs(wanted - found) <= COLOUR_TOLERANCE for wanted, found in pairs)


def _rows(values: list[tuple[float, float, float, float]]) -> Array:
    return np.array(values, dtype=np.float64).reshape(-1, 4)


def _kind(watch: Watch) -> int:
    if isinstance(watch, Barrier):
        return _BARRIER
    return _ENTERS if watch.event == "enters" else _LEAVES


def _place(watch: Watch) -> tuple[float, float, float, float]:
    if isinstance(watch, Barrier):
        return (*watch.start, *watch.end)
    return (*watch.centre, watch.radius, 0.0)


def _box(watch: Watch) -> tuple[float, float, float, float]:
    """Return least x and y, most x and y of where a watch can fire [m]."""
    if isinstance(watch, Barrier):
        (x1, y1), (x2, y2) = watch.start, watch.end
        return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)
    (x, y), r = watch.centre, watch.radius + _MARGIN
    return x - r, y - r, x + r, y + r


@inner(inline=True)
def _product(a: float, b: float) -> tuple[float, float]:
    """Return a b as an exact sum of two floats (Dekker)."""
    high = a * b
    c = _SPLIT * a
    a1 = c - (c - a)
    a2 = a - a1
    c = _SPLIT * b
    b1 = c - (c - b)
    b2 = b - b1
    return high, a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2)


@inner
def _exact_turn(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Return the sign of (a × b) + (b × c) + (c × a), added up without rounding (Shewchuk)."""
    parts = np.zeros(12)
    parts[0], parts[1] = _product(ax, by)
    parts[2], parts[3] = _product(-ay, bx)
    parts[4], parts[5] = _product(bx, cy)
    parts[6], parts[7] = _product(-by, cx)
    parts[8], parts[9] = _product(cx, ay)
    parts[10], parts[11] = _product(-cy, ax)
    total = np.zeros(12)  # an expansion: parts that do not overlap, the largest last
    for i in range(12):
        carry = parts[i]
        for k in range(i):
            high = carry + total[k]
            rest = high - carry
            total[k] = (carry - (high - rest)) + (total[k] - rest)
            carry = high
        total[i] = carry
    for k in range(11, -1, -1):
        if total[k] != 0.0:
            return float(total[k])
    return 0.0


@inner
def _turn(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Return a number of the sign of (b - a) × (c - a): positive when c lies left of a b."""
    left = (ax - cx) * (by - cy)
    right = (ay - cy) * (bx - cx)
    difference = left - right
    if abs(difference) > _ERROR * (abs(left) + abs(right)):
        return difference
    return float(_exact_turn(ax, ay, bx, by, cx, cy))


@inner
def _is_left(place: Array, x: float, y: float) -> bool:
    """Say whether the point (x + ε, y + ε²) lies left of a barrier."""
    turn = _turn(place[0], place[1], place[2], place[3], x, y)
    if turn != 0.0:
        return bool(turn > 0.0)
    if place[3] != place[1]:
        return bool(place[3] < place[1])
    return bool(place[2] > place[0])


@inner
def _end_is_left(ax: float, ay: float, bx: float, by: float, x: float, y: float) -> bool:
    """Say whether an end (x, y) lies left of the way a b, a and b moved by (ε, ε²)."""
    turn = _turn(ax, ay, bx, by, x, y)
    if turn != 0.0:
        return bool(turn > 0.0)
    return by > ay if by != ay else bx < ax


@inner
def _crosses(place: Array, ax: float, ay: float, bx: float, by: float) -> bool:
    """Say whether the way from a to b crosses a barrier from left to right."""
    if not _is_left(place, ax, ay) or _is_left(place, bx, by):
        return False
    start_is_left: bool = _end_is_left(ax, ay, bx, by, place[0], place[1])
    end_is_left: bool = _end_is_left(ax, ay, bx, by, place[2], place[3])
    return start_is_left != end_is_left


@inner
def _inside(place: Array, x: float, y: float) -> bool:
    dx, dy = x - place[0], y - place[1]
    return bool(dx * dx + dy * dy <= place[2] * place[2])


@inner
def _measure_ways(now: Array, before: Array, ways: Array) -> bool:
    """Fill the boxes round the ways; those of things at rest, or lost in nan, lie at infinity."""
    moved = False
    for i in range(now.shape[0]):
        ax, ay, bx, by = before[i, 0], before[i, 1], now[i, 0], now[i, 1]
        if 0.0 < abs(bx - ax) + abs(by - ay) < np.inf:
            ways[i, 0], ways[i, 2] = min(ax, bx), max(ax, bx)
            ways[i, 1], ways[i, 3] = min(ay, by), max(ay, by)
            moved = True
        else:
            ways[i, 0] = np.inf
    return moved


@entry(
    "int64(float64[:,::1], float64[:,::1], float64[:,::1], int64[::1], float64[:,::1],"
    " float64[:,::1], int64[::1], int64[::1], int64[::1])"
)
def _check(
    now: Array,
    before: Array,
    ways: Array,
    kinds: Integers,
    places: Array,
    boxes: Array,
    first: Integers,
    members: Integers,
    fired: Integers,
) -> int:
    """Write the watches that fire to ``fired`` and return how many; ``before`` becomes ``now``.

    Args:
        now: Shape (n, 3).
        before: Shape (n, 2).
        ways: Scratch: boxes round the ways of the things. Shape (n, 4).
        kinds: Shape (w,).
        places: Centre and radius, or both ends. Shape (w, 4).
        boxes: Round the places; a way outside sets nothing off. Shape (w, 4).
        first: Watch i looks at members[first[i] : first[i + 1]]. Shape (w + 1,).
        members: Things.
        fired: As long as ``members``.
    """
    if not _measure_ways(now, before, ways):
        return 0
    count = 0
    for w in range(kinds.shape[0]):
        place, kind = places[w], kinds[w]
        low_x, low_y, high_x, high_y = boxes[w, 0], boxes[w, 1], boxes[w, 2], boxes[w, 3]
        for m in range(first[w], first[w + 1]):
            i = members[m]
            if ways[i, 0] > high_x or ways[i, 2] < low_x:
                continue
            if ways[i, 1] > high_y or ways[i, 3] < low_y:
                continue
            ax, ay, bx, by = before[i, 0], before[i, 1], now[i, 0], now[i, 1]
            if kind == _BARRIER:
                fires = _crosses(place, ax, ay, bx, by)
            else:
                inside = _inside(place, bx, by)
                fires = inside != _inside(place, ax, ay) and inside == (kind == _ENTERS)
            if fires:
                fired[count] = w
                count += 1
    for i in range(now.shape[0]):
        if ways[i, 0] < np.inf:
            before[i, 0], before[i, 1] = now[i, 0], now[i, 1]
    return count
