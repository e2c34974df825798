"""Fastest speeds along a path, forwards and backwards, and the check of a finished law."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import RecordText, entry, inner
from armwerk.motion.retiming.path_grid import (
    ACCELERATION,
    FIRST_JOINT,
    JERK,
    VELOCITY,
    LawSamples,
    PathGrid,
)

_STILL = 1e-12  # rates by arc length below which something does not move


class AccelerationRange(NamedTuple):
    """How strongly the path parameter may brake and speed up [m/s²], both at least 0."""

    braking: float
    driving: float


class LimitUse(NamedTuple):
    """What samples of a law use of their limits.

    Args:
        used: Fractions of the limits of velocity, acceleration, jerk. Shape (k, 3).
        row: Who uses most: `TRANSLATION`, `ROTATION`, `FIRST_JOINT` and on. Shape (k, 3).
    """

    used: Array
    row: Integers


_GRID = RecordText(
    PathGrid,
    s="float64[::1]",
    joints="float64[:,:,::1]",
    tool="float64[:,:,::1]",
    tool_sizes="float64[:,:,::1]",
    tool_limits="float64[:,:,::1]",
    joint_limits="float64[:,:,::1]",
)
_SAMPLES = RecordText(
    LawSamples,
    s="float64[::1]",
    speed="float64[::1]",
    acceleration="float64[::1]",
    jerk="float64[::1]",
)
_USE = RecordText(LimitUse, used="float64[:,::1]", row="int64[:,::1]")


@inner(borrows=True, flatten=True)
def _acceleration_range(grid: PathGrid, k: int, rise: float, square: float) -> AccelerationRange:
    """Return the accelerations along the path that point k allows at a squared speed [m²/s²].

    The jerk counts as if all of its terms had one sign, with the acceleration rising at ``rise``
    times itself: |x'| a rise + 3 |x''| v a + |x'''| v³.
    """
    braking = driving = math.inf
    speed = math.sqrt(square)
    for i in range(grid.joints.shape[2]):
        first, second = grid.joints[k, 1, i], grid.joints[k, 2, i]
        if rise > 0.0:
            slope = abs(first) * rise + 3.0 * abs(second) * speed
            if slope > _STILL:
                spent = abs(grid.joints[k, 3, i]) * speed * square
                cap = (grid.joint_limits[k, JERK, i] - spent) / slope
                braking, driving = min(braking, cap), min(driving, cap)
        size = abs(first)
        if size > _STILL:
            shift = second * square if first > 0.0 else -second * square
            limit = grid.joint_limits[k, ACCELERATION, i]
            braking = min(braking, (limit + shift) / size)
            driving = min(driving, (limit - shift) / size)
    for g in range(2):  # translation, rotation
        if rise > 0.0:
            slope = grid.tool_sizes[k, 0, g] * rise + 3.0 * grid.tool_sizes[k, 1, g] * speed
            if slope > _STILL:
                spent = grid.tool_sizes[k, 2, g] * speed * square
                cap = (grid.tool_limits[k, JERK, g] - spent) / slope
                braking, driving = min(braking, cap), min(driving, cap)
        # |x' a + x'' v²| <= limit is a quadratic in a
        xx = xy = yy = 0.0
        for r in range(3 * g, 3 * g + 3):
            xx += grid.tool[k, 0, r] * grid.tool[k, 0, r]
            xy += grid.tool[k, 0, r] * grid.tool[k, 1, r]
            yy += grid.tool[k, 1, r] * grid.tool[k, 1, r]
        limit = grid.tool_limits[k, ACCELERATION, g]
        if xx > _STILL * 1e-6 and limit < math.inf:
            root = (xy * square) ** 2 - xx * (yy * square * square - limit * limit)
            root = math.sqrt(root) if root > 0.0 else 0.0
            braking = min(braking, (root + xy * square) / xx)
            driving = min(driving, (root - xy * square) / xx)
    # written so that nan counts as nothing left
    return AccelerationRange(braking if braking > 0.0 else 0.0, driving if driving > 0.0 else 0.0)


@entry("float64[::1](GRID, float64[::1], float64, float64[::1])", GRID=_GRID)
def fastest(grid: PathGrid, ceiling: Array, rise: float, fraction: Array) -> Array:
    """Return the largest squared speeds under the limits [m²/s²]. Shape (m,).

    Args:
        grid: The run, or a stretch of it.
        ceiling: Largest speeds [m/s]; at most where no acceleration along the path is within the
            limits, and 0 at an end that is a rest. Shape (m,).
        rise: One over the time in which acceleration rises [1/s]; 0: at once.
        fraction: By which accelerations are lowered. Shape (m,).
    """
    s = grid.s
    m = s.shape[0]
    b = ceiling * ceiling
    for k in range(m - 2, -1, -1):
        h = 2.0 * (s[k + 1] - s[k])
        here = _acceleration_range(grid, k + 1, rise, b[k + 1]).braking
        top = min(b[k], b[k + 1] + h * here * fraction[k + 1])
        # the limit at the other end of the cell counts too
        there = _acceleration_range(grid, k, rise, top).braking
        b[k] = min(top, b[k + 1] + h * there * fraction[k])
    for k in range(1, m):
        h = 2.0 * (s[k] - s[k - 1])
        here = _acceleration_range(grid, k - 1, rise, b[k - 1]).driving
        top = min(b[k], b[k - 1] + h * here * fraction[k - 1])
        there = _acceleration_range(grid, k, rise, top).driving
        b[k] = min(top, b[k - 1] + h * there * fraction[k])
    return b


@entry("float64[::1](float64[::1], float64[::1], float64)")
def eroded(s: Array, ceiling: Array, half: float) -> Array:
    """Return the speeds that may be averaged over ± half [s] without passing the ceiling.

    v(s) = min over s' of max(ceiling(s'), |s - s'| / half). Shape (m,).
    """
    m = s.shape[0]
    out = ceiling.copy()
    for k in range(m):
        for step in (-1, 1):
            i = k + step
            while 0 <= i < m:
                far = abs(s[i] - s[k]) / half
                if far >= out[k]:
                    break
                out[k] = min(out[k], max(ceiling[i], far))
                i += step
    return out


@inner(borrows=True, flatten=True)
def _by_time(
    first: float, second: float, third: float, samples: LawSamples, k: int
) -> tuple[float, float, float]:
    """Return velocity, acceleration and jerk from derivatives by arc length."""
    v, a, j = samples.speed[k], samples.acceleration[k], samples.jerk[k]
    return (
        first * v,
        first * a + second * v * v,
        first * j + 3.0 * second * v * a + third * v * v * v,
    )


@entry("USE(GRID, SAMPLES)", USE=_USE, GRID=_GRID, SAMPLES=_SAMPLES)
def limit_use(grid: PathGrid, samples: LawSamples) -> LimitUse:
    """Return how much of its limits a law uses at its samples, and what uses most.

    Args:
        grid: The run.
        samples: Of the law, in any order; quickest when arc lengths rise.
    """
    s, joints, tool = grid.s, grid.joints, grid.tool
    m, n, count = s.shape[0], joints.shape[2], samples.s.shape[0]
    used, row = np.zeros((count, 3)), np.zeros((count, 3), dtype=np.int64)
    cell, known = 0, -1
    squares = np.empty(3)
    # one over the limits of a point, which several samples in a row ask for
    per_joint, per_tool = np.empty((3, n)), np.empty((3, 2))
    for k in range(count):
        place = samples.s[k]
        while cell < m - 2 and s[cell + 1] <= place:
            cell += 1
        while cell > 0 and s[cell] > place:
            cell -= 1
        h = s[cell + 1] - s[cell]
        f = min(max((place - s[cell]) / h, 0.0), 1.0) if h > 0.0 else 0.0
        nearer = cell if f < 0.5 else cell + 1
        if nearer != known:
            known = nearer
            for order in range(3):
                for i in range(n):
                    per_joint[order, i] = 1.0 / grid.joint_limits[nearer, order, i]
                for g in range(2):
                    per_tool[order, g] = 1.0 / grid.tool_limits[nearer, order, g]
        for i in range(n):
            rates = _by_time(
                joints[cell, 1, i] + f * (joints[cell + 1, 1, i] - joints[cell, 1, i]),
                joints[cell, 2, i] + f * (joints[cell + 1, 2, i] - joints[cell, 2, i]),
                joints[cell, 3, i] + f * (joints[cell + 1, 3, i] - joints[cell, 3, i]),
                samples,
                k,
            )
            for order in range(3):
                part = abs(rates[order]) * per_joint[order, i]
                if part > used[k, order]:
                    used[k, order], row[k, order] = part, FIRST_JOINT + i
        for g in range(2):  # translation, rotation
            if per_tool[0, g] == per_tool[1, g] == per_tool[2, g] == 0.0:
                continue
            squares[:] = 0.0
            for r in range(3 * g, 3 * g + 3):
                rates = _by_time(
                    tool[cell, 0, r] + f * (tool[cell + 1, 0, r] - tool[cell, 0, r]),
                    tool[cell, 1, r] + f * (tool[cell + 1, 1, r] - tool[cell, 1, r]),
                    tool[cell, 2, r] + f * (tool[cell + 1, 2, r] - tool[cell, 2, r]),
                    samples,
                    k,
                )
                for order in range(3):
                    squares[order] += rates[order] ** 2
            for order in range(3):
                part = math.sqrt(squares[order]) * per_tool[order, g]
                if part > used[k, order]:
                    used[k, order], row[k, order] = part, g
    return LimitUse(used, row)


@entry(
    "float64[:,::1](GRID, SAMPLES, float64[:,:,::1], float64[:,:,::1])",
    GRID=_GRID,
    SAMPLES=_SAMPLES,
)
def exact_use(grid: PathGrid, samples: LawSamples, joints: Array, tool: Array) -> Array:
    """Return how much of its limits a law uses at its samples. Shape (k, 3).

    Args:
        grid: The run; of it the limits count.
        samples: Of the law, in any order; quickest when arc lengths rise.
        joints: q and its three derivatives by arc length at the samples. Shape (k, 4, n).
        tool: First to third derivative of the tool's pose there. Shape (k, 3, 6).
    """
    s = grid.s
    m, n, count = s.shape[0], joints.shape[2], samples.s.shape[0]
    used = np.zeros((count, 3))
    cell = 0
    squares = np.empty(3)
    for k in range(count):
        place = samples.s[k]
        while cell < m - 1 and s[cell + 1] <= place:
            cell += 1
        while cell > 0 and s[cell] > place:
            cell -= 1
        for i in range(n):
            rates = _by_time(joints[k, 1, i], joints[k, 2, i], joints[k, 3, i], samples, k)
            for order in range(3):
                part = abs(rates[order]) / grid.joint_limits[cell, order, i]
                used[k, order] = max(used[k, order], part)
        for g in range(2):  # translation, rotation
            squares[:] = 0.0
            for r in range(3 * g, 3 * g + 3):
                rates = _by_time(tool[k, 0, r], tool[k, 1, r], tool[k, 2, r], samples, k)
                for order in range(3):
                    squares[order] += rates[order] ** 2
            for order in range(3):
                part = math.sqrt(squares[order]) / grid.tool_limits[cell, order, g]
                used[k, order] = max(used[k, order], part)
    return used


@entry(
    "float64[::1](float64[::1], float64[::1], SAMPLES, float64[:,::1], float64, float64)",
    SAMPLES=_SAMPLES,
)
def lowered(
    s: Array, fraction: Array, samples: LawSamples, used: Array, half: float, margin: float
) -> Array:
    """Return fractions lowered around the samples that use more than a limit. Shape (m,).

    Args:
        s: Arc lengths of the grid [m]. Shape (m,).
        fraction: Of the speed, so far. Shape (m,).
        samples: Of the law.
        used: Fractions of the limits that they use. Shape (k, 3).
        half: How long before and after a sample speeds are lowered [s].
        margin: By how much more than needed.
    """
    m = s.shape[0]
    factor = np.ones(m)
    for k in range(samples.s.shape[0]):
        worst = 1.0
        for order in range(VELOCITY, JERK + 1):
            if used[k, order] > 1.0:
                worst = min(worst, (used[k, order] * margin) ** (-1.0 / (order + 1)))
        if worst == 1.0:
            continue
        reach = max(samples.speed[k] * half, 1e-12)
        low = np.searchsorted(s, samples.s[k] - reach) - 1
        high = np.searchsorted(s, samples.s[k] + reach) + 1
        for i in range(max(low, 0), min(high, m)):
            factor[i] = min(factor[i], max(worst, 0.5))
    return fraction * factor
