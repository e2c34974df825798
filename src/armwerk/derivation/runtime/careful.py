"""Poses that the fast path hands on: singular, at the edge of reach, roughly written.

The fast path hands a pose on when one of its branches needs care: a radicand is zero within
tolerance, sine and cosine of a turn both vanish, or direct kinematics misses the pose by little.
Near a singularity a square root loses half its digits; a few Newton steps on the residual

    dq = Jᵀ (J Jᵀ + λ 1)⁻¹ e

bring them back. Where a turn is free, its angle is tried at zero and then around the circle,
because with some angles the rest of the arm may not reach. Everything that is returned has passed
the check of direct kinematics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from armwerk.derivation.runtime import tolerances
from armwerk.derivation.runtime.compile import Kernels
from armwerk.derivation.runtime.generate import SETTING_FREE
from armwerk.derivation.runtime.kinematics import Array, Kinematics
from armwerk.derivation.runtime.reference import errors, wrapped

_STEPS = 12  # Newton steps; at a double root each halves the error only
_DAMPING = 1e-12  # relative to the largest singular value, keeps steps finite at singular poses
_LARGEST_STEP = 0.3  # [rad or m] a polishing step that wants more has lost its branch
_AROUND = 24  # angles tried for a free turn
_FAR = 1e-6  # share of its usual size to which a radicand may be negative for a start
_SINGULAR = 1e-5  # share of the largest singular value below which the arm has lost a direction
_ALONG = 0.05  # [rad or m] how far a family is followed to make sure that it is one

Numeric = Callable[[Array], Array | None]


@dataclass(frozen=True, slots=True, eq=False)
class Solutions:
    """All solutions for one pose.

    Args:
        joints: One configuration per row, angles in (-pi, pi]. Shape (k, n).
        family: Joints, counted from 1, that can move together without leaving the pose; the
            rows are then single members of infinitely many. Empty: there are no others.
        method: "closed" for the formulas, "numeric" where only iteration found something.
    """

    joints: Array
    family: tuple[int, ...] = ()
    method: str = "closed"

    def __len__(self) -> int:
        return len(self.joints)


def solve_carefully(
    kernels: Kernels,
    kinematics: Kinematics,
    setting: Array,
    goal: Array,
    free: Sequence[float] = (),
    numeric: Numeric | None = None,
) -> Solutions:
    """Return the solutions for a rigid pose that needs care.

    Args:
        kernels: Of the arm.
        kinematics: Of the arm, base and tool included.
        setting: Base, tool and given joints as the kernels want them.
        goal: Tool pose in the world. Shape (4, 4).
        free: Angles [rad] to try first for free turns, before zero.
        numeric: What to ask when the formulas find nothing.
    """
    goal = _orthonormal(goal)
    starts = [*free, 0.0]
    raw = [_branches(kernels, setting, goal, angle) for angle in starts]
    found = np.concatenate([_finished(kinematics, goal, _hopeful(kernels, one)) for one in raw])
    turning = any((one[:, kernels.DOF + 1] < tolerances.TURN_ZERO**2).any() for one in raw)
    if not len(found) and turning:
        around = 2.0 * math.pi * np.arange(1, _AROUND) / _AROUND
        tried = [_branches(kernels, setting, goal, angle) for angle in around]
        every = np.concatenate([_hopeful(kernels, one) for one in tried])
        found = _finished(kinematics, goal, every)
    if not len(found):
        found = _finished(kinematics, goal, _shaken(_hopeful(kernels, raw[-1], _FAR)))
    method = "closed"
    if not len(found) and numeric is not None:
        answer = numeric(goal)
        if answer is not None:
            found, method = _finished(kinematics, goal, answer[None, :]), "numeric"
    return Solutions(found, _family(kinematics, goal, found), method)


def polish(kinematics: Kinematics, goal: Array, joints: Array) -> tuple[Array, Array, Array]:
    """Return joints after Newton steps, with position [m] and rotation errors [rad].

    Args:
        kinematics: Of the arm.
        goal: Tool pose in the world. Shape (4, 4).
        joints: Where to start. Shape (m, n).
    """
    best = joints.copy()
    pose, J = kinematics.jacobian(best)
    position, rotation = errors(pose, goal)
    q = joints
    for _ in range(_STEPS):
        if (position + rotation <= 1e-13).all():
            break
        q = q + _step(J, pose, goal)
        pose, J = kinematics.jacobian(q)
        p, r = errors(pose, goal)
        better = p + r < position + rotation
        best[better], position, rotation = (
            q[better],
            np.where(better, p, position),
            np.where(better, r, rotation),
        )
    return best, position, rotation


def distinct(joints: Array, revolute: Array) -> Array:
    """Return rows that differ by more than `SAME` in some joint, angles compared on the circle."""
    kept: list[Array] = []
    for row in joints:
        gaps = [np.where(revolute, np.abs(wrapped(row - one)), np.abs(row - one)) for one in kept]
        if all(gap.max() > tolerances.SAME for gap in gaps):
            kept.append(row)
    return np.array(kept).reshape(-1, joints.shape[1])


def _orthonormal(goal: Array) -> Array:
    u, _, v = np.linalg.svd(goal[:3, :3])
    result = goal.copy()
    result[:3, :3] = u @ v
    return result


def _branches(kernels: Kernels, setting: Array, goal: Array, angle: float) -> Array:
    """Return every branch with its radicand, turn, misses and verdict. Shape (leaves, n + 5)."""
    chosen = setting.copy()
    chosen[SETTING_FREE : SETTING_FREE + 2] = math.cos(angle), math.sin(angle)
    raw = np.empty((kernels.LEAVES + 1, kernels.DOF + 5))
    kernels.branches(np.ascontiguousarray(goal), chosen, raw)
    return raw[:-1]


def _hopeful(kernels: Kernels, raw: Array, slack: float = tolerances.ROOT_ZERO) -> Array:
    """Return the joints of branches that may be solutions. Shape (m, n)."""
    n = kernels.DOF
    real = ~(raw[:, n] < -slack)
    close = ~((raw[:, n + 2] > tolerances.CLOSE**2) | (raw[:, n + 3] > tolerances.CLOSE**2))
    joints = raw[real & (close | (slack > tolerances.ROOT_ZERO)), :n]
    return joints[np.isfinite(joints).all(axis=1)]


def _finished(kinematics: Kinematics, goal: Array, joints: Array) -> Array:
    """Return what passes the check after polishing, every solution once."""
    if not len(joints):
        return joints
    position, rotation = errors(kinematics.pose(joints), goal)
    sharp = tolerances.SHARP
    done = (position <= sharp * tolerances.POSITION) & (rotation <= sharp * tolerances.ROTATION)
    if not done.all():
        joints, position, rotation = polish(kinematics, goal, joints)
        done = (position <= sharp * tolerances.POSITION) & (rotation <= sharp * tolerances.ROTATION)
    kept = joints[done][np.argsort((position + rotation)[done], kind="stable")]
    revolute = kinematics.revolute
    return distinct(np.where(revolute, wrapped(kept), kept), revolute)


def _shaken(joints: Array) -> Array:
    """Return the configurations and neighbours of theirs, away from stationary points."""
    if not len(joints):
        return joints
    noise = np.random.default_rng(0).uniform(-1e-3, 1e-3, (4, *joints.shape))
    return np.concatenate([joints, *(joints + noise)])


def _step(J: Array, pose: Array, goal: Array) -> Array:
    """Return the damped step of every row, shortened where it would leave its branch."""
    turned = goal[:3, :3] @ pose[:, :3, :3].transpose(0, 2, 1)
    w = 0.5 * np.stack(
        [
            turned[:, 2, 1] - turned[:, 1, 2],
            turned[:, 0, 2] - turned[:, 2, 0],
            turned[:, 1, 0] - turned[:, 0, 1],
        ],
        axis=1,
    )
    e = np.concatenate([goal[:3, 3] - pose[:, :3, 3], w], axis=1)
    u, s, vt = np.linalg.svd(J, full_matrices=False)
    damping = (e * e).sum(axis=1, keepdims=True) + _DAMPING * s[:, :1] ** 2
    part = np.einsum("mij,mi->mj", u, e) * s / (s * s + damping)
    dq = np.einsum("mij,mi->mj", vt, part)
    size = np.abs(dq).max(axis=1, keepdims=True)
    return dq * np.minimum(1.0, _LARGEST_STEP / np.maximum(size, 1e-300))


def _family(kinematics: Kinematics, goal: Array, joints: Array) -> tuple[int, ...]:
    """Return the joints that can be moved while the tool stays, by trying it."""
    members: set[int] = set()
    for q in joints:
        _, J = kinematics.jacobian(q[None, :])
        _, s, vt = np.linalg.svd(J[0])
        idle = np.append(s, np.zeros(len(q) - len(s))) < _SINGULAR * s[0]
        for direction in vt[idle]:
            tried = q[None, :] + _ALONG * direction
            moved, position, rotation = polish(kinematics, goal, tried)
            gap = np.abs(moved[0] - q)
            if (
                position[0] <= tolerances.POSITION
                and rotation[0] <= tolerances.ROTATION
                and gap.max() > 0.2 * _ALONG
            ):
                members |= {int(j) + 1 for j in np.flatnonzero(gap > 0.02 * _ALONG)}
    return tuple(sorted(members))
