"""What joint angles of a derivation have to do with the axis values of an arm with coupled joints.

In: the described arm. Out: q = C m and back, as exact numbers and as SymPy's equations; m1, m2, …
are the values of the axes, q1, q2, … the angles of the joints that all other models are made of.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.derivation.show import Expr

_EXACT = 1e-15  # by how much a factor may differ from a short fraction that stands for it
_LARGEST = 1000  # denominator of such a fraction


class AxisCoupling:
    """Constant relations between joint angles q and axis values m.

    Args:
        arm: With coupled joints.

    Attributes:
        arm: The same.
        matrix: C of q = C m. Rows of k fractions, n each.
        inverse: Of m = (C's rows with a drive)⁻¹ q. Rows of n fractions, k each.
    """

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        turning = [joint for joint in arm.joints if joint.kind != "fixed"]
        driven = [k for k, joint in enumerate(turning) if joint.is_moving]
        matrix = arm.coupling_matrix
        back = np.zeros((arm.dof, len(turning)))
        back[:, driven] = np.linalg.inv(matrix[driven])
        self.matrix = [[_exact(value) for value in row] for row in matrix.tolist()]
        self.inverse = [[_exact(value) for value in row] for row in back.tolist()]

    @property
    def sympy_matrix(self) -> Expr:
        """C as a SymPy matrix."""
        import sympy

        rows = [[sympy.Rational(one.numerator, one.denominator) for one in r] for r in self.matrix]
        return sympy.Matrix(rows)

    def angle_terms(self) -> list[str]:
        """Return each joint angle by axis values: "q3 = m3 - m2"."""
        return [f"q{k} = {_sum(row, 'm')}" for k, row in enumerate(self.matrix, start=1)]

    def axis_terms(self) -> list[str]:
        """Return each axis value by joint angles: "m3 = q2 + q3"."""
        return [f"m{k} = {_sum(row, 'q')}" for k, row in enumerate(self.inverse, start=1)]

    def explain(self) -> str:
        """Return the relations in a few lines, those alone that say something."""
        forth = [line for line in self.angle_terms() if not _is_same(line)]
        back = [line for line in self.axis_terms() if not _is_same(line)]
        return (
            "joint angles from axis values: " + ", ".join(forth) + "\n"
            "axis values from joint angles: " + ", ".join(back)
        )


def _is_same(line: str) -> bool:
    left, right = line.split(" = ")
    return left[1:] == right[1:]


def _exact(value: float) -> Fraction:
    """Return a factor as the short fraction that it is, else as the very number it is stored as."""
    short = Fraction(value).limit_denominator(_LARGEST)
    return short if abs(float(short) - value) <= _EXACT * abs(value) else Fraction(value)


def _sum(row: list[Fraction], name: str) -> str:
    text = ""
    terms = [(k, factor) for k, factor in enumerate(row, start=1) if factor]
    for k, factor in sorted(terms, key=lambda one: (one[1] < 0, one[0])):
        size = abs(factor)
        number = f"{size}" if size.denominator <= _LARGEST else f"{float(size):.6g}"
        term = f"{name}{k}" if size == 1 else f"{number} {name}{k}"
        if text:
            text += f" - {term}" if factor < 0 else f" + {term}"
        else:
            text = f"-{term}" if factor < 0 else term
    return text or "0"
