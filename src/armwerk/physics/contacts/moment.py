"""One moment between the two halves of a step, as the kernels see it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.physics.contacts.rows import FRAME, GEOM, POS

Integers = NDArray[np.int32]

INSIDE: dict[str, Any] = {"nogil": True, "error_model": "numpy", "forceinline": True}


class Moment(NamedTuple):
    """All arrays of a step; n things, c contacts.

    Args:
        columns: Where the fields of a contact begin, see `armwerk.physics.contacts.rows`.
        numbers: Contacts, fields of numbers.
        whole: Contacts, fields of integers.
        contacts: Number of contacts c.
        aref: What every row aims at [m/s² or rad/s²].
        velocity: Of every row [m/s or rad/s].
        qvel: Velocities; those of thing i at 6i: v in the world, w in the body.
        qpos: Positions; those of thing i at 7i.
        passive: Passive forces, in the order of qvel.
        xpos: Places of the bodies; thing i is body i + 1.
        xmat: Their rotations, row by row.
        cvel: Their (w, v), taken at the centre of mass of their tree.
        com: Centres of mass of the trees.
        root: The body each tree is counted under.
        things: Table of things, see `armwerk.physics.contacts.tables`.
        geoms: Table of geoms.
        belts: Table of belts.
        constants: Step of time, gravity and so on.
        state: What was found out about every thing, bits. Shape (n,).
        asleep: Negative for a thing awake. Shape (trees,), things first.
        drop: 1 where a contact is only a seam. Shape (c,).
    """

    columns: NDArray[np.int64]
    numbers: Array
    whole: Integers
    contacts: int
    aref: Array
    velocity: Array
    qvel: Array
    qpos: Array
    passive: Array
    xpos: Array
    xmat: Array
    cvel: Array
    com: Array
    root: Integers
    things: Array
    geoms: Integers
    belts: Array
    constants: Array
    state: Integers
    asleep: Integers
    drop: Integers


@inner(flatten=True)
def pair(m: Moment, i: int) -> tuple[int, int]:
    """Return the two geoms of contact i."""
    at = m.columns[GEOM]
    return m.whole[i, at], m.whole[i, at + 1]


@inner(flatten=True)
def point_of(m: Moment, i: int) -> Array:
    """Return the point of contact i. Shape (3,)."""
    at = m.columns[POS]
    return m.numbers[i, at : at + 3]


@inner(flatten=True)
def normal_of(m: Moment, i: int) -> Array:
    """Return the normal of contact i, from its first geom to its second. Shape (3,)."""
    at = m.columns[FRAME]
    return m.numbers[i, at : at + 3]
