"""Sub-problems with two axes of which one turns at least: 2, 8, 9 and 10.

The axis that stands second acts first: exp(xi_1 q_1) exp(xi_2 q_2) p = q. Each function returns
False when the axes stand such that the problem has no unique solutions.
"""

from __future__ import annotations

from armwerk.derivation.inverse.subproblems.axis import Axes, TwistAxis, meeting_point, same_line
from armwerk.derivation.inverse.subproblems.one_rotation import (
    rotate_to_distance,
    rotate_to_plane,
    rotate_to_point,
    rotate_vector,
)
from armwerk.derivation.inverse.subproblems.quantity import (
    Vector,
    add,
    cross,
    dot,
    is_zero,
    parallel,
    scaled,
    subtract,
)
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder, SubProblem

MEETING = SubProblem(
    "sub-problem 2",
    "rotations about two axes that meet",
    r"e^{\hat\xi_1\theta_1} e^{\hat\xi_2\theta_2} p = q",
    r"c = r + \alpha\omega_1 + \beta\omega_2 \pm \gamma\,\omega_1\times\omega_2,\ "
    r"e^{\hat\xi_2\theta_2} p = c,\ e^{\hat\xi_1\theta_1} c = q",
)
SLIDE_TURN = SubProblem(
    "sub-problem 8",
    "translation, then rotation of a point",
    r"e^{\hat\xi_1\theta} e^{\hat\xi_2 d} p = q",
    r"d = \frac{(q - p)\cdot\omega}{v\cdot\omega} \text{ or }"
    r" |d v + p - r| = |q - r|,\ \text{then sub-problem 1}",
)
TURN_SLIDE = SubProblem(
    "sub-problem 9",
    "rotation, then translation of a point",
    r"e^{\hat\xi_1 d} e^{\hat\xi_2\theta} p = q",
    r"e^{-\hat\xi_2\theta} e^{-\hat\xi_1 d} q = p \text{ (sub-problem 8)}",
)
SKEW = SubProblem(
    "sub-problem 10",
    "rotations about two skew axes",
    r"e^{\hat\xi_1\theta_1} e^{\hat\xi_2\theta_2} p = q",
    r"\omega_1\cdot e^{\hat\xi_2\theta_2} p = \omega_1\cdot q,\ \text{then sub-problem 1}",
)
PARALLEL = SubProblem(
    "sub-problem 10",
    "rotations about two parallel axes",
    r"e^{\hat\xi_1\theta_1} e^{\hat\xi_2\theta_2} p = q",
    r"|e^{\hat\xi_2\theta_2} p - r_1| = |q - r_1|,\ \text{then sub-problem 1}",
)


