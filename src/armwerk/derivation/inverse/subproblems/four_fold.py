"""Sub-problems of degree four: three joints bring a point, or a plane, where it belongs.

Turn 1 keeps of a point its height along the axis and its distance from a point of the axis; of a
plane the angle of its normal with the axis, and its distance from a point of the axis. So for what
turn 3 leaves, u(θ3) on a circle, turn 2 must make two scalars right. With N = w1 × w2 at right
angles to both axes,

    N · R2 u        = c2 U - s2 V = F(θ3),    U = N · u,
    (w2 × N) · R2 u = c2 V + s2 U = G(θ3),    V = (w2 × N) · u,

where F and G follow the circle as u does. Squares added, θ2 is gone:

    |N|² (|u|² - (w2 · u)²) = F² + G²,

of degree four in tan θ3/2 (Pieper 1968); then c2 : s2 = U F + V G : U G - V F, and turn 1 follows
by sub-problem 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from armwerk.derivation.inverse.subproblems.axis import Axes, TwistAxis
from armwerk.derivation.inverse.subproblems.circle import (
    CircleScalar,
    CircleVector,
    negative,
    solve_on_circle,
    total,
    turned_point,
    turned_vector,
)
from armwerk.derivation.inverse.subproblems.one_rotation import rotate_to_point, rotate_vector
from armwerk.derivation.inverse.subproblems.quantity import (
    Scalar,
    Vector,
    add,
    constant,
    cross,
    dot,
    scaled,
    subtract,
)
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder, SubProblem

_THREE = r"e^{\hat\xi_1\theta_1} e^{\hat\xi_2\theta_2} e^{\hat\xi_3\theta_3}"
_SQUARES = (
    r"|N|^2\bigl(|u|^2 - (\omega_2\cdot u)^2\bigr) = F^2 + G^2,\ N = \omega_1\times\omega_2,\ "
    r"\theta_2 = \arctan_2(U G - V F,\ U F + V G)"
)
SKEW_TURNS = SubProblem(
    "sub-problem of degree four",
    "three rotations of a point, axes skew",
    rf"{_THREE} p = q",
    _SQUARES,
)
PLANE_TURNS = SubProblem(
    "sub-problem of degree four for a plane",
    "three rotations of a plane",
    rf"{_THREE} (n, h) = (n', h')",
    _SQUARES,
)
SKEW_SLIDE = SubProblem(
    "sub-problem of degree four with a slide",
    "two rotations and an oblique translation of a point",
    r"e^{\hat\xi_1 d} e^{\hat\xi_2\theta_2} e^{\hat\xi_3\theta_3} p = q",
    r"|e^{\hat\xi_3\theta_3} p - r_2| \text{ and heights, squares added, give } \theta_3",
)
SLIDE_BETWEEN = SubProblem(
    "sub-problem of degree four, slide between",
    "rotation, oblique translation, rotation of a point",
    r"e^{\hat\xi_1\theta_1} e^{\hat\xi_2 d} e^{\hat\xi_3\theta_3} p = q",
    r"d = \frac{\omega_1\cdot(q - x)}{\omega_1\cdot v},\ |x + d v - r_1| = |q - r_1|,\ "
    r"x = e^{\hat\xi_3\theta_3} p",
)


@dataclass(frozen=True, slots=True, eq=False)
class Normal:
    """Two lines and what stands at right angles to both.

    Args:
        n: w1 × w2, not of length one.
        side: w2 × n.
        square: |n|².
        cosine: w1 · w2.
    """

    n: Vector
    side: Vector
    square: Scalar
    cosine: Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """All points x with normal · (x - point) = 0."""

    normal: Vector
    point: Vector


def normal_of(builder: StepBuilder, w1: Vector, w2: Vector) -> Normal:
    """Return the common normal of two directions."""
    n = builder.shared(cross(w1, w2))
    side = builder.shared(cross(w2, n))
    return Normal(n, side, builder.share(dot(n, n)), builder.share(dot(w1, w2)))


def feet(
    builder: StepBuilder, one: TwistAxis, two: TwistAxis, normal: Normal
) -> tuple[Vector, Vector, Scalar]:
    """Return the points of two skew axes next to each other, and n · (second - first)."""
    gap = builder.shared(subtract(two.point, one.point))
    way = normal.cosine * dot(gap, one.direction) - dot(gap, two.direction)
    second = builder.shared(
        add(two.point, scaled(builder.share(way / normal.square), two.direction))
    )
    apart = builder.share(dot(normal.n, gap))
    first = builder.shared(subtract(second, scaled(apart / normal.square, normal.n)))
    return first, second, apart


def _skew_pair(
    builder: StepBuilder, one: TwistAxis, two: TwistAxis
) -> tuple[Normal, Vector, Vector, Scalar] | None:
    """Return normal and `feet` of two axes; None: they are parallel, or meet."""
    normal = normal_of(builder, one.direction, two.direction)
    if normal.square.is_zero:
        return None
    first, second, apart = feet(builder, one, two, normal)
    return None if apart.is_zero else (normal, first, second, apart)


def solve_skew_turns(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Three rotations of a point about skew axes. Up to four solutions.

    Left to other sub-problems: axes 1 and 2 that are parallel or meet.
    """
    one, two, three = axes
    skew = _skew_pair(builder, one, two)
    if skew is None:
        return False
    normal, first, second, apart = skew
    u = turned_point(builder, three, p).less(second)
    u = CircleVector(builder.shared(u.centre), u.cosine, u.sine)
    goal = builder.shared(subtract(q, first))
    # |u|² + 2 (δ/|n|²) (c2 U - s2 V) + δ²/|n|² = |q - r1|²
    square = u.square()
    level = dot(goal, goal) - apart * apart / normal.square
    f = square.negated().raised(level).times(normal.square / (apart + apart)).shared(builder)
    height = dot(one.direction, subtract(q, second))
    g = u.dot(two.direction).times(-normal.cosine).raised(height).shared(builder)
    if not _turn_two(builder, (two, three), normal, u, (f, g), square):
        return False
    moved = two.moved(builder, builder.shared(three.moved(builder, p)))
    if not rotate_to_point(builder, one, builder.shared(moved), q):
        return False
    builder.conclude(SKEW_TURNS, (three.unknown, two.unknown, one.unknown))
    return True


