"""Sub-problems with three axes: 11 to 17.

exp(xi_1 q_1) exp(xi_2 q_2) exp(xi_3 q_3) p = q, the third acts first. Each is led back to
those with two axes by something that one of the motions does not change: the height along a
direction, or the distance from a point. Each function returns False when the axes stand such
that the problem is redundant, or has no solution by square roots.
"""

from __future__ import annotations

from armwerk.derivation.inverse.subproblems.axis import Axes, TwistAxis, meeting_point
from armwerk.derivation.inverse.subproblems.one_rotation import (
    rotate_to_distance,
    rotate_to_plane,
    rotate_to_point,
)
from armwerk.derivation.inverse.subproblems.quantity import (
    Vector,
    add,
    cross,
    dot,
    parallel,
    perpendicular,
    scaled,
    subtract,
)
from armwerk.derivation.inverse.subproblems.slides import solve_two
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder, SubProblem
from armwerk.derivation.inverse.subproblems.two_axes import (
    solve_meeting,
    solve_slide_turn,
    solve_turn_slide,
    solve_two_turns,
)

_TTR = r"e^{\hat\xi_1\theta} e^{\hat\xi_2 d_2} e^{\hat\xi_3 d_3} p = q"
SLIDE_TURN_SLIDE = SubProblem(
    "sub-problem 11",
    "translation, rotation, translation of a point",
    r"e^{\hat\xi_1 d_1} e^{\hat\xi_2\theta} e^{\hat\xi_3 d_3} p = q",
    r"d_1 (v_1\cdot\omega) + d_3 (v_3\cdot\omega) = (q - p)\cdot\omega,\ "
    r"|d_3 v_3 + p - r| = |q - d_1 v_1 - r|",
)
TWO_SLIDES_TURN = SubProblem(
    "sub-problem 12",
    "two translations, then rotation of a point",
    _TTR,
    r"(v_2\times v_3)\cdot e^{-\hat\xi_1\theta} q = (v_2\times v_3)\cdot p,\ "
    r"\text{then sub-problem 6}",
)
TURN_TWO_SLIDES = SubProblem(
    "sub-problem 13",
    "rotation, then two translations of a point",
    r"e^{\hat\xi_1 d_1} e^{\hat\xi_2 d_2} e^{\hat\xi_3\theta} p = q",
    r"(v_1\times v_2)\cdot e^{\hat\xi_3\theta} p = (v_1\times v_2)\cdot q,\ "
    r"\text{then sub-problem 6}",
)
TURN_SLIDE_TURN = SubProblem(
    "sub-problem 14",
    "rotation, translation, rotation of a point",
    r"e^{\hat\xi_1\theta_1} e^{\hat\xi_2 d} e^{\hat\xi_3\theta_3} p = q",
    r"d\,v\cdot\omega_1 + \omega_1\cdot e^{\hat\xi_3\theta_3} p = \omega_1\cdot q",
)
TURNS_SLIDE = SubProblem(
    "sub-problem 15",
    "two rotations, then translation of a point",
    r"e^{\hat\xi_1 d} e^{\hat\xi_2\theta_2} e^{\hat\xi_3\theta_3} p = q",
    r"d\,v\cdot\omega_2 + \omega_2\cdot e^{\hat\xi_3\theta_3} p = \omega_2\cdot q",
)
SLIDE_TURNS = SubProblem(
    "sub-problem 16",
    "translation, then two rotations of a point",
    r"e^{\hat\xi_1\theta_1} e^{\hat\xi_2\theta_2} e^{\hat\xi_3 d} p = q",
    r"e^{-\hat\xi_3 d} e^{-\hat\xi_2\theta_2} e^{-\hat\xi_1\theta_1} q = p"
    r" \text{ (sub-problem 15)}",
)
THREE_TURNS = SubProblem(
    "sub-problem 17",
    "three rotations of a point, two axes parallel",
    r"e^{\hat\xi_1\theta_1} e^{\hat\xi_2\theta_2} e^{\hat\xi_3\theta_3} p = q",
    r"\omega_2\cdot e^{\hat\xi_3\theta_3} p = \omega_2\cdot e^{-\hat\xi_1\theta_1} q,\ "
    r"\text{then sub-problem 10}",
)
THREE_TURNS_MEETING = SubProblem(
    "sub-problem 3",
    "three rotations of a point, two axes meet",
    r"e^{\hat\xi_1\theta_1} e^{\hat\xi_2\theta_2} e^{\hat\xi_3\theta_3} p = q",
    r"|e^{\hat\xi_3\theta_3} p - r_{12}| = |q - r_{12}| \text{ or }"
    r" |e^{-\hat\xi_1\theta_1} q - r_{23}| = |p - r_{23}|,\ \text{then sub-problem 2}",
)


