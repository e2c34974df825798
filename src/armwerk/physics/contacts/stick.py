"""Static friction of gripper pads that does not creep.

Friction in MuJoCo only opposes velocities, so whatever hangs between two fingers sinks slowly, and
leaves a gripper that is swung. Here every pair of pad and thing that touch remembers how they
stood to each other when they met, the anchor, and the tangential rows of their contacts pull back
to it:

    a_ref = -b (v · t) - k (x · t),    x = s + theta × (p - c),

with v the velocity of the thing at the pad, s and theta its shift and small turn since then, p the
contact, c the thing's centre and t a tangent. The friction cone still limits the force: where it is
used up, the thing slides, and gets a new anchor when it has left the old one behind. Nothing is
glued.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import entry
from armwerk.physics.contacts.rows import ADDRESS, DIM, FRAME, GEOM, POS, Rows

Integers = NDArray[np.int64]
Small = NDArray[np.int32]

# b dt and k dt²: a shift dies away by a quarter per step and does not swing
DAMPING, SPRING = 0.95, 0.24
SLIPPED = 5e-4  # [m] from the anchor, from which on a pair counts as sliding
ROLLED = 0.05  # [rad] turned since the anchor, from which on a thing rolls rather than sticks
MOST = 256  # pairs of pad and thing at once; more than those are held by friction alone

SETTLING = 0.02  # [s] after they meet in which pad and thing settle before they are anchored

# columns of a pair: pad, thing, whether it touches in this step, whether its anchor is to be
# renewed, and for how many steps it has touched
PAD, THING, SEEN, RENEW, AGE = range(5)
# columns of its numbers: place and turn of the thing in the pad's frame at the anchor, then shift
# and turn since then in the world
SHIFT0, TURN0, SHIFT, TURN = 0, 3, 12, 15


@entry("void(i8, i8, f8[:,::1], f8[:,::1], f8[::1])")
def _relative(pad: int, thing: int, xpos: Array, xmat: Array, out: Array) -> None:
    """Write place (3) and rotation (9) of a thing in the frame of a pad."""
    P, T = xmat[pad], xmat[thing]
    for i in range(3):
        out[i] = 0.0
        for k in range(3):
            out[i] += P[3 * k + i] * (xpos[thing, k] - xpos[pad, k])
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += P[3 * k + i] * T[3 * k + j]
            out[3 + 3 * i + j] = total


@entry("f8(f8[::1], f8[::1], f8[::1])")
def _moved(pad: Array, now: Array, pair: Array) -> float:
    """Write shift and small turn since the anchor in the world; return the size of the turn."""
    turn = np.zeros(3)
    for i in range(3):  # half the skew part of R_now R_anchor^T
        j, k = (i + 1) % 3, (i + 2) % 3
        for c in range(3):
            turn[i] += 0.5 * now[3 + 3 * k + c] * pair[TURN0 + 3 * j + c]
            turn[i] -= 0.5 * now[3 + 3 * j + c] * pair[TURN0 + 3 * k + c]
    size = 0.0
    for i in range(3):
        pair[SHIFT + i], pair[TURN + i] = 0.0, 0.0
        for k in range(3):
            pair[SHIFT + i] += pad[3 * i + k] * (now[k] - pair[SHIFT0 + k])
            pair[TURN + i] += pad[3 * i + k] * turn[k]
        size += turn[i] * turn[i]
    return math.sqrt(size)


@entry("i8(i8, i8, i8[:,::1], i8)")
def _find(pad: int, thing: int, keys: Integers, count: int) -> int:
    for k in range(count):
        if keys[k, PAD] == pad and keys[k, THING] == thing:
            return k
    return -1


@entry("void(i8, f8[:,::1], f8[:,::1], i8[:,::1], f8[:,::1], i8, f8[::1])")
def _look(
    slot: int, xpos: Array, xmat: Array, keys: Integers, pairs: Array, settled: int, now: Array
) -> None:
    """Bring one pair up to date: a new anchor, or how far it has moved from the old one."""
    pad, thing = keys[slot, PAD], keys[slot, THING]
    _relative(pad, thing, xpos, xmat, now)
    keys[slot, AGE] += 1
    stays = keys[slot, AGE] > settled and keys[slot, RENEW] == 0
    if stays and _moved(xmat[pad], now, pairs[slot]) < ROLLED:
        return
    pairs[slot, :SHIFT] = now
    pairs[slot, SHIFT:] = 0.0
    keys[slot, RENEW] = 0


@entry("i8(i8[:,::1], f8[:,::1], i8)")
def _forget(keys: Integers, pairs: Array, count: int) -> int:
    """Drop the pairs that no longer touch, keeping the order of the others."""
    kept = 0
    for k in range(count):
        if keys[k, SEEN] == 1:
            if kept != k:
                keys[kept], pairs[kept] = keys[k], pairs[k]
            kept += 1
    return kept


@entry(
    "i8(i8, i8[::1], f8[:,::1], i4[:,::1], f8[::1], f8[::1], f8[:,::1], f8[:,::1], b1[::1], "
    "i8[:,::1], f8[:,::1], i8, f8)"
)
def pull_back(
    contacts: int,
    columns: Integers,
    numbers: Array,
    whole: Small,
    aref: Array,
    velocity: Array,
    xpos: Array,
    xmat: Array,
    is_pad: NDArray[np.bool_],
    keys: Integers,
    pairs: Array,
    count: int,
    dt: float,
) -> int:
    """Change the reference accelerations of the pads' contacts; return the number of pairs."""
    damping, spring, settled = DAMPING / dt, SPRING / dt**2, int(SETTLING / dt)
    now = np.empty(12)
    for k in range(count):
        keys[k, SEEN] = 0
    for i in range(contacts):
        one, two = whole[i, columns[GEOM]], whole[i, columns[GEOM] + 1]
        row, rows = whole[i, columns[ADDRESS]], whole[i, columns[DIM]]
        if row < 0 or rows < 3 or is_pad[one] == is_pad[two]:
            continue
        pad, thing, sign = (one, two, 1.0) if is_pad[one] else (two, one, -1.0)
        slot = _find(pad, thing, keys, count)
        if slot < 0:
            if count == keys.shape[0]:
                continue
            slot, count = count, count + 1
            keys[slot] = 0
            keys[slot, PAD], keys[slot, THING], keys[slot, RENEW] = pad, thing, 1
        if keys[slot, SEEN] == 0:
            keys[slot, SEEN] = 1
            _look(slot, xpos, xmat, keys, pairs, settled, now)
        s, turn = pairs[slot, SHIFT:TURN], pairs[slot, TURN:]
        p = numbers[i, columns[POS] : columns[POS] + 3] - xpos[thing]
        x0 = s[0] + turn[1] * p[2] - turn[2] * p[1]
        x1 = s[1] + turn[2] * p[0] - turn[0] * p[2]
        x2 = s[2] + turn[0] * p[1] - turn[1] * p[0]
        frame = numbers[i, columns[FRAME] : columns[FRAME] + 9]
        for j in range(1, min(rows, 4)):
            aref[row + j] = -damping * velocity[row + j]
        along = x0 * frame[3] + x1 * frame[4] + x2 * frame[5]
        across = x0 * frame[6] + x1 * frame[7] + x2 * frame[8]
        pull = spring * sign
        aref[row + 1] -= pull * along
        aref[row + 2] -= pull * across
        if math.hypot(along, across) > SLIPPED:
            keys[slot, RENEW] = 1
        if rows >= 4:
            aref[row + 3] -= pull * (turn[0] * frame[0] + turn[1] * frame[1] + turn[2] * frame[2])
    kept: int = _forget(keys, pairs, count)
    return kept


