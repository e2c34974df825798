"""Static friction of gripper pads and touch parts that does not creep.

Friction in MuJoCo only opposes velocities, so whatever hangs between two fingers sinks slowly, and
leaves a gripper that is swung; what lies on a single touch part creeps off it. Here every pair of
pad and thing that touch remembers how they stood to each other when they met, the anchor, and the
tangential rows of their contacts pull back to it:

    a_ref = -b (v · t) - k (x · t),    x = s + theta × (p - c),

with v the velocity of the thing at the pad, s and theta its shift and small turn since then, p the
contact, c the thing's centre and t a tangent. The friction cone still limits the force: where it is
used up, the thing slides, and gets a new anchor when it has left the old one behind. Nothing is
glued.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.address_table import AddressTable, open_pads, write_addresses
from armwerk.physics.contacts.step_view import (
    BALL,
    CUBOID,
    PAD,
    TOUCH,
    PadPairs,
    PadView,
    axis_of,
    first_row,
    geoms_of,
    point_of,
    row_count,
)
from armwerk.physics.contacts.turning import Motions, follow_turning, open_motions
from armwerk.record_reference import refer

# b dt and k dt²: a shift dies away by a quarter per step and does not swing
DAMPING, SPRING = 0.95, 0.24
SLIPPED = 5e-4  # [m] from the anchor, from which on a pair counts as sliding
ROLLED = 0.05  # [rad] turned since the anchor, from which on a thing rolls rather than sticks
MAX_PAIRS = 256  # of pad and thing at once; more than those are held by friction alone
SETTLING = 0.02  # [s] after they meet in which pad and thing settle before they are anchored


@inner
def _relative(view: PadView, pad: int, thing: int, place: Array, turn: Array) -> None:
    """Write place (3) and rotation (9) of a thing in the frame of a pad."""
    P, T = view.xmat[pad], view.xmat[thing]
    for i in range(3):
        place[i] = 0.0
        for k in range(3):
            place[i] += P[3 * k + i] * (view.xpos[thing, k] - view.xpos[pad, k])
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += P[3 * k + i] * T[3 * k + j]
            turn[3 * i + j] = total


@inner
def _moved(view: PadView, slot: int, place: Array, now: Array) -> float:
    """Write shift and small turn since the anchor in the world; return the size of the turn."""
    pairs, axes = view.pairs, view.xmat[view.pairs.pad[slot]]
    anchor, turn = pairs.anchor_turn[slot], np.zeros(3)
    for i in range(3):  # half the skew part of R_now R_anchor^T
        j, k = (i + 1) % 3, (i + 2) % 3
        for c in range(3):
            turn[i] += 0.5 * now[3 * k + c] * anchor[3 * j + c]
            turn[i] -= 0.5 * now[3 * j + c] * anchor[3 * k + c]
    size = 0.0
    for i in range(3):
        pairs.shift[slot, i], pairs.turn[slot, i] = 0.0, 0.0
        for k in range(3):
            pairs.shift[slot, i] += axes[3 * i + k] * (place[k] - pairs.anchor_place[slot, k])
            pairs.turn[slot, i] += axes[3 * i + k] * turn[k]
        size += turn[i] * turn[i]
    return math.sqrt(size)


@inner
def _find(pairs: PadPairs, count: int, pad: int, thing: int) -> int:
    """Return the slot of a pair; -1: it is not known."""
    for slot in range(count):
        if pairs.pad[slot] == pad and pairs.thing[slot] == thing:
            return slot
    return -1


@inner
def _begin(pairs: PadPairs, slot: int, pad: int, thing: int) -> None:
    """Take a new pair into a slot."""
    pairs.pad[slot], pairs.thing[slot] = pad, thing
    pairs.seen[slot], pairs.renew[slot], pairs.age[slot] = 0, 1, 0


@inner
def _update(view: PadView, slot: int) -> None:
    """Bring one pair up to date: a new anchor, or how far it has moved from the old one."""
    pairs = view.pairs
    place, turn = np.empty(3), np.empty(9)
    _relative(view, pairs.pad[slot], pairs.thing[slot], place, turn)
    pairs.age[slot] += 1
    stays = pairs.age[slot] > int(SETTLING / view.dt) and pairs.renew[slot] == 0
    if stays and _moved(view, slot, place, turn) < ROLLED:
        return
    pairs.anchor_place[slot], pairs.anchor_turn[slot] = place, turn
    pairs.shift[slot], pairs.turn[slot] = 0.0, 0.0
    pairs.renew[slot] = 0


@inner
def _forget(pairs: PadPairs, count: int) -> int:
    """Drop the pairs that no longer touch, keeping the order of the others."""
    kept = 0
    for k in range(count):
        if pairs.seen[k] == 1:
            if kept != k:
                pairs.pad[kept], pairs.thing[kept] = pairs.pad[k], pairs.thing[k]
                pairs.seen[kept], pairs.renew[kept] = pairs.seen[k], pairs.renew[k]
                pairs.age[kept] = pairs.age[k]
                pairs.anchor_place[kept] = pairs.anchor_place[k]
                pairs.anchor_turn[kept] = pairs.anchor_turn[k]
                pairs.shift[kept], pairs.turn[kept] = pairs.shift[k], pairs.turn[k]
            kept += 1
    return kept


@inner
def _pull_back(view: PadView, i: int, slot: int, sign: float) -> None:
    """Let the tangential rows of contact i aim at the anchor of its pair."""
    row, rows = first_row(view.contacts, i), row_count(view.contacts, i)
    reference, velocity = view.rows.reference, view.rows.velocity
    damping, pull = DAMPING / view.dt, SPRING / view.dt**2 * sign
    s, turn = view.pairs.shift[slot], view.pairs.turn[slot]
    point, centre = point_of(view.contacts, i), view.xpos[view.pairs.thing[slot]]
    p0, p1, p2 = point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]
    x0 = s[0] + turn[1] * p2 - turn[2] * p1
    x1 = s[1] + turn[2] * p0 - turn[0] * p2
    x2 = s[2] + turn[0] * p1 - turn[1] * p0
    for j in range(1, min(rows, 4)):
        reference[row + j] = -damping * velocity[row + j]
    one, two = axis_of(view.contacts, i, 1), axis_of(view.contacts, i, 2)
    along = x0 * one[0] + x1 * one[1] + x2 * one[2]
    across = x0 * two[0] + x1 * two[1] + x2 * two[2]
    reference[row + 1] -= pull * along
    reference[row + 2] -= pull * across
    if math.hypot(along, across) > SLIPPED:
        view.pairs.renew[slot] = 1
    if rows >= 4:
        normal = axis_of(view.contacts, i, 0)
        twist = turn[0] * normal[0] + turn[1] * normal[1] + turn[2] * normal[2]
        reference[row + 3] -= pull * twist


@inner
def _sticks(view: PadView, geom: int, other: int) -> bool:
    """Whether a geom is a pad, or a touch part with a thing on it."""
    if geom < 0 or other < 0:
        return False
    if view.role[geom] == TOUCH:
        return bool(view.role[other] == BALL or view.role[other] == CUBOID)
    return bool(view.role[geom] == PAD)


@entry("int64(int64[::1], int64[::1], int64, boolean)")
def hold_things(table: AddressTable, moving: AddressTable, count: int, again: bool) -> int:
    """Change what the contacts of pads aim at; return the number of pairs that touch.

    Args:
        table: Where everything lies, see `armwerk.physics.contacts.address_table`.
        moving: Where the arrays of `armwerk.physics.contacts.turning.Motions` lie.
        count: Number of pairs that touched in the step before.
        again: Whether the step is made once more, so that all pairs are up to date but new ones.
    """
    view = refer(open_pads(table))
    pairs = view.pairs
    for slot in range(count):
        pairs.seen[slot] = 0
    for i in range(view.contacts.length):
        one, two = geoms_of(view.contacts, i)
        first_is_pad = _sticks(view, one, two)
        second_is_pad = _sticks(view, two, one)
        too_few = first_row(view.contacts, i) < 0 or row_count(view.contacts, i) < 3
        if too_few or first_is_pad == second_is_pad:
            continue
        pad, thing, sign = (one, two, 1.0) if first_is_pad else (two, one, -1.0)
        slot = _find(pairs, count, pad, thing)
        if slot < 0:
            if count == pairs.pad.shape[0]:
                continue
            slot, count = count, count + 1
            _begin(pairs, slot, pad, thing)
        if pairs.seen[slot] == 0:
            pairs.seen[slot] = 1
            if not again or pairs.age[slot] == 0:
                _update(view, slot)
        _pull_back(view, i, slot, sign)
    follow_turning(view, refer(open_motions(moving)))
    return _forget(pairs, count)


def no_pairs(capacity: int) -> PadPairs:
    """Return room for so many pairs."""
    return PadPairs(
        pad=np.zeros(capacity, dtype=np.int64),
        thing=np.zeros(capacity, dtype=np.int64),
        seen=np.zeros(capacity, dtype=np.int64),
        renew=np.zeros(capacity, dtype=np.int64),
        age=np.zeros(capacity, dtype=np.int64),
        anchor_place=np.zeros((capacity, 3)),
        anchor_turn=np.zeros((capacity, 9)),
        shift=np.zeros((capacity, 3)),
        turn=np.zeros((capacity, 3)),
    )


class StaticFriction:
    """The anchors of all pads of a simulation, whose contacts also follow the turning of hands.

    Args:
        motions: How bodies move.

    Attributes:
        pairs: Pads and things that touch.
    """

    def __init__(self, motions: Motions) -> None:
        self.pairs = no_pairs(MAX_PAIRS)
        self._count = 0
        self._motions = motions  # kept alive here; the table holds only their addresses
        self._moving = write_addresses(motions)

    def apply(self, table: AddressTable, *, again: bool = False) -> None:
        """Pull things back to where they were gripped; call between mj_step1 and mj_step2.

        Args:
            table: Where contacts lie, see `armwerk.physics.contacts.address_table`.
            again: Whether the step is made once more.
        """
        self._count = hold_things(table, self._moving, self._count, again)

    def capture(self) -> PadPairs:
        """Return a copy of all anchors."""
        copies = [column[: self._count].copy() for column in self.pairs]
        for column in copies:
            column.setflags(write=False)
        return PadPairs._make(copies)

    def restore(self, state: PadPairs) -> None:
        """Go on with captured anchors."""
        self._count = len(PadPairs._make(state).pad)  # files keep plain tuples
        for column, kept in zip(self.pairs, state, strict=True):
            column[: self._count] = kept
