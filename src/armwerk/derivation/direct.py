"""Direct kinematics: products of the rows, with the angles of parallel axes added up.

In comes a `Ring`, out come 3 by 4 matrices of polynomials (the last row 0 0 0 1 is left out). The
arm of the ring has fixed joints at its ends only; others are brought into that form.
"""

from __future__ import annotations

from typing import TypeAlias

from armwerk.derivation.ring import POSE_ROWS, Angle, Poly, Ring

Matrix: TypeAlias = list[list[Poly]]


def segment(ring: Ring, first: int, last: int) -> Matrix:
    """Return T_first ... T_last (joints counted from 1) in closed, simplified form.

    Within a group of parallel axes the rotation is kept as B Rot(z, sum of angles) C with a
    constant C that maps z to ±z. Since C Rot(z, theta) = Rot(z, ±theta) C, the angles of the
    group only ever occur as the cosine and sine of their sum.
    """
    before = identity(ring)
    terms: list[tuple[int, int]] = []
    behind = identity(ring)
    position = [ring.zero, ring.zero, ring.zero]
    group = None
    for row in ring.rows[first - 1 : last]:
        if row.group != group:
            before = times(ring, times(ring, before, _turn(ring, terms)), behind)
            terms, behind, group = [], identity(ring), row.group
        if row.is_revolute:
            terms.append((row.joint, 1 if behind[2][2] == 1 else -1))
        rotation = times(ring, times(ring, before, _turn(ring, terms)), behind)
        cosine, sine = row.turn
        along = row.d if row.is_revolute else row.d + ring[ring.slides[row.joint]]
        shift = (cosine * row.a, sine * row.a, along)
        position = [p + dot(ring, line, shift) for p, line in zip(position, rotation, strict=True)]
        behind = times(
            ring, times(ring, behind, _about_z(ring, *row.turn)), _about_x(ring, *row.twist)
        )
    rotation = times(ring, times(ring, before, _turn(ring, terms)), behind)
    return [[*rotation[k], ring.reduce(position[k])] for k in range(3)]


def pose(ring: Ring) -> Matrix:
    """Return the wanted pose of the last frame in the first, n o a p, as generators."""
    return [[ring[name] for name in names] for names in POSE_ROWS]


def times(ring: Ring, left: Matrix, right: Matrix) -> Matrix:
    """Return the product of two rotations, or of two transforms without their last row."""
    product = []
    for line in left:
        row = [
            dot(ring, line[:3], (right[0][k], right[1][k], right[2][k]))
            for k in range(len(right[0]))
        ]
        if len(line) == 4:
            row[3] = row[3] + line[3]
        product.append([ring.reduce(entry) for entry in row])
    return product


def inverse(ring: Ring, matrix: Matrix) -> Matrix:
    """Return the inverse of a rigid transform: Rᵀ and -Rᵀ p."""
    turned = [[matrix[j][i] for j in range(3)] for i in range(3)]
    shift = [matrix[k][3] for k in range(3)]
    return [[*line, ring.reduce(-dot(ring, line, shift))] for line in turned]


def dot(ring: Ring, one: list[Poly] | tuple[Poly, ...], two: tuple[Poly, ...] | list[Poly]) -> Poly:
    """Return the sum of the products of two rows, zeros left out."""
    total = ring.zero
    for u, v in zip(one, two, strict=True):
        if u and v:
            total += u * v
    return total


def identity(ring: Ring, columns: int = 3) -> Matrix:
    """Return the identity as a rotation, or with 4 columns as a transform."""
    return [[ring.one if i == j else ring.zero for j in range(columns)] for i in range(3)]


def _turn(ring: Ring, terms: list[tuple[int, int]]) -> Matrix:
    if not terms:
        return identity(ring)
    sign = terms[0][1]  # a sum's name starts with plus; its sine takes the sign
    angle = Angle(tuple((joint, sense * sign) for joint, sense in terms))
    return _about_z(ring, ring[angle.cos], sign * ring[angle.sin])


def _about_z(ring: Ring, c: Poly, s: Poly) -> Matrix:
    return [[c, -s, ring.zero], [s, c, ring.zero], [ring.zero, ring.zero, ring.one]]


def _about_x(ring: Ring, c: Poly, s: Poly) -> Matrix:
    return [[ring.one, ring.zero, ring.zero], [ring.zero, c, -s], [ring.zero, s, c]]
