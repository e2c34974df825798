"""Sub-problems with translations only: to a distance (4), to a point by one, two, three (5, 6, 7).

Each function returns False when the data it is given leave a slide free.
"""

from __future__ import annotations

from armwerk.derivation.inverse.subproblems.axis import Axes, TwistAxis
from armwerk.derivation.inverse.subproblems.quantity import (
    Scalar,
    Vector,
    cross,
    dot,
    is_zero,
    subtract,
)
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder, SubProblem

DISTANCE = SubProblem(
    "sub-problem 4",
    "translation of a point to a distance",
    r"|e^{\hat\xi d} p - q| = \delta",
    r"d = -v\cdot(p - q) \pm \sqrt{\delta^2 - |v\times(p - q)|^2}",
)
SLIDE_TO_PLANE = SubProblem(
    "line and plane",
    "translation of a point into a plane",
    r"f\cdot e^{\hat\xi d} p = h",
    r"d = (h - f\cdot p)/(f\cdot v)",
)
ONE = SubProblem(
    "sub-problem 5",
    "translation of a point",
    r"e^{\hat\xi d} p = q",
    r"d = (q - p)\cdot v",
)
TWO = SubProblem(
    "sub-problem 6",
    "two translations of a point",
    r"e^{\hat\xi_1 d_1} e^{\hat\xi_2 d_2} p = q",
    r"d_1 = \frac{((q - p)\times v_2)\cdot(v_1\times v_2)}{|v_1\times v_2|^2},\ "
    r"d_2 = (q - p - d_1 v_1)\cdot v_2",
)
THREE = SubProblem(
    "sub-problem 7",
    "three translations of a point",
    r"e^{\hat\xi_1 d_1} e^{\hat\xi_2 d_2} e^{\hat\xi_3 d_3} p = q",
    r"d_1 = \frac{(q - p)\cdot(v_2\times v_3)}{v_1\cdot(v_2\times v_3)}",
)


def slide_to_distance(
    builder: StepBuilder, axis: TwistAxis, p: Vector, q: Vector, square: Scalar
) -> bool:
    """Sub-problem 4: |p + d v - q| = delta, with delta² handed over. Two solutions at most.

    A quadratic equation in d. Its discriminant delta² - |p - q|² + (v · (p - q))² is
    delta² - |v × (p - q)|²: none when the line passes the ball of radius delta.
    """
    v = axis.direction
    gap = builder.shared(subtract(p, q))
    along = builder.share(dot(v, gap))
    across = cross(v, gap)
    truth = builder.symbol(f"q{axis.slide}") + along
    root = builder.root(square - dot(across, across), truth)
    builder.slide(axis.slide, root - along, builder.number(1))
    return True


def slide_to_point(builder: StepBuilder, axis: TwistAxis, p: Vector, q: Vector) -> bool:
    """Sub-problem 5: p + d v = q. One solution, if q - p is parallel to v."""
    builder.slide(axis.slide, dot(subtract(q, p), axis.direction), builder.number(1))
    return True


def two_slides(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 6: d1 v1 + d2 v2 = q - p. One solution, if q - p lies in their plane.

    Multiplying with v2 from the right as a vector product leaves d1 alone; then sub-problem 5.
    Free when the slides are parallel.
    """
    one, two = axes
    normal = cross(one.direction, two.direction)
    if is_zero(normal):
        return False
    gap = builder.shared(subtract(q, p))
    builder.slide(one.slide, dot(cross(gap, two.direction), normal), dot(normal, normal))
    return slide_to_point(builder, two, one.moved(builder, p), q)


def three_slides(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 7: d1 v1 + d2 v2 + d3 v3 = q - p. One solution.

    The triple product with v2 × v3 leaves d1 alone; then sub-problem 6. Free when the three
    slides lie in one plane.
    """
    one, two, three = axes
    normal = cross(two.direction, three.direction)
    volume = dot(one.direction, normal)
    if volume.is_zero:
        return False
    builder.slide(one.slide, dot(subtract(q, p), normal), volume)
    return two_slides(builder, (two, three), p, builder.shared(one.reversed().moved(builder, q)))


def solve_distance(
    builder: StepBuilder, axis: TwistAxis, p: Vector, q: Vector, square: Scalar
) -> bool:
    """Sub-problem 4, with its conclusion."""
    if not slide_to_distance(builder, axis, p, q, square):
        return False
    builder.conclude(DISTANCE, (axis.unknown,))
    return True


def solve_one(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 5, with its conclusion."""
    if not slide_to_point(builder, axes[0], p, q):
        return False
    builder.conclude(ONE, (axes[0].unknown,))
    return True


def solve_two(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 6, with its conclusion."""
    if not two_slides(builder, axes, p, q):
        return False
    builder.conclude(TWO, (axis.unknown for axis in axes))
    return True


def solve_three(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 7, with its conclusion."""
    if not three_slides(builder, axes, p, q):
        return False
    builder.conclude(THREE, (axis.unknown for axis in axes))
    return True
