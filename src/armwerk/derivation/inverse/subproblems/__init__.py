"""The sub-problems of section 4.5.3 of the source: equations of exponentials with known solutions.

In come axes, a point p and where it must go, q; out go the steps of a program. `POINT_PROBLEMS`
lists them by the kinds of the axes, rotation R or translation T, in the order in which their
exponentials are written (the last acts first).
"""

from __future__ import annotations

from collections.abc import Callable

from armwerk.derivation.inverse.subproblems.axis import Axes
from armwerk.derivation.inverse.subproblems.one_rotation import solve_point as _turn
from armwerk.derivation.inverse.subproblems.quantity import Vector
from armwerk.derivation.inverse.subproblems.slides import solve_one, solve_three, solve_two
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder
from armwerk.derivation.inverse.subproblems.three_axes import (
    solve_slide_turn_slide,
    solve_slide_turns,
    solve_three_turns,
    solve_turn_slide_turn,
    solve_turn_two_slides,
    solve_turns_slide,
    solve_two_slides_turn,
)
from armwerk.derivation.inverse.subproblems.two_axes import (
    solve_slide_turn,
    solve_turn_slide,
    solve_two_turns,
)

POINT_PROBLEMS: dict[str, Callable[[StepBuilder, Axes, Vector, Vector], bool]] = {
    "R": _turn,  # 1
    "T": solve_one,  # 5
    "TT": solve_two,  # 6
    "TTT": solve_three,  # 7
    "RT": solve_slide_turn,  # 8
    "TR": solve_turn_slide,  # 9
    "RR": solve_two_turns,  # 2 and 10
    "TRT": solve_slide_turn_slide,  # 11
    "RTT": solve_two_slides_turn,  # 12
    "TTR": solve_turn_two_slides,  # 13
    "RTR": solve_turn_slide_turn,  # 14
    "TRR": solve_turns_slide,  # 15
    "RRT": solve_slide_turns,  # 16
    "RRR": solve_three_turns,  # 17
}


def solve_point_problem(builder: StepBuilder, axes: Axes, p: Vector, q: Vector) -> bool:
    """Solve exp(xi_1 q_1) ... p = q; False when no sub-problem fits or it is redundant."""
    kinds = "".join("R" if axis.is_rotation else "T" for axis in axes)
    solve = POINT_PROBLEMS.get(kinds)
    return solve is not None and solve(builder, axes, p, q)


__all__ = ["POINT_PROBLEMS", "solve_point_problem"]
