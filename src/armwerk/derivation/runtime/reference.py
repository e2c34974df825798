"""Executes a `Program` step by step in numpy: slow and plain, the oracle for the generated code.

All branches and many poses at once: the value of a name is an array whose first dimension is the
pose, followed by one dimension of size 1 or 2 for every `Root` of the program. Branch 0 of a
root is the positive one; the branches are finally numbered with the first root as the highest
bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.derivation.line_pair import line_pair
from armwerk.derivation.program import (
    Expression,
    Let,
    LinePair,
    Program,
    Root,
    Slide,
    Sum,
    Turn,
    bases_below,
)
from armwerk.derivation.ring import POSE_ROWS, Angle
from armwerk.derivation.runtime.kinematics import ArmKinematics, errors, wrapped
from armwerk.derivation.runtime.tolerances import POSITION, ROOT_ZERO, ROTATION
from armwerk.errors import UnsupportedError


@dataclass(slots=True, eq=False)
class ProgramBranches:
    """What a program computes for m poses in b branches.

    Args:
        joints: Joint values, angles in (-pi, pi]. Shape (m, b, n).
        real: Whether all radicands are positive or zero within tolerance. Shape (m, b).
        radicands: Value of every `Root`, by name; broadcasts to (m, 2, 2, …).
        lengths: sqrt(sine² + cosine²) of every `Turn`; broadcasts likewise.
        divisors: What every `Slide` divides by; broadcasts likewise.
        shares: What every `Let` divides by, by its text; likewise.
    """

    joints: Array
    real: np.ndarray
    radicands: dict[str, Array] = field(default_factory=dict)
    lengths: dict[Angle, Array] = field(default_factory=dict)
    divisors: dict[int, Array] = field(default_factory=dict)
    shares: dict[str, Array] = field(default_factory=dict)


class _Run:
    """The working memory of one execution."""

    def __init__(self, program: Program, poses: Array, given: Array) -> None:
        self.program = program
        self.roots = [step.name for step in program.steps if isinstance(step, Root)]
        self.rank = 1 + len(self.roots)
        self.values: dict[str, Array] = {k: np.array(v) for k, v in program.parameters.items()}
        self.angles: dict[Angle, Array] = {}
        self.radicands: dict[str, Array] = {}
        self.lengths: dict[Angle, Array] = {}
        self.divisors: dict[int, Array] = {}
        self.shares: dict[str, Array] = {}
        for r, names in enumerate(POSE_ROWS):
            for c, name in enumerate(names):
                self.values[name] = self._column(poses[:, r, c])
        for joint, value in zip(program.given, given, strict=True):
            q = self._column(np.broadcast_to(value, len(poses)))
            if program.revolute[joint - 1]:
                self._put(Angle(((joint, 1),)), q + program.offsets[joint - 1])
            else:
                self.values[f"q{joint}"] = q

    def _column(self, values: Array) -> Array:
        return np.reshape(values, (-1, *(1,) * (self.rank - 1)))

    def _put(self, angle: Angle, value: Array) -> None:
        self.angles[angle] = wrapped(value)
        self.values[angle.cos], self.values[angle.sin] = np.cos(value), np.sin(value)

    def step(self, step: object) -> None:
        match step:
            case Let(name, value):
                self.values[name] = evaluate(value, self.values)
                for base in bases_below(value):
                    self.shares[str(base)] = np.asarray(evaluate(base, self.values))
            case Root(name, radicand):
                value = np.asarray(evaluate(radicand, self.values))
                value = value if value.ndim == self.rank else self._column(value)
                self.radicands[name] = value
                root = np.sqrt(np.maximum(value, 0.0))
                self.values[name] = np.concatenate([root, -root], axis=1 + self.roots.index(name))
            case Turn(angle, sine, cosine):
                y, x = evaluate(sine, self.values), evaluate(cosine, self.values)
                self.lengths[angle] = np.hypot(y, x)
                self._put(angle, np.arctan2(y, x))
            case Sum(angle, parts):
                self._put(angle, np.asarray(sum(sign * self.angles[part] for sign, part in parts)))
            case Slide(joint, numerator, denominator):
                self.divisors[joint] = evaluate(denominator, self.values)
                self.values[f"q{joint}"] = evaluate(numerator, self.values) / self.divisors[joint]

            case LinePair(names, coefficients):
                numbers = np.broadcast_arrays(*(evaluate(k, self.values) for k in coefficients))
                rows = [
                    line_pair(*map(float, row)) for row in zip(*map(np.ravel, numbers), strict=True)
                ]
                for name, column in zip(names, np.array(rows).T, strict=True):
                    self.values[name] = column.reshape(numbers[0].shape)

    def joint(self, number: int) -> Array:
        if self.program.revolute[number - 1]:
            return wrapped(self.angles[Angle(((number, 1),))] - self.program.offsets[number - 1])
        return self.values[f"q{number}"]


def execute(program: Program, poses: Array, given: ArrayLike = ()) -> ProgramBranches:
    """Return every branch of a program for poses of the last joint frame. Shape (m, 4, 4)."""
    run = _Run(program, poses, np.atleast_1d(np.asarray(given, dtype=np.float64)))
    with np.errstate(all="ignore"):
        for step in program.steps:
            run.step(step)
        shape = (len(poses), *(2,) * len(run.roots))
        joints = [np.broadcast_to(run.joint(i + 1), shape) for i in range(program.dof)]
        real = np.ones(shape, dtype=bool)
        for radicand in run.radicands.values():
            usual = np.max(np.abs(radicand), where=np.isfinite(radicand), initial=1e-30)
            real = real & (radicand >= -ROOT_ZERO * usual)
    flat = np.stack(joints, axis=-1).reshape(len(poses), -1, program.dof)
    alive = real.reshape(len(poses), -1)
    return ProgramBranches(flat, alive, run.radicands, run.lengths, run.divisors, run.shares)


def solve(
    kinematics: ArmKinematics, program: Program, poses: Array, given: ArrayLike = ()
) -> list[Array]:
    """Return the checked solutions for tool poses in the world, one array (k, n) per pose."""
    inner = np.linalg.inv(kinematics.front) @ poses @ np.linalg.inv(kinematics.back)
    branches = execute(program, inner, given)
    found = []
    for k, pose in enumerate(poses):
        joints = branches.joints[k][branches.real[k]]
        joints = joints[np.isfinite(joints).all(axis=1)]
        position, rotation = errors(kinematics.pose(joints), pose)
        found.append(joints[(position <= POSITION) & (rotation <= ROTATION)])
    return found


def evaluate(expression: Expression, values: Mapping[str, Array]) -> Array:
    """Return the numbers a SymEngine expression has for the given names."""
    if expression.is_Symbol:
        return values[expression.name]
    if expression.is_Number:
        return np.array(float(expression))
    arguments: Sequence[Array] = [evaluate(one, values) for one in expression.args]
    if expression.is_Add:
        return sum(arguments[1:], arguments[0])
    if expression.is_Mul:
        product = arguments[0]
        for factor in arguments[1:]:
            product = product * factor
        return product
    if expression.is_Pow:
        return np.power(*arguments)
    raise UnsupportedError(f"no numbers for the expression {expression}")
