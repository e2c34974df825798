"""The book: where all arrays of a simulation lie in memory, as one array of integers.

Handing twenty arrays to a compiled kernel costs more than a small step itself; one does not. The
arrays in the book stay where they are as long as their simulation lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import carray, types
from numba.core.cgutils import voidptr_t
from numba.extending import intrinsic
from numpy.typing import NDArray

from armwerk.compiled import inner
from armwerk.physics.contacts.belts import WIDTH as BELT_WIDTH
from armwerk.physics.contacts.moment import Moment
from armwerk.physics.contacts.rows import Rows, address_of, pointer_place

Book = NDArray[np.int64]

# places in the book: addresses, then sizes, then the columns of a contact
(QVEL, QPOS, PASSIVE, XPOS, XMAT, CVEL, COM, ROOT, THINGS, GEOMS, BELTS, CONSTANTS, STATE, ASLEEP,
 NUMBERS, WHOLE, AREF, VELOCITY) = range(18)  # fmt: skip
N_V, N_Q, N_BODY, N_THINGS, N_GEOMS, N_BELTS, N_CONSTANTS, N_TREES, WIDTH = range(18, 27)
COLUMNS, LENGTH = 27, 34


def write_book(arrays: Sequence[NDArray[Any]], rows: Rows) -> Book:
    """Return the book of a simulation; contacts are entered later.

    Args:
        arrays: From QVEL to ASLEEP; must be kept alive.
        rows: Contacts and rows.
    """
    book = np.zeros(LENGTH, dtype=np.int64)
    for place, array in enumerate(arrays):
        book[place] = address_of(array)
    book[AREF] = rows.data._address + pointer_place("efc_aref")
    book[VELOCITY] = rows.data._address + pointer_place("efc_vel")
    book[N_V], book[N_Q], book[N_BODY] = arrays[QVEL].size, arrays[QPOS].size, len(arrays[XPOS])
    book[N_THINGS], book[N_GEOMS] = len(arrays[THINGS]), len(arrays[GEOMS])
    book[N_BELTS], book[N_CONSTANTS] = len(arrays[BELTS]), arrays[CONSTANTS].size
    book[N_TREES], book[WIDTH] = arrays[ASLEEP].size, rows.numbers.shape[1]
    book[COLUMNS : COLUMNS + rows.columns.size] = rows.columns
    return book


@intrinsic
def _pointer(_context: Any, address: Any) -> Any:
    """Return an address as a pointer."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], voidptr_t)

    return types.voidptr(types.int64), generate


@inner(flatten=True)
def _follow(place: int) -> int:
    """Return the address that is kept at a place."""
    return int(carray(_pointer(place), (1,), np.int64)[0])


@inner(flatten=True)
def open_book(book: Book, count: int) -> Moment:
    """Return the moment a book describes, with so many contacts.

    The rows are looked up where MuJoCo keeps the pointers to them.
    """
    v, q, bodies, n = book[N_V], book[N_Q], book[N_BODY], book[N_THINGS]
    width, rows = book[WIDTH], 6 * count  # at most; equality and limit rows come before
    return Moment(
        book[COLUMNS:],
        carray(_pointer(book[NUMBERS]), (count, width), np.float64),
        carray(_pointer(book[WHOLE]), (count, 2 * width), np.int32),
        count,
        carray(_pointer(_follow(book[AREF])), (rows,), np.float64),
        carray(_pointer(_follow(book[VELOCITY])), (rows,), np.float64),
        carray(_pointer(book[QVEL]), (v,), np.float64),
        carray(_pointer(book[QPOS]), (q,), np.float64),
        carray(_pointer(book[PASSIVE]), (v,), np.float64),
        carray(_pointer(book[XPOS]), (bodies, 3), np.float64),
        carray(_pointer(book[XMAT]), (bodies, 9), np.float64),
        carray(_pointer(book[CVEL]), (bodies, 6), np.float64),
        carray(_pointer(book[COM]), (bodies, 3), np.float64),
        carray(_pointer(book[ROOT]), (bodies,), np.int32),
        carray(_pointer(book[THINGS]), (n, 7), np.float64),
        carray(_pointer(book[GEOMS]), (book[N_GEOMS], 3), np.int32),
        carray(_pointer(book[BELTS]), (book[N_BELTS], BELT_WIDTH), np.float64),
        carray(_pointer(book[CONSTANTS]), (book[N_CONSTANTS],), np.float64),
        carray(_pointer(book[STATE]), (n,), np.int32),
        carray(_pointer(book[ASLEEP]), (book[N_TREES],), np.int32),
        np.zeros(count, dtype=np.int32),
    )
