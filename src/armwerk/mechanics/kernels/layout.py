"""What stands where in the arrays that hold an arm, by name.

`armwerk.mechanics.chain` fills them, `armwerk.mechanics.kernels.packed` reads them. The numbers
stand beside the kernels, so that what was compiled with other numbers is seen to be stale.
"""

from __future__ import annotations

REVOLUTE, PRISMATIC, FIXED = 0.0, 1.0, 2.0
"""Kinds of a joint."""

SETTINGS = 3
"""The row below each constant transform, which holds what is no transform."""

KIND, LOWER, UPPER, START_STEP = 0, 1, 2, 3
"""Columns of that row for a joint: kind, limits [rad or m], step of the start sequence."""

SCALE = 0
"""Column of that row behind the last joint: length scale of the arm [m]."""

BODY_KIND, MASS, MOMENT, INERTIA, ARMATURE = 12, 13, 14, 17, 23
"""Columns of a body, behind the twelve of the transform in front of its joint: kind of the joint,
mass [kg], first moment (3) [kg m], inertia about the joint frame's origin as xx yy zz xy xz yz (6)
[kg m²], armature [kg m² or kg]."""

LUMP, LUMP_SIZE = MASS, 10
"""Where mass, first moment and inertia of a body stand together: what adds up when bodies are
joined."""

LUMP_MASS, LUMP_MOMENT, LUMP_INERTIA = 0, 1, 4
LUMP_ZZ, LUMP_XZ, LUMP_YZ = 6, 8, 9
"""Places within these ten numbers."""

GRAVITY = 13
"""Columns of the row behind the last body: gravity in the world (3) [m/s²]."""

BODY_SIZE = 28
