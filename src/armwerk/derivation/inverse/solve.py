"""Tries the methods in order until one solves the arm; of a joint too many it says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.derivation.direct import segment
from armwerk.derivation.equations import Equation, kinematic_equations
from armwerk.derivation.fixed_joints import without_inner_fixed_joints
from armwerk.derivation.inverse.elimination import conclude, widen
from armwerk.derivation.inverse.engine import RuleEngine
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.result import Inverse, explained, make_program
from armwerk.derivation.inverse.soundness import lost_postures
from armwerk.derivation.inverse.twists import solve_by_twists
from armwerk.derivation.program import Program
from armwerk.derivation.ring import POSE_ROWS, Ring
from armwerk.errors import UnsupportedError
from armwerk.robot.arm import Arm

DerivationMethod: TypeAlias = Literal["rules", "elimination", "twists"]
METHODS: tuple[DerivationMethod, ...] = ("rules", "elimination", "twists")
MAX_CONCLUSIONS = 4
MAX_JOINTS = 9  # beyond this the number of equations and of terms grows out of hand
PARALLEL = 1e-9  # sine of the angle between two directions that count as parallel
_SKEW = "no closed form: no axis meets the next one, is parallel or at right angles to it"
_GENERAL = (6, 7)  # joints of arms that have no closed form when nothing about them is special
RANK = 1e-9  # singular values below this share of the largest one count as zero


def inverse_of(arm: Arm, method: str | None = None) -> Inverse:
    """Return the inverse kinematics of an arm, without its other models.

    Args:
        arm: The description.
        method: One of `METHODS`; None tries them in that order.

    Raises:
        UnsupportedError: For a description that cannot be derived, or an unknown method.
    """
    refuse_underivable(arm, method)
    ring = Ring(without_inner_fixed_joints(arm))
    return solve_inverse(ring, kinematic_equations(ring), method)


def refuse_underivable(arm: Arm, method: str | None) -> None:
    """Raise an `UnsupportedError` for too many joints or an unknown method."""
    if method is not None and method not in METHODS:
        raise UnsupportedError(f"no method is called '{method}' (known: {', '.join(METHODS)})")
    if arm.dof > MAX_JOINTS:
        raise UnsupportedError(
            f"arm '{arm.name}' has {arm.dof} moving joints; at most {MAX_JOINTS} can be derived"
        )


def solve_inverse(ring: Ring, equations: Sequence[Equation], method: str | None = None) -> Inverse:
    """Return the inverse kinematics of an arm: the first that holds at special postures too.

    Where every method loses some of these, the one that loses the fewest is taken.

    Args:
        ring: The algebra of the arm.
        equations: Its kinematic equations.
        method: One of `METHODS`; None tries them in that order.
    """
    if _is_skew(ring):
        return Inverse("numeric", (), None, _SKEW)
    surplus, reason = freedom(Memory(ring, equations))
    if surplus > 1:
        return Inverse("numeric", (), None, reason)
    if surplus:
        return _with_free_joint(ring, equations, method, reason)
    best, least = None, 0
    for name in METHODS if method is None else (method,):
        found = _SOLVERS[name](ring, equations, ())
        if found is None or found.program is None:
            continue
        lost = lost_postures(ring, found.program)
        if not lost:
            return found
        if best is None or lost < least:
            best, least = found, lost
    if best is not None:
        return best
    tried = "neither rules nor elimination nor twists" if method is None else f"not {method}"
    return Inverse("numeric", (), None, f"no closed form found: {tried}")


def _is_skew(ring: Ring) -> bool:
    """Whether six or seven axes have nothing special: none meets the next, is parallel or square.

    Such are calibrated arms, on a rail or with a joint to spare too. Whatever is tried on them is
    in vain, and takes seconds. A slide has a direction alone: it cannot fail to meet an axis.
    """
    special = (ring.zero, ring.one, -ring.one)
    slides = sum(not row.is_revolute for row in ring.rows)
    return (
        ring.dof in _GENERAL
        and slides <= ring.dof - min(_GENERAL)
        and all(
            (row.a != ring.zero or not row.is_revolute) and row.twist[0] not in special
            for row in ring.rows[:-1]
        )
    )


def _with_free_joint(
    ring: Ring, equations: Sequence[Equation], method: str | None, reason: str
) -> Inverse:
    """Return the solution with the one joint as input that leaves the simplest program."""
    # A free joint in the middle leaves the ends of the arm to position and tool; failing
    # that, one at an end leaves the rest in one piece.
    n = ring.dof
    order = sorted(range(1, n + 1), key=lambda joint: (abs(2 * joint - n - 1), -joint))
    orders = {"rules": order, "elimination": [n, 1], "twists": [*order[1:], order[0]]}
    for name in METHODS if method is None else (method,):
        found = (_SOLVERS[name](ring, equations, (joint,)) for joint in orders[name])
        best = next((inverse for inverse in found if inverse is not None), None)
        if best is not None:
            return Inverse(best.method, best.steps, best.program, reason)
    return Inverse("numeric", (), None, f"{reason}; no closed form found for any free joint")


def _by_rules(ring: Ring, equations: Sequence[Equation], given: tuple[int, ...]) -> Inverse | None:
    engine = RuleEngine(Memory(ring, equations, given))
    if not engine.run():
        return None
    steps = tuple(explained(ring, finding) for finding in engine.findings)
    return Inverse("rules", steps, _program(ring, engine, given))


def _by_elimination(
    ring: Ring, equations: Sequence[Equation], given: tuple[int, ...]
) -> Inverse | None:
    """Rules, and a conclusion by elimination whenever they come to a halt."""
    memory = Memory(ring, equations, given)
    engine = RuleEngine(memory)
    remarks: dict[int, str] = {}
    conclusions, widened = 0, False
    while not (remarks and engine.run()):
        conclusion = conclude(memory)
        if conclusion is not None and conclusions < MAX_CONCLUSIONS:
            conclusions += 1
            remarks[len(engine.findings)] = conclusion.remark
            memory.facts.append(conclusion.fact)
            engine.add([conclusion.fact])
        elif not widened and remarks:
            widened = True
            engine.add(widen(memory))
        else:
            return None
    steps = [explained(ring, f, remarks.get(k, "")) for k, f in enumerate(engine.findings)]
    return Inverse("elimination", tuple(steps), _program(ring, engine, given))


def _by_twists(ring: Ring, equations: Sequence[Equation], given: tuple[int, ...]) -> Inverse | None:
    return solve_by_twists(ring, given)


_SOLVERS: dict[str, Callable[[Ring, Sequence[Equation], tuple[int, ...]], Inverse | None]] = {
    "rules": _by_rules,
    "elimination": _by_elimination,
    "twists": _by_twists,
}


def _program(ring: Ring, engine: RuleEngine, given: tuple[int, ...]) -> Program:
    steps = [step for finding in engine.findings for step in finding.steps]
    return make_program(ring, steps, given)


def freedom(memory: Memory) -> tuple[int, str]:
    """Return how many joints are a free choice, and the reason in one sentence.

    The rank of the Jacobian at a random posture is the number of directions the tool can move
    in; every joint beyond it is redundant.
    """
    ring = memory.ring
    origins, axes = _lines(ring, memory.probes[0])
    tip = np.array([memory.probes[0][names[3]] for names in POSE_ROWS])
    columns = [
        np.concatenate([np.cross(axis, tip - origin), axis])
        if row.is_revolute
        else np.concatenate([axis, np.zeros(3)])
        for row, origin, axis in zip(ring.rows, origins, axes, strict=True)
    ]
    sizes = np.linalg.svd(np.array(columns).T, compute_uv=False)
    surplus = ring.dof - int((sizes > RANK * sizes[0]).sum())
    return surplus, _reason(ring, origins, axes, surplus) if surplus else ""


def _reason(
    ring: Ring, origins: list[NDArray[np.float64]], axes: list[NDArray[np.float64]], surplus: int
) -> str:
    many = f"{surplus} joint{'s are' if surplus > 1 else ' is'} a free choice"
    slides = [k for k, row in enumerate(ring.rows) if not row.is_revolute]
    turns = [k for k, row in enumerate(ring.rows) if row.is_revolute]
    for i, j in combinations(slides, 2):
        if np.linalg.norm(np.cross(axes[i], axes[j])) < PARALLEL and j == i + 1:
            return f"redundant: slides {i + 1} and {j + 1} are parallel, {many}"
    if len(slides) > 3:
        return f"redundant: {len(slides)} slides move the tool in three directions only, {many}"
    for group in combinations(turns, 4):
        if group[-1] - group[0] == 3 and _meet(group, origins, axes):
            names = ", ".join(str(k + 1) for k in group)
            return f"redundant: the axes {names} meet in one point, {many}"
    if ring.dof > 6:
        return f"redundant: {ring.dof} joints for the 6 freedoms of a pose, {many}"
    return f"redundant: the joints move the tool in {ring.dof - surplus} ways only, {many}"


def _meet(
    group: tuple[int, ...], origins: list[NDArray[np.float64]], axes: list[NDArray[np.float64]]
) -> bool:
    """Whether all lines of a group pass through one point."""
    projectors = [np.eye(3) - np.outer(axes[k], axes[k]) for k in group]
    left = sum(projectors)
    right = sum(p @ origins[k] for p, k in zip(projectors, group, strict=True))
    point = np.linalg.lstsq(left, right, rcond=None)[0]
    return all(
        np.linalg.norm(p @ (point - origins[k])) < PARALLEL
        for p, k in zip(projectors, group, strict=True)
    )


def _lines(
    ring: Ring, values: dict[str, float]
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    """Return a point on and the direction of every joint axis at a posture."""

    origins, axes = [np.zeros(3)], [np.array([0.0, 0.0, 1.0])]
    for joint in range(1, ring.dof):
        matrix = segment(ring, 1, joint)
        axes.append(np.array([ring.evaluate(line[2], values) for line in matrix]))
        origins.append(np.array([ring.evaluate(line[3], values) for line in matrix]))
    return origins, axes
