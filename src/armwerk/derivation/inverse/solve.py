"""Tries the methods in order until one solves the arm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from armwerk.derivation.equations import Equation, kinematic_equations
from armwerk.derivation.inverse.elimination import conclude, widen
from armwerk.derivation.inverse.engine import RuleEngine
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.redundancy import freedom
from armwerk.derivation.inverse.result import Inverse, explained, make_program
from armwerk.derivation.inverse.twists import solve_by_twists
from armwerk.derivation.plain import without_inner_fixed_joints
from armwerk.derivation.program import Program
from armwerk.derivation.ring import Ring
from armwerk.errors import UnsupportedError
from armwerk.robot.arm import Arm

DerivationMethod: TypeAlias = Literal["rules", "elimination", "twists"]
METHODS: tuple[DerivationMethod, ...] = ("rules", "elimination", "twists")
MAX_CONCLUSIONS = 4
MAX_JOINTS = 9  # beyond this the number of equations and of terms grows out of hand


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
    """Return the inverse kinematics of an arm.

    Args:
        ring: The algebra of the arm.
        equations: Its kinematic equations.
        method: One of `METHODS`; None tries them in that order.
    """
    surplus, reason = freedom(Memory(ring, equations))
    if surplus > 1:
        return Inverse("numeric", (), None, reason)
    if surplus:
        return _with_free_joint(ring, equations, method, reason)
    for name in METHODS if method is None else (method,):
        found = _SOLVERS[name](ring, equations, ())
        if found is not None:
            return found
    tried = "neither rules nor elimination nor twists" if method is None else f"not {method}"
    return Inverse("numeric", (), None, f"no closed form found: {tried}")


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
    steps = tuple(explained(finding) for finding in engine.findings)
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
    steps = [explained(f, remarks.get(k, "")) for k, f in enumerate(engine.findings)]
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
