"""Direct kinematics, Jacobian and the change of pose before the inverse, as blocks.

T_world_tool = front · T_1(q_1) … T_n(q_n) · back
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import symengine

from armwerk.arrays import Array
from armwerk.derivation.direct import segment
from armwerk.derivation.emit.function_builder import (
    ZERO,
    CodeBlock,
    Constants,
    FunctionBuilder,
    Vector,
    joint_inputs,
    lifted,
)
from armwerk.derivation.program import Expression
from armwerk.derivation.ring import POSE_ROWS, Poly, Ring
from armwerk.derivation.runtime.kinematics import ArmKinematics

Matrix = list[list[Expression]]


def define_parameters(ring: Ring, constants: Constants) -> None:
    """Name the lengths and odd twists of an arm."""
    for name, value in ring.known_values().items():
        constants.define(name, value, "m" if name in ring.values else "")


def direct_block(ring: Ring, kinematics: ArmKinematics, constants: Constants) -> CodeBlock:
    """Return the tool pose in the world: places pose 0 ... 11, row by row."""
    front, back = _frames(kinematics, constants)
    function = FunctionBuilder(constants, joint_inputs(ring))
    pose = _numbered(function, "t", _chain(ring, ring.dof))
    pose = _numbered(function, "b", _product(pose, back))
    pose = _product(front, pose)
    for r in range(3):
        for c in range(4):
            function.put(str(4 * r + c), pose[r][c])
    return function.block()


def inner_pose_block(kinematics: ArmKinematics, constants: Constants) -> CodeBlock:
    """Return the pose of the last joint frame: inputs t0 ... t11, places nx ... pz."""
    front, back = (
        _constant(_inverse(matrix), name, constants)
        for matrix, name in ((kinematics.front, "unbase"), (kinematics.back, "untool"))
    )
    names = [[f"t{4 * r + c}" for c in range(4)] for r in range(3)]
    function = FunctionBuilder(constants, [name for row in names for name in row])
    pose = [[symengine.Symbol(name) for name in row] for row in names]
    pose = _numbered(function, "f", _product(front, pose))
    pose = _product(pose, back)
    for r, row in enumerate(POSE_ROWS):
        for c, name in enumerate(row):
            function.put(name, pose[r][c])
    return function.block()


def jacobian_block(ring: Ring, kinematics: ArmKinematics, constants: Constants) -> CodeBlock:
    """Return the Jacobian at the tool point in the world: places 0 ... 6 n - 1, row by row."""
    front, back = _frames(kinematics, constants)
    function = FunctionBuilder(constants, joint_inputs(ring))
    end = segment(ring, 1, ring.dof)
    turn = [[lifted(ring, entry) for entry in line[:3]] for line in end]
    tip = function.vector("tip", [_dot(line, [row[3] for row in back]) for line in turn])
    columns: list[tuple[Vector, Vector]] = []
    for row in ring.rows:
        frame = segment(ring, 1, row.joint - 1) if row.joint > 1 else _start(ring)
        axis = function.vector(f"axis{row.joint}", [lifted(ring, line[2]) for line in frame])
        if row.is_revolute:
            # the difference is taken exactly, so that what both have in common is gone
            way = [lifted(ring, far[3] - near[3]) for far, near in zip(end, frame, strict=True)]
            lever = [u + v for u, v in zip(way, tip, strict=True)]
            arm = function.vector(f"lever{row.joint}", lever)
            columns.append((cross(axis, arm), axis))
        else:
            columns.append((axis, (ZERO, ZERO, ZERO)))
    world = [line[:3] for line in front]
    for half in range(2):
        turned = [
            [_dot(line, function.vector(f"j{half}_{i}", pair[half])) for line in world]
            for i, pair in enumerate(columns)
        ]
        for r in range(3):
            for i in range(ring.dof):
                function.put(str((3 * half + r) * ring.dof + i), turned[i][r])
    return function.block()


def cross(one: Sequence[Expression], two: Sequence[Expression]) -> Vector:
    """Return the vector product."""
    return (
        one[1] * two[2] - one[2] * two[1],
        one[2] * two[0] - one[0] * two[2],
        one[0] * two[1] - one[1] * two[0],
    )


def _frames(kinematics: ArmKinematics, constants: Constants) -> tuple[Matrix, Matrix]:
    return (
        _constant(kinematics.front, "base", constants),
        _constant(kinematics.back, "tool", constants),
    )


def _constant(matrix: Array, name: str, constants: Constants) -> Matrix:
    """Return a constant transform as symbols. Shape 3 by 4."""
    return [
        [
            constants.symbol(float(matrix[r, c]), f"{name}_{r + 1}{c + 1}", "m" if c == 3 else "")
            for c in range(4)
        ]
        for r in range(3)
    ]


def _inverse(matrix: Array) -> Array:
    result = np.eye(4)
    result[:3, :3] = matrix[:3, :3].T
    result[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return result


def _chain(ring: Ring, last: int) -> Matrix:
    """Return T_1 ... T_last. Shape 3 by 4."""
    return [[lifted(ring, entry) for entry in row] for row in segment(ring, 1, last)]


def _start(ring: Ring) -> list[list[Poly]]:
    return [[ring.one if r == c else ring.zero for c in range(4)] for r in range(3)]


def _product(left: Matrix, right: Matrix) -> Matrix:
    """Return the product of two rigid transforms without their last row."""
    return [
        [
            _dot(line[:3], [row[c] for row in right]) + (line[3] if c == 3 else ZERO)
            for c in range(4)
        ]
        for line in left
    ]


def _numbered(function: FunctionBuilder, name: str, matrix: Matrix) -> Matrix:
    return [
        [function.let(f"{name}_{r + 1}{c + 1}", entry) for c, entry in enumerate(line)]
        for r, line in enumerate(matrix)
    ]


def _dot(one: Sequence[Expression], two: Sequence[Expression]) -> Expression:
    total = ZERO
    for u, v in zip(one, two, strict=True):
        total += u * v
    return total
