"""The functions of the inverse kinematics in C."""

from __future__ import annotations

from armwerk.derivation.emit.branches import BranchLoops
from armwerk.derivation.emit.c.dialect import CDialect
from armwerk.derivation.emit.c.header import given_arguments
from armwerk.derivation.emit.c.templates import (
    ALL,
    COLLECT,
    COLLECT_PLAIN,
    NEAREST,
    OFFER,
    SEARCH,
    TURN,
)
from armwerk.derivation.emit.code import (
    given_values,
    indented,
    inner_pose_lines,
    shifted,
    short,
    summed,
)
from armwerk.derivation.emit.models import Models
from armwerk.derivation.emit.text import broken
from armwerk.derivation.runtime.flow import Definition
from armwerk.derivation.runtime.printing import source

_C = CDialect()


def inverse_functions(models: Models) -> list[str]:
    """Return the functions of the inverse kinematics; none without closed form."""
    loops = models.branches
    if loops is None:
        return []
    given, passed = given_arguments(models), given_arguments(models, declared=False)
    has_turns = any(one.kind == "turn" for body in loops.bodies for one in body)
    turns = [int(row.is_revolute) for row in models.numbers.rows]
    collect = COLLECT if has_turns else COLLECT_PLAIN
    return [
        f"#define MAX_SOLUTIONS {models.prefix.upper()}_MAX_SOLUTIONS\n{SEARCH}",
        *([TURN] if has_turns else []),
        OFFER.format(name=models.prefix, turns=", ".join(map(str, turns))),
        _branches(models, loops),
        collect.format(given=given, passed=passed),
        ALL.format(
            name=models.prefix, given=given, passed=passed, none=", 0, 0" if has_turns else ""
        ),
        _nearest(models, given, passed, has_turns),
    ]


def _nearest(models: Models, given: str, passed: str, has_turns: bool) -> str:
    signs = [1.0 if row.is_revolute else -1.0 for row in models.numbers.rows]
    weights = ", ".join(
        repr(float(sign * w)) for sign, w in zip(signs, models.chain.metric, strict=True)
    )
    turning = [i for i, row in enumerate(models.numbers.rows) if row.is_revolute]
    places = ", ".join(shifted(f"positions[{i}]", models.offset(i + 1)) for i in turning)
    wished = f"    const double wished[] = {{{places}}};\n" if has_turns else ""
    return NEAREST.format(
        name=models.prefix,
        given=given,
        passed=passed,
        weights=weights,
        wished="\n    ".join(broken(wished, "        ")) if wished else "",
        wishes=f", wished, {len(turning)}" if has_turns else "",
    )


def _branches(models: Models, loops: BranchLoops) -> str:
    lines = inner_pose_lines(models, loops, _C, "s->pose[{}]")
    for name, text in given_values(models):
        lines += _C.let(name, text)
    lines += _body(loops, 0)
    head = (
        "/* Every branch of the closed form, one loop for each root and its two signs. */\n"
        f"static void branches(search *s{given_arguments(models)})\n{{\n"
    )
    return head + "\n".join(indented(lines)) + "\n}\n"


def _body(loops: BranchLoops, depth: int) -> list[str]:
    """Return the statements of a loop and the loops inside it."""
    leave = "continue;" if depth else "return;"
    lines = [line for one in loops.bodies[depth] for line in _statement(one, loops, leave)]
    if depth == len(loops.roots):
        values = ", ".join(loops.joints)
        return [*lines, *broken(f"double q[DOF] = {{{values}}};", "    "), "offer(s, q);"]
    root, size = loops.roots[depth], loops.sizes[depth]
    size_text = size if isinstance(size, str) else repr(size)
    sign = f"sign{depth + 1}"
    lines.append(f"for (int {sign} = 1; {sign} >= -1; {sign} -= 2) {{")
    inner = [f"const double {root} = {sign} * {size_text};"] if root in loops.names else []
    inner += _body(loops, depth + 1)
    return [*lines, *indented(inner), "}"]


def _statement(one: Definition, loops: BranchLoops, leave: str) -> list[str]:
    match one.kind:
        case "value":
            return _C.let(one.names[0], source(one.expressions[0]))
        case "root":
            return _root(one, leave)
        case "turn":
            return _turn(one, loops)
        case "sum":
            return _C.let(one.names[0], summed(one))
        case "joint":
            return _C.let(one.names[0], f"wrapped({shifted(one.terms[0][1], -one.scale)})")
    raise AssertionError(one.kind)


def _root(one: Definition, leave: str) -> list[str]:
    radicand = f"of_{one.names[0]}"
    return [
        *_C.let(radicand, source(one.expressions[0])),
        f"if (!({radicand} >= -ROOT_ZERO * {short(one.scale)}))",
        f"    {leave}",
        *_C.let(one.names[0], f"sqrt(fmax({radicand}, 0.0))"),
    ]


def _turn(one: Definition, loops: BranchLoops) -> list[str]:
    cosine, sine, angle = one.names
    y, x = (source(value) for value in one.expressions)
    call = f"turned(s, {y}, {x}, {short(one.scale)}, &{cosine}, &{sine});"
    keep = f"const double {angle} = " if angle in loops.names else ""
    return [f"double {cosine}, {sine};", *broken(keep + call, "    ")]
