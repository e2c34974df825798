"""Vectors as three numbers: no array is made, and compiled they cost nothing."""

from __future__ import annotations

from typing import TypeAlias

from armwerk.compiled import inner

Vector: TypeAlias = tuple[float, float, float]


@inner(flatten=True)
def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner(flatten=True)
def scaled(factor: float, a: Vector) -> Vector:
    """Return a vector times a factor."""
    return factor * a[0], factor * a[1], factor * a[2]


@inner(flatten=True)
def ahead(p: Vector, t: float, d: Vector) -> Vector:
    """Return p + t d."""
    return p[0] + t * d[0], p[1] + t * d[1], p[2] + t * d[2]


@inner(flatten=True)
def dot(a: Vector, b: Vector) -> float:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner(flatten=True)
def cross(a: Vector, b: Vector) -> Vector:
    """Return a × b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@inner(flatten=True)
def opposite(a: Vector) -> Vector:
    """Return -a."""
    return -a[0], -a[1], -a[2]
