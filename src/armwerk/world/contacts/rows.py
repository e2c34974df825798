"""Contacts and constraint rows of the current step as plain arrays, fetched once for all kernels.

MuJoCo keeps contacts as records of fixed size at one place in memory. They are seen here as two
tables over the same memory, one of numbers and one of integers; ``columns`` says where the fields
begin, read off MuJoCo itself once, so that no layout is assumed.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int32]

# places in ``columns``; the first four count numbers, the others integers
DIST, POS, FRAME, FRICTION, GEOM, ADDRESS, DIM = range(7)
_FIELDS = ("dist", "pos", "frame", "friction", "geom", "efc_address", "dim")
_PROBE = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
<body pos="1 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


class Rows:
    """The contacts and rows of the current step of one simulation; `refresh` after mj_step1.

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
        self._address = 0
        self.numbers: Array = np.zeros((1, self._size // 8))
        self.whole: Integers = np.zeros((1, self._size // 4), dtype=np.int32)
        self.aref: Array = data.efc_aref
        self.velocity: Array = data.efc_vel

    def refresh(self) -> None:
        """Look again, after the contacts were found."""
        data = self.data
        self.count = count = data.ncon
        self.aref = data.efc_aref
        self.velocity = data.efc_vel
        if count > self.numbers.shape[0] or (count and not self._address):
            self._look(count)

    @property
    def force(self) -> Array:
        """Forces of all rows, after mj_step2."""
        force: Array = self.data.efc_force
        return force

    def _look(self, count: int) -> None:
        self._address = self.data.contact.dist.__array_interface__["data"][0]
        size = self._size * max(64, 2 * count)
        size = min(size, self._size * (self.data.narena // self._size))
        memory = (ctypes.c_byte * size).from_address(self._address)
        raw = np.frombuffer(memory, dtype=np.uint8)
        self.numbers = raw.view(np.float64).reshape(-1, self._size // 8)
        self.whole = raw.view(np.int32).reshape(-1, self._size // 4)


@cache
def _layout() -> tuple[NDArray[np.int64], int]:
    """Return where the fields of a contact begin, and the size of a contact [bytes]."""
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    fields = {name: getattr(data.contact, name) for name in _FIELDS}
    begin = fields["dist"].__array_interface__["data"][0]
    columns = [
        (field.__array_interface__["data"][0] - begin) // field.itemsize
        for field in fields.values()
    ]
    return np.array(columns, dtype=np.int64), int(fields["dist"].strides[0])
