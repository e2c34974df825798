"""The Jacobian, three ways, and its determinant.

Rows are v then w: velocity of the origin of the last frame and angular velocity, both in the
frame in front of the first joint. The geometric columns (4.81), the spatial (4.83) and the body
way (4.84) share no formula and must agree exactly.
"""

from __future__ import annotations

from armwerk.derivation.direct import Matrix, identity, inverse, segment, times
from armwerk.derivation.exponentials import (
    adjoint,
    cross,
    exponential,
    inverse_adjoint,
    product_of_exponentials,
    twists,
    zero_pose,
)
from armwerk.derivation.ring import Poly, Ring
from armwerk.derivation.sums import collect_matrix, expand_matrix


def jacobian(ring: Ring) -> Matrix:
    """Return the Jacobian with the angles of parallel axes put together. Shape 6 by n."""
    return collect_matrix(ring, geometric_jacobian(ring))


def geometric_jacobian(ring: Ring) -> Matrix:
    """Return (z × (p_n - p), z) or (z, 0) of every joint's axis (4.81). Shape 6 by n."""
    end = [line[3] for line in segment(ring, 1, ring.dof)]
    columns = []
    for row in ring.rows:
        frame = _frame(ring, row.joint - 1)
        axis = [line[2] for line in frame]
        if row.is_revolute:
            lever = [p - line[3] for p, line in zip(end, frame, strict=True)]
            columns.append([*cross(axis, lever), *axis])
        else:
            columns.append([*axis, ring.zero, ring.zero, ring.zero])
    return expand_matrix(ring, _transposed(columns))


def spatial_jacobian(ring: Ring) -> Matrix:
    """Return the Jacobian from spatial twists moved to the end point (4.83). Shape 6 by n.

    JS_i = Ad of exp_1 ... exp_{i-1} on twist i (4.82), J = Ad^-1 of the translation p_n on it.
    """
    before = identity(ring, 4)
    columns = []
    for twist in twists(ring):
        columns.append(adjoint(ring, before, twist.row))
        before = times(ring, before, exponential(ring, twist))
    pose = product_of_exponentials(ring)
    shift = [[*identity(ring, 4)[k][:3], pose[k][3]] for k in range(3)]
    moved = [inverse_adjoint(ring, shift, column) for column in columns]
    return expand_matrix(ring, _transposed(moved))


def body_jacobian(ring: Ring) -> Matrix:
    """Return the Jacobian from body twists turned to the base frame (4.84). Shape 6 by n.

    JB_i = Ad^-1 of exp_i ... exp_n T_0n(0) on twist i (4.82), J = Ad of the rotation R_n on it.
    """
    behind = zero_pose(ring)
    columns: list[tuple[Poly, ...]] = []
    for twist in reversed(twists(ring)):
        behind = times(ring, exponential(ring, twist), behind)
        columns.insert(0, inverse_adjoint(ring, behind, twist.row))
    turn = [[*line[:3], ring.zero] for line in behind]
    turned = [adjoint(ring, turn, column) for column in columns]
    return expand_matrix(ring, _transposed(turned))


def frame_jacobians(ring: Ring) -> list[Matrix]:
    """Return the twists of all joints in each frame 0 ... n, at its origin. Shape 6 by n each.

    Their minors of order 6 are those of the Jacobian: neither turning the axes of reference nor
    moving the point of reference changes them. Some frame makes them short.
    """
    n = ring.dof
    spans = {(i, j): segment(ring, i, j) for i in range(1, n + 1) for j in range(i, n + 1)}
    places = {(i - 1, j): span for (i, j), span in spans.items()}
    places.update({(j, i): inverse(ring, span) for (i, j), span in places.items()})
    places.update({(i, i): identity(ring, 4) for i in range(n + 1)})
    return [_twists_in(ring, places, frame) for frame in range(n + 1)]


def _twists_in(ring: Ring, places: dict[tuple[int, int], Matrix], frame: int) -> Matrix:
    columns = []
    for row in ring.rows:
        place = places[frame, row.joint - 1]
        axis = [line[2] for line in place]
        point = [line[3] for line in place]
        if row.is_revolute:
            columns.append([*cross(point, axis), *axis])
        else:
            columns.append([*axis, ring.zero, ring.zero, ring.zero])
    return [[ring.reduce(entry) for entry in line] for line in _transposed(columns)]


def _frame(ring: Ring, number: int) -> Matrix:
    return segment(ring, 1, number) if number else identity(ring, 4)


def _transposed(columns: list[list[Poly]] | list[tuple[Poly, ...]]) -> Matrix:
    return [[column[k] for column in columns] for k in range(6)]
