"""An independent count of solutions: Newton's method from many starts, in plain numpy.

Shares no code with the package: the arm is its rows, multiplied out here.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.robot import Arm

Array = NDArray[np.float64]
STEPS = 40
HIT = 1e-10  # [m], [rad]
SAME = 1e-5  # [rad], [m] between copies of a regular solution
REGULAR = 1e-3  # smallest singular value of the Jacobian; below, solutions may be double


def frames(arm: Arm, q: Array) -> Array:
    """Return the frame in front of every joint and behind the last. Shape (m, n + 1, 4, 4)."""
    m = len(q)
    found = np.empty((m, arm.dof + 1, 4, 4))
    found[:, 0] = np.eye(4)
    for k, joint in enumerate(arm.moving):
        turns = joint.kind == "revolute"
        theta = float(joint.offset) + (q[:, k] if turns else np.zeros(m))
        shift = float(joint.d) + (np.zeros(m) if turns else q[:, k])
        row = np.zeros((m, 4, 4))
        c, s = np.cos(theta), np.sin(theta)
        ca, sa = math.cos(float(joint.alpha)), math.sin(float(joint.alpha))
        row[:, 0, 0], row[:, 0, 1], row[:, 0, 2] = c, -s * ca, s * sa
        row[:, 1, 0], row[:, 1, 1], row[:, 1, 2] = s, c * ca, -c * sa
        row[:, 2, 1], row[:, 2, 2], row[:, 3, 3] = sa, ca, 1.0
        row[:, 0, 3], row[:, 1, 3], row[:, 2, 3] = c * float(joint.a), s * float(joint.a), shift
        found[:, k + 1] = found[:, k] @ row
    return found


def jacobian(arm: Arm, at: Array) -> Array:
    """Return the Jacobians at the last frame, rows v then w. Shape (m, 6, n)."""
    tip = at[:, -1, :3, 3]
    columns = []
    for k, joint in enumerate(arm.moving):
        axis, origin = at[:, k, :3, 2], at[:, k, :3, 3]
        if joint.kind == "revolute":
            columns.append(np.concatenate([np.cross(axis, tip - origin), axis], axis=1))
        else:
            columns.append(np.concatenate([axis, np.zeros_like(axis)], axis=1))
    return np.stack(columns, axis=2)


def error(at: Array, pose: Array) -> Array:
    """Return by how much the last frames miss a pose. Shape (m, 6)."""
    turn = pose[:3, :3] @ at[:, -1, :3, :3].transpose(0, 2, 1)
    skew = 0.5 * np.stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ],
        axis=1,
    )
    return np.concatenate([pose[:3, 3] - at[:, -1, :3, 3], skew], axis=1)


def regular_solutions(arm: Arm, pose: Array, starts: int, draw: np.random.Generator) -> Array:
    """Return the regular solutions that are found, each once. Shape (k, n)."""
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    q = np.where(turns, draw.uniform(-np.pi, np.pi, (starts, arm.dof)), 0.0)
    q += np.where(turns, 0.0, draw.uniform(-1.5, 1.5, (starts, arm.dof)))
    for _ in range(STEPS):
        at = frames(arm, q)
        e = error(at, pose)
        J = jacobian(arm, at)
        damping = np.minimum(np.square(e).sum(axis=1), 0.1) + 1e-14
        square = J.transpose(0, 2, 1) @ J + damping[:, None, None] * np.eye(arm.dof)
        step = np.linalg.solve(square, J.transpose(0, 2, 1) @ e[:, :, None])[:, :, 0]
        q = q + step / np.maximum(1.0, np.abs(step).max(axis=1) / 0.5)[:, None]
    at = frames(arm, q)
    apart = np.abs(at[:, -1] - pose).max(axis=(1, 2))
    least = np.linalg.svd(jacobian(arm, at), compute_uv=False).min(axis=1)
    kept = q[(apart < HIT) & (least > REGULAR)]
    found: list[Array] = []
    for row in np.where(turns, np.angle(np.exp(1j * kept)), kept):
        if all(gap(row, other, turns) > SAME for other in found):
            found.append(row)
    return np.array(found).reshape(-1, arm.dof)


def gap(one: Array, two: Array, turns: NDArray[np.bool_]) -> float:
    """Return the largest difference of two configurations, angles on the circle."""
    apart = np.where(turns, np.angle(np.exp(1j * (one - two))), one - two)
    return float(np.abs(apart).max())
