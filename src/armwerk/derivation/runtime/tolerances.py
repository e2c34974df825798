"""Every tolerance of the run-time inverse kinematics, with its reason."""

from __future__ import annotations

POSITION = 1e-9
"""[m] by which direct kinematics of a solution may miss the pose."""

ROTATION = 1e-9
"""[rad] by which direct kinematics of a solution may miss the pose."""

SHARP = 0.5
"""Share of `POSITION` and `ROTATION` that is used up; the rest is for whoever checks again with
other roundings."""

CLOSE = 1e-2
"""[m and rad] a branch that misses by less than this is worth polishing: rounding near a
singularity, not a branch without solution."""

ROOT_ZERO = 1e-8
"""Share of its usual size below which a negative radicand counts as zero. Rounding makes a
vanishing one about 1e-16; a pose half a tolerance beyond the edge of reach makes it about -1e-9."""

ROOT_CLEAR = 1e-12
"""Share of its usual size above which a radicand is positive without doubt: its two roots are
then a millionth apart and have kept four digits, so that the check alone decides."""

TURN_ZERO = 1e-8
"""Share of its usual size below which sine and cosine of a turn are looked at with care: the
angle is rounding or nearly so, and may be free. Where two singularities meet, a turn that is free
comes out of the formulas as far as this from zero."""

TURN_FREE = 1e-7
"""Share of its usual size below which, with care, any angle is tried for a turn."""

TURN_NOISE = 1e-100
"""Share of its usual size below which the fast path sets a turn to angle zero, because zero by
zero must not be divided. Far below rounding: where both are products with a small common factor
the angle is good although they are tiny."""

SAME = 1e-6
"""[rad or m] within which two solutions are one. A double root comes out of the square root with
half the digits, and every joint behind it is as far off."""

LIMIT = 1e-6
"""[rad or m] a joint beyond its limit by no more than this is put on it, if the pose is still
reached then; the same in `armwerk.mechanics.kernels.turns`."""

ORTHONORMAL = 1e-11
"""How far RᵀR of a pose may be from the identity for it to be used as it is;
beyond, the nearest rotation is taken."""
