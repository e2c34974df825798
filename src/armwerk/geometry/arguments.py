"""How the room reads its array arguments: shape, numbers, and whether a matrix is rigid."""

from __future__ import annotations

from math import inf, isfinite

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags
from armwerk.errors import DescriptionError, ShapeError

RIGID = 1e-6
"""How far R'R of an argument may be from the identity: single precision and six printed
decimals pass, a matrix with scale or shear does not."""

NO_LENGTH = 1e-150
"""Below this a vector has no direction: its square would no longer be a normal number."""


def checked(values: ArrayLike, tail: tuple[int, ...], name: str, *, finite: bool = True) -> Array:
    """Return ``values`` as float64 after checking its last dimensions.

    Args:
        values: One or many; leading dimensions are free.
        tail: The shape of one.
        name: The argument's name, for the message.
        finite: Whether nan and infinity are refused.

    Raises:
        ShapeError: For another shape, for something that is no number, for nan and infinity.
    """
    array = _numbers(values, name)
    if array.ndim < len(tail) or array.shape[array.ndim - len(tail) :] != tail:
        wanted = f"(..., {', '.join(map(str, tail))})" if tail else "(...)"
        raise ShapeError(f"{name}: shape must be {wanted}, got {array.shape}")
    if finite and not np.isfinite(array).all():
        bad = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        place = f" at index {bad}" if bad else ""
        raise ShapeError(f"{name}: must hold finite numbers, got {array[bad]}{place}")
    return array


def _numbers(values: ArrayLike, name: str) -> Array:
    try:
        array = np.asarray(values)
        if array.dtype.kind in "fiub":
            return array.astype(np.float64, copy=False)
        if array.dtype.kind == "O":  # fractions and symbolic numbers have a float in them
            return array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    raise ShapeError(f"{name}: must be an array of numbers, got {_short(values)}")


def leading(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that the leading shapes of several arguments broadcast to.

    Raises:
        ShapeError: When they do not fit; names the arguments and their leading shapes.
    """
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        named = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(f"leading shapes do not broadcast: {named}") from None


def length(vectors: Array) -> Array:
    """Return Euclidean lengths over the last dimension, without overflow or underflow."""
    result: Array = np.hypot.reduce(vectors, axis=-1)
    return np.abs(result)


def direction(values: ArrayLike, name: str, size: int = 3) -> Array:
    """Return unit vectors along ``values``. Shape (..., size).

    Raises:
        DescriptionError: When one has no length.
    """
    vectors = checked(values, (size,), name)
    lengths = length(vectors)
    if (lengths < NO_LENGTH).any():
        raise DescriptionError(
            "has no direction",
            element=name,
            value=_first(vectors, lengths < NO_LENGTH).tolist(),
            allowed="a vector that is not zero",
        )
    unit: Array = vectors / lengths[..., None]
    return unit


def off_rotation(matrices: Array) -> Array:
    """Return how far matrices are from rotations: max |R'R - 1|, infinite for a mirror."""
    if matrices.shape == (3, 3):
        return np.array(_off_one(*matrices.ravel().tolist()))
    with np.errstate(over="ignore", invalid="ignore"):
        product = np.swapaxes(matrices, -1, -2) @ matrices
        off = np.abs(product - np.eye(3)).max(axis=(-2, -1))
        turned = np.vecdot(np.cross(matrices[..., 0], matrices[..., 1]), matrices[..., 2])
    result: Array = np.where((turned > 0) & np.isfinite(off), off, np.inf)
    return result


def _off_one(
    a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float
) -> float:
    """Return the same of a single matrix, by rows; arrays would take ten times as long."""
    off = max(
        abs(a * a + d * d + g * g - 1.0),
        abs(b * b + e * e + h * h - 1.0),
        abs(c * c + f * f + i * i - 1.0),
        abs(a * b + d * e + g * h),
        abs(a * c + d * f + g * i),
        abs(b * c + e * f + h * i),
    )
    turned = (d * h - g * e) * c + (g * b - a * h) * f + (a * e - d * b) * i
    return off if turned > 0.0 and isfinite(off) else inf


def rotation_argument(values: ArrayLike, name: str) -> Array:
    """Return rotation matrices. Shape (..., 3, 3).

    Raises:
        ShapeError: For a wrong shape or nan.
        DescriptionError: When one is not orthonormal and right-handed within `RIGID`.
    """
    matrices = checked(values, (3, 3), name)
    wrong = off_rotation(matrices) > RIGID
    if wrong.any():
        raise DescriptionError(
            "not a rotation",
            element=name,
            value=_first(matrices, wrong).tolist(),
            allowed=f"orthonormal within {RIGID:g} and right-handed",
        )
    return matrices


def transform_argument(values: ArrayLike, name: str) -> Array:
    """Return rigid transforms. Shape (..., 4, 4).

    Raises:
        ShapeError: For a wrong shape or nan.
        DescriptionError: When one is not a rotation and a translation over 0 0 0 1.
    """
    matrices = checked(values, (4, 4), name)
    wrong = off_rotation(matrices[..., :3, :3]) > RIGID
    wrong = wrong | (matrices[..., 3, :] != (0.0, 0.0, 0.0, 1.0)).any(axis=-1)
    if wrong.any():
        raise DescriptionError(
            "not a rigid transform",
            element=name,
            value=_first(matrices, wrong).tolist(),
            allowed="an orthonormal right-handed rotation, a translation, last row 0 0 0 1",
        )
    return matrices


def _first(values: Array, wrong: Flags) -> Array:
    place = tuple(np.argwhere(wrong)[0])
    found: Array = values[place]
    return found


def _short(value: object, max_length: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= max_length else text[: max_length - 1] + "…"
