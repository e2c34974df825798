"""The types of records and arrays, as entry points are compiled for them."""

from __future__ import annotations

from armwerk.collision.kernels.layout import (
    JointChain,
    MeshTables,
    MovingPoints,
    PackedScene,
    SceneScratch,
    Scratch,
)
from armwerk.compiled import TypeText

BOOLEAN, INTEGER, NUMBER = TypeText("boolean"), TypeText("int64"), TypeText("float64")
FLAGS = TypeText("boolean[::1]")
NUMBERS, ROWS = TypeText("float64[::1]"), TypeText("float64[:,::1]")
STACKED = TypeText("float64[:,:,::1]")
INTEGERS, INTEGER_ROWS = TypeText("int64[::1]"), TypeText("int64[:,::1]")

MESHES = TypeText.of_record(MeshTables, ROWS, ROWS, INTEGER_ROWS, ROWS)
SCENE = TypeText.of_record(PackedScene, ROWS, ROWS, ROWS, ROWS, INTEGER_ROWS, MESHES)
CHAIN = TypeText.of_record(JointChain, ROWS, INTEGERS, INTEGERS)
MOVING = TypeText.of_record(MovingPoints, ROWS, INTEGERS, INTEGERS)
SCRATCH = TypeText.of_record(Scratch, ROWS, ROWS)
SCENE_SCRATCH = TypeText.of_record(SceneScratch, ROWS, ROWS, ROWS, NUMBERS, INTEGERS, SCRATCH)

answers = TypeText.several
