"""The packed arm, read by name; every function is copied into its caller and costs nothing.

``arm`` is `armwerk.mechanics.chain.Chain.constants`, shape (n + 1, 4, 4): entry i holds the
constant transform C_i of direct kinematics and, below it, what belongs to joint i + 1.
"""

from __future__ import annotations

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.mechanics.kernels.layout import (
    KIND,
    LOWER,
    REVOLUTE,
    SCALE,
    SETTINGS,
    START_STEP,
    UPPER,
)


@inner(flatten=True)
def joint_count(arm: Array) -> int:
    """Return the number n of moving joints."""
    return len(arm) - 1


@inner(flatten=True)
def is_revolute(arm: Array, i: int) -> bool:
    """Whether joint i, counted from 0, turns; else it slides."""
    return bool(arm[i, SETTINGS, KIND] == REVOLUTE)


@inner(flatten=True)
def lower(arm: Array, i: int) -> float:
    """Return the lower limit of joint i [rad or m], -inf when it has none."""
    return float(arm[i, SETTINGS, LOWER])


@inner(flatten=True)
def upper(arm: Array, i: int) -> float:
    """Return the upper limit of joint i [rad or m], inf when it has none."""
    return float(arm[i, SETTINGS, UPPER])


@inner(flatten=True)
def start_step(arm: Array, i: int) -> float:
    """Return the step of joint i in the sequence of evenly spread starts, a share of its range."""
    return float(arm[i, SETTINGS, START_STEP])


@inner(flatten=True)
def length_scale(arm: Array) -> float:
    """Return the length that counts as much as one radian [m]."""
    return float(arm[arm.shape[0] - 1, SETTINGS, SCALE])


@inner(flatten=True)
def joint_unit(arm: Array, i: int) -> float:
    """Return what one step of joint i is worth: 1 rad, or one length scale [m]."""
    return 1.0 if arm[i, SETTINGS, KIND] == REVOLUTE else float(length_scale(arm))


@inner
def check_values(n: int, values: Array) -> None:
    """Raise ``ValueError`` for a wrong length, nan or infinity."""
    if values.shape[0] != n:
        raise ValueError("length")
    total = 0.0
    for i in range(n):
        total += values[i] - values[i]  # 0 when finite, nan otherwise
    if total != 0.0:
        raise ValueError("not finite")
