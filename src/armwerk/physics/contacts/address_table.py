"""The address table: where all arrays of a simulation lie, as one array of integers.

Handing forty arrays to a compiled kernel costs more than a small step itself; one does not. Arrays
in the table stay where they are as long as their simulation lives; contacts and constraint rows
move, and are looked up through the cells of `armwerk.physics.contacts.memory`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from armwerk import lean_numba  # noqa: F401 - it loads numba

# isort: split
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
    TouchView,
)

AddressTable: TypeAlias = Integers
"""Address and length of every array, then what `StepMemory` says of contacts and rows."""

ARRAYS = (
    "qvel", "qpos", "passive", "xpos", "xmat", "cvel", "com", "root", "asleep",
    "mass", "inertia", "radius", "bounce", "rolling", "role", "number", "body",
    "finger", "press", "applied",
    "along", "across", "middle", "speed", "to_middle", "running", "gravity", "constants", "state",
    "blow", "before", "meets", "dropped", "geom_xpos", "geom_xmat",
    "pad", "thing", "seen", "renew", "age", "anchor_place", "anchor_turn", "shift", "turn",
)  # fmt: skip
"""Names of the arrays in the table, in its order."""

(_QVEL, _QPOS, _PASSIVE, _XPOS, _XMAT, _CVEL, _COM, _ROOT, _ASLEEP,
 _MASS, _INERTIA, _RADIUS, _BOUNCE, _ROLLING, _ROLE, _NUMBER, _BODY,
 _FINGER, _PRESS, _APPLIED,
 _ALONG, _ACROSS, _MIDDLE, _SPEED, _TO_MIDDLE, _RUNNING, _GRAVITY, _CONSTANTS, _STATE,
 _BLOW, _BEFORE, _MEETS, _DROPPED, _GEOM_XPOS, _GEOM_XMAT,
 _PAD, _THING, _SEEN, _RENEW, _AGE, _ANCHOR_PLACE, _ANCHOR_TURN, _SHIFT, _TURN,
 ) = range(len(ARRAYS))  # fmt: skip
_CELLS = 2 * len(ARRAYS)
(_NCON, _NEFC, _ISLANDS, _CONTACT, _REFERENCE, _VELOCITY, _FORCE, _HARDNESS, _ISLAND_HARDNESS,
 _ISLAND_ROW) = range(_CELLS, _CELLS + len(COUNTS + POINTERS))  # fmt: skip
_CONTACT_SIZE = _ISLAND_ROW + 1
_COLUMNS = _CONTACT_SIZE + 1
_LENGTH = _COLUMNS + len(FIELDS)


def write_table(arrays: Mapping[str, NDArray[Any]], memory: StepMemory) -> AddressTable:
    """Return the table of a simulation.

    Args:
        arrays: By the names of `ARRAYS`; must be kept alive, contiguous.
        memory: Contacts and rows.
    """
    table = np.zeros(_LENGTH, dtype=np.int64)
    for name in ARRAYS:
        enter_array(table, name, arrays[name])
    enter_memory(table, memory)
    return table


def enter_array(table: AddressTable, name: str, array: NDArray[Any]) -> None:
    """Write into a table where an array lies, which must be kept alive."""
    if not array.flags.c_contiguous:
        raise ValueError(f"'{name}' is not contiguous")
    place = ARRAYS.index(name)
    table[2 * place], table[2 * place + 1] = address_of(array), len(array)


def enter_memory(table: AddressTable, memory: StepMemory) -> None:
    """Write into a table where contacts and rows are found."""
    table[_CELLS : _CELLS + len(memory.cells)] = memory.cells
    table[_CONTACT_SIZE] = memory.contact_size
    table[_COLUMNS:] = memory.columns


def write_addresses(arrays: Sequence[NDArray[Any]]) -> AddressTable:
    """Return address and length of arrays, which must be kept alive; the beginning of a table."""
    table = [part for array in arrays for part in (address_of(array), len(array))]
    return np.array(table, dtype=np.int64)


@intrinsic
def _pointer(_context: Any, address: Any) -> Any:
    """Return an address as a pointer."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], voidptr_t)

    return types.voidptr(types.int64), generate


@inner(flatten=True)
def numbers_at(table: AddressTable, place: int) -> Array:
    """Return the numbers at a place of a table. Shape (n,)."""
    found: Array = carray(_pointer(table[2 * place]), (table[2 * place + 1],), np.float64)
    return found