def solve_slide_turn_slide(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 11: translation, rotation, translation. One or two solutions.

    The rotation keeps height and distance from its axis (4.51, 4.52). Both slides at right
    angles to the axis: redundant. One of them: the other follows from the height, the rest is
    sub-problem 8 or 9. None: the height gives d3 = (h - d1 v1 · w) / (v3 · w), and with that
    the distance is quadratic in d1, or linear when both slides are equally steep.
    """
    one, turn, three = axes
    w = turn.direction
    first, third = dot(one.direction, w), dot(three.direction, w)
    if first.is_zero and third.is_zero:
        return False
    height = dot(subtract(q, p), w)
    if third.is_zero:
        builder.slide(one.slide, height, first)
        builder.conclude(SLIDE_TURN_SLIDE, (one.unknown,))
        goal = builder.shared(one.reversed().moved(builder, q))
        return solve_slide_turn(builder, (turn, three), p, goal)
    if first.is_zero:
        builder.slide(three.slide, height, third)
        builder.conclude(SLIDE_TURN_SLIDE, (three.unknown,))
        return solve_turn_slide(builder, (one, turn), builder.shared(three.moved(builder, p)), q)
    return _steep_slides(builder, axes, p, q)


def _steep_slides(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """|m + d1 n| = |q - r - d1 v1| with m = p - r + (h / v3·w) v3, n = -(v1·w / v3·w) v3."""
    one, turn, three = axes
    w = turn.direction
    first, third = dot(one.direction, w), dot(three.direction, w)
    height = builder.share(dot(subtract(q, p), w))
    m = add(subtract(p, turn.point), scaled(height / third, three.direction))
    m = builder.shared(m)
    n = scaled(-(first / third), three.direction)
    goal = builder.shared(subtract(q, turn.point))
    square = dot(n, n) - dot(one.direction, one.direction)
    half = builder.share(dot(m, n) + dot(goal, one.direction))
    rest = builder.share(dot(m, m) - dot(goal, goal))
    if not square.is_zero:
        truth = square * builder.symbol(f"q{one.slide}") + half
        root = builder.root(half * half - square * rest, truth)
        builder.slide(one.slide, root - half, square)
    elif half.is_zero:
        return False
    else:
        builder.slide(one.slide, -rest, half + half)
    d1 = builder.symbol(f"q{one.slide}")
    builder.slide(three.slide, height - d1 * first, third)
    goal = one.reversed().moved(builder, q)
    if not rotate_to_point(builder, turn, three.moved(builder, p), goal):
        return False
    builder.conclude(SLIDE_TURN_SLIDE, (axis.unknown for axis in axes))
    return True


def solve_two_slides_turn(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 12: two translations, then a rotation. Two solutions at most.

    The slides move p in a plane with the normal v2 × v3; the rotation, undone, must bring q
    into it (4.55, 4.56). Sub-problem 6 gives the slides. Redundant when both slides stand at
    right angles to the rotation axis.
    """
    turn, two, three = axes
    f = cross(two.direction, three.direction)
    if not rotate_to_plane(builder, turn.reversed(), f, q, dot(f, p)):
        return False
    builder.conclude(TWO_SLIDES_TURN, (turn.unknown,))
    return solve_two(builder, (two, three), p, builder.shared(turn.reversed().moved(builder, q)))


def solve_turn_two_slides(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 13: a rotation, then two translations. Two solutions at most.

    Sub-problem 12 read backwards.
    """
    one, two, turn = axes
    f = cross(one.direction, two.direction)
    if not rotate_to_plane(builder, turn, f, p, dot(f, q)):
        return False
    builder.conclude(TURN_TWO_SLIDES, (turn.unknown,))
    return solve_two(builder, (one, two), builder.shared(turn.moved(builder, p)), q)


def solve_turn_slide_turn(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 14: rotation, translation, rotation. Up to four solutions.

    Parallel rotations: redundant when the slide stands at right angles to them, else the height
    gives d and sub-problem 10 the angles (axis 3 moved along by d). Else, slide at right angles
    to axis 1: (4.63) gives theta_3, sub-problem 8 the rest. Slide at right angles to axis 3:
    (4.64) gives theta_1, sub-problem 9 the rest. Other arrangements lead to a circle and an
    oblique cylinder, a polynomial of degree four.
    """
    one, slide, three = axes
    w1, w3, v = one.direction, three.direction, slide.direction
    if parallel(w1, w3):
        slope = dot(v, w1)
        if slope.is_zero:
            return False
        builder.slide(slide.slide, dot(subtract(q, p), w1), slope)
        builder.conclude(TURN_SLIDE_TURN, (slide.unknown,))
        start = builder.shared(slide.moved(builder, p))
        return solve_two_turns(builder, (one, three.carried(builder, slide)), start, q)
    if perpendicular(v, w1) and rotate_to_plane(builder, three, w1, p, dot(w1, q)):
        builder.conclude(TURN_SLIDE_TURN, (three.unknown,))
        return solve_slide_turn(builder, (one, slide), builder.shared(three.moved(builder, p)), q)
    if perpendicular(v, w3) and rotate_to_plane(builder, one.reversed(), w3, q, dot(w3, p)):
        builder.conclude(TURN_SLIDE_TURN, (one.unknown,))
        goal = builder.shared(one.reversed().moved(builder, q))
        return solve_turn_slide(builder, (slide, three), p, goal)
    return False


def solve_turns_slide(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 15: two rotations, then a translation. Up to four solutions.

    Parallel rotations: redundant when the slide stands at right angles to them, else the height
    gives d and sub-problem 10 the angles. Else, slide at right angles to axis 2: (4.69) gives
    theta_3, sub-problem 9 the rest. Other arrangements lead to a polynomial of degree four.
    """
    return _turns_slide(builder, axes, p, q, TURNS_SLIDE)


def solve_slide_turns(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 16: a translation, then two rotations. Up to four solutions.

    Sub-problem 15 read backwards.
    """
    backwards = tuple(axis.reversed() for axis in reversed(axes))
    return _turns_slide(builder, backwards, q, p, SLIDE_TURNS)


def _turns_slide(
    builder: StepBuilder, axes: Axes, p: Vector, q: Vector, problem: SubProblem
) -> bool:
    slide, two, three = axes
    w, v = two.direction, slide.direction
    if parallel(w, three.direction):
        slope = dot(v, w)
        if slope.is_zero:
            return False
        builder.slide(slide.slide, dot(subtract(q, p), w), slope)
        builder.conclude(problem, (slide.unknown,))
        goal = builder.shared(slide.reversed().moved(builder, q))
        return solve_two_turns(builder, (two, three), p, goal)
    if not perpendicular(v, w) or not rotate_to_plane(builder, three, w, p, dot(w, q)):
        return False
    builder.conclude(problem, (three.unknown,))
    return solve_turn_slide(builder, (slide, two), builder.shared(three.moved(builder, p)), q)


def solve_three_turns(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Sub-problem 17: three rotations. Up to four solutions.

    All axes parallel: redundant. Axes 1 and 2 parallel: both keep the height along their
    direction, (4.75) gives theta_3. Axes 2 and 3 parallel: (4.76) gives theta_1. Sub-problem 10
    gives the rest. If no two neighbours are parallel but two meet, their meeting point (4.77)
    keeps its distance: sub-problem 3, then 2. Else the solution needs a polynomial of degree
    four.
    """
    one, two, three = axes
    w = two.direction
    before, behind = parallel(one.direction, w), parallel(w, three.direction)
    if before and behind:
        return False
    if before:
        if not rotate_to_plane(builder, three, w, p, dot(w, q)):
            return False
        return _rest_after_third(builder, axes, p, q, THREE_TURNS)
    if behind:
        if not rotate_to_plane(builder, one.reversed(), w, q, dot(w, p)):
            return False
        return _rest_after_first(builder, axes, p, q, THREE_TURNS)
    return _three_turns_meeting(builder, axes, p, q)


def _three_turns_meeting(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    one, two, three = axes
    point = meeting_point(one, two)
    if point is not None:
        if not turn_to_distance(builder, three, p, point, q, point):
            return False
        return _rest_after_third(builder, axes, p, q, THREE_TURNS_MEETING)
    point = meeting_point(two, three)
    if point is None or not turn_to_distance(builder, one.reversed(), q, point, p, point):
        return False
    return _rest_after_first(builder, axes, p, q, THREE_TURNS_MEETING)


def turn_to_distance(
    builder: StepBuilder, axis: TwistAxis, p: Vector, q: Vector, start: Vector, end: Vector
) -> bool:
    """Sub-problem 3 with the distance that ``start`` and ``end`` have."""
    gap = builder.shared(subtract(start, end))
    height = builder.share(dot(axis.direction, subtract(p, q)))
    return rotate_to_distance(builder, axis, p, q, dot(gap, gap) - height * height)


def _rest_after_third(
    builder: StepBuilder, axes: Axes, p: Vector, q: Vector, problem: SubProblem
) -> bool:
    one, two, three = axes
    builder.conclude(problem, (three.unknown,))
    moved = builder.shared(three.moved(builder, p))
    return _two(builder, one, two, moved, q)


def _rest_after_first(
    builder: StepBuilder, axes: Axes, p: Vector, q: Vector, problem: SubProblem
) -> bool:
    one, two, three = axes
    builder.conclude(problem, (one.unknown,))
    goal = builder.shared(one.reversed().moved(builder, q))
    return _two(builder, two, three, p, goal)


def _two(builder: StepBuilder, one: TwistAxis, two: TwistAxis, p: Vector, q: Vector) -> bool:
    solve = solve_two_turns if parallel(one.direction, two.direction) else solve_meeting
    return solve(builder, (one, two), p, q)
