"""Contacts and constraint rows of the current step as plain arrays, fetched once for all kernels.

MuJoCo keeps contacts as records of fixed size at one place in memory. They are seen here as two
tables over the same memory, one of numbers and one of integers; ``columns`` says where the fields
begin, read off MuJoCo itself once, so that no layout is assumed. The rows move from step to step;
where MuJoCo's data keep the pointers to them is found out in the same way.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError

Integers = NDArray[np.int32]

# places in ``columns``; the first four count numbers, the others integers
DIST, POS, FRAME, FRICTION, GEOM, ADDRESS, DIM = range(7)
_FIELDS = ("dist", "pos", "frame", "friction", "geom", "efc_address", "dim")
_PROBE = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
<body pos="1 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
_LARGEST = 250_000  # [bytes] MuJoCo's data are larger up to version 4.0


class Rows:
    """The contacts and rows of the current step of one simulation, filled in by its hooks.

    Args:
        model: MuJoCo's model.
        data: MuJoCo's data; the tables look into its memory.

    Attributes:
        count: Number of contacts.
        numbers: Their fields of numbers: [i, columns[DIST]] the distance [m], from columns[POS]
            the point (3), from columns[FRAME] normal and two tangents (9), from columns[FRICTION]
            the coefficients (5). Shape (most, k).
        whole: Their fields of integers: from columns[GEOM] the two geoms, [i, columns[ADDRESS]]
            the first row or -1, [i, columns[DIM]] the number of rows. Shape (most, 2k).
        columns: Where the fields begin. Shape (7,).
        aref: Reference accelerations of all rows, writable until mj_step2.
        velocity: Velocities of all rows.
    """

    def __init__(self, model: Any, data: Any) -> None:
        self.model, self.data = model, data
        self.columns, self._size = _layout()
        self.count = 0
        self.numbers: Array = np.zeros((0, self._size // 8))
        self.whole: Integers = np.zeros((0, self._size // 4), dtype=np.int32)
        self.aref: Array = data.efc_aref
        self.velocity: Array = data.efc_vel

    def look(self, count: int) -> None:
        """Widen the tables to at least ``count`` contacts, of which there must be one now."""
        address = address_of(self.data.contact.dist)
        size = self._size * max(64, 2 * count)
        size = min(size, self._size * (self.data.narena // self._size))
        memory = (ctypes.c_byte * size).from_address(address)
        raw = np.frombuffer(memory, dtype=np.uint8)
        self.numbers = raw.view(np.float64).reshape(-1, self._size // 8)
        self.whole = raw.view(np.int32).reshape(-1, self._size // 4)

    @property
    def force(self) -> Array:
        """Forces of all rows, after mj_step2."""
        force: Array = self.data.efc_force
        return force


@cache
def _probe() -> tuple[Any, Any]:
    """Return a small model and its data with two contacts."""
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@cache
def _layout() -> tuple[NDArray[np.int64], int]:
    """Return where the fields of a contact begin, and the size of a contact [bytes]."""
    fields = {name: getattr(_probe()[1].contact, name) for name in _FIELDS}
    begin = address_of(fields["dist"])
    columns = [(address_of(field) - begin) // field.itemsize for field in fields.values()]
    return np.array(columns, dtype=np.int64), int(fields["dist"].strides[0])


def address_of(array: NDArray[Any]) -> int:
    """Return where an array begins in memory."""
    return int(array.__array_interface__["data"][0])


@cache
def pointer_place(name: str) -> int:
    """Return how far into MuJoCo's data the pointer to the rows of that name is kept [bytes]."""
    data = _probe()[1]
    wanted, begin = address_of(getattr(data, name)), int(data._address)
    for place in range(0, _LARGEST, 8):
        if ctypes.c_uint64.from_address(begin + place).value == wanted:
            return place
    raise UnsupportedError(f"this version of MuJoCo keeps '{name}' in an unknown place")