def solve_plane_turns(builder: StepBuilder, axes: Axes, start: Plane, goal: Plane) -> bool:
    """Three rotations of a plane. Up to four solutions.

    With n3 = R3 n the plane keeps its distance from r3 in turn 3; turn 1 keeps w1 · R2 n3 and the
    distance from r1. Left to other sub-problems: axes 1 and 2 that are parallel or meet.
    """
    one, two, three = axes
    skew = _skew_pair(builder, one, two)
    if skew is None:
        return False
    normal, first, second, apart = skew
    u = turned_vector(builder, three, start.normal)
    distance = dot(goal.normal, subtract(goal.point, first))
    own = dot(start.normal, subtract(start.point, three.point))
    f = u.dot(subtract(second, three.point)).raised(distance - own)
    f = f.times(normal.square / apart).shared(builder)
    height = dot(one.direction, goal.normal)
    g = u.dot(two.direction).times(-normal.cosine).raised(height).shared(builder)
    size = dot(start.normal, start.normal)
    square = CircleScalar(size, size - size, size - size)
    if not _turn_two(builder, (two, three), normal, u, (f, g), square):
        return False
    turned = two.turned(builder, builder.shared(three.turned(builder, start.normal)))
    if not rotate_vector(builder, one, builder.shared(turned), goal.normal):
        return False
    builder.conclude(PLANE_TURNS, (three.unknown, two.unknown, one.unknown))
    return True


