"""Pairs that touch, followed from step to step: when a touch begins, when it ends, how deep it is.

A compiled pass after the step goes over the engine's contacts, adds up those of each pair of sides,
and compares with the pairs it knows. A touch begins in the first step that gives it a force, a
rebound or a lasting one. It ends when the two have been apart for `LINGER`; so what trembles or
bounces more often than that touches all the time, and what rests never flickers. Things asleep go
on touching what they touched when they fell asleep.

**Too deep.** A contact is noticed when solids overlap, so a pair that meets fast is in each other
by the way of one step, however hard it is stopped, and takes its time to come out again. The law:

    depth <= MAX_DEPTH + max over the past of  WAY v dt exp(-t / EASE)

v is the closing speed that the pair had a time t ago, before the engine stopped it; of a ball that
rebounded v dt is the depth it was noticed in. So slow pressing is told from 1 mm on, and fast
pressing soon after. What was put into each other, at the start or by hand, has no speed. Contacts
that give no force do not count: seams, and balls that leave.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.address_table import (
    AddressTable,
    integers_at,
    lines_at,
    open_touches,
    whole_at,
)
from armwerk.physics.contacts.adjust import DEEP_FROM
from armwerk.physics.contacts.step_view import (
    Small,
    TouchView,
    distance_of,
    first_row,
    geoms_of,
    normal_of,
    point_of,
)
from armwerk.record_reference import refer

LINGER = 0.02  # [s] apart after which a touch has ended
MAX_DEPTH = 1e-3  # [m] that is nobody's business
WAY = 1.25  # ways of one step that a pair may go: one before it is noticed, and what is left after
EASE = 0.5  # [s] in which what is allowed after a fast meeting falls to 1/e

STARTED, ENDED, TOO_DEEP = range(3)
"""What is told of a pair."""

# columns of ``TouchPairs.numbers``
SINCE, LAST, FORCE, DEPTH, ALLOWED, _WENT, POINT, NORMAL = 0, 1, 2, 3, 4, 5, 6, 9
_WIDTH = 12
# columns of ``TouchPairs.whole``
ONE, TWO, _STEP, _MARKS = range(4)
_NEW, _TOLD = 1, 2  # marks: beginning not told yet, told as too deep
# columns of ``TouchPairs.told``, then those of ``numbers``
WHAT, TIME, FIRST, SECOND, REST = range(5)
# places of ``TouchPairs.head``
COUNT, _STEPS, BEGUN = range(3)
FULL = -1  # answer of a pass: there is no room, nothing has been done


class TouchPairs(NamedTuple):
    """The pairs that touch, p at most, in the order in which they began.

    Args:
        numbers: Beginning and last overlap [s], force [N], depth, depth allowed beyond MAX_DEPTH
            and way in this step [m], point [m], normal. Shape (p, 12).
        whole: The two sides, the step last seen in, marks; four per pair. Shape (4p,).
        slots: Scratch: places of pairs by a hash of their sides. Shape (2p,), p a power of two.
        told: What, when [s], the two sides, and their numbers. Shape (3p, 16).
        head: Number of pairs, steps seen, 1 after the first step. Shape (3,).
        placed: 1 for a thing that was put somewhere since the last step. Shape (n,).
        side: Of every geom. Shape (g,).
        movable: How many sides can move; things, then robots, come first. Shape (1,).
    """

    numbers: Array
    whole: Integers
    slots: Small
    told: Array
    head: Integers
    placed: Small
    side: Small
    movable: Integers


def no_touches(room: int, side: Small, things: int, movable: int) -> TouchPairs:
    """Return pairs of which none touches.

    Args:
        room: For how many pairs, a power of two.
        side: Of every geom. Shape (g,).
        things: Number of things.
        movable: How many sides can move.
    """
    return TouchPairs(
        np.zeros((room, _WIDTH)),
        np.zeros(4 * room, dtype=np.int64),
        np.zeros(2 * room, dtype=np.int32),
        np.zeros((3 * room, REST + _WIDTH)),
        np.zeros(3, dtype=np.int64),
        np.zeros(things, dtype=np.int32),
        side,
        np.array([movable], dtype=np.int64),
    )


@inner(flatten=True)
def _slot(pairs: TouchPairs, one: int, two: int) -> int:
    """Return where a pair stands in the index, or the free place where it belongs."""
    last = pairs.slots.shape[0] - 1
    at = int((one * 40503 + two * 9973) & last)
    while True:
        place = pairs.slots[at]
        if place < 0 or (
            pairs.whole[4 * place + ONE] == one and pairs.whole[4 * place + TWO] == two
        ):
            return at
        at = (at + 1) & last


@inner(flatten=True)
def _enter(pairs: TouchPairs, one: int, two: int, time: float) -> int:
    """Return the place of a pair, which begins to touch if it did not."""
    at = _slot(pairs, one, two)
    if pairs.slots[at] < 0:
        place = pairs.head[COUNT]
        pairs.head[COUNT] += 1
        pairs.slots[at] = place
        pairs.whole[4 * place + ONE], pairs.whole[4 * place + TWO] = one, two
        pairs.whole[4 * place + _STEP], pairs.whole[4 * place + _MARKS] = -1, _NEW
        pairs.numbers[place, :] = 0.0
        pairs.numbers[place, SINCE] = time
    return int(pairs.slots[at])


@inner(flatten=True)
def _add_up(touch: TouchView, pairs: TouchPairs, time: float) -> None:
    """Add the forces, points and depths of all contacts to their pairs."""
    now, blows = pairs.head[_STEPS], touch.blow[-1] != 0.0
    for i in range(touch.contacts.length):
        first, second = geoms_of(touch.contacts, i)
        row = first_row(touch.contacts, i)
        if row < 0 or first < 0 or second < 0:
            continue
        force, way = touch.rows.force[row], -touch.rows.velocity[row] * touch.dt
        depth = -distance_of(touch.contacts, i)
        if blows and i < touch.blow.shape[0] - 1 and touch.blow[i] > 0.0:
            force += touch.blow[i] / touch.dt
            way = max(way, depth)
        one, two, sign = pairs.side[first], pairs.side[second], -1.0
        if one > two:
            one, two, sign = two, one, 1.0
        if not force > 0.0:
            known = pairs.slots[_slot(pairs, one, two)]
            if known >= 0:
                pairs.numbers[known, LAST] = time
            continue
        place = _enter(pairs, one, two, time)
        numbers = pairs.numbers[place]
        if pairs.whole[4 * place + _STEP] != now:
            pairs.whole[4 * place + _STEP] = now
            numbers[FORCE] = numbers[DEPTH] = numbers[_WENT] = 0.0
            numbers[POINT:] = 0.0
        point, normal = point_of(touch.contacts, i), normal_of(touch.contacts, i)
        numbers[FORCE] += force
        numbers[DEPTH] = max(numbers[DEPTH], depth)
        numbers[_WENT] = max(numbers[_WENT], way)
        for k in range(3):
            numbers[POINT + k] += force * point[k]
            numbers[NORMAL + k] += force * sign * normal[k]


@inner(flatten=True)
def _average(numbers: Array) -> None:
    """Turn sums into the middle of the forces, and into their resultant and its direction."""
    size = 0.0
    for k in range(3):
        numbers[POINT + k] /= numbers[FORCE]
        size += numbers[NORMAL + k] * numbers[NORMAL + k]
    size = math.sqrt(size)
    if size > 0.0:
        for k in range(3):
            numbers[NORMAL + k] /= size
    numbers[FORCE] = size


@inner(flatten=True)
def _is_too_deep(touch: TouchView, pairs: TouchPairs, place: int) -> bool:
    """Apply the law of depth to a pair that touches; True: once per time that it is broken."""
    numbers, put = pairs.numbers[place], pairs.head[BEGUN] == 0
    for side in (pairs.whole[4 * place + ONE], pairs.whole[4 * place + TWO]):
        put = put or (side < touch.thing_count and pairs.placed[side] != 0)
    way = 0.0 if put else WAY * numbers[_WENT]
    numbers[ALLOWED] = max((1.0 - touch.dt / EASE) * numbers[ALLOWED], way)
    told = pairs.whole[4 * place + _MARKS] & _TOLD != 0
    if told and numbers[DEPTH] <= DEEP_FROM:
        pairs.whole[4 * place + _MARKS] &= ~_TOLD
    if told or numbers[DEPTH] <= MAX_DEPTH + numbers[ALLOWED]:
        return False
    pairs.whole[4 * place + _MARKS] |= _TOLD
    return True


@inner(flatten=True)
def _tell(pairs: TouchPairs, count: int, what: int, time: float, place: int) -> int:
    """Write what is to be told of a pair; return how much there is now."""
    row = pairs.told[count]
    row[WHAT], row[TIME] = what, time
    row[FIRST], row[SECOND] = pairs.whole[4 * place + ONE], pairs.whole[4 * place + TWO]
    row[REST:] = pairs.numbers[place]
    return count + 1


@inner(flatten=True)
def _sleeps(touch: TouchView, pairs: TouchPairs, place: int) -> bool:
    """Whether a pair is left out of the reckoning: a thing asleep, and no one awake beside it."""
    asleep = False
    for side in (pairs.whole[4 * place + ONE], pairs.whole[4 * place + TWO]):
        if side < touch.thing_count:
            if touch.asleep[side] < 0:
                return False
            asleep = True
        elif side < pairs.movable[0]:
            return False
    return asleep


@inner(flatten=True)
def _open(table: AddressTable) -> TouchPairs:
    """Return the pairs whose arrays a table holds, in their order."""
    return TouchPairs(
        lines_at(table, 0, _WIDTH),
        integers_at(table, 1),
        whole_at(table, 2),
        lines_at(table, 3, REST + _WIDTH),
        integers_at(table, 4),
        whole_at(table, 5),
        whole_at(table, 6),
        integers_at(table, 7),
    )


@entry("int64(int64[::1], int64[::1], float64)", flatten=True)
def follow_pairs(table: AddressTable, touching: AddressTable, time: float) -> int:
    """Take in the step just made.

    Args:
        table: Where everything lies, see `armwerk.physics.contacts.address_table`.
        touching: Where the arrays of the pairs lie, in the order of `TouchPairs`.
        time: At the beginning of the step [s].

    Returns:
        How many rows of ``pairs.told`` there are to read; FULL: there is no room for that many
        pairs, and nothing has been done.
    """
    touch, pairs = refer(open_touches(table)), refer(_open(touching))
    before = pairs.head[COUNT]
    if before + touch.contacts.length > pairs.numbers.shape[0]:
        return FULL
    pairs.slots[:] = -1
    for place in range(before):
        one, two = pairs.whole[4 * place + ONE], pairs.whole[4 * place + TWO]
        pairs.slots[_slot(pairs, one, two)] = place
    pairs.head[_STEPS] += 1
    _add_up(touch, pairs, time)
    now, told, kept = pairs.head[_STEPS], 0, 0
    for place in range(pairs.head[COUNT]):
        numbers, stays = pairs.numbers[place], True
        if pairs.whole[4 * place + _STEP] == now:
            _average(numbers)
            numbers[LAST] = time
            if pairs.whole[4 * place + _MARKS] & _NEW:
                pairs.whole[4 * place + _MARKS] &= ~_NEW
                told = _tell(pairs, told, STARTED, time, place)
            if _is_too_deep(touch, pairs, place):
                told = _tell(pairs, told, TOO_DEEP, time, place)
        elif not _sleeps(touch, pairs, place):
            numbers[FORCE] = 0.0
            stays = time - numbers[LAST] < LINGER
            if not stays:
                told = _tell(pairs, told, ENDED, numbers[LAST], place)
        if stays:
            if kept != place:
                pairs.numbers[kept] = numbers
                for k in range(4):
                    pairs.whole[4 * kept + k] = pairs.whole[4 * place + k]
            kept += 1
    pairs.head[COUNT] = kept
    pairs.head[BEGUN] = 1
    pairs.placed[:] = 0
    return told
