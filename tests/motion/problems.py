"""Random point-to-point problems, and what every answer to them must fulfil."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armwerk.motion import Limits, Trajectory, ptp

Array = NDArray[np.float64]
KINDS = ("rest", "short", "still", "moving", "fast", "line", "back")


@dataclass(frozen=True)
class Problem:
    kind: str
    q0: Array
    q1: Array
    v0: Array
    v1: Array
    limits: Limits


class _Arm:
    """No arm at all: the limits are given."""


ARM = _Arm()


def problem(seed: int) -> Problem:
    """Return the problem of a number: sizes from a thousandth to ten times the usual."""
    random = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n = int(random.integers(1, 8))
    v = 10.0 ** random.uniform(-1.0, 1.0, n)
    a = 10.0 ** random.uniform(-0.5, 2.0, n)
    j = 10.0 ** random.uniform(0.5, 4.0, n)
    q0 = random.uniform(-3.0, 3.0, n)
    q1 = random.uniform(-3.0, 3.0, n)
    v0 = np.zeros(n)
    v1 = np.zeros(n)
    if kind in ("short", "back"):
        q1 = q0 + random.normal(size=n) * 10.0 ** random.uniform(-6.0, -0.5, n)
    if kind == "still":
        q1 = np.where(random.random(n) < 0.5, q0, q1)
    if kind in ("moving", "back"):
        v0 = random.uniform(-1.0, 1.0, n) * v * (random.random(n) < 0.8)
        v1 = random.uniform(-1.0, 1.0, n) * v * (random.random(n) < 0.8)
    if kind == "fast":
        v0 = random.choice([-1.0, 0.0, 1.0], n) * v
        v1 = random.choice([-1.0, 0.0, 1.0], n) * v
    if kind == "line":
        way = q1 - q0
        most = (v / np.abs(way)).min()
        v0, v1 = random.uniform(-1.0, 1.0, 2)[:, None] * most * way
    return Problem(kind, q0, q1, v0, v1, Limits(v, a, j))


def planned(given: Problem, sync: str, profile: str) -> Trajectory:
    """Return the answer; fully synchronous ones start and end at rest unless on the line."""
    v0, v1 = given.v0, given.v1
    if sync == "full" and given.kind != "line":
        v0, v1 = np.zeros_like(v0), np.zeros_like(v1)
    return ptp(ARM, given.q0, given.q1, sync, profile, v0, v1, limits=given.limits)


def faults(given: Problem, sync: str, profile: str) -> tuple[float, float]:
    """Return by how much the ends are missed, and the limits exceeded (relatively)."""
    motion = planned(given, sync, profile)
    at_rest = sync == "full" and given.kind != "line"
    n = len(given.q0)
    ends = np.full(n, motion.duration) if motion.arrivals is None else motion.arrivals
    q, qd, qdd, _ = motion.evaluate(np.concatenate([[0.0], ends]))
    axis = np.arange(n)
    row = axis + 1
    v0, v1 = (np.zeros(n), np.zeros(n)) if at_rest else (given.v0, given.v1)
    missed = np.concatenate(
        [
            q[0] - given.q0,
            qd[0] - v0,
            qdd[0],
            q[row, axis] - given.q1,
            qd[row, axis] - v1,
            qdd[row, axis],
        ]
    )
    found = motion.extremes()
    limits = given.limits
    shares = (
        found.velocity / limits.velocity,
        found.acceleration / limits.acceleration,
        found.jerk / limits.jerk,
    )
    return float(np.abs(missed).max()), max(float(share.max()) for share in shares) - 1.0
