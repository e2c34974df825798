"""Milling paths of many kinds, and what they are held against: differences of plain positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.motion import Trajectory

KINDS = (
    "raster",
    "spiral",
    "zigzag",
    "chords",
    "star",
    "noise",
    "repeated",
    "half turns",
    "back",
    "huge among tiny",
    "rounded",
    "walk",
    "helix",
    "surface",
    "pockets",
)
_STEP = 2e-4  # [s] between positions of which differences are taken
_COUNT = 400  # positions in a row


def milling_shape(kind: str, count: int) -> Array:
    """Return the goals of lines beside the start of the tool [m]. Shape (count, 3)."""
    random = np.random.default_rng(1)
    k = np.arange(1, count + 1)
    flat = np.zeros(count)

    def points(x: ArrayLike, y: ArrayLike, z: ArrayLike = flat) -> Array:
        return np.stack([np.asarray(v, dtype=np.float64) for v in (x, y, z)], axis=1)

    circle = points(0.02 * np.cos(5e-3 * k) - 0.02, 0.02 * np.sin(5e-3 * k))
    if kind == "raster":
        row, along = k // 100, k % 100
        return points(3e-4 * np.where(row % 2 == 0, along, 99 - along), 0.03 * row / (count / 100))
    if kind == "spiral":
        radius = 0.002 + 0.03 * k / count
        turn = np.cumsum(3e-4 / radius)
        return points(radius * np.cos(turn) - 0.002, radius * np.sin(turn))
    if kind == "zigzag":
        return points(
            2e-4 * np.cumsum(np.where(k // 60 % 2 == 0, 1, -1)), 2e-4 * (k % 2) + 1e-6 * k
        )
    if kind == "chords":
        return circle
    if kind == "star":
        radius = np.where(k % 2 == 0, 0.005, 0.015)
        return points(radius * np.cos(0.1 * k) - 0.005, radius * np.sin(0.1 * k))
    if kind == "noise":
        return np.asarray(circle + 1e-6 * random.standard_normal(circle.shape))
    if kind == "repeated":
        return np.repeat(circle[: count // 2], 2, axis=0)
    if kind in {"half turns", "back"}:
        return points(5e-4 * np.abs(k % 40 - 20), (1e-6 if kind == "back" else 0.0) * k)
    if kind == "huge among tiny":
        step = np.where(k % 500 == 0, 0.02, 6e-5) * np.where(k // 500 % 2 == 0, 1, -1)
        return points(np.cumsum(step), 1e-4 * np.sin(0.3 * k))
    if kind == "rounded":
        return np.round(circle, 6)
    if kind == "walk":
        way = np.cumsum(random.uniform(-1.0, 1.0, (count, 3)), axis=0)
        return np.asarray(way * (0.02 / np.abs(way).max()))
    if kind == "helix":
        turn = np.asarray(0.01 * k, dtype=np.float64)
        return points(0.015 * np.cos(turn) - 0.015, 0.015 * np.sin(turn), 0.03 * k / count)
    if kind == "surface":
        turn = np.asarray(2.0 * np.pi * k / 200, dtype=np.float64)
        return points(0.02 * np.sin(0.5 * turn), 0.03 * k / count, 0.004 * np.sin(3.0 * turn))
    assert kind == "pockets"
    side = k // 50 % 4
    x = np.cumsum(np.where(side == 0, 1, np.where(side == 2, -1, 0)))
    y = np.cumsum(np.where(side == 1, 1, np.where(side == 3, -1, 0)))
    return points(2e-4 * x, 2e-4 * y, -1e-6 * k)


def use_by_differences(motion: Trajectory, windows: int) -> float:
    """Return the largest fraction of a limit that a motion uses, within random windows of time.

    Velocity, acceleration and jerk are central differences of positions.
    """
    assert motion.limits is not None
    random, h, worst = np.random.default_rng(7), _STEP, 0.0
    for begin in random.uniform(0.0, max(motion.duration - _COUNT * h, 0.0), windows):
        q = motion.evaluate(begin + h * np.arange(_COUNT)).q
        velocity = (q[2:] - q[:-2]) / (2.0 * h)
        acceleration = (q[2:] - 2.0 * q[1:-1] + q[:-2]) / h**2
        jerk = (q[4:] - 2.0 * q[3:-1] + 2.0 * q[1:-3] - q[:-4]) / (2.0 * h**3)
        for rate, limit in (
            (velocity, motion.limits.velocity),
            (acceleration, motion.limits.acceleration),
            (jerk, motion.limits.jerk),
        ):
            worst = max(worst, float((np.abs(rate) / limit).max()))
    return worst


def off_the_lines(points: Array, ends: Array, blend: float) -> tuple[float, float]:
    """Return how far points are from a polygon, outside of its blends and within them [m].

    Args:
        points: Of the tool [m]. Shape (m, 3).
        ends: Corners of the polygon [m]. Shape (k, 3).
        blend: Radius about each corner [m].
    """
    way = np.diff(ends, axis=0)
    square = np.maximum((way * way).sum(axis=1), 1e-30)
    outside = within = 0.0
    for point in points:
        share = np.clip(((point - ends[:-1]) * way).sum(axis=1) / square, 0.0, 1.0)
        away = float(np.linalg.norm(point - ends[:-1] - share[:, None] * way, axis=1).min())
        if float(np.linalg.norm(ends - point, axis=1).min()) > blend * (1.0 + 1e-6) + 1e-7:
            outside = max(outside, away)
        else:
            within = max(within, away)
    return outside, within
