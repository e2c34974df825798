"""Expressions: the lowest layer of the parser."""

from __future__ import annotations

import math
from typing import NoReturn

from armwerk.language.keywords import KEYWORDS, nearest_word
from armwerk.language.source import SourceText
from armwerk.language.syntax import (
    Aggregate,
    BinaryOperation,
    CallExpression,
    Expression,
    Indexed,
    LiteralValue,
    NameUse,
    PointList,
    Selected,
    UnaryOperation,
)

LEVELS = {
    "or": 1,
    "exor": 1,
    "and": 2,
    "=": 4,
    "<>": 4,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "div": 6,
    "mod": 6,
    "@": 6,
    "**": 8,
}
"""How strongly operators bind; ``not`` stands at 3, signs at 7."""
COMPARISON, SIGN = 4, 7
MOST_NESTED = 60  # brackets and blocks in one another
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_")
_DIGITS = frozenset("0123456789")


class SyntaxProblem(Exception):  # noqa: N818 - the user sees the located problem in its place
    """What is being read cannot be read further; its problem has been noted."""


class ExpressionParser:
    """Reads expressions.

    Args:
        source: Words of the program.
    """

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.words = source.words
        self.at = 0
        self.nested = 0

    def fail(self, message: str, expected: str = "", at: int | None = None) -> NoReturn:
        """Note a problem and give up what is being read."""
        self.source.report(self.at if at is None else at, message, expected)
        raise SyntaxProblem

    def unexpected(self, expected: str) -> NoReturn:
        """Say that the present word cannot stand here."""
        word = self.words[self.at]
        if not word:
            if self.at:
                self.source.report_after(self.at - 1, "the text ends too early", expected)
            else:
                self.source.report(0, "the text is empty", expected)
            raise SyntaxProblem
        if word in KEYWORDS:
            self.fail(f"the word '{word}' cannot stand here", expected)
        if word[0] in "'\"" and len(word) == 1:
            self.fail("this text has no end on its line", f"a closing {word}")
        if not word.isascii() and not word.isalnum():
            self.fail(f"the character '{word}' (U+{ord(word[0]):04X}) is unknown", expected)
        self.fail(f"unexpected '{self.source.spelling(self.at)[:40]}'", expected)

    def take(self, word: str) -> None:
        """Pass a word that must stand here."""
        if self.words[self.at] != word:
            self.unexpected(f"'{word}'")
        self.at += 1

    def name(self, what: str) -> str:
        """Pass a name and return it."""
        word = self.words[self.at]
        if word[:1] not in _LETTERS or word in KEYWORDS:
            if word in KEYWORDS:
                self.fail(f"'{word}' is a word of the language", f"{what} of another name")
            self.unexpected(what)
        self.at += 1
        return word

    def expression(self, least: int = 1) -> Expression:
        """Read an expression whose operators bind at least so strongly."""
        left = self.operand()
        words = self.words
        while True:
            at = self.at
            operator = words[at]
            level = LEVELS.get(operator, 0)
            if level < least:
                return left
            self.at = at + 1
            right = self.expression(level if level == 8 else level + 1)
            left = BinaryOperation(at, operator, left, right)
            if level == COMPARISON and LEVELS.get(words[self.at]) == COMPARISON:
                self.fail("comparisons cannot be chained", "'and' between two comparisons")

    def operand(self) -> Expression:
        """Read what stands between operators."""
        at = self.at
        word = self.words[at]
        first = word[:1]
        if first in _LETTERS:
            if word in KEYWORDS:
                return self._word_operand(at, word)
            self.at = at + 1
            following = self.words[at + 1]
            if following == "(":
                call = CallExpression(at, word, self.arguments())
                following = self.words[self.at]
                if following in {".", "["}:
                    return self.selectors(call)
                return call
            if following in {".", "["}:
                return self.selectors(NameUse(at, word))
            return NameUse(at, word)
        if first in _DIGITS:
            self.at = at + 1
            return self._number(at, word)
        if first == "(":
            return self._parenthesis(at)
        if first in {"'", '"'}:
            if len(word) > 1:
                self.at = at + 1
                text = self.source.spelling(at)
                return LiteralValue(at, text[1:-1].replace(first * 2, first))
        elif first in {"-", "+"}:
            self._deeper()
            self.at = at + 1
            value = UnaryOperation(at, word, self.expression(SIGN))
            self.nested -= 1
            return value
        elif first == "[":
            self._deeper()
            self.at = at + 1
            items = self._list("]")
            self.nested -= 1
            return PointList(at, items)
        self.unexpected("a value")

    def _word_operand(self, at: int, word: str) -> Expression:
        if word == "not":
            self._deeper()
            self.at = at + 1
            value = UnaryOperation(at, word, self.expression(COMPARISON))
            self.nested -= 1
            return value
        if word in {"true", "false"}:
            self.at = at + 1
            return LiteralValue(at, word == "true")
        self.unexpected("a value")

    def _number(self, at: int, word: str) -> LiteralValue:
        if word.isdigit():
            if len(word) > 12:
                self.fail("this number is too large for an int", "at most 2147483647", at)
            return LiteralValue(at, int(word))
        value = float(word)
        if not math.isfinite(value):
            self.fail("this number is too large for a real", "at most 1.7e308", at)
        return LiteralValue(at, value)

    def _parenthesis(self, at: int) -> Expression:
        self._deeper()
        self.at = at + 1
        items = self._list(")")
        self.nested -= 1
        if not items:
            self.fail("there is nothing in these parentheses", "a value", at)
        value = items[0] if len(items) == 1 else Aggregate(at, items)
        return self.selectors(value) if self.words[self.at] in (".", "[") else value

    def arguments(self) -> tuple[Expression, ...]:
        """Read ``(a, b)``; the present word is the parenthesis."""
        self._deeper()
        self.at += 1
        items = self._list(")")
        self.nested -= 1
        return items

    def _list(self, end: str) -> tuple[Expression, ...]:
        words = self.words
        if words[self.at] == end:
            self.at += 1
            return ()
        items = [self.expression()]
        while words[self.at] == ",":
            self.at += 1
            items.append(self.expression())
        if words[self.at] != end:
            self.unexpected(f"',' or '{end}'")
        self.at += 1
        return tuple(items)

    def selectors(self, value: Expression) -> Expression:
        """Read ``.field`` and ``[index]`` behind a value."""
        words = self.words
        while True:
            at = self.at
            word = words[at]
            if word == ".":
                self.at = at + 1
                field = words[at + 1]
                if field[:1] not in _LETTERS:
                    self.unexpected("the name of a field")
                self.at = at + 2
                value = Selected(at + 1, value, field)
            elif word == "[":
                self._deeper()
                self.at = at + 1
                indices = self._list("]")
                self.nested -= 1
                if not indices:
                    self.fail("an index is missing", "a whole number", at)
                value = Indexed(at, value, indices)
            else:
                return value

    def _deeper(self) -> None:
        self.nested += 1
        if self.nested > MOST_NESTED:
            self.fail("this is nested too deeply", f"at most {MOST_NESTED} levels")

    def near(self, word: str, words: frozenset[str] | list[str]) -> str:
        """Return "; did you mean …?" when a word is nearly another."""
        guess = nearest_word(word, words)
        return f"; did you mean '{guess}'?" if guess else ""
