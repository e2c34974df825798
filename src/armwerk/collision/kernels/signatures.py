"""The types of records and arrays, as entry points are compiled for them."""

from __future__ import annotations

from numba import types

from armwerk.collision.kernels.layout import (
    JointChain,
    MeshTables,
    MovingPoints,
    PackedScene,
    SceneScratch,
    Scratch,
)
from armwerk.compiled import Signature, record_type

BOOLEAN, INTEGER, NUMBER = types.boolean, types.int64, types.float64
FLAGS = types.boolean[::1]
NUMBERS, ROWS, STACKED = types.float64[::1], types.float64[:, ::1], types.float64[:, :, ::1]
INTEGERS, INTEGER_ROWS = types.int64[::1], types.int64[:, ::1]

MESHES = record_type(MeshTables, ROWS, ROWS, INTEGER_ROWS, ROWS)
SCENE = record_type(PackedScene, ROWS, ROWS, ROWS, ROWS, INTEGER_ROWS, MESHES)
CHAIN = record_type(JointChain, ROWS, INTEGERS, INTEGERS)
MOVING = record_type(MovingPoints, ROWS, INTEGERS, INTEGERS)
SCRATCH = record_type(Scratch, ROWS, ROWS)
SCENE_SCRATCH = record_type(SceneScratch, ROWS, ROWS, ROWS, NUMBERS, INTEGERS, SCRATCH)


def answers(*found: Signature) -> Signature:
    """Return the type of several results."""
    return types.Tuple(found)
