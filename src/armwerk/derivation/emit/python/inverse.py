"""The functions of the inverse kinematics in Python."""

from __future__ import annotations

from armwerk.derivation.emit.branches import BranchLoops
from armwerk.derivation.emit.code import (
    given_values,
    indented,
    inner_pose_lines,
    shifted,
    short,
    summed,
)
from armwerk.derivation.emit.models import Models
from armwerk.derivation.emit.python.dialect import PythonDialect
from armwerk.derivation.emit.python.templates import CLASS, COLLECT, SEARCH
from armwerk.derivation.runtime.flow import Definition
from armwerk.derivation.runtime.printing import source

_PYTHON = PythonDialect()


def inverse_functions(models: Models) -> list[str]:
    """Return the functions of the inverse kinematics; none without closed form."""
    loops = models.branches
    if loops is None:
        return []
    given = "".join(f", q{joint}" for joint in models.given)
    listed = ", ".join(f"q{joint}" for joint in models.given)
    free = f"\n    The arm is redundant: {listed} is chosen by the caller." if given else ""
    doc = "".join(f"\n        q{joint}: Value of the free joint." for joint in models.given)
    turning = [i for i, row in enumerate(models.numbers.rows) if row.is_revolute]
    wished = ", ".join(shifted(f"positions[{i}]", models.offset(i + 1)) for i in turning)
    collect = COLLECT.format(given=given, dof=models.dof, free=free, given_doc=doc, wished=wished)
    return [SEARCH, CLASS, _branches(models, loops, given), collect]


def _branches(models: Models, loops: BranchLoops, given: str) -> str:
    lines = ['"""Offer every branch, one loop for each root and its two signs."""']
    lines += inner_pose_lines(models, loops, _PYTHON, "search.pose.flat[{}]")
    for name, text in given_values(models):
        lines += _PYTHON.let(name, text)
    lines += _body(loops, 0)
    return "\n".join(["", "", f"def _branches(search{given}):", *indented(lines)]) + "\n"


def _body(loops: BranchLoops, depth: int) -> list[str]:
    leave = "continue" if depth else "return"
    lines = [line for one in loops.bodies[depth] for line in _statement(one, leave)]
    if depth == len(loops.roots):
        return [*lines, f"search.offer({', '.join(loops.joints)})"]
    root, size = loops.roots[depth], loops.sizes[depth]
    size = size if isinstance(size, str) else repr(size)
    both = f"({size}, -{size})" if size != "1.0" else "(1.0, -1.0)"
    return [*lines, f"for {root} in {both}:", *indented(_body(loops, depth + 1))]


def _statement(one: Definition, leave: str) -> list[str]:
    match one.kind:
        case "value":
            return _PYTHON.let(one.names[0], source(one.expressions[0]))
        case "root":
            radicand = f"of_{one.names[0]}"
            return [
                *_PYTHON.let(radicand, source(one.expressions[0])),
                f"if not {radicand} >= -ROOT_ZERO * {short(one.scale)}:",
                f"    {leave}",
                f"{one.names[0]} = sqrt(max({radicand}, 0.0))",
            ]
        case "turn":
            y, x = (source(value) for value in one.expressions)
            return _PYTHON.let(", ".join(one.names), f"search.turned({y}, {x}, {short(one.scale)})")
        case "sum":
            return _PYTHON.let(one.names[0], summed(one))
        case "joint":
            return _PYTHON.let(one.names[0], f"wrapped({shifted(one.terms[0][1], -one.scale)})")
    raise AssertionError(one.kind)
