"""The functions of the inverse kinematics in C."""

from __future__ import annotations

from armwerk.derivation.emit.branches import Branches
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
from armwerk.derivation.emit.code import indented
from armwerk.derivation.emit.models import Models
from armwerk.derivation.emit.text import broken
from armwerk.derivation.ring import POSE_ROWS, Angle
from armwerk.derivation.runtime.flow import Definition, theta
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
    places = ", ".join(_shifted(f"positions[{i}]", models.offset(i + 1)) for i in turning)
    wished = f"    const double wished[] = {{{places}}};\n" if has_turns else ""
    return NEAREST.format(
        name=models.prefix,
        given=given,
        passed=passed,
        weights=weights,
        wished="\n    ".join(broken(wished, "        ")) if wished else "",
        wishes=f", wished, {len(turning)}" if has_turns else "",
    )


def _shifted(text: str, offset: float) -> str:
    return f"{text} {'-' if offset < 0 else '+'} {abs(offset)!r}" if offset else text


def _branches(models: Models, loops: Branches) -> str:
    lines = [*_pose_lines(models, loops), *_given_lines(models)]
    lines += _body(models, loops, 0)
    head = (
        "/* Every branch of the closed form, one loop for each root and its two signs. */\n"
        f"static void branches(search *s{given_arguments(models)})\n{{\n"
    )
    return head + "\n".join(indented(lines)) + "\n}\n"


def _pose_lines(models: Models, loops: Branches) -> list[str]:
    """Return the pose of the last joint frame from that of the tool."""
    block = models.inner_pose
    wanted = [name for row in POSE_ROWS for name in row if name in loops.inputs]
    values = dict(block.outputs)
    needed: set[str] = set()
    agenda = [values[name] for name in wanted]
    steps = dict(block.statements)
    while agenda:
        for symbol in agenda.pop().free_symbols:
            if symbol.name not in needed:
                needed.add(symbol.name)
                agenda += [steps[symbol.name]] if symbol.name in steps else []
    lines = []
    for k in range(12):
        if f"t{k}" in needed:
            lines += _C.let(f"t{k}", f"s->pose[{k}]")
    for name, value in block.statements:
        if name in needed:
            lines += _C.let(name, source(value))
    for name in wanted:
        lines += _C.let(name, source(values[name]))
    return lines


def _given_lines(models: Models) -> list[str]:
    loops = models.branches
    lines: list[str] = []
    for joint in models.given:
        single = Angle(((joint, 1),))
        value = _shifted(f"q{joint}", models.offset(joint))
        for name, text in (
            (single.cos, f"cos({value})"),
            (single.sin, f"sin({value})"),
            (theta(single), f"wrapped(remainder({value}, 2.0 * PI))"),
        ):
            if loops is not None and name in loops.names:
                lines += _C.let(name, text)
    return lines


def _body(models: Models, loops: Branches, depth: int) -> list[str]:
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
    inner += _body(models, loops, depth + 1)
    return [*lines, *indented(inner), "}"]


def _statement(one: Definition, loops: Branches, leave: str) -> list[str]:
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
            return _C.let(one.names[0], f"wrapped({_shifted(one.terms[0][1], -one.scale)})")
    raise AssertionError(one.kind)


def _root(one: Definition, leave: str) -> list[str]:
    radicand = f"of_{one.names[0]}"
    return [
        *_C.let(radicand, source(one.expressions[0])),
        f"if (!({radicand} >= -ROOT_ZERO * {short(one.scale)}))",
        f"    {leave}",
        *_C.let(one.names[0], f"sqrt(fmax({radicand}, 0.0))"),
    ]


def _turn(one: Definition, loops: Branches) -> list[str]:
    cosine, sine, angle = one.names
    y, x = (source(value) for value in one.expressions)
    call = f"turned(s, {y}, {x}, {short(one.scale)}, &{cosine}, &{sine});"
    keep = f"const double {angle} = " if angle in loops.names else ""
    return [f"double {cosine}, {sine};", *broken(keep + call, "    ")]


def short(size: float) -> str:
    """Return a usual size with three digits; more would be noise."""
    return repr(float(f"{size:.3g}"))


def summed(one: Definition) -> str:
    """Return a sum of angles, wrapped after every step."""
    text = ""
    for sign, name in one.terms:
        sense = "-" if sign < 0 else "+"
        text = f"wrapped({text} {sense} {name})" if text else name if sign > 0 else f"-{name}"
    return text if len(one.terms) > 1 else f"wrapped({text})"
