"""Sub-problems with one rotation: to a point (1), to a distance (3), to a plane.

Each function returns False when the data it is given leave the angle free.
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

TO_POINT = SubProblem(
    "sub-problem 1",
    "rotation of a point to a point",
    r"e^{\hat\xi\theta} p = q",
    r"\theta = \atantwo\bigl(\omega\cdot(u_2\times v_2),\ u_2\cdot v_2\bigr)",
)
TO_DISTANCE = SubProblem(
    "sub-problem 3",
    "rotation of a point to a distance",
    r"|e^{\hat\xi\theta} p - q| = \delta",
    r"u_2\cdot v_2\cos\theta + (\omega\times u_2)\cdot v_2\sin\theta"
    r" = \tfrac12(|u_2|^2 + |v_2|^2 - \delta_2^2)",
)
TO_PLANE = SubProblem(
    "circle and plane",
    "rotation of a point into a plane, first step of sub-problems 10 to 17",
    r"f\cdot e^{\hat\xi\theta} p = h",
    r"f\cdot u_2\cos\theta + f\cdot(\omega\times u)\sin\theta = h - f\cdot(p - u_2)",
)
TO_MOMENT = SubProblem(
    "line and line",
    "rotation of a line to a given moment about another line",
    r"f\cdot\bigl(e^{\hat\xi\theta} d\times(e^{\hat\xi\theta} p - t)\bigr) = h",
    r"f\cdot e^{\hat\omega\theta}m + ((r - t)\times f)\cdot e^{\hat\omega\theta} d = h,"
    r"\ m = d\times(p - r)",
)


def rotate_to_point(builder: StepBuilder, axis: TwistAxis, p: Vector, q: Vector) -> bool:
    """Sub-problem 1: exp(xi theta) p = q. One solution.

    Solvable when p and q are equally far from the axis and at the same height along it. With
    u = p - r, v = q - r and their parts u2, v2 at right angles to the axis,
    |u2|² sin = w · (u2 × v2) and |u2|² cos = u2 · v2. Free when p lies on the axis.
    """
    return rotate_vector(builder, axis, subtract(p, axis.point), subtract(q, axis.point))


def rotate_vector(builder: StepBuilder, axis: TwistAxis, u: Vector, v: Vector) -> bool:
    """Sub-problem 1 for u = p - r and v = q - r; both may carry a positive factor."""
    w = axis.direction
    if is_zero(cross(w, u)) or is_zero(cross(w, v)):
        return False
    u, v = builder.shared(u), builder.shared(v)
    sine = dot(w, cross(u, v))
    cosine = dot(axis.flat(u), v)
    builder.turn(axis.angle, sine, cosine)
    return True


def rotate_to_distance(
    builder: StepBuilder, axis: TwistAxis, p: Vector, q: Vector, flat_square: Scalar
) -> bool:
    """Sub-problem 3: |exp(xi theta) p - q| = delta. Two solutions at most.

    The part of the distance along the axis does not change; the rest is
    delta2² = delta² - (w · (p - q))², handed over as ``flat_square``. The law of cosines in the
    plane at right angles to the axis gives one equation in cosine and sine. None when the
    circle of p is too small or too large; free when p or q lies on the axis.
    """
    u = axis.flat(subtract(p, axis.point))
    v = axis.flat(subtract(q, axis.point))
    u, v = builder.shared(u), builder.shared(v)
    a, b = dot(u, v), dot(cross(axis.direction, u), v)
    if a.is_zero and b.is_zero:
        return False
    twice = dot(u, u) + dot(v, v) - flat_square
    builder.two_fold(axis.angle, a + a, b + b, twice)
    return True


def rotate_to_plane(builder: StepBuilder, axis: TwistAxis, f: Vector, p: Vector, h: Scalar) -> bool:
    """f · exp(xi theta) p = h: where the circle of p meets a plane. Two solutions at most.

    Equations (4.43), (4.56), (4.63), (4.64), (4.69), (4.75) and (4.76) of the source are all
    of this form. Free when the plane is that of the circle or p lies on the axis.
    """
    u = builder.shared(subtract(p, axis.point))
    flat = axis.flat(u)
    a, b = dot(f, flat), dot(f, cross(axis.direction, u))
    if a.is_zero and b.is_zero:
        return False
    along = subtract(u, flat)
    c = h - dot(f, axis.point) - dot(f, along)
    builder.two_fold(axis.angle, a, b, c)
    return True


def rotate_to_moment(
    builder: StepBuilder,
    axis: TwistAxis,
    line: tuple[Vector, Vector],
    other: tuple[Vector, Vector],
    h: Scalar,
) -> bool:
    """Turn a line until its mutual moment with another is h. Two solutions at most.

    Both lines are (point, direction): (p, d) turns, (t, f) stays. Cosine and sine occur linearly,
    since a rotation may be taken out of a vector product. Two lines that stay in one plane
    whatever the joints between them do have the moment 0.
    """
    (p, d), (t, f) = line, other
    m = builder.shared(cross(d, subtract(p, axis.point)))
    d = builder.shared(d)
    g = cross(subtract(axis.point, t), f)
    w = axis.direction
    a = dot(f, axis.flat(m)) + dot(g, axis.flat(d))
    b = dot(f, cross(w, m)) + dot(g, cross(w, d))
    if a.is_zero and b.is_zero:
        return False
    rest = dot(f, w) * dot(w, m) + dot(g, w) * dot(w, d)
    builder.two_fold(axis.angle, a, b, h - rest)
    return True


def solve_point(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 1, with its conclusion."""
    if not rotate_to_point(builder, axes[0], p, q):
        return False
    builder.conclude(TO_POINT, (axes[0].unknown,))
    return True
