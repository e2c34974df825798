"""Vectors of polynomials in link frames: turn, multiply, add."""

from __future__ import annotations

from armwerk.derivation.dynamics.algebra import DynamicRing, Square, Vector
from armwerk.derivation.ring import Poly


def dot(ring: DynamicRing, one: Vector, two: Vector) -> Poly:
    """Return the scalar product, not reduced."""
    total = ring.zero
    for u, v in zip(one, two, strict=True):
        if u and v:
            total += u * v
    return total


def cross(one: Vector, two: Vector) -> Vector:
    """Return the vector product, not reduced."""
    return (
        one[1] * two[2] - one[2] * two[1],
        one[2] * two[0] - one[0] * two[2],
        one[0] * two[1] - one[1] * two[0],
    )


def add(one: Vector, *more: Vector) -> Vector:
    """Return the sum of vectors."""
    x, y, z = one
    for other in more:
        x, y, z = x + other[0], y + other[1], z + other[2]
    return x, y, z


def scaled(factor: Poly, vector: Vector) -> Vector:
    """Return factor · vector."""
    return factor * vector[0], factor * vector[1], factor * vector[2]


def reduced(ring: DynamicRing, vector: Vector) -> Vector:
    """Return the vector with every entry in normal form."""
    return ring.reduce(vector[0]), ring.reduce(vector[1]), ring.reduce(vector[2])


def inwards(ring: DynamicRing, rotation: Square, vector: Vector) -> Vector:
    """Return R u: from frame i to frame i - 1, in normal form."""
    x, y, z = (ring.reduce(dot(ring, line, vector)) for line in rotation)
    return x, y, z


def outwards(ring: DynamicRing, rotation: Square, vector: Vector) -> Vector:
    """Return Rᵀ u: from frame i - 1 to frame i, in normal form."""
    columns = zip(*rotation, strict=True)
    x, y, z = (ring.reduce(dot(ring, column, vector)) for column in columns)
    return x, y, z


def applied(ring: DynamicRing, matrix: Square, vector: Vector) -> Vector:
    """Return matrix · vector, not reduced."""
    return (
        dot(ring, matrix[0], vector),
        dot(ring, matrix[1], vector),
        dot(ring, matrix[2], vector),
    )


def nothing(ring: DynamicRing) -> Vector:
    """Return the zero vector."""
    return ring.zero, ring.zero, ring.zero


def is_nothing(vector: Vector) -> bool:
    """Whether all entries are zero."""
    return not any(vector)
