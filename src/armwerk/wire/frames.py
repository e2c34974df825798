"""Frames of poses: where all bodies are, packed into a few bytes each.

All numbers are little endian. A frame is

| bytes    | what                                                                   |
|----------|------------------------------------------------------------------------|
| 4        | u32, the layout: 1                                                     |
| 4        | u32, version of the geometry it belongs to                             |
| 4        | u32, number of physics steps made                                      |
| 4        | u32, how often time was set back                                       |
| 8        | f64, simulated time [s]                                                |
| 2 2 2 2  | u16, numbers of rows, of bodies, of belts, of motors                   |
| 12 rows  | f32, places x y z [m]                                                  |
| 4 belts  | f32, how far each belt has moved [m]                                   |
| 8 rows   | i16, turns w x y z, times 32767                                        |
| 2 rows   | u16, which bodies; left out when there is a row for each               |
| motors   | u8, 0: stands, 1: moves, 2: at 95 % of its greatest speed or more      |

Bodies that have not moved since the viewer was last told have no row. What a viewer knows is kept
per viewer, in its `FramePacker`, so nothing adds up and any frame may be left out.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array

LAYOUT = 1
TURN = 32767.0  # of a turn's numbers
STANDS, MOVES, FAST = 0, 1, 2  # marks of motors
_HEAD = struct.Struct("<IIIIdHHHH")
_PLACE = 2e-5  # [m] that a body must move before it is told
_TURNED = 3.0  # units of a turn's numbers, likewise: 0.2 mrad


class Frame(NamedTuple):
    """Where everything is at one time, in the numbers that are sent.

    Attributes:
        version: Of the geometry it belongs to.
        step: Physics steps made.
        epoch: How often time was set back.
        time: Simulated [s].
        places: Of the bodies [m]. Shape (n, 3).
        turns: Of the bodies, w x y z times 32767. Shape (n, 4).
        travels: How far each belt has moved [m].
        marks: How each motor moves.
    """

    version: int
    step: int
    epoch: int
    time: float
    places: NDArray[np.float32]
    turns: NDArray[np.int16]
    travels: NDArray[np.float32]
    marks: NDArray[np.uint8]


def frame_of(
    version: int,
    step: int,
    epoch: int,
    time: float,
    places: Array,
    quaternions: Array,
    travels: Array,
    marks: NDArray[np.uint8],
) -> Frame:
    """Return a frame from exact numbers; arguments as of `Frame`, turns as quaternions."""
    return Frame(
        *(version, step, epoch, time),
        places.astype("<f4"),
        np.rint(quaternions * TURN).astype("<i2"),
        travels.astype("<f4"),
        marks,
    )


class FramePacker:
    """Packs frames for one viewer, and remembers what that one knows."""

    def __init__(self) -> None:
        self._version = -1
        self._places: NDArray[np.float32] = np.zeros((0, 3), dtype=np.float32)
        self._turns: NDArray[np.int16] = np.zeros((0, 4), dtype=np.int16)

    def pack(self, frame: Frame) -> bytes:
        """Return the bytes of a frame: all bodies the first time, then those that moved."""
        places, turns = frame.places, frame.turns
        total = len(places)
        if frame.version != self._version or total != len(self._places):
            self._version = frame.version
            self._places, self._turns = places.copy(), turns.copy()
            index = b""
        else:
            away = places - self._places
            apart = turns.astype(np.float32) - self._turns
            moved = np.einsum("ij,ij->i", away, away) > _PLACE**2
            moved |= np.einsum("ij,ij->i", apart, apart) > _TURNED**2
            rows = np.flatnonzero(moved)
            places, turns = places[rows], turns[rows]
            self._places[rows], self._turns[rows] = places, turns
            index = rows.astype("<u2").tobytes() if len(rows) < total else b""
        head = _HEAD.pack(
            *(LAYOUT, frame.version, frame.step & 0xFFFFFFFF, frame.epoch & 0xFFFFFFFF),
            *(frame.time, len(places), total, len(frame.travels), len(frame.marks)),
        )
        return b"".join(
            (
                head,
                places.tobytes(),
                frame.travels.tobytes(),
                turns.tobytes(),
                index,
                frame.marks.tobytes(),
            )
        )


class FrameReader:
    """Reads packed frames, as a viewer does: keeps what it knows and fills in what comes."""

    def __init__(self) -> None:
        self._known: Frame | None = None

    def read(self, data: bytes) -> Frame:
        """Return where everything is after a frame has come.

        Raises:
            ValueError: For bytes that are no frame, or one that needs others before it.
        """
        if len(data) < _HEAD.size:
            raise ValueError(f"a frame has {_HEAD.size} bytes or more, got {len(data)}")
        layout, version, step, epoch, time, rows, total, belts, motors = _HEAD.unpack_from(data)
        if layout != LAYOUT:
            raise ValueError(f"layout {layout} is not known, only {LAYOUT}")
        ends = np.cumsum([_HEAD.size, 12 * rows, 4 * belts, 8 * rows, 2 * rows * (rows < total)])
        if len(data) != ends[-1] + motors:
            raise ValueError(f"a frame of {len(data)} bytes must have {ends[-1] + motors}")
        places = np.frombuffer(data, "<f4", 3 * rows, ends[0]).reshape(-1, 3)
        travels = np.frombuffer(data, "<f4", belts, ends[1])
        turns = np.frombuffer(data, "<i2", 4 * rows, ends[2]).reshape(-1, 4)
        marks = np.frombuffer(data, "u1", motors, ends[4])
        if rows < total:
            if self._known is None or self._known.version != version:
                raise ValueError("the first frame of a geometry must have all bodies")
            which = np.frombuffer(data, "<u2", rows, ends[3])
            all_places, all_turns = self._known.places.copy(), self._known.turns.copy()
            all_places[which], all_turns[which] = places, turns
            places, turns = all_places, all_turns
        self._known = Frame(version, step, epoch, time, places, turns, travels, marks)
        return self._known
