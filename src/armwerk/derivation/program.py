"""The inverse kinematics as a program: a few kinds of steps, executed in order.

Every solution rule, elimination and sub-problem ends in these steps, and everything that runs
or prints a solution (numbers, C, Python, LaTeX) starts from them:

    Let    name = value
    Root   name = ± sqrt(radicand), two branches; none when the radicand is negative
    Turn   angle = atan2(sine, cosine); sine and cosine may share a positive factor;
           free (any angle will do) when both vanish
    Sum    angle = signed sum of angles already known
    Slide  joint = numerator / denominator
    LinePair  six names = two lines that hold the zeros of a trigonometric polynomial

Values are SymEngine expressions in the entries of the pose (nx ... pz), the parameters of the
arm, names of earlier `Let` and `Root` steps, slides (q3) and cosines and sines (c2, s23) of
angles already known. The pose is that of the last moving joint's frame in the frame in front
of the first: R = (base)^-1 T (tool)^-1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import symengine

from armwerk.derivation.ring import Angle

Expression: TypeAlias = Any  # symengine.Expr; the library ships no types


@dataclass(frozen=True, slots=True)
class Let:
    """name = value.

    Args:
        name: A helper.
        value: What it stands for.
        role: What it is to the rule that needs it, such as the "C" of a theorem; else empty.
            It gives the helper a name that people can read.
    """

    name: str
    value: Expression
    role: str = ""


@dataclass(frozen=True, slots=True)
class Root:
    """name = + sqrt(radicand) in one branch, - sqrt(radicand) in the other."""

    name: str
    radicand: Expression


@dataclass(frozen=True, slots=True)
class Turn:
    """angle = atan2(sine, cosine)."""

    angle: Angle
    sine: Expression
    cosine: Expression


@dataclass(frozen=True, slots=True)
class Sum:
    """angle = sum of sign times known angle."""

    angle: Angle
    parts: tuple[tuple[int, Angle], ...]


@dataclass(frozen=True, slots=True)
class Slide:
    """q_joint = numerator / denominator."""

    joint: int
    numerator: Expression
    denominator: Expression


SixNames: TypeAlias = tuple[str, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class LinePair:
    """Two lines a cos θ + b sin θ = e, on which an angle of four possible ones must lie.

    Args:
        names: a, b, e of the first line, then of the second.
        coefficients: k0 to k4 of k0 + k1 cos θ + k2 sin θ + k3 cos 2θ + k4 sin 2θ = 0; see
            `armwerk.derivation.line_pair`.
    """

    names: SixNames
    coefficients: tuple[Expression, Expression, Expression, Expression, Expression]


Step: TypeAlias = Let | Root | Turn | Sum | Slide | LinePair


@dataclass(frozen=True, slots=True)
class Program:
    """All solutions of the inverse kinematics of one arm.

    Args:
        dof: Number of joints.
        steps: In order of execution; each `Root` doubles the number of branches.
        revolute: For every joint whether it turns (its value is then its angle less offset).
        offsets: Constant angle of every joint [rad]: q_i = theta_i - offset_i; 0 for a slide.
        parameters: Numbers of the named dimensions, also cosine and sine of odd twists.
        given: Joints whose value is an input: the free choice of a redundant arm.
    """

    dof: int
    steps: tuple[Step, ...]
    revolute: tuple[bool, ...]
    offsets: tuple[float, ...]
    parameters: dict[str, float]
    given: tuple[int, ...] = ()

    @property
    def branches(self) -> int:
        """The most solutions a pose can have."""
        return int(2 ** sum(isinstance(step, Root) for step in self.steps))

    @property
    def turns(self) -> tuple[Angle, ...]:
        """The angles that may be free: each is found by a `Turn`."""
        return tuple(dict.fromkeys(one.angle for one in self.steps if isinstance(one, Turn)))


def bases_below(expression: Expression) -> tuple[Expression, ...]:
    """Return what an expression divides by, each once, in order; numbers are left out."""
    found: dict[str, Expression] = {}

    def walk(one: Expression) -> None:
        if one.is_Pow and one.args[1].is_Number and one.args[1] < 0 and one.args[0].free_symbols:
            found[str(one.args[0])] = one.args[0]
        for part in one.args:
            walk(part)

    walk(symengine.sympify(expression))
    return tuple(found[text] for text in sorted(found))
