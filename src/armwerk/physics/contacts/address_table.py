"""The address table: where all arrays of a simulation lie, as one array of integers.

Handing forty arrays to a compiled kernel costs more than a small step itself; one does not. Arrays
in the table stay where they are as long as their simulation lives; contacts and constraint rows
move, and are looked up through the cells of `armwerk.physics.contacts.memory`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numba import carray, types
from numba.core.cgutils import voidptr_t
from numba.extending import intrinsic
from numpy.typing import NDArray

from armwerk.arrays import Array, Integers
from armwerk.compiled import inner
from armwerk.physics.contacts.memory import COUNTS, FIELDS, POINTERS, StepMemory, address_of
from armwerk.physics.contacts.step_view import (
    BeltTable,
    ConstraintRows,
    ContactTable,
    GeomTable,
    PadPairs,
    PadView,
    Small,
    StepConstants,
    StepView,
    ThingTable,
)

AddressTable: TypeAlias = Integers
"""Address and length of every array, then what `StepMemory` says of contacts and rows."""

ARRAYS = (
    "qvel", "qpos", "passive", "xpos", "xmat", "cvel", "com", "root", "asleep",
    "mass", "inertia", "radius", "bounce", "rolling", "role", "number", "body",
    "along", "across", "middle", "speed", "to_middle", "running", "gravity", "constants", "state",
    "geom_xpos", "geom_xmat",
    "pad", "thing", "seen", "renew", "age", "anchor_place", "anchor_turn", "shift", "turn",
)  # fmt: skip
"""Names of the arrays in the table, in its order."""

(_QVEL, _QPOS, _PASSIVE, _XPOS, _XMAT, _CVEL, _COM, _ROOT, _ASLEEP,
 _MASS, _INERTIA, _RADIUS, _BOUNCE, _ROLLING, _ROLE, _NUMBER, _BODY,
 _ALONG, _ACROSS, _MIDDLE, _SPEED, _TO_MIDDLE, _RUNNING, _GRAVITY, _CONSTANTS, _STATE,
 _GEOM_XPOS, _GEOM_XMAT,
 _PAD, _THING, _SEEN, _RENEW, _AGE, _ANCHOR_PLACE, _ANCHOR_TURN, _SHIFT, _TURN,
 ) = range(len(ARRAYS))  # fmt: skip
_CELLS = 2 * len(ARRAYS)
_NCON, _NEFC, _CONTACT, _REFERENCE, _VELOCITY = range(_CELLS, _CELLS + len(COUNTS + POINTERS))
_CONTACT_SIZE = _VELOCITY + 1
_COLUMNS = _CONTACT_SIZE + 1
_LENGTH = _COLUMNS + len(FIELDS)


def write_table(arrays: Mapping[str, NDArray[Any]], memory: StepMemory) -> AddressTable:
    """Return the table of a simulation.

    Args:
        arrays: By the names of `ARRAYS`; must be kept alive, contiguous.
        memory: Contacts and rows.
    """
    table = np.zeros(_LENGTH, dtype=np.int64)
    for place, name in enumerate(ARRAYS):
        array = arrays[name]
        if not array.flags.c_contiguous:
            raise ValueError(f"'{name}' is not contiguous")
        table[2 * place], table[2 * place + 1] = address_of(array), len(array)
    enter_memory(table, memory)
    return table


def enter_memory(table: AddressTable, memory: StepMemory) -> None:
    """Write into a table where contacts and rows are found."""
    table[_CELLS : _CELLS + len(memory.cells)] = memory.cells
    table[_CONTACT_SIZE] = memory.contact_size
    table[_COLUMNS:] = memory.columns


@intrinsic
def _pointer(_context: Any, address: Any) -> Any:
    """Return an address as a pointer."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], voidptr_t)

    return types.voidptr(types.int64), generate


@inner(flatten=True)
def _numbers(table: AddressTable, place: int) -> Array:
    found: Array = carray(_pointer(table[2 * place]), (table[2 * place + 1],), np.float64)
    return found


