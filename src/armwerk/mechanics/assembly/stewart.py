"""A platform on six legs: leg lengths from the pose, and the pose from leg lengths.

Leg i runs from its foot b_i on the base to its anchor a_i on the plate, so its length is
|p + R a_i - b_i|: the inverse problem is one line. The direct problem has up to 40 solutions;
here the one near a start pose is found by Newton's method with the exact Jacobian, damped so
that every step lowers the residual. Everything works on one or many poses at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array, Flags, Integers

RESIDUAL = 1e-12  # [m], largest error of a leg at which a pose counts as found
MOST_STEPS = 60  # Newton needs 4 to 8 from a sensible start
_DAMPING = 1e-3  # first Levenberg factor once a plain Newton step has failed
_LEAST_GAIN = 1e-4  # share of the predicted decrease a step must bring


@dataclass(frozen=True, slots=True, eq=False)
class PlatformPose:
    """Result of the direct problem for m sets of leg lengths.

    Args:
        pose: T_base_plate; nan where none was found. Shape (m, 4, 4).
        residual: Largest error of a leg [m]. Shape (m,).
        found: Whether the residual is below `RESIDUAL`. Shape (m,).
        steps: Newton steps done. Shape (m,).
        errors: By how much each leg is longer than it should be, in the best pose of those that
            were not found [m]. Shape (m, 6).
    """

    pose: Array
    residual: Array
    found: Flags
    steps: Integers
    errors: Array


def leg_vectors(feet: Array, anchors: Array, pose: Array) -> Array:
    """Return the vectors from the feet to the anchors.

    Args:
        feet: In the base frame [m]. Shape (6, 3) or (m, 6, 3).
        anchors: In the plate frame [m]. Shape (6, 3).
        pose: T_base_plate. Shape (..., 4, 4).

    Returns:
        In the base frame [m]. Shape (..., 6, 3).
    """
    turned = np.einsum("...ij,kj->...ki", pose[..., :3, :3], anchors)
    return np.asarray(turned + pose[..., None, :3, 3] - feet)


def leg_lengths(feet: Array, anchors: Array, pose: Array) -> Array:
    """Return the leg lengths [m] of a pose, the closed inverse. Shape (..., 6)."""
    return np.asarray(np.linalg.norm(leg_vectors(feet, anchors, pose), axis=-1))


def leg_jacobian(feet: Array, anchors: Array, pose: Array) -> Array:
    """Return d(leg lengths) / d(v, w) of the plate's origin, base frame. Shape (..., 6, 6).

    Row i is (u_i, (R a_i) × u_i) with the unit vector u_i along the leg.
    """
    vectors = leg_vectors(feet, anchors, pose)
    with np.errstate(invalid="ignore", divide="ignore"):
        units = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    arms = np.einsum("...ij,kj->...ki", pose[..., :3, :3], anchors)
    return np.concatenate([units, np.cross(arms, units)], axis=-1)


def condition(feet: Array, anchors: Array, pose: Array) -> Array:
    """Return how near the pose is to a singular one: 1 is best, infinity is singular.

    The ratio of the largest to the smallest singular value of the leg Jacobian, its turning
    half divided by the mean distance of the anchors from the plate's origin, so that the number
    does not depend on the unit of length. Shape (...,).
    """
    jacobian = leg_jacobian(feet, anchors, pose).copy()
    jacobian[..., 3:] /= np.linalg.norm(anchors, axis=-1).mean()
    values = np.linalg.svd(jacobian, compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.asarray(values[..., 0] / values[..., -1])


def start_pose(feet: Array, anchors: Array, lengths: Array, branch: int = 1) -> Array:
    """Return a level pose above (branch 1) or below (-1) the feet, about as high as legs reach.

    Shape (m, 4, 4) for lengths of shape (m, 6).
    """
    centre = feet.mean(axis=-2) - [*anchors.mean(axis=0)[:2], 0.0]
    flat = (anchors + centre[..., None, :] - feet)[..., :2]
    squares = (lengths**2 - (flat**2).sum(axis=-1)).mean(axis=-1)
    least = (0.2 * lengths.mean(axis=-1)) ** 2  # a flat plate is singular: stay off it
    pose = np.tile(np.eye(4), (len(lengths), 1, 1))
    pose[:, :3, 3] = centre
    pose[:, 2, 3] += branch * np.sqrt(np.maximum(squares, least)) - anchors[:, 2].mean()
    return pose


def platform_pose(feet: Array, anchors: Array, lengths: Array, start: Array) -> PlatformPose:
    """Return the pose that gives each leg its length, near a start pose.

    Args:
        feet: In the base frame [m]. Shape (6, 3) or (m, 6, 3).
        anchors: In the plate frame [m]. Shape (6, 3).
        lengths: [m]. Shape (m, 6).
        start: T_base_plate. Shape (4, 4) or (m, 4, 4).

    Returns:
        The same numbers for the same input, whatever else is in the batch.
    """
    count = len(lengths)
    feet = np.broadcast_to(feet, (count, 6, 3))
    pose = np.array(np.broadcast_to(start, (count, 4, 4)), dtype=np.float64)
    error = leg_lengths(feet, anchors, pose) - lengths
    damping = np.zeros(count)
    steps = np.zeros(count, dtype=np.int64)
    active = np.asarray(np.isfinite(error).all(axis=1))
    error[~active] = np.inf
    for _ in range(MOST_STEPS):
        at = np.flatnonzero(active)
        if not at.size:
            break
        moved, after, better = _step(
            feet[at], anchors, lengths[at], pose[at], error[at], damping[at]
        )
        worst = np.abs(error[at]).max(axis=1)
        pose[at[better]], error[at[better]] = moved[better], after[better]
        damping[at] = np.where(
            better, damping[at] / 10 * (damping[at] > 1e-9), np.maximum(damping[at] * 10, _DAMPING)
        )
        steps[at] += 1
        # at the level of rounding no step is better any more: polished
        active[at] = ~((worst < RESIDUAL) & ~better) & (damping[at] < 1e9)
        active[at] &= np.abs(error[at]).max(axis=1) > 0.0
    residual = np.abs(error).max(axis=1)
    found = residual < RESIDUAL
    pose[~found] = np.nan
    return PlatformPose(pose, residual, found, steps, error)


def _step(
    feet: Array, anchors: Array, lengths: Array, pose: Array, error: Array, damping: Array
) -> tuple[Array, Array, Flags]:
    """Try one damped Newton step; return the new poses, errors, and which are better."""
    size = np.linalg.norm(anchors, axis=-1).mean() or 1.0
    scale = np.array([1.0, 1.0, 1.0, 1 / size, 1 / size, 1 / size])
    jacobian = leg_jacobian(feet, anchors, pose) * scale
    normal = np.swapaxes(jacobian, 1, 2) @ jacobian
    plain = damping == 0.0
    normal += (damping[:, None, None] + 1e-300) * np.eye(6)
    right = -np.einsum("mij,mi->mj", jacobian, error)
    twist = np.empty((len(pose), 6))
    twist[plain] = _solved(jacobian[plain], -error[plain])
    twist[~plain] = _solved(normal[~plain], right[~plain])
    twist *= scale
    moved = _moved(pose, twist)
    after = leg_lengths(feet, anchors, moved) - lengths
    before2, after2 = (error**2).sum(axis=1), (after**2).sum(axis=1)
    with np.errstate(invalid="ignore"):
        better = after2 < (1 - _LEAST_GAIN) * before2
    return moved, after, better


def _solved(matrix: Array, right: Array) -> Array:
    """Solve many small systems; nan for those that are singular."""
    try:
        return np.asarray(np.linalg.solve(matrix, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        result = np.full(right.shape, np.nan)
        for k in range(len(matrix)):
            if np.linalg.matrix_rank(matrix[k]) == matrix.shape[-1]:
                result[k] = np.linalg.solve(matrix[k], right[k])
        return result


def _moved(pose: Array, twist: Array) -> Array:
    """Shift poses by v and turn them by exp(w) about their origins, in the base frame."""
    angle = np.linalg.norm(twist[:, 3:], axis=1)[:, None, None]
    cross = np.zeros((len(twist), 3, 3))
    x, y, z = twist[:, 3], twist[:, 4], twist[:, 5]
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -z, y, -x
    cross[:, 1, 0], cross[:, 2, 0], cross[:, 2, 1] = z, -y, x
    turn = np.eye(3) + np.sinc(angle / np.pi) * cross
    turn += 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (cross @ cross)
    moved = pose.copy()
    moved[:, :3, :3] = _straight(turn @ pose[:, :3, :3])
    moved[:, :3, 3] += twist[:, :3]
    return moved


def _straight(rotation: Array) -> Array:
    """Remove the rounding of many products: one Newton step towards the nearest rotation."""
    product = np.swapaxes(rotation, 1, 2) @ rotation
    return np.asarray(rotation @ (1.5 * np.eye(3) - 0.5 * product))