def solve_meeting(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 2: two rotations about axes that meet in r. Two solutions at most.

    Let c = exp(xi_2 theta_2) p = exp(-xi_1 theta_1) q, where the circles of p about axis 2 and
    of q about axis 1 meet. With u = p - r, v = q - r, n = w1 × w2, k = w1 · w2 and N = |n|²

        c - r = alpha w1 + beta w2 + gamma n,
        N alpha = w1 · v - k (w2 · u),  N beta = w2 · u - k (w1 · v),
        (N gamma)² = N |w1 × v|² - (N beta)².

    The last line is (4.22) with |u| = |v| written such that it stays exact near gamma = 0 when
    beta vanishes, as in a wrist. Both angles follow by sub-problem 1. Free when the axes are one
    line; theta_2 is free when p lies on axis 2, theta_1 when q lies on axis 1.
    """
    one, two = axes
    meeting = meeting_point(one, two)
    if meeting is None:
        return False
    n = cross(one.direction, two.direction)
    size, k = dot(n, n), dot(one.direction, two.direction)
    u = builder.shared(subtract(p, meeting))
    v = builder.shared(subtract(q, meeting))
    if is_zero(cross(two.direction, u)) or is_zero(cross(one.direction, v)):
        return False
    height_1, height_2 = dot(one.direction, v), dot(two.direction, u)
    alpha = builder.share(height_1 - k * height_2)
    beta = builder.share(height_2 - k * height_1)
    side = cross(one.direction, v)
    truth = dot(two.turned(builder, u), n)
    gamma = builder.root(size * dot(side, side) - beta * beta, truth)
    c = add(scaled(alpha, one.direction), add(scaled(beta, two.direction), scaled(gamma, n)))
    found = rotate_vector(builder, two, u, c) and rotate_vector(builder, one, c, v)
    if found:
        builder.conclude(MEETING, (two.unknown, one.unknown))
    return found


def solve_slide_turn(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 8: a translation, then a rotation. One or two solutions.

    The rotation keeps the height along its axis: d (v · w) = (q - p) · w gives d, unless v and w
    stand at right angles. Then it is the distance from the axis that gives d, two values where
    the line of p meets the circle of q (sub-problem 4). The angle follows by sub-problem 1.
    """
    if not slide_then_turn(builder, axes[0], axes[1], p, q):
        return False
    builder.conclude(SLIDE_TURN, (axes[1].unknown, axes[0].unknown))
    return True


def solve_turn_slide(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 9: a rotation, then a translation. One or two solutions.

    Read backwards it is sub-problem 8: exp(-xi_2 theta) exp(-xi_1 d) q = p.
    """
    if not slide_then_turn(builder, axes[1].reversed(), axes[0].reversed(), q, p):
        return False
    builder.conclude(TURN_SLIDE, (axes[0].unknown, axes[1].unknown))
    return True


def slide_then_turn(
    builder: StepBuilder, turn: TwistAxis, slide: TwistAxis, p: Vector, q: Vector
) -> bool:
    """Find slide and turn of sub-problem 8 without a conclusion."""
    w, v = turn.direction, slide.direction
    slope = dot(v, w)
    if not slope.is_zero:
        builder.slide(slide.slide, dot(subtract(q, p), w), slope)
    else:
        u = builder.shared(subtract(p, turn.point))
        flat = turn.flat(subtract(q, turn.point))
        flat = builder.shared(flat)
        along = builder.share(dot(v, u))
        across = dot(w, cross(v, u))
        truth = builder.symbol(f"q{slide.slide}") + along
        root = builder.root(dot(flat, flat) - across * across, truth)
        builder.slide(slide.slide, root - along, builder.number(1))
    return rotate_to_point(builder, turn, slide.moved(builder, p), q)


def solve_two_turns(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 10, or 2 when the axes meet. Two solutions at most.

    Skew axes: rotation 1 keeps the height along its axis, so w1 · exp(xi_2 theta_2) p = w1 · q,
    where the circle of p meets a plane (4.43).

    Parallel axes: rotation 1 keeps the distance from its axis, |exp(xi_2 theta_2) p - r1| =
    |q - r1| in the plane at right angles (sub-problem 3). The source reaches the same angle
    from (4.47) and (4.48) by theorem 4.9; this form also holds for opposite directions.

    Then sub-problem 1 gives theta_1. Free when both axes are one line.
    """
    one, two = axes
    if same_line(one, two):
        return False
    if meeting_point(one, two) is not None:
        return solve_meeting(builder, axes, p, q)
    if parallel(one.direction, two.direction):
        return _parallel_turns(builder, one, two, p, q)
    if not rotate_to_plane(builder, two, one.direction, p, dot(one.direction, q)):
        return False
    if not rotate_to_point(builder, one, two.moved(builder, p), q):
        return False
    builder.conclude(SKEW, (two.unknown, one.unknown))
    return True


def _parallel_turns(
    builder: StepBuilder, one: TwistAxis, two: TwistAxis, p: Vector, q: Vector
) -> bool:
    flat = builder.shared(one.flat(subtract(q, one.point)))
    if not rotate_to_distance(builder, two, p, one.point, dot(flat, flat)):
        return False
    if not rotate_vector(builder, one, subtract(two.moved(builder, p), one.point), flat):
        return False
    builder.conclude(PARALLEL, (two.unknown, one.unknown))
    return True
