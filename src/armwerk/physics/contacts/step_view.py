"""What the kernels see between the two halves of a step: tables with named columns.

Tables are named tuples of arrays, one array per column and one row per thing, geom, belt, contact
or constraint row; compiled code reads them as fast as bare arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Integers
from armwerk.compiled import inner

Small = NDArray[np.int32]

FIXED, BALL, CUBOID, TOUCH, PAD, LINK = range(6)
"""Roles of geoms."""
LIP = -2
"""In place of the dof of its motor, for a pad that belongs to a cup or magnet."""

TOUCHED, CARRIED, SLIDES, GRIPPED, PUSHED = 1, 2, 4, 8, 16
"""Bits of a thing's state."""

# places in ``ContactTable.columns``, in the order of `armwerk.physics.contacts.memory.FIELDS`
_DIST, _POS, _FRAME, _FRICTION, _GEOM, _ADDRESS, _DIM = range(7)


class ThingTable(NamedTuple):
    """Balls and cuboids, n of them.

    Args:
        mass: [kg]. Shape (n,).
        inertia: About their own axes [kg m²]. Shape (n, 3).
        radius: [m]; 0: a cuboid. Shape (n,).
        bounce: Fraction of the normal speed a ball keeps. Shape (n,).
        rolling: Torque per angular velocity that brakes a rolling ball [N m s]. Shape (n,).
    """

    mass: Array
    inertia: Array
    radius: Array
    bounce: Array
    rolling: Array


class GeomTable(NamedTuple):
    """All geoms of the model, g of them.

    Args:
        role: FIXED, BALL, CUBOID, TOUCH, PAD or LINK. Shape (g,).
        number: Of the thing, or of the belt where the role is FIXED; -1: neither. Shape (g,).
        body: The body it belongs to. Shape (g,).
        finger: Dof of the motor that closes a pad; -1: no pad, LIP: no finger. Shape (g,).
        press: Acceleration of a free pad per force of that motor. Shape (g,).
    """

    role: Small
    number: Small
    body: Small
    finger: Small
    press: Array


class BeltTable(NamedTuple):
    """All belts, b of them.

    Args:
        along: Unit vectors along the tops. Shape (b, 3).
        across: Unit vectors across them. Shape (b, 3).
        middle: Points of the middle lines [m]. Shape (b, 3).
        speed: Along the belt [m/s]. Shape (b,).
        to_middle: Drift towards the middle line [m/s]. Shape (b,).
        running: 1 where a belt runs, else 0. Shape (b,).
    """

    along: Array
    across: Array
    middle: Array
    speed: Array
    to_middle: Array
    running: Array


class StepConstants(NamedTuple):
    """Numbers that hold for the whole simulation.

    Args:
        dt: Step of time [s].
        gravity: [m/s²]. Shape (3,).
        min_rebound: Closing speed from which on a ball rebounds [m/s].
        min_slide: Acceleration that friction may always aim at [m/s²].
        damping: Acceleration per velocity that a row of friction aims at [1/s].
    """

    dt: float
    gravity: Array
    min_rebound: float
    min_slide: float
    damping: float


class PadPairs(NamedTuple):
    """Pairs of pad and thing that touch, and how they stood when they met, p of them at most.

    Args:
        pad: Geom of the pad. Shape (p,).
        thing: Geom of the thing. Shape (p,).
        seen: 1 where they touch in this step. Shape (p,).
        renew: 1 where the anchor is to be renewed. Shape (p,).
        age: For how many steps they have touched. Shape (p,).
        anchor_place: The thing in the frame of the pad at the anchor [m]. Shape (p, 3).
        anchor_turn: Its rotation there, row by row. Shape (p, 9).
        shift: Since then, in the world [m]. Shape (p, 3).
        turn: Small turn since then, in the world [rad]. Shape (p, 3).
    """

    pad: Integers
    thing: Integers
    seen: Integers
    renew: Integers
    age: Integers
    anchor_place: Array
    anchor_turn: Array
    shift: Array
    turn: Array


class PadView(NamedTuple):
    """What static friction of pads reads and changes between the two halves of a step.

    Args:
        contacts: Of this step.
        rows: Of all constraints.
        role: Of every geom. Shape (g,).
        xpos: Places of the geoms [m]. Shape (g, 3).
        xmat: Their rotations, row by row. Shape (g, 9).
        dt: Step of time [s].
        pairs: What the pads remember.
    """

    contacts: ContactTable
    rows: ConstraintRows
    role: Small
    xpos: Array
    xmat: Array
    dt: float
    pairs: PadPairs


class ContactTable(NamedTuple):
    """The contacts of this step, c of them; read them by `geoms_of`, `point_of` and so on.

    Args:
        length: Number of contacts c.
        numbers: Their memory, seen as numbers. Shape (c, k).
        whole: The same memory, seen as integers. Shape (c, 2k).
        columns: Where the fields begin, see `armwerk.physics.contacts.memory`. Shape (7,).
    """

    length: int
    numbers: Array
    whole: Small
    columns: Integers