@inner(flatten=True)
def lines_at(table: AddressTable, place: int, width: int) -> Array:
    """Return rows of numbers at a place of a table. Shape (n, width)."""
    found: Array = carray(_pointer(table[2 * place]), (table[2 * place + 1], width), np.float64)
    return found


@inner(flatten=True)
def whole_at(table: AddressTable, place: int) -> Small:
    """Return 32-bit integers at a place of a table. Shape (n,)."""
    found: Small = carray(_pointer(table[2 * place]), (table[2 * place + 1],), np.int32)
    return found


@inner(flatten=True)
def integers_at(table: AddressTable, place: int) -> Integers:
    """Return 64-bit integers at a place of a table. Shape (n,)."""
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
    apart = count if _count(table[_ISLANDS]) > 0 else 0
    return ConstraintRows(
        carray(_pointer(_follow(table[_REFERENCE])), (count,), np.float64),
        carray(_pointer(_follow(table[_VELOCITY])), (count,), np.float64),
        carray(_pointer(_follow(table[_FORCE])), (count,), np.float64),
        carray(_pointer(_follow(table[_HARDNESS])), (count,), np.float64),
        carray(_pointer(_follow(table[_ISLAND_HARDNESS])), (apart,), np.float64),
        carray(_pointer(_follow(table[_ISLAND_ROW])), (apart,), np.int32),
    )


@inner(flatten=True)
def open_step(table: AddressTable) -> StepView:
    """Return everything a table describes, as it is in this step."""
    constants = numbers_at(table, _CONSTANTS)
    return StepView(
        open_contacts(table),
        open_rows(table),
        numbers_at(table, _QVEL),
        numbers_at(table, _QPOS),
        numbers_at(table, _PASSIVE),
        lines_at(table, _XPOS, 3),
        lines_at(table, _XMAT, 9),
        lines_at(table, _CVEL, 6),
        lines_at(table, _COM, 3),
        whole_at(table, _ROOT),
        whole_at(table, _ASLEEP),
        ThingTable(
            numbers_at(table, _MASS),
            lines_at(table, _INERTIA, 3),
            numbers_at(table, _RADIUS),
            numbers_at(table, _BOUNCE),
            numbers_at(table, _ROLLING),
        ),
        GeomTable(
            whole_at(table, _ROLE),
            whole_at(table, _NUMBER),
            whole_at(table, _BODY),
            whole_at(table, _FINGER),
            numbers_at(table, _PRESS),
        ),
        numbers_at(table, _APPLIED),
        BeltTable(
            lines_at(table, _ALONG, 3),
            lines_at(table, _ACROSS, 3),
            lines_at(table, _MIDDLE, 3),
            numbers_at(table, _SPEED),
            numbers_at(table, _TO_MIDDLE),
            numbers_at(table, _RUNNING),
        ),
        StepConstants(
            constants[0], numbers_at(table, _GRAVITY), constants[1], constants[2], constants[3]
        ),
        table[2 * _STATE + 1],
        whole_at(table, _STATE),
        numbers_at(table, _BLOW),
        lines_at(table, _BEFORE, 3),
        whole_at(table, _MEETS),
        whole_at(table, _DROPPED),
    )


@inner(flatten=True)
def open_pads(table: AddressTable) -> PadView:
    """Return what static friction needs of a table, as it is in this step."""
    return PadView(
        open_contacts(table),
        open_rows(table),
        whole_at(table, _ROLE),
        lines_at(table, _GEOM_XPOS, 3),
        lines_at(table, _GEOM_XMAT, 9),
        numbers_at(table, _CONSTANTS)[0],
        PadPairs(
            integers_at(table, _PAD),
            integers_at(table, _THING),
            integers_at(table, _SEEN),
            integers_at(table, _RENEW),
            integers_at(table, _AGE),
            lines_at(table, _ANCHOR_PLACE, 3),
            lines_at(table, _ANCHOR_TURN, 9),
            lines_at(table, _SHIFT, 3),
            lines_at(table, _TURN, 3),
        ),
    )


@inner(flatten=True)
def open_touches(table: AddressTable) -> TouchView:
    """Return what the watch over contacts needs of a table, as it is after a step."""
    return TouchView(
        open_contacts(table),
        open_rows(table),
        numbers_at(table, _BLOW),
        whole_at(table, _ASLEEP),
        table[2 * _STATE + 1],
        numbers_at(table, _CONSTANTS)[0],
    )
