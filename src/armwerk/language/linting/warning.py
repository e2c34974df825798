"""A warning with its place in the text and, where there is one, its place in space."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from armwerk.arrays import Array
from armwerk.errors import Problem, UnsupportedError
from armwerk.language.code import CheckedProgram

if TYPE_CHECKING:
    from armwerk.mechanics import ArmModel

LintKind: TypeAlias = Literal[
    "unreachable",
    "limit",
    "singular",
    "blend",
    "contact",
    "frames",
    "time-out",
    "dead code",
    "deadlock",
    "never set",
]


@dataclass(frozen=True, slots=True, eq=False)
class Lint:
    """Something that a programmer should look at.

    Args:
        kind: What it is.
        problem: Where it stands and what it is, in words.
        file: The text it stands in; empty: no file.
        q: Joint values of the arm there [rad, m]; None: it is no place in space. Shape (n,).
        point: Where in the world [m]; None: likewise. Shape (3,).
        model: The arm; None: likewise.
    """

    kind: LintKind
    problem: Problem
    file: str = ""
    q: Array | None = None
    point: Array | None = None
    model: ArmModel | None = None

    def shown(self) -> str:
        """Return three lines: place and words, the line of the program, a caret."""
        return self.problem.shown(self.file or None)

    def draw(self, path: str | Path) -> Path:
        """Draw the arm at the place and return the file written, .png or .svg.

        Raises:
            UnsupportedError: When the warning is about the text alone.
        """
        if self.model is None or self.q is None:
            raise UnsupportedError(f"'{self.kind}' is no place in space")
        from armwerk.pictures import draw_arm

        title = f"line {self.problem.line}: {self.kind}"
        return draw_arm(self.model, self.q, path, title=title)


def warning_at(
    program: CheckedProgram,
    place: int,
    kind: LintKind,
    message: str,
    *,
    q: Array | None = None,
    point: Array | None = None,
    model: ArmModel | None = None,
) -> Lint:
    """Return a warning about an instruction."""
    source_index, at = program.places[place]
    source = program.sources[source_index]
    line, column = source.line(at), source.column(at)
    text = source.text.split("\n")[line - 1]
    problem = Problem(message, line, column, text, "", max(1, len(source.words[at])))
    return Lint(kind, problem, source.file, q, point, model)
