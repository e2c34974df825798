"""The check of every branch: direct kinematics, as definitions that share what they can.

The chain is cut behind joint k and both halves are compared,

    (T_1 … T_k)^-1 R = T_{k+1} … T_n,

in the position and in two columns of the rotation. For a rotation by phi about a unit vector u
two columns miss by 4 sin²(phi/2) (1 + u_3²) in sum of squares, at least phi² for small phi; so
two columns are enough. The cut and the columns that cost least are taken: what stands left and
right needs only the joints of its half, and so exists for few branches.

Turns about parallel axes are added up where the program itself ties the sum to its parts.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import combinations

import symengine

from armwerk.derivation.program import Expression, Program, Sum, Turn
from armwerk.derivation.ring import POSE_ROWS, Angle
from armwerk.derivation.runtime.flow import Builder
from armwerk.derivation.runtime.kinematics import KinematicRow

Vector = list[Expression]
MISS_POSITION, MISS_ROTATION = "miss_position", "miss_rotation"


def add_check(builder: Builder, program: Program, rows: Sequence[KinematicRow]) -> None:
    """Add the squared residuals of position [m²] and rotation [rad²] of every branch."""
    groups = _groups(program, rows)
    best: Builder | None = None
    for cut in range(len(groups) + 1):
        for columns in combinations(range(3), 2):
            trial = copy.copy(builder)
            trial.definitions = list(builder.definitions)
            trial.depends = dict(builder.depends)
            trial._hoisted = dict(builder._hoisted)
            _residuals(trial, groups, cut, columns)
            if best is None or _cost(trial) < _cost(best):
                best = trial
    if best is not None:
        builder.definitions, builder.depends = best.definitions, best.depends
        builder._hoisted = best._hoisted


class _Group:
    """Joints with parallel axes whose turns add up: shifts on the way, one turn at the end.

    Args:
        number: Of its first joint, for names.
        shifts: Cosine, sine of the sum of turns so far and length a, for every row but the last.
        turn: Cosine and sine of the whole turn.
        a, d: Of the last row; d of all rows in sum.
        twist: Cosine and sine of the last alpha.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.shifts: list[tuple[Expression, Expression, float]] = []
        self.turn: tuple[Expression, Expression] = (1, 0)
        self.a = 0.0
        self.d: Expression = 0
        self.twist = (1.0, 0.0)


def _groups(program: Program, rows: Sequence[KinematicRow]) -> list[_Group]:
    tied = _tied(program)
    groups: list[_Group] = []
    joints: list[int] = []
    for number, row in enumerate(rows, 1):
        angle = Angle(tuple((joint, 1) for joint in (*joints, number)))
        joined = bool(groups) and groups[-1].twist == (1.0, 0.0) and row.is_revolute
        if joined and joints and angle in tied:
            group = groups[-1]
            group.shifts.append((*group.turn, group.a))
            joints.append(number)
        else:
            group = _Group(number)
            groups.append(group)
            joints = [number] if row.is_revolute else []
            angle = Angle(((number, 1),))
        if row.is_revolute:
            group.turn = (symengine.Symbol(angle.cos), symengine.Symbol(angle.sin))
            group.d = group.d + _number(row.d)
        else:
            group.turn = tuple(_number(value) for value in row.turn)
            group.d = _number(row.d) + symengine.Symbol(f"q{number}")
        group.a, group.twist = row.a, row.twist
    return groups


def _tied(program: Program) -> set[Angle]:
    """Return the sums of angles that equal their parts because the program computes them so."""
    vectors: dict[Angle, dict[Angle, int]] = {}
    for joint in program.given:
        single = Angle(((joint, 1),))
        vectors[single] = {single: 1}
    for step in program.steps:
        if isinstance(step, Turn):
            vectors[step.angle] = {step.angle: 1}
        elif isinstance(step, Sum):
            vectors[step.angle] = _added([(sign, vectors[part]) for sign, part in step.parts])
    return {
        angle
        for angle, vector in vectors.items()
        if all(Angle(((joint, 1),)) in vectors for joint, _ in angle.terms)
        and vector == _added([(sign, vectors[Angle(((j, 1),))]) for j, sign in angle.terms])
    }


