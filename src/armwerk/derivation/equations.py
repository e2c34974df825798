"""The kinematic equations: direct kinematics multiplied from both sides in every way.

For a chain T_1 ... T_n = R and every 1 <= i <= j <= n

    T_i ... T_j = (T_1 ... T_{i-1})^-1 R (T_{j+1} ... T_n)^-1

gives twelve equations, 12 n (n + 1) / 2 in all. They all say the same, but some of them hold
only one or two unknown joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from armwerk.derivation.direct import Matrix, inverse, pose, segment, times
from armwerk.derivation.ring import Angle, Poly, Ring
from armwerk.derivation.sums import collect_sums


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """A polynomial that is zero.

    Args:
        number: Its place in the list, from 1; the explanation refers to it.
        left: The side with the joints first to last.
        right: The other side.
        first, last: The joints on the left.
        row, column: The entry of the matrices, from 0; column 3 is the position.
        poly: left - right.
        angles: The joint angles and sums that occur.
        slides: The prismatic joints that occur.
    """

    number: int
    left: Poly
    right: Poly
    first: int
    last: int
    row: int
    column: int
    poly: Poly
    angles: frozenset[Angle]
    slides: frozenset[int]
    joints: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        turning = (joint for angle in self.angles for joint in angle.joints)
        object.__setattr__(self, "joints", frozenset(turning) | self.slides)


def kinematic_equations(ring: Ring) -> list[Equation]:
    """Return all 12 n (n + 1) / 2 equations, those with few unknown joints first."""
    found = [
        _equation(ring, left[row][column], right[row][column], first, last, row, column)
        for first, last, left, right in matrix_equations(ring)
        for row in range(3)
        for column in range(4)
    ]
    found.sort(key=lambda e: (len(e.joints), len(e.poly), e.first, -e.last, e.column, e.row))
    return [_numbered(equation, number) for number, equation in enumerate(found, 1)]


def matrix_equations(ring: Ring) -> Iterator[tuple[int, int, Matrix, Matrix]]:
    """Return first and last joint, left and right side of each matrix equation."""
    n = ring.dof
    segments = {(i, j): segment(ring, i, j) for i in range(1, n + 1) for j in range(i, n + 1)}
    fronts = {i: inverse(ring, segments[1, i - 1]) for i in range(2, n + 1)}
    backs = {j: inverse(ring, segments[j + 1, n]) for j in range(1, n)}
    goal = pose(ring)
    for i in range(1, n + 1):
        before = goal if i == 1 else times(ring, fronts[i], goal)
        for j in range(n, i - 1, -1):
            yield i, j, segments[i, j], before if j == n else times(ring, before, backs[j])


def positions_from_the_tip(ring: Ring) -> Iterator[tuple[int, int, int, Poly]]:
    """Return equations for the origin of frame i - 1 seen from frame j.

    They are the positions of the inverse of each matrix equation, which no sum of its entries
    gives: what a spherical wrist is for the equations above, a spherical shoulder is for these.

    Yields:
        First and last joint, row, and the polynomial that is zero.
    """
    n = ring.dof
    back = inverse(ring, pose(ring))
    segments = {(i, j): segment(ring, i, j) for i in range(1, n + 1) for j in range(i, n + 1)}
    for (i, j), between in segments.items():
        left = inverse(ring, between)
        right = back if i == 1 else times(ring, back, segments[1, i - 1])
        right = right if j == n else times(ring, segments[j + 1, n], right)
        for row in range(3):
            yield i, j, row, left[row][3] - right[row][3]


def count_by_unknowns(equations: Iterable[Equation], dof: int) -> list[int]:
    """Return how many equations hold 0, 1, ... dof unknown joints."""
    counts = [0] * (dof + 1)
    for equation in equations:
        counts[len(equation.joints)] += 1
    return counts


def _equation(
    ring: Ring, left: Poly, right: Poly, first: int, last: int, row: int, column: int
) -> Equation:
    right = collect_sums(ring, right)  # joints that cancel by the addition theorems go
    poly = left - right
    return Equation(
        0, left, right, first, last, row, column, poly, ring.angles_in(poly), ring.slides_in(poly)
    )


def _numbered(equation: Equation, number: int) -> Equation:
    e = equation
    return Equation(
        number, e.left, e.right, e.first, e.last, e.row, e.column, e.poly, e.angles, e.slides
    )
