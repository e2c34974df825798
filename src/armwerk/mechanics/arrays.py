"""Arguments at the door: joint vectors and poses, one or many, checked once.

Poses given by the user are rigid transforms or, if nearly so, made exactly that.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.errors import ShapeError
from armwerk.mechanics.inverse.interface import Task

RIGID, NOT_RIGID, NOT_FINITE = 0, 1, 2
_LOOSE = 1e-6  # how far a given pose may be from rigid: six printed digits pass


@inner
def _excess(T: Array, S: Array) -> float:
    """Fill S = 3 - RᵀR and return the largest element of RᵀR - 1."""
    worst = 0.0
    for r in range(3):
        for c in range(3):
            S[r, c] = 3.0 if r == c else 0.0
            for k in range(3):
                S[r, c] -= T[k, r] * T[k, c]
            worst = max(worst, abs(S[r, c] - (2.0 if r == c else 0.0)))
    return worst


@inner
def _straighten(T: Array, S: Array) -> int:
    """Move the rotation in T to the nearest exact one by Newton's R <- R (3 - RᵀR) / 2."""
    for r in range(4):
        for c in range(4):
            if not math.isfinite(T[r, c]):
                return NOT_FINITE
            if r == 3 and abs(T[r, c] - (1.0 if c == 3 else 0.0)) > _LOOSE:
                return NOT_RIGID
    worst = _excess(T, S)
    if worst > _LOOSE:
        return NOT_RIGID
    for _ in range(3):
        if worst < 1e-15:
            break
        for r in range(3):
            x, y, z = T[r, 0], T[r, 1], T[r, 2]
            for c in range(3):
                T[r, c] = 0.5 * (x * S[0, c] + y * S[1, c] + z * S[2, c])
        worst = _excess(T, S)
    determinant = (
        T[0, 0] * (T[1, 1] * T[2, 2] - T[1, 2] * T[2, 1])
        - T[0, 1] * (T[1, 0] * T[2, 2] - T[1, 2] * T[2, 0])
        + T[0, 2] * (T[1, 0] * T[2, 1] - T[1, 1] * T[2, 0])
    )
    T[3, 0], T[3, 1], T[3, 2], T[3, 3] = 0.0, 0.0, 0.0, 1.0
    return RIGID if determinant > 0.0 else NOT_RIGID


@entry("Tuple((int64, int64))(float64[:,:,::1])")
def straighten(Ts: Array) -> tuple[int, int]:
    """Make poses exactly rigid in place; return what is wrong and with which, or RIGID and -1."""
    S = np.empty((3, 3))
    for k in range(Ts.shape[0]):
        status = _straighten(Ts[k], S)
        if status != RIGID:
            return status, k
    return RIGID, -1


def joint_arrays(dof: int, **given: ArrayLike) -> tuple[list[Array], bool]:
    """Return the arguments as plain arrays of one shape (m, n), and whether m stands for one.

    Args:
        dof: Number of joints n.
        **given: Name and value of each argument, of shape (n,) or (m, n); a single one goes with
            many others.

    Raises:
        ShapeError: For another shape, nan or infinity; the message names the argument.
    """
    arrays = [_joint_array(value, dof, name) for name, value in given.items()]
    rows = {array.shape[0] for array in arrays if array.ndim == 2}
    if len(rows - {1}) > 1:
        sizes = ", ".join(f"{n} {a.shape}" for n, a in zip(given, arrays, strict=True))
        raise ShapeError(f"arguments must have the same number of rows, got {sizes}")
    count = next(iter(rows - {1}), 1)
    return [_plain(array, count, dof) for array in arrays], not rows


def _plain(array: Array, count: int, dof: int) -> Array:
    """Return the array in the shape (count, dof) as kernels take it: contiguous and writable."""
    if array.shape != (count, dof):
        array = (
            array.reshape(count, dof) if array.size == count * dof else np.tile(array, (count, 1))
        )
    return array if array.flags.carray else array.copy()


def _joint_array(value: ArrayLike, dof: int, name: str) -> Array:
    array = _numbers(value, name, f"shape ({dof},) or (m, {dof})")
    if array.ndim not in (1, 2) or array.shape[-1] != dof:
        raise ShapeError(f"{name} must have shape ({dof},) or (m, {dof}), got {array.shape}")
    if not np.isfinite(array).all():
        place = tuple(int(index) for index in np.argwhere(~np.isfinite(array))[0])
        where = f"joint {place[-1] + 1}" + (f" of row {place[0]}" if array.ndim == 2 else "")
        raise ShapeError(f"{name} must be finite, got {array[place]} for {where}")
    return array


def pose_array(value: ArrayLike, name: str = "T") -> tuple[Array, bool]:
    """Return poses as one contiguous array of shape (m, 4, 4), and whether m stands for one.

    Rotations are made exactly orthonormal.

    Raises:
        ShapeError: For another shape, nan, infinity, or what is no rigid transform.
    """
    array = _numbers(value, name, "shape (4, 4) or (m, 4, 4)")
    if array.ndim not in (2, 3) or array.shape[-2:] != (4, 4):
        raise ShapeError(f"{name} must have shape (4, 4) or (m, 4, 4), got {array.shape}")
    poses = np.array(array.reshape(-1, 4, 4))
    status, k = straighten(poses)
    if status != RIGID:
        where = name if array.ndim == 2 else f"{name}[{k}]"
        wanted = "a rigid transform (orthonormal right-handed rotation, last row 0 0 0 1)"
        raise ShapeError(
            f"{where} must be {'finite' if status == NOT_FINITE else wanted}, "
            f"got {array.reshape(-1, 4, 4)[k].tolist()}"
        )
    return poses, array.ndim == 2


def joint_vector(value: ArrayLike, dof: int, name: str = "q") -> Array:
    """Return one joint vector. Shape (n,).

    Raises:
        ShapeError: For another shape, nan or infinity.
    """
    (rows,), single = joint_arrays(dof, **{name: value})
    if not single:
        raise ShapeError(f"{name} must have shape ({dof},) here, got {rows.shape}")
    return np.asarray(rows[0])


def goal_array(value: ArrayLike, task: Task) -> Array:
    """Return a single goal as a pose (4, 4); for the task "position" a point (3,) will do too."""
    if task == "position":
        point = _numbers(value, "goal", "shape (3,) or (4, 4)")
        if point.shape == (3,):
            if not np.isfinite(point).all():
                raise ShapeError(f"goal must be finite, got {point.tolist()}")
            pose = np.eye(4)
            pose[:3, 3] = point
            return pose
    poses, single = pose_array(value, "goal" if task == "position" else "T")
    if not single:
        raise ShapeError(f"one pose of shape (4, 4) is wanted, got {poses.shape}")
    return np.asarray(poses[0])


def _numbers(value: ArrayLike, name: str, wanted: str) -> Array:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be numbers of {wanted}, got {value!r:.80}") from None
