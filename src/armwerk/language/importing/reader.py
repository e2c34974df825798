"""What all imports share: lines in, declarations, routines and statements of IRL out."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from armwerk.errors import Problem, ProgramError
from armwerk.language.importing.expressions import NotUnderstood, Piece, ValueReader

Form = Callable[[re.Match[str]], str]


class Emitted(NamedTuple):
    """A line of IRL.

    Attributes:
        text: The line.
        number: The line it was read from, counted from 1; 0: from none of the program.
    """

    text: str
    number: int


class ProgramReader(ABC):
    """Reads a program of a maker's language, line by line.

    Args:
        text: The program.
        file: Where it is from, for messages; empty: no file.
    """

    language: ClassVar[str]
    values: ClassVar[type[ValueReader]]
    comment: ClassVar[str]
    """What begins a comment."""

    def __init__(self, text: str, file: str = "") -> None:
        self.lines = text.replace("\r\n", "\n").split("\n")
        self.file = file
        self.name = "Imported"
        self.declarations: list[Emitted] = []
        self.routines: list[Emitted] = []
        self.body: list[Emitted] = []
        self.origins: list[int] = []
        """For each line of the program in IRL the line it was read from."""
        self.problems: list[Problem] = []
        self.kinds: dict[str, str] = {}
        """Types of the variables and functions of the program, by names in small letters."""
        self.local: dict[str, str] = {}
        """Those of the routine that is read."""
        self.into = self.body
        """What statements are added to."""
        self.number = 0
        """Of the line that is read, counted from 1."""
        self._forms = [
            (re.compile(pattern, re.IGNORECASE), form) for pattern, form in self.forms().items()
        ]

    def program(self) -> str:
        """Return the program in IRL.

        Raises:
            ProgramError: With every line that is not understood.
        """
        self.number = 0
        self.prepare()
        while self.number < len(self.lines):
            self.number += 1
            text, note = self._split(self.lines[self.number - 1].strip())
            try:
                if text:
                    self.line(text, note)
                elif note:
                    self.remark(note)
            except NotUnderstood as error:
                self.refuse(str(error))
        if self.problems:
            raise ProgramError(self.problems, self.file or None)
        last = len(self.lines)
        lines = [
            Emitted(f"program {self.name};", 1),
            *self.declarations,
            *self.routines,
            Emitted("begin", 1),
            *self.body,
            Emitted("endprogram;", last),
        ]
        self.origins = [line.number for line in lines]
        return "\n".join([*(line.text for line in lines), ""])

    def located(self, problem: Problem) -> Problem:
        """Return a problem of the program in IRL with its place in the text that was read."""
        number = self.origins[min(problem.line, len(self.origins)) - 1]
        if number == 0:
            return problem
        source = self.lines[number - 1]
        column = len(source) - len(source.lstrip()) + 1
        message = f"{problem.message} (in IRL: {problem.source.strip()})"
        length = max(1, len(source.strip()))
        return Problem(message, number, column, source, problem.expected, length)

    def _split(self, line: str) -> tuple[str, str]:
        """Return what stands before and behind the sign of a comment, quotes not looked into."""
        quoted = False
        for at, letter in enumerate(line):
            if letter == '"':
                quoted = not quoted
            elif letter == self.comment and not quoted:
                return line[:at].strip(), line[at + 1 :].strip()
        return line, ""

    def following(self, offset: int = 1) -> str:
        """Return a line behind the one that is read, without blanks; empty: there is none."""
        at = self.number - 1 + offset
        return self.lines[at].strip() if at < len(self.lines) else ""

    def remark(self, note: str) -> None:
        """Read a line that is only a comment; signals are declared in such ones."""
        if note.startswith("signal "):
            self.declarations.append(Emitted(note, self.number))
            found = re.match(r"signal \w+ (\w+): (\w+)", note)
            if found is not None:
                self.kinds[found[2].lower()] = found[1]

    def line(self, text: str, note: str) -> None:
        """Read a line.

        Args:
            text: Without blanks around it and without its comment.
            note: The comment behind it.

        Raises:
            NotUnderstood: When it is outside the subset.
        """
        for pattern, form in self._forms:
            found = pattern.fullmatch(text)
            if found is not None:
                self.put(form(found))
                return
        raise NotUnderstood("this")

    def put(self, line: str) -> None:
        """Add a statement; an empty one is none."""
        if line:
            self.into.append(Emitted(line, self.number))

    def begin_routine(
        self, name: str, parameters: list[tuple[str, str, str]], result: str | None
    ) -> None:
        """Begin a procedure or function.

        Args:
            name: Its name.
            parameters: Mode, type and name of each.
            result: Type of a function; None: it is a procedure.
        """
        heads = "; ".join(f"{mode} {kind}: {one}" for mode, kind, one in parameters)
        self.into = self.routines
        self.local = {one.lower(): kind for _, kind, one in parameters}
        self.kinds[name.lower()] = result or ""
        word = "procedure" if result is None else "function"
        self.put(f"{word} {name}({heads}){'' if result is None else f': {result}'};")
        self.put("begin")

    def end_routine(self, is_function: bool) -> None:
        """End a procedure or function."""
        self.put("endfct;" if is_function else "endproc;")
        self.into, self.local = self.body, {}

    def declare(self, name: str, kind: str, first: str = "", word: str = "var") -> None:
        """Declare a variable, or a constant, of the program or of the routine that is read."""
        sign = " = " if word == "const" else " := "
        line = f"{word} {kind}: {name}{sign + first if first else ''};"
        if self.into is self.routines:
            self.local[name.lower()] = kind
            begins = [at for at, one in enumerate(self.routines) if one.text == "begin"]
            self.routines.insert(begins[-1], Emitted(line, self.number))
        else:
            self.kinds[name.lower()] = kind
            self.declarations.append(Emitted(line, self.number))

    def piece(self, text: str) -> Piece:
        """Return an expression in IRL with its type.

        Raises:
            NotUnderstood: When it is outside the subset.
        """
        return self.values(text, {**self.kinds, **self.local}).read()

    def value(self, text: str) -> str:
        """Return an expression in IRL."""
        return self.piece(text).text

    @staticmethod
    def with_notes(line: str, note: str) -> str:
        """Return a move with the parameters that a comment keeps in place of its own."""
        for found in re.finditer(
            r"\b(c_ptp|speed_ptp|acc_ptp)((?: := [\w.() +*/-]+?)*)(?= \w+_ptp|$)", note
        ):
            line = re.sub(rf" {found[1]}(?: := \S+)*", "", line) + f" {found[0]}"
        return line

    def kind(self, name: str) -> str:
        """Return the type of a variable; empty: it is not known."""
        small = name.lower()
        return self.local.get(small) or self.kinds.get(small, "")

    def refuse(self, what: str) -> None:
        """Note a line that is not read."""
        line = self.lines[self.number - 1]
        column = len(line) - len(line.lstrip()) + 1
        message = f"{what} is not read from {self.language}"
        self.problems.append(Problem(message, self.number, column, line, "", len(line.strip())))

    @abstractmethod
    def forms(self) -> Mapping[str, Form]:
        """Return what statements look like, and what makes them IRL."""

    @abstractmethod
    def prepare(self) -> None:
        """Look through the lines before they are read."""


def split(text: str, sign: str = ",") -> list[str]:
    """Return the parts of a text between signs that stand in no bracket and no quotes."""
    parts, depth, quoted, start, at = [], 0, False, 0, 0
    while at < len(text):
        letter = text[at]
        if letter == '"':
            quoted = not quoted
        elif not quoted:
            depth += (letter in "([{") - (letter in ")]}")
            if depth == 0 and text.startswith(sign, at):
                parts.append(text[start:at].strip())
                at += len(sign)
                start = at
                continue
        at += 1
    rest = text[start:].strip()
    return [*parts, rest] if rest or parts else []
