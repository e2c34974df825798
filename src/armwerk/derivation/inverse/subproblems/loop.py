"""A chain as a loop: any block of joints that keeps a point or a plane leaves three others.

E1 ... En = g closes with g to a loop, of which any joint may be the first:

    exp(Ad_g xi_n q_n) E1 ... E(n-1) = g,    E2 ... En exp(Ad_g^-1 xi_1 q_1) = g.

Turns that meet keep their meeting point; parallel turns, and slides at right angles to them, keep
every plane at right angles to them. Where the block of all joints but three is such, at the end of
the arm, at its start or in its middle, the three others bring that point, or plane, where it
belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from armwerk.derivation.inverse.subproblems.axis import Axes, TwistAxis
from armwerk.derivation.inverse.subproblems.chain import Goal, TwistChain
from armwerk.derivation.inverse.subproblems.decomposition import Proposal, fixed_points
from armwerk.derivation.inverse.subproblems.four_fold import (
    Plane,
    solve_plane_turns,
    solve_skew_slide,
    solve_skew_turns,
    solve_slide_between,
)
from armwerk.derivation.inverse.subproblems.quantity import Vector, parallel, perpendicular
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder

Kept = TypeVar("Kept")
FRONT = 3  # joints that are solved for
SMALLEST = 2  # joints of a block that keeps a plane; one turn alone keeps more

_SOLVERS: dict[str, Callable[[StepBuilder, Axes, Vector, Vector], bool]] = {
    "RRR": solve_skew_turns,
    "TRR": solve_skew_slide,
    "RTR": solve_slide_between,
}


def loop_proposals(chain: TwistChain) -> Iterator[Proposal]:
    """Return the sub-problems of degree four that may fit."""
    count = len(chain.axes) - FRONT
    for start in range(FRONT + 1):
        if count < 0:
            return
        block = chain.axes[start : start + count]
        for point, remark in fixed_points(block, chain.goal.anchor):
            yield from _point_proposals(chain, start, count, point, remark)
        normal = _kept_normal(block)
        if normal is not None and count >= SMALLEST:
            yield from _plane_proposals(chain, start, count, normal)


def _point_proposals(
    chain: TwistChain, start: int, count: int, point: Vector, remark: str
) -> Iterator[Proposal]:
    for backwards in (False, True):

        def solve(builder: StepBuilder, backwards: bool = backwards) -> bool:
            kept = builder.shared(point)
            axes, (p, q) = _opened(
                builder, chain, start, count, lambda goal: builder.shared(goal.moved(kept)), kept
            )
            if backwards:
                axes, p, q = tuple(axis.reversed() for axis in reversed(axes)), q, p
            kinds = "".join("R" if axis.is_rotation else "T" for axis in axes)
            solver = _SOLVERS.get(kinds)
            return solver is not None and solver(builder, axes, p, q)

        yield Proposal(remark, solve)


def _plane_proposals(
    chain: TwistChain, start: int, count: int, normal: TwistAxis
) -> Iterator[Proposal]:
    names = ", ".join(str(axis.unknown) for axis in chain.axes[start : start + count])
    kept = Plane(normal.direction, normal.point)
    for backwards in (False, True):

        def solve(builder: StepBuilder, backwards: bool = backwards) -> bool:
            def image(goal: Goal) -> Plane:
                turned = builder.shared(goal.turned(kept.normal))
                return Plane(turned, builder.shared(goal.moved(kept.point)))

            axes, (one, two) = _opened(builder, chain, start, count, image, kept)
            if backwards:
                axes, one, two = tuple(axis.reversed() for axis in reversed(axes)), two, one
            is_turning = all(axis.is_rotation for axis in axes)
            return is_turning and solve_plane_turns(builder, axes, one, two)

        yield Proposal(f"applied to a plane that the joints {names} keep", solve)


def _opened(
    builder: StepBuilder,
    chain: TwistChain,
    start: int,
    count: int,
    image: Callable[[Goal], Kept],
    kept: Kept,
) -> tuple[Axes, tuple[Kept, Kept]]:
    """Return the joints outside a block in order, what they move and where to.

    Those that need not be carried round the loop keep their constants: the larger part stays.
    """
    axes, goal = chain.axes, chain.goal
    before, behind = axes[:start], axes[start + count :]
    if len(before) >= len(behind):
        carried = tuple(_carried(builder, goal, axis) for axis in behind)
        return carried + before, (kept, image(goal))
    back = goal.inverse()
    carried = tuple(_carried(builder, back, axis) for axis in before)
    return behind + carried, (image(back), kept)


def _carried(builder: StepBuilder, goal: Goal, axis: TwistAxis) -> TwistAxis:
    """Return the axis Ad_g xi."""
    direction = builder.shared(goal.turned(axis.direction))
    point = builder.shared(goal.moved(axis.point)) if axis.is_rotation else axis.point
    return TwistAxis(axis.unknown, direction, point)


def _kept_normal(block: Axes) -> TwistAxis | None:
    """Return a turn whose direction is the normal of planes that a block keeps; None: no such."""
    turns = [axis for axis in block if axis.is_rotation]
    slides = [axis for axis in block if not axis.is_rotation]
    if not turns:
        return None
    normal = turns[0]
    is_kept = all(parallel(normal.direction, axis.direction) for axis in turns) and all(
        perpendicular(normal.direction, axis.direction) for axis in slides
    )
    return normal if is_kept else None
