"""The determinant of the Jacobian, by blocks where possible, and its factors.

The determinant of a 6 by 6 Jacobian does not depend on the frame and the point it refers to, so
that frame is taken whose twists are shortest; for an arm with a spherical wrist the wrist point,
where the block form (4.85) appears. An arm with fewer joints is singular when all minors of
order n vanish: the only one that is not zero throughout, or else their common divisor, takes the
determinant's place. An arm with two or three joints places a point; only the rows of the
velocity count for it unless they are dependent throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from armwerk.derivation.direct import Matrix
from armwerk.derivation.factoring import Factors, common_factor, factor
from armwerk.derivation.jacobian import frame_jacobians, geometric_jacobian
from armwerk.derivation.ring import Poly, Ring
from armwerk.derivation.sums import collect_sums, expand_sums
from armwerk.errors import UnsupportedError

Rows = tuple[int, ...]
_ALL: Rows = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True, eq=False)
class Determinant:
    """What decides whether an arm is singular.

    Args:
        value: The determinant, or what stands for it; sums of angles collected.
        factors: Its factors.
        frame: The frame, 0 to n, in which and at whose origin it was computed.
        rows: The rows (vx vy vz wx wy wz) of the minor; empty for a common divisor.
        blocks: Rows and columns of a zero block that split it in two (4.85), from 0, else None.
        minors: How many minors of order n are not zero throughout.
    """

    value: Poly
    factors: Factors
    frame: int
    rows: Rows
    blocks: tuple[Rows, Rows] | None
    minors: int


def determinant(ring: Ring) -> Determinant:
    """Return the determinant of the Jacobian with its factors.

    Raises:
        UnsupportedError: For more than six joints, where no single determinant decides.
    """
    if ring.dof > 6:
        raise UnsupportedError(
            f"arm '{ring.arm.name}' has {ring.dof} joints: its Jacobian is not square and is "
            "singular only where all its minors of order 6 vanish; no determinant to factor "
            "(allowed: at most 6 joints)"
        )
    if ring.dof == 6:
        return _square(ring, frame_jacobians(ring))
    if ring.dof <= 3:
        minors = _minors(ring, geometric_jacobian(ring), (0, 1, 2))
        if minors:
            return _narrow(ring, 0, minors)
    options = [_minors(ring, matrix, _ALL) for matrix in frame_jacobians(ring)]
    sizes = [(len(minors), sum(map(len, minors.values()))) for minors in options]
    frame = sizes.index(min(sizes))
    return _narrow(ring, frame, options[frame])


def minor(ring: Ring, matrix: Matrix, rows: Rows, columns: Rows) -> Poly:
    """Return a minor by expansion along its rows, sub-minors shared."""
    found: dict[Rows, Poly] = {(): ring.one}
    for depth, row in enumerate(rows):
        larger: dict[Rows, Poly] = {}
        for chosen in combinations(columns, depth + 1):
            total = ring.zero
            for place, column in enumerate(chosen):
                entry = matrix[row][column]
                if entry:
                    rest = found.get((*chosen[:place], *chosen[place + 1 :]))
                    if rest is not None:
                        total += (-1) ** (depth + place) * entry * rest
            total = ring.reduce(total)
            if total:
                larger[chosen] = total
        found = larger
    return found.get(columns, ring.zero)


def zero_block(matrix: Matrix) -> tuple[Rows, Rows] | None:
    """Return rows and columns of a 3 by 3 block of zeros in a 6 by 6 matrix; None: there is none.

    Blocks of all three velocities or all three angular velocities are preferred.
    """
    rows_first = sorted(combinations(_ALL, 3), key=lambda rows: rows not in {(0, 1, 2), (3, 4, 5)})
    for rows in rows_first:
        empty = [c for c in _ALL if not any(matrix[r][c] for r in rows)]
        if len(empty) >= 3:
            return rows, tuple(empty[-3:])
    return None


def _square(ring: Ring, frames: list[Matrix]) -> Determinant:
    sizes = [_size(matrix, zero_block(matrix)) for matrix in frames]
    frame = sizes.index(min(sizes))
    matrix, block = frames[frame], zero_block(frames[frame])
    if block is None:
        value = minor(ring, matrix, _ALL, _ALL)
    else:
        value = ring.reduce(_by_blocks(ring, matrix, *block))
    return _finish(ring, value, frame, _ALL, block, 1)


def _by_blocks(ring: Ring, matrix: Matrix, rows: Rows, columns: Rows) -> Poly:
    """Return ± det(A) det(C): A the zero block's rows, C its columns (4.85)."""
    others = tuple(c for c in _ALL if c not in columns)
    below = tuple(r for r in _ALL if r not in rows)
    sign = (-1) ** (sum(rows) + sum(others))
    return sign * minor(ring, matrix, rows, others) * minor(ring, matrix, below, columns)


def _minors(ring: Ring, matrix: Matrix, rows: Rows) -> dict[Rows, Poly]:
    """Return the minors of order n that are not zero throughout, by their rows."""
    columns = tuple(range(ring.dof))
    found = {}
    for chosen in combinations(rows, ring.dof):
        value = expand_sums(ring, minor(ring, matrix, chosen, columns))
        if value:
            found[chosen] = value
    return found


def _narrow(ring: Ring, frame: int, minors: dict[Rows, Poly]) -> Determinant:
    if not minors:
        raise _always_singular(ring)
    if len(minors) == 1:
        [(rows, value)] = minors.items()
        return _finish(ring, value, frame, rows, None, 1)
    value = common_factor(ring, list(minors.values()))
    return _finish(ring, value, frame, (), None, len(minors))


def _always_singular(ring: Ring) -> UnsupportedError:
    return UnsupportedError(
        f"arm '{ring.arm.name}' is singular everywhere: its {ring.dof} joints never move the "
        f"tool in {ring.dof} independent ways"
    )


def _finish(
    ring: Ring, value: Poly, frame: int, rows: Rows, block: tuple[Rows, Rows] | None, minors: int
) -> Determinant:
    if not expand_sums(ring, value):
        raise _always_singular(ring)
    factors = factor(ring, value, frozenset(ring.slides.values()))
    return Determinant(collect_sums(ring, value), factors, frame, rows, block, minors)


def _size(matrix: Matrix, block: tuple[Rows, Rows] | None) -> tuple[bool, int]:
    return block is None, sum(len(entry) for line in matrix for entry in line)
