"""Blocks as lines of source; what a language writes differently is its `Dialect`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from armwerk.derivation.emit.models import Models
from armwerk.derivation.emit.sheet import Block, angles_used
from armwerk.derivation.ring import Angle
from armwerk.derivation.runtime.printing import source


class Dialect(Protocol):
    """How a language writes statements."""

    def let(self, name: str, value: str) -> list[str]:
        """Return the definition of a local name."""

    def put(self, place: str, value: str) -> list[str]:
        """Return the assignment to a place of the result."""


def block_lines(block: Block, target: str, dialect: Dialect) -> list[str]:
    """Return the statements of a block and its outputs target[0], target[1], ..."""
    lines = [line for name, value in block.statements for line in dialect.let(name, source(value))]
    for place, value in block.outputs:
        lines += dialect.put(f"{target}[{place}]", source(value))
    return lines


def angle_lines(models: Models, block: Block, dialect: Dialect) -> list[str]:
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


def motion_lines(models: Models, block: Block, dialect: Dialect) -> list[str]:
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
    text = "".join(f" {'-' if sign < 0 else '+'} q[{joint - 1}]" for joint, sign in angle.terms)
    text = text.removeprefix(" + ").replace(" - ", "-", 1) if text.startswith(" - ") else text[3:]
    offset = sum(sign * models.offset(joint) for joint, sign in angle.terms)
    if offset:
        text += f" {'-' if offset < 0 else '+'} {abs(offset)!r}"
    return text


def indented(lines: Iterable[str], depth: int = 1) -> list[str]:
    """Return lines moved to the right by levels of four blanks; empty ones stay empty."""
    return ["    " * depth + line if line else line for line in lines]
