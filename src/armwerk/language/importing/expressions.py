"""Expressions of makers' languages become expressions of IRL, with their types.

The type is needed where a language means another thing by the same sign, as KRL's division of two
ints, which is whole.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from armwerk.language.parsing.expressions import COMPARISON, LEVELS

PRIMARY, SIGN, NOT = 10, 7, 3
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)
    |(?P<text>"(?:[^"]|"")*")
    |(?P<name>[$#]?[A-Za-z_]\w*)
    |(?P<sign><>|<=|>=|==|!=|:=|[-+*/<>=()\[\]{},.:\\])
    )""",
    re.VERBOSE,
)


class NotUnderstood(Exception):  # noqa: N818 - becomes a located problem
    """A piece of text is outside the subset that is read; says what."""


class Piece(NamedTuple):
    """A value in IRL.

    Attributes:
        text: As IRL writes it.
        kind: Name of its type; empty: it is not known.
        level: How strongly its outermost operator binds.
    """

    text: str
    kind: str
    level: int = PRIMARY

    def at(self, level: int) -> str:
        """Return its text, in parentheses where it binds less strongly than is needed."""
        return self.text if self.level >= level else f"({self.text})"


class ValueReader(ABC):
    """Reads one expression.

    Args:
        text: The expression.
        kinds: Names of the types of variables and functions, by names in small letters.
    """

    operators: ClassVar[Mapping[str, tuple[str, int]]]
    """What signs and words mean in IRL, and how strongly they bind here."""
    functions: ClassVar[Mapping[str, str]]
    """Functions that have the same arguments in IRL, by names in small letters."""
    negation: ClassVar[tuple[str, int]]
    """The word for ``not`` in small letters, and how strongly it binds."""

    def __init__(self, text: str, kinds: Mapping[str, str]) -> None:
        self._kinds = kinds
        self._words: list[tuple[str, str]] = []
        at, text = 0, text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or found.lastgroup is None:
                raise NotUnderstood(f"'{text[at:].strip()[:20]}'")
            self._words.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()
        self._at = 0

    def read(self) -> Piece:
        """Return the whole expression.

        Raises:
            NotUnderstood: When it is outside the subset.
        """
        piece = self.expression(0)
        if self._at < len(self._words):
            raise NotUnderstood(f"'{self._words[self._at][1]}'")
        return piece

    # words

    @property
    def word(self) -> str:
        """The next word as it is written; empty: the end."""
        return self._words[self._at][1] if self._at < len(self._words) else ""

    def take(self, wanted: str = "") -> str:
        """Return the next word and go past it.

        Raises:
            NotUnderstood: When it is another than the one that is wanted.
        """
        word = self.word
        if not word or (wanted and word != wanted):
            raise NotUnderstood(
                f"'{word}' instead of '{wanted}'" if word else "what ends too early"
            )
        self._at += 1
        return word

    def listed(self, closing: str) -> list[Piece]:
        """Return values up to a closing bracket, and go past it."""
        found: list[Piece] = []
        while self.word != closing:
            found.append(self.expression(0))
            if self.word != closing:
                self.take(",")
        self.take(closing)
        return found

    # grammar

    def expression(self, least: int) -> Piece:
        """Return operands with operators that bind at least so strongly."""
        left = self._operand()
        while True:
            known = self.operators.get(self.word.lower())
            if known is None or known[1] < least:
                return left
            self.take()
            right = self.expression(known[1] + 1)
            left = self.combined(known[0], left, right)

    def combined(self, operator: str, left: Piece, right: Piece) -> Piece:
        """Return two values with an operator of IRL between them."""
        level = LEVELS[operator]
        first = level + (level == COMPARISON)  # comparisons are not chained
        text = f"{left.at(first)} {operator} {right.at(level + 1)}"
        return Piece(text, self._result(operator, left.kind, right.kind), level)

    @staticmethod
    def _result(operator: str, left: str, right: str) -> str:
        if LEVELS[operator] <= LEVELS["="]:
            return "bool"
        if operator in {"div", "mod"}:
            return "int"
        return "int" if left == right == "int" and operator != "/" else "real"

    def _operand(self) -> Piece:
        word, level = self.negation
        if self.word.lower() == word:
            self.take()
            return Piece(f"not {self.expression(level + 1).at(NOT + 1)}", "bool", NOT)
        if self.word in {"-", "+"}:
            sign = self.take()
            inner = self.expression(SIGN)
            text = inner.text if sign == "+" else f"-{inner.at(SIGN)}"
            return Piece(text, inner.kind, SIGN if sign == "-" else inner.level)
        return self.suffixed(self._primary())

    def _primary(self) -> Piece:
        if self._at >= len(self._words):
            raise NotUnderstood("what ends too early")
        group, word = self._words[self._at]
        self._at += 1
        if group == "number":
            return Piece(word, "int" if word.isdigit() else "real")
        if group == "text":
            inner = word[1:-1].replace('""', '"').replace("'", "''")
            return Piece(f"'{inner}'", "string")
        if word == "(":
            inner_piece = self.expression(0)
            self.take(")")
            return inner_piece
        if group == "name":
            return self.named(word)
        return self.bracket(word)

    def named(self, word: str) -> Piece:
        """Return what a name means, with the arguments of a call behind it."""
        small = word.lower()
        if small in {"true", "false"}:
            return Piece(small, "bool")
        if self.word == "(":
            self.take()
            return self.call(word, self.listed(")"))
        return Piece(word, self._kinds.get(small, ""))

    def call(self, name: str, arguments: Sequence[Piece]) -> Piece:
        """Return the call of a function."""
        small = name.lower()
        known = self.functions.get(small)
        if known is None and small not in self._kinds:
            raise NotUnderstood(f"the function '{name}'")
        kind = self._kinds.get(small, "real") if known is None else _kind(known, arguments)
        return Piece(f"{known or name}({', '.join(one.text for one in arguments)})", kind)

    @abstractmethod
    def suffixed(self, piece: Piece) -> Piece:
        """Return a value with the fields and indices behind it."""

    @abstractmethod
    def bracket(self, word: str) -> Piece:
        """Return what begins with a bracket of the language.

        Raises:
            NotUnderstood: When no value begins with this word.
        """


def element_kind(kind: str) -> str:
    """Return the type of the elements of an array type."""
    return kind.rpartition(" of ")[2]


def _kind(function: str, arguments: Sequence[Piece]) -> str:
    if function in {"round", "trunc"}:
        return "int"
    if function == "abs" and arguments:
        return arguments[0].kind
    return "real"