@inner(flatten=True)
def _lines(table: AddressTable, place: int, width: int) -> Array:
    found: Array = carray(_pointer(table[2 * place]), (table[2 * place + 1], width), np.float64)
    return found


@inner(flatten=True)
def _whole(table: AddressTable, place: int) -> Small:
    found: Small = carray(_pointer(table[2 * place]), (table[2 * place + 1],), np.int32)
    return found


@inner(flatten=True)
def _integers(table: AddressTable, place: int) -> Integers:
    found: Integers = carray(_pointer(table[2 * place]), (table[2 * place + 1],), np.int64)
    return found


@inner(flatten=True)
def _count(cell: int) -> int:
    """Return the count that is kept at an address."""
    return int(carray(_pointer(cell), (1,), np.int32)[0])


@inner(flatten=True)
def _follow(cell: int) -> int:
    """Return the address that is kept at an address."""
    return int(carray(_pointer(cell), (1,), np.int64)[0])


@inner(flatten=True)
def open_contacts(table: AddressTable) -> ContactTable:
    """Return the contacts of this step."""
    count, size = _count(table[_NCON]), table[_CONTACT_SIZE]
    memory = _follow(table[_CONTACT])
    return ContactTable(
        count,
        carray(_pointer(memory), (count, size // 8), np.float64),
        carray(_pointer(memory), (count, size // 4), np.int32),
        table[_COLUMNS:],
    )


@inner(flatten=True)
def open_rows(table: AddressTable) -> ConstraintRows:
    """Return the constraint rows of this step."""
    count = _count(table[_NEFC])
    return ConstraintRows(
        carray(_pointer(_follow(table[_REFERENCE])), (count,), np.float64),
        carray(_pointer(_follow(table[_VELOCITY])), (count,), np.float64),
    )


@inner(flatten=True)
def open_step(table: AddressTable) -> StepView:
    """Return everything a table describes, as it is in this step."""
    contacts = open_contacts(table)
    constants = _numbers(table, _CONSTANTS)
    return StepView(
        contacts,
        open_rows(table),
        _numbers(table, _QVEL),
        _numbers(table, _QPOS),
        _numbers(table, _PASSIVE),
        _lines(table, _XPOS, 3),
        _lines(table, _XMAT, 9),
        _lines(table, _CVEL, 6),
        _lines(table, _COM, 3),
        _whole(table, _ROOT),
        _whole(table, _ASLEEP),
        ThingTable(
            _numbers(table, _MASS),
            _lines(table, _INERTIA, 3),
            _numbers(table, _RADIUS),
            _numbers(table, _BOUNCE),
            _numbers(table, _ROLLING),
        ),
        GeomTable(_whole(table, _ROLE), _whole(table, _NUMBER), _whole(table, _BODY)),
        BeltTable(
            _lines(table, _ALONG, 3),
            _lines(table, _ACROSS, 3),
            _lines(table, _MIDDLE, 3),
            _numbers(table, _SPEED),
            _numbers(table, _TO_MIDDLE),
            _numbers(table, _RUNNING),
        ),
        StepConstants(
            constants[0], _numbers(table, _GRAVITY), constants[1], constants[2], constants[3]
        ),
        table[2 * _STATE + 1],
        _whole(table, _STATE),
        np.zeros(contacts.length, dtype=np.int32),
    )


@inner(flatten=True)
def open_pads(table: AddressTable) -> PadView:
    """Return what static friction needs of a table, as it is in this step."""
    return PadView(
        open_contacts(table),
        open_rows(table),
        _whole(table, _ROLE),
        _lines(table, _GEOM_XPOS, 3),
        _lines(table, _GEOM_XMAT, 9),
        _numbers(table, _CONSTANTS)[0],
        PadPairs(
            _integers(table, _PAD),
            _integers(table, _THING),
            _integers(table, _SEEN),
            _integers(table, _RENEW),
            _integers(table, _AGE),
            _lines(table, _ANCHOR_PLACE, 3),
            _lines(table, _ANCHOR_TURN, 9),
            _lines(table, _SHIFT, 3),
            _lines(table, _TURN, 3),
        ),
    )
