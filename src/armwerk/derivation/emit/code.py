"""Blocks as lines of source that stay within a width; a language's own words are its `Dialect`."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable
from typing import Protocol

import symengine

from armwerk.derivation.emit.function_builder import CodeBlock, angles_used
from armwerk.derivation.emit.models import BranchLoops, Models
from armwerk.derivation.ring import POSE_ROWS, Angle
from armwerk.derivation.runtime.flow import Definition, names_in, theta
from armwerk.derivation.runtime.templates import source

WIDTH = 96
NESTED = 84  # of statements, which stand up to three loops deep
_BREAKS = re.compile(r" (?=[-+] )|(?<=,) ")


class Dialect(Protocol):
    """How a language writes statements."""

    def let(self, name: str, value: str) -> list[str]:
        """Return the definition of a local name."""

    def put(self, place: str, value: str) -> list[str]:
        """Return the assignment to a place of the result."""


def block_lines(block: CodeBlock, target: str, dialect: Dialect) -> list[str]:
    """Return the statements of a block and its outputs target[0], target[1], ..."""
    lines = [line for name, value in block.statements for line in dialect.let(name, source(value))]
    for place, value in block.outputs:
        lines += dialect.put(f"{target}[{place}]", source(value))
    return lines


def angle_lines(models: Models, block: CodeBlock, dialect: Dialect) -> list[str]:
    """Return cosines, sines and slides that a kinematic block needs, from q[0], q[1], ..."""
    lines = []
    for angle, cosine, sine in angles_used(models.ring, block.inputs):
        text = angle_text(models, angle)
        lines += dialect.let(angle.cos, f"cos({text})") if cosine else []
        lines += dialect.let(angle.sin, f"sin({text})") if sine else []
    for joint, name in models.ring.slides.items():
        if name in block.inputs:
            lines += dialect.let(name, f"q[{joint - 1}]")
    return lines


def motion_lines(models: Models, block: CodeBlock, dialect: Dialect) -> list[str]:
    """Return cosines, sines, slides, speeds and accelerations that a dynamic block needs."""
    lines = []
    for i in range(1, models.dof + 1):
        for name, text in (
            (f"c{i}", f"cos(q[{i - 1}])"),
            (f"s{i}", f"sin(q[{i - 1}])"),
            (f"q{i}", f"q[{i - 1}]"),
        ):
            if name in block.inputs:
                lines += dialect.let(name, text)
    for rate in ("qd", "qdd"):
        for i in range(1, models.dof + 1):
            if f"{rate}{i}" in block.inputs:
                lines += dialect.let(f"{rate}{i}", f"{rate}[{i - 1}]")
    return lines


def angle_text(models: Models, angle: Angle) -> str:
    """Return q[1] + q[2] + offset for an angle."""
    terms = [f"{'-' if sign < 0 else '+'} q[{joint - 1}]" for joint, sign in angle.terms]
    text = " ".join(terms).removeprefix("+ ")  # a sum's name starts with plus
    offset = sum(sign * models.offset(joint) for joint, sign in angle.terms)
    return shifted(text, offset)


def inner_pose_lines(models: Models, loops: BranchLoops, dialect: Dialect, entry: str) -> list[str]:
    """Return the entries of the last joint frame's pose that the inverse uses.

    Args:
        models: The arm.
        loops: The inverse.
        dialect: The language.
        entry: How entry number {} of the tool pose is written.
    """
    block = models.inner_pose
    wanted = [name for row in POSE_ROWS for name in row if name in loops.inputs]
    values, steps = dict(block.outputs), dict(block.statements)
    places = {symengine.Symbol(f"t{k}"): symengine.Symbol(entry.format(k)) for k in range(12)}
    used: set[str] = set()
    agenda = [values[name] for name in wanted]
    while agenda:
        for name in names_in(agenda.pop()) - used:
            used.add(name)
            agenda += [steps[name]] if name in steps else []
    lines = []
    for name, value in [*((k, v) for k, v in steps.items() if k in used), *values.items()]:
        if name in used or name in wanted:
            lines += dialect.let(name, source(value.xreplace(places)))
    return lines


def given_values(models: Models) -> list[tuple[str, str]]:
    """Return names and texts of what the inverse needs of the joints that the caller gives."""
    found = []
    for joint in models.given:
        single = Angle(((joint, 1),))
        value = shifted(f"q{joint}", models.offset(joint))
        found += [
            (single.cos, f"cos({value})"),
            (single.sin, f"sin({value})"),
            (theta(single), f"remainder({value}, {2.0 * math.pi!r})"),
        ]
    return [pair for pair in found if models.branches and pair[0] in models.branches.names]


def summed(one: Definition) -> str:
    """Return a sum of angles, wrapped after every step."""
    text = ""
    for sign, name in one.terms:
        sense = "-" if sign < 0 else "+"
        text = f"wrapped({text} {sense} {name})" if text else name if sign > 0 else f"-{name}"
    return text if len(one.terms) > 1 else f"wrapped({text})"


def shifted(text: str, offset: float) -> str:
    """Return a value plus a constant."""
    return f"{text} {'-' if offset < 0 else '+'} {abs(offset)!r}" if offset else text


def present_angle(models: Models, angle: Angle) -> str:
    """Return the source text of an angle where the arm stands, offsets included."""
    text = ""
    for joint, sign in angle.terms:
        offset = models.offset(joint)
        one = shifted(f"positions[{joint - 1}]", offset)
        minus = f" - ({one})" if offset else f" - {one}"
        text += minus if sign < 0 else f" + {one}"
    return text.removeprefix(" + ").removeprefix(" ")


def short(size: float) -> str:
    """Return a usual size with three digits; more would be noise."""
    return repr(float(f"{size:.3g}"))


def indented(lines: Iterable[str], depth: int = 1) -> list[str]:
    """Return lines moved to the right by levels of four blanks; empty ones stay empty."""
    return ["    " * depth + line if line else line for line in lines]


def broken(text: str, indent: str, width: int = NESTED) -> list[str]:
    """Break a long line before + and -, else before *; the rest is indented by ``indent``."""
    if len(text) <= width:
        return [text]
    pieces: list[str] = []
    for piece in _BREAKS.split(text):
        if len(piece) > width - len(indent):
            pieces += re.split(r" (?=\* )", piece)
        else:
            pieces.append(piece)
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) <= width:
            lines[-1] += " " + piece
        else:
            lines.append(indent + piece)
    return lines


def comment(text: str, prefix: str, width: int = WIDTH) -> list[str]:
    """Return a text as lines that start with ``prefix``."""
    return [prefix + line for line in textwrap.wrap(text, width - len(prefix))] or [prefix.rstrip()]


def documented(text: str, *more: str) -> str:
    """Return a comment in front of a declaration."""
    lines = comment(text, " * ")
    for one in more:
        first, *rest = comment(one, " *   ")
        lines += [first, *(line.replace(" *   ", " *     ", 1) for line in rest)]
    return "\n".join(["/**", *lines, " */"])