@dataclass(frozen=True, slots=True, eq=False)
class StickState:
    """Anchors of all pairs that touch; arrays are copies."""

    keys: Integers
    pairs: Array


class Stick:
    """The anchors of all pads of a simulation.

    Args:
        model: MuJoCo's model.
        pads: Geoms of the pads.
    """

    def __init__(self, model: Any, pads: Sequence[int]) -> None:
        self._is_pad = np.zeros(model.ngeom, dtype=np.bool_)
        self._is_pad[list(pads)] = True
        self._keys = np.zeros((MOST, AGE + 1), dtype=np.int64)
        self._pairs = np.zeros((MOST, TURN + 3))
        self._count = 0
        self._places: tuple[Array, ...] = ()  # of the geoms, looked up in the first step
        self._dt = float(model.opt.timestep)

    def before(self, rows: Rows) -> None:
        """Pull things back to where they were gripped; call between mj_step1 and mj_step2."""
        if not rows.count:
            self._count = 0
            return
        if not self._places:
            self._places = (rows.data.geom_xpos, rows.data.geom_xmat)
        self._count = pull_back(
            rows.count,
            rows.columns,
            rows.numbers,
            rows.whole,
            rows.aref,
            rows.velocity,
            *self._places,
            self._is_pad,
            self._keys,
            self._pairs,
            self._count,
            self._dt,
        )

    def capture(self) -> StickState:
        """Return a copy of all anchors."""
        keys, pairs = self._keys[: self._count].copy(), self._pairs[: self._count].copy()
        for array in (keys, pairs):
            array.setflags(write=False)
        return StickState(keys, pairs)

    def restore(self, state: StickState) -> None:
        """Go on with captured anchors."""
        self._count = len(state.keys)
        self._keys[: self._count] = state.keys
        self._pairs[: self._count] = state.pairs