def _added(parts: Sequence[tuple[int, dict[Angle, int]]]) -> dict[Angle, int]:
    total: dict[Angle, int] = {}
    for sign, vector in parts:
        for angle, count in vector.items():
            total[angle] = total.get(angle, 0) + sign * count
    return {angle: count for angle, count in total.items() if count}


def _residuals(
    builder: Builder, groups: Sequence[_Group], cut: int, columns: tuple[int, ...]
) -> None:
    left = {c: [symengine.Symbol(names[c]) for names in POSE_ROWS] for c in (*columns, 3)}
    for group in groups[:cut]:
        left = {c: _backwards(builder, group, v, c) for c, v in left.items()}
    right = {c: [_number(float(r == c)) for r in range(3)] for c in (*columns, 3)}
    for group in reversed(groups[cut:]):
        right = {c: _forwards(builder, group, v, c) for c, v in right.items()}
    gaps = {
        c: [
            builder.value(f"gap{c}_{r}", left[c][r] - right[c][r])
            for r in range(3)
            if left[c][r] != right[c][r]
        ]
        for c in left
    }
    builder.value(MISS_POSITION, sum((gap**2 for gap in gaps[3]), symengine.Integer(0)))
    turned = [gap**2 for column in columns for gap in gaps[column]]
    builder.value(MISS_ROTATION, sum(turned, symengine.Integer(0)))


def _backwards(builder: Builder, group: _Group, vector: Vector, column: int) -> Vector:
    """Return Rot(x, -alpha) (Rot(z, -theta) (v - shifts) - (a, 0, d)) for a point or direction."""
    x, y, z = vector
    c, s = group.turn
    if column == 3:
        for cosine, sine, a in group.shifts:
            x, y = x - _number(a) * cosine, y - _number(a) * sine
        x, y = _let(builder, group, column, "l", (x, y))
    x, y = c * x + s * y, c * y - s * x
    if column == 3:
        x, z = x - _number(group.a), z - group.d
    x, y, z = _let(builder, group, column, "m", (x, y, z))
    ct, st = (_number(value) for value in group.twist)
    return _let(builder, group, column, "n", (x, ct * y + st * z, ct * z - st * y))


def _forwards(builder: Builder, group: _Group, vector: Vector, column: int) -> Vector:
    """Return shifts + Rot(z, theta) (Rot(x, alpha) v + (a, 0, d)) for a point or direction."""
    x, y, z = vector
    ct, st = (_number(value) for value in group.twist)
    y, z = ct * y - st * z, st * y + ct * z
    if column == 3:
        x, z = x + _number(group.a), z + group.d
    x, y, z = _let(builder, group, column, "f", (x, y, z))
    c, s = group.turn
    x, y = c * x - s * y, s * x + c * y
    if column == 3:
        for cosine, sine, a in group.shifts:
            x, y = x + _number(a) * cosine, y + _number(a) * sine
    return _let(builder, group, column, "g", (x, y, z))


def _let(
    builder: Builder, group: _Group, column: int, letter: str, values: Sequence[Expression]
) -> Vector:
    """Give names to what is neither a number nor a name with a sign."""
    result = []
    for axis, value in zip("xyz", values, strict=False):
        one = symengine.sympify(value)
        simple = one.is_Number or one.is_Symbol or (-one).is_Symbol
        name = f"{letter}{group.number}_{column}{axis}"
        result.append(one if simple else builder.value(name, one))
    return result


def _number(value: float) -> Expression:
    """Return a float as an expression, whole ones exact so that products with 0 and 1 vanish."""
    return symengine.Integer(int(value)) if value == int(value) else symengine.RealDouble(value)


def _cost(builder: Builder) -> int:
    """Return the number of operations over all branches."""
    return sum(
        sum(_operations(one) for one in definition.expressions)
        << len(builder.depends[definition.names[0]])
        for definition in builder.definitions
    )


def _operations(expression: Expression) -> int:
    if expression.is_Symbol or expression.is_Number:
        return 0
    inner = sum(_operations(one) for one in expression.args)
    return inner + max(1, len(expression.args) - 1)
