"""Whole turns and joint limits: of all the values that mean the same angle, the right one."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry, inner
from armwerk.mechanics.kernels.packed import is_revolute, joint_unit, lower, upper

TURN = 2.0 * math.pi  # [rad]


@inner
def turned_into(q: float, near: float, low: float, high: float) -> float:
    """Return an angle shifted by whole turns next to ``near`` but within limits.

    Where no turn brings it within the limits, it is as little outside as goes.
    """
    q += TURN * math.floor((near - q) / TURN + 0.5)
    if q > high:
        q -= TURN * math.ceil((q - high) / TURN)
        if low - q > q + TURN - high:
            q += TURN
    elif q < low:
        q += TURN * math.ceil((low - q) / TURN)
        if q - high > low - (q - TURN):
            q -= TURN
    return q


@inner
def fit(arm: Array, q: Array, near: Array) -> bool:
    """Shift the angles of q by `turned_into`, in place; False: a limit is broken."""
    inside = True
    for i in range(q.shape[0]):
        low, high = lower(arm, i), upper(arm, i)
        if is_revolute(arm, i):
            q[i] = turned_into(q[i], near[i], low, high)
        if not low <= q[i] <= high:
            inside = False
    return inside


@entry("boolean[::1](float64[:,::1], boolean[::1], float64[:,::1], float64[::1])")
def fit_rows(limits: Array, revolute: Flags, rows: Array, near: Array) -> Flags:
    """Shift the angles of every row by `turned_into`, in place; return which keep all limits.

    Args:
        limits: [rad or m]. Shape (n, 2).
        revolute: Which joints turn. Shape (n,).
        rows: Solutions. Shape (k, n).
        near: Where to be close to. Shape (n,).

    Returns:
        Shape (k,).
    """
    inside = np.ones(rows.shape[0], dtype=np.bool_)
    for k in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            low, high = limits[i, 0], limits[i, 1]
            if revolute[i]:
                rows[k, i] = turned_into(rows[k, i], near[i], low, high)
            if not low <= rows[k, i] <= high:
                inside[k] = False
    return inside


@inner
def squared_distance(arm: Array, q: Array, near: Array) -> float:
    """Return the square of the distance of two configurations, metres counted in scales."""
    total = 0.0
    for i in range(q.shape[0]):
        total += ((q[i] - near[i]) / joint_unit(arm, i)) ** 2
    return total


@entry("int64(float64[:,:,::1], float64[:,::1], float64[::1], float64[:,::1])")
def nearest_row(arm: Array, rows: Array, near: Array, limits: Array) -> int:
    """Turn every row into limits, as close to ``near`` as it gets; return the best, or -1.

    Args:
        arm: The packed arm; its own limits are not looked at.
        rows: Solutions; changed in place by whole turns. Shape (k, n).
        near: Where the arm stands. Shape (n,).
        limits: [rad or m]. Shape (n, 2).
    """
    best, smallest = -1, math.inf
    for k in range(rows.shape[0]):
        inside = True
        for i in range(rows.shape[1]):
            low, high = limits[i, 0], limits[i, 1]
            if is_revolute(arm, i):
                rows[k, i] = turned_into(rows[k, i], near[i], low, high)
            inside = inside and low <= rows[k, i] <= high
        if inside:
            distance = squared_distance(arm, rows[k], near)
            if distance < smallest:
                best, smallest = k, distance
    return best


@inner
def wrap(arm: Array, q: Array) -> None:
    """Put angles into (-π, π]."""
    for i in range(q.shape[0]):
        if is_revolute(arm, i):
            q[i] -= TURN * math.ceil((q[i] - math.pi) / TURN)