class ConstraintRows(NamedTuple):
    """The rows of all constraints of this step, r of them.

    Args:
        reference: The acceleration each row aims at [m/s² or rad/s²]; writable. Shape (r,).
        velocity: Of each row [m/s or rad/s]. Shape (r,).
        force: Of each row [N or N m], once the step has been made. Shape (r,).
        hardness: Force per acceleration missed [kg or kg m²]; writable. Shape (r,).
        island_hardness: The same where islands are solved apart, in their order; else empty.
        island_row: Which of those belongs to each row. Shape (r,) or empty.
    """

    reference: Array
    velocity: Array
    force: Array
    hardness: Array
    island_hardness: Array
    island_row: Small


class TouchView(NamedTuple):
    """What the watch over contacts reads after a step.

    Args:
        contacts: Of the step.
        rows: Of all constraints.
        blow: As in `StepView`. Shape (m,).
        asleep: Negative for a thing awake. Shape (trees,), things first.
        thing_count: Number of things.
        dt: Step of time [s].
    """

    contacts: ContactTable
    rows: ConstraintRows
    blow: Array
    asleep: Small
    thing_count: int
    dt: float


class StepView(NamedTuple):
    """All that kernels read and change between the two halves of a step; n things.

    Args:
        contacts: Of this step.
        rows: Of all constraints.
        qvel: Velocities; those of thing i at 6i: v in the world, w in the body.
        qpos: Positions; those of thing i at 7i.
        passive: Passive forces, in the order of qvel.
        xpos: Places of the bodies [m]; thing i is body i + 1. Shape (b, 3).
        xmat: Their rotations, row by row. Shape (b, 9).
        cvel: Their (w, v), taken at the centre of mass of their tree. Shape (b, 6).
        com: Centres of mass of the trees [m]. Shape (b, 3).
        root: The body each tree is counted under. Shape (b,).
        asleep: Negative for a thing awake. Shape (trees,), things first.
        things: Balls and cuboids.
        geoms: What every geom is.
        applied: Forces of the motors, in the order of qvel.
        belts: All belts.
        constants: Of the simulation.
        thing_count: Number of things n.
        state: What was found out about every thing, bits. Shape (n,).
        blow: Normal impulse of the rebound at each contact of this step [N s], as far as there is
            room; the last number says whether there were any. Shape (m,).
        before: Velocities of the things that slide, before the forces of this step act [m/s].
            Shape (n, 3).
        meets: 1 where a contact that waits is to get rows, as far as there is room. Shape (m,).
        dropped: 1 where a contact is only a seam. Shape (m,), contacts first.
    """

    contacts: ContactTable
    rows: ConstraintRows
    qvel: Array
    qpos: Array
    passive: Array
    xpos: Array
    xmat: Array
    cvel: Array
    com: Array
    root: Small
    asleep: Small
    things: ThingTable
    geoms: GeomTable
    applied: Array
    belts: BeltTable
    constants: StepConstants
    thing_count: int
    state: Small
    blow: Array
    before: Array
    meets: Small
    dropped: Small


@inner(flatten=True, borrows=True)
def geoms_of(contacts: ContactTable, i: int) -> tuple[int, int]:
    """Return the two geoms of contact i."""
    at = contacts.columns[_GEOM]
    return contacts.whole[i, at], contacts.whole[i, at + 1]


@inner(flatten=True, borrows=True)
def first_row(contacts: ContactTable, i: int) -> int:
    """Return the first constraint row of contact i; negative: it has none."""
    return int(contacts.whole[i, contacts.columns[_ADDRESS]])


@inner(flatten=True, borrows=True)
def row_count(contacts: ContactTable, i: int) -> int:
    """Return the number of constraint rows of contact i: 1, 3, 4 or 6."""
    return int(contacts.whole[i, contacts.columns[_DIM]])


@inner(flatten=True, borrows=True)
def distance_of(contacts: ContactTable, i: int) -> float:
    """Return the distance of the two geoms of contact i [m]; negative: they overlap."""
    return float(contacts.numbers[i, contacts.columns[_DIST]])


@inner(flatten=True)
def point_of(contacts: ContactTable, i: int) -> Array:
    """Return the point of contact i [m]. Shape (3,)."""
    at = contacts.columns[_POS]
    return contacts.numbers[i, at : at + 3]


@inner(flatten=True)
def normal_of(contacts: ContactTable, i: int) -> Array:
    """Return the normal of contact i, from its first geom to its second. Shape (3,)."""
    at = contacts.columns[_FRAME]
    return contacts.numbers[i, at : at + 3]


@inner(flatten=True)
def axis_of(contacts: ContactTable, i: int, axis: int) -> Array:
    """Return the normal (0) or a tangent (1, 2) of contact i. Shape (3,)."""
    at = contacts.columns[_FRAME] + 3 * axis
    return contacts.numbers[i, at : at + 3]


@inner(flatten=True)
def friction_of(contacts: ContactTable, i: int) -> Array:
    """Return the coefficients of friction of contact i: two tangents, spin, two of rolling."""
    at = contacts.columns[_FRICTION]
    return contacts.numbers[i, at : at + 5]