def solve_skew_slide(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Two rotations, then a translation that is oblique to the second. Up to four solutions.

    The slide keeps what stands at right angles to it: n · z and (v × n) · z, with n = v × w2 and
    v × n = (v · w2) (w2 × n) - |n|² w2. Parallel to axis 2 it keeps the distance from that axis.
    """
    slide, two, three = axes
    v = slide.direction
    normal = normal_of(builder, v, two.direction)
    u = turned_point(builder, three, p).less(two.point)
    u = CircleVector(builder.shared(u.centre), u.cosine, u.sine)
    goal = builder.shared(subtract(q, two.point))
    if normal.square.is_zero:
        height = dot(two.direction, goal)
        rest = u.square().raised(height * height - dot(goal, goal)).twice()
        five = total(rest, negative(u.dot(two.direction).twice_square()))
        if not solve_on_circle(builder, three, five):
            return False
        moved = builder.shared(u.at(builder, three))
        if not rotate_vector(builder, two, moved, goal):
            return False
    else:
        if normal.cosine.is_zero:
            return False
        zero = constant(0, normal.square)
        f = CircleScalar(builder.share(dot(normal.n, goal)), zero, zero)
        g = u.dot(two.direction).times(normal.square)
        g = g.raised(dot(cross(v, normal.n), goal))
        g = CircleScalar(
            g.level / normal.cosine, g.cosine / normal.cosine, g.sine / normal.cosine
        ).shared(builder)
        if not _turn_two(builder, (two, three), normal, u, (f, g), u.square()):
            return False
    moved = two.moved(builder, builder.shared(three.moved(builder, p)))
    builder.slide(slide.slide, dot(v, subtract(q, moved)), builder.number(1))
    builder.conclude(SKEW_SLIDE, (three.unknown, two.unknown, slide.unknown))
    return True


def solve_slide_between(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Rotation, translation, rotation; the slide is oblique to axis 1. Up to four solutions."""
    one, slide, three = axes
    v, w = slide.direction, one.direction
    slope = dot(v, w)
    if slope.is_zero:
        return False
    x = turned_point(builder, three, p).less(one.point)
    goal = builder.shared(subtract(q, one.point))
    height = x.dot(w).negated().raised(dot(w, goal))
    way = CircleScalar(height.level / slope, height.cosine / slope, height.sine / slope)
    z = x.along(way.shared(builder), v)
    squares = []
    for k in range(3):
        part = CircleScalar(z.centre[k], z.cosine[k], z.sine[k]).shared(builder)
        squares.append(part.twice_square())
    k0, k1, k2, k3, k4 = total(*squares)
    size = dot(goal, goal)
    if not solve_on_circle(builder, three, (k0 - size - size, k1, k2, k3, k4)):
        return False
    moved = builder.shared(three.moved(builder, p))
    builder.slide(slide.slide, dot(w, subtract(q, moved)), slope)
    if not rotate_to_point(builder, one, builder.shared(slide.moved(builder, moved)), q):
        return False
    builder.conclude(SLIDE_BETWEEN, (three.unknown, slide.unknown, one.unknown))
    return True


def _turn_two(
    builder: StepBuilder,
    axes: Axes,
    normal: Normal,
    u: CircleVector,
    wanted: tuple[CircleScalar, CircleScalar],
    square: CircleScalar,
) -> bool:
    """Find θ3 with |n|² (|u|² - (w2 · u)²) = F² + G², then θ2. ``square`` is |u|²."""
    two, three = axes
    f, g = wanted
    size = normal.square
    along = u.dot(two.direction).shared(builder)
    flat = total(square.twice(), negative(along.twice_square()))
    k0, k1, k2, k3, k4 = (one * size for one in flat)
    five = total((k0, k1, k2, k3, k4), negative(f.twice_square()), negative(g.twice_square()))
    if not solve_on_circle(builder, three, five):
        return False
    now = builder.shared(u.at(builder, three))
    across, beside = builder.share(dot(normal.n, now)), builder.share(dot(normal.side, now))
    first, second = builder.share(f.at(builder, three)), builder.share(g.at(builder, three))
    sine = across * second - beside * first
    cosine = across * first + beside * second
    if sine.is_zero and cosine.is_zero:
        return False
    builder.turn(two.angle, sine, cosine)
    return True
