"""The numbers of an arm's kinematics, as the run-time code wants them, and where they are kept.

Only moving joints have a row; what is fixed in front of the first belongs to the base, what is
fixed behind the last belongs to the tool:

    T_world_tool = front · T_1(q_1) … T_n(q_n) · back

The setting of the kernels is read by the generated code and its callers. 0 to 11: front^-1, row by
row; 12 to 23: back^-1; then the numbers below; from `GIVEN` on four numbers per given joint:
cosine, sine, angle, value.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.errors import UnsupportedError
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.joint import Joint

_QUARTER = math.pi / 2
_SAME_ANGLE = 1e-12  # [rad] within which a twist is a multiple of 90°, as in the derivation
_FREE_STROKE = 1.0  # [m] a slide without limits is sampled within
GENERATOR_VERSION = 3
"""Changes when generated code can no longer be used with the rest."""

PLAIN = 24
"""Whether base and tool are both the identity: 1 or 0."""

FREE_COSINE, FREE_SINE = 25, 26
"""What a free turn is set to."""

FREE_BELOW = 27
"""Squared share of its usual size below which the length of a turn counts as zero."""

GIVEN = 28


@dataclass(frozen=True, slots=True)
class KinematicRow:
    """One moving joint: Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha).

    Args:
        is_revolute: Whether it turns.
        d, a: [m].
        twist: Cosine and sine of alpha; exact for multiples of 90°.
        offset: Angle at q = 0 [rad].
        turn: Cosine and sine of the offset, exact for multiples of 90°.
    """

    is_revolute: bool
    d: float
    a: float
    twist: tuple[float, float]
    offset: float
    turn: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class ArmKinematics:
    """Rows of the moving joints between two constant transforms.

    Args:
        rows: From the base outwards.
        front: World from the frame in front of joint 1 [m]. Shape (4, 4).
        back: Last joint frame from tool [m]. Shape (4, 4).
        limits: [rad or m], infinite where free. Shape (n, 2).
    """

    rows: tuple[KinematicRow, ...]
    front: Array
    back: Array
    limits: Array

    @property
    def dof(self) -> int:
        """Number of joint variables."""
        return len(self.rows)

    def digest(self) -> str:
        """Return a text that changes with the rows, but not with base, tool or limits."""
        return hashlib.sha256(repr(self.rows).encode()).hexdigest()

    def frames(self) -> Array:
        """Return front^-1 and back^-1, twelve numbers each, row by row. Shape (24,)."""
        pair = (_inverse(self.front)[:3], _inverse(self.back)[:3])
        return np.concatenate([matrix.ravel() for matrix in pair])

    def sample(self, count: int, seed: int = 1) -> Array:
        """Return random joint values; slides within their limits. Shape (count, n)."""
        generator = np.random.default_rng(seed)
        low, high = self.limits.T.copy()
        for i, row in enumerate(self.rows):
            if row.is_revolute:
                low[i], high[i] = -math.pi, math.pi
            elif not math.isfinite(high[i] - low[i]):
                low[i], high[i] = -_FREE_STROKE, _FREE_STROKE
        return generator.uniform(low, high, (count, self.dof))

    def inner_pose(self, q: Array) -> Array:
        """Return T_1(q_1) … T_n(q_n). Shape (m, 4, 4) for q of shape (m, n)."""
        pose = np.broadcast_to(np.eye(4), (len(q), 4, 4))
        for i in range(self.dof):
            pose = pose @ self.row_poses(i, q[:, i])
        return pose

    def pose(self, q: Array) -> Array:
        """Return the tool poses in the world. Shape (m, 4, 4) for q of shape (m, n)."""
        product: Array = self.front @ self.inner_pose(q) @ self.back
        return product

    @property
    def revolute(self) -> Flags:
        """Which joints turn. Shape (n,)."""
        return np.array([row.is_revolute for row in self.rows])

    def row_poses(self, index: int, q: Array) -> Array:
        """Return T_i for many values of one joint. Shape (m, 4, 4)."""
        row = self.rows[index]
        angle = row.offset + q if row.is_revolute else np.full_like(q, row.offset)
        shift = np.full_like(q, row.d) if row.is_revolute else row.d + q
        c, s = np.cos(angle), np.sin(angle)
        ct, st = row.twist
        zero, one = np.zeros_like(q), np.ones_like(q)
        entries = [
            [c, -s * ct, s * st, row.a * c],
            [s, c * ct, -c * st, row.a * s],
            [zero, zero + st, zero + ct, shift],
            [zero, zero, zero, one],
        ]
        return np.moveaxis(np.array(entries), -1, 0)


def kinematics(arm: Arm) -> ArmKinematics:
    """Return the numbers of an arm.

    Raises:
        UnsupportedError: When it has symbols, or a fixed joint between moving ones.
    """
    if arm.is_symbolic:
        raise UnsupportedError(
            f"arm '{arm.name}' has no numbers yet for {', '.join(arm.symbols)}; "
            "give them with arm.with_values(...)"
        )
    joints = list(arm.joints)
    front, back = np.array(arm.base), np.array(arm.tool)
    while not joints[0].is_moving:
        front = front @ _matrix(joints.pop(0))
    while not joints[-1].is_moving:
        back = _matrix(joints.pop()) @ back
    for joint in joints:
        if not joint.is_moving:
            raise UnsupportedError(
                f"arm '{arm.name}': fixed joint '{joint.name}' stands between moving joints; "
                "describe it in the row before it"
            )
    return ArmKinematics(tuple(_row(joint) for joint in joints), front, back, arm.limits)


def errors(poses: Array, goal: Array) -> tuple[Array, Array]:
    """Return distance [m] and angle [rad] between poses and a goal. Shapes (m,), (m,)."""
    position = np.linalg.norm(poses[:, :3, 3] - goal[..., :3, 3], axis=-1)
    gap = np.linalg.norm(poses[:, :3, :3] - goal[..., :3, :3], axis=(-2, -1))
    return position, 2.0 * np.arcsin(np.minimum(gap / np.sqrt(8.0), 1.0))


def wrapped(angles: Array) -> Array:
    """Return angles in (-pi, pi]."""
    turned = np.pi - np.mod(np.pi - angles, 2.0 * np.pi)
    result: Array = np.where((angles > -np.pi) & (angles <= np.pi), angles, turned)
    return result


def _row(joint: Joint) -> KinematicRow:
    offset = float(joint.offset)
    return KinematicRow(
        joint.kind == "revolute",
        float(joint.d),
        float(joint.a),
        _cosine_sine(float(joint.alpha)),
        offset,
        _cosine_sine(offset),
    )


def _cosine_sine(angle: float) -> tuple[float, float]:
    quarters = round(angle / _QUARTER)
    if abs(angle - quarters * _QUARTER) <= _SAME_ANGLE:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarters % 4]
    return math.cos(angle), math.sin(angle)


def _matrix(joint: Joint) -> Array:
    return row_matrix(float(joint.offset), float(joint.d), float(joint.a), float(joint.alpha))


def _inverse(matrix: Array) -> Array:
    result = np.eye(4)
    result[:3, :3] = matrix[:3, :3].T
    result[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return result
