"""From the text of an environment file to a `Scene`, or to all of its problems at once."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from armwerk.errors import DescriptionError, Problem, SceneError
from armwerk.scene.arguments import Arguments
from armwerk.scene.directives import DIRECTIVES
from armwerk.scene.draft import Draft
from armwerk.scene.keywords import (
    ALL_ENDS,
    BODIES,
    ENDS,
    NUMBERED,
    SHAPES,
    USAGE,
    closest,
    is_directive,
    is_nearly_directive,
    split,
)
from armwerk.scene.outlines import read_outline
from armwerk.scene.scanner import Abandoned, Scanner, TooManyProblems, quoted
from armwerk.scene.scene import Scene

MOST_BYTES = 2_000_000  # a large cell takes 50 kB; more is a mistake or an attack
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_KNOWN = [*USAGE, *(f"{name}0" for name in NUMBERED)]


def parse_scene(text: str, file: str | Path | None = None) -> Scene:
    """Return the scene that an environment file describes.

    Args:
        text: Its content.
        file: Where it is from, for messages and to find classes beside it; None: not from a file.

    Raises:
        SceneError: With every problem of the text, each with line, column and what was expected.
    """
    if not isinstance(text, str):
        raise DescriptionError(
            "not a text", element="cell", value=text, allowed="the content of an environment file"
        )
    if len(text) > MOST_BYTES:
        message = f"the file is too large, {len(text)} characters"
        raise SceneError([Problem(message, 1, 1, "", f"at most {MOST_BYTES}")], file)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    scanner = Scanner(text)
    draft = Draft(scanner)
    try:
        _check_characters(scanner)
        _read(Arguments(scanner), draft)
        draft.finish()
    except TooManyProblems:
        pass
    if scanner.problems:
        ordered = sorted(scanner.problems, key=lambda problem: (problem.line, problem.column))
        raise SceneError(ordered, file)
    return draft.scene(None if file is None else Path(file))


def _check_characters(scanner: Scanner) -> None:
    for match in _FORBIDDEN.finditer(scanner.text):
        code = ord(match[0])
        scanner.report(match.span(), f"character U+{code:04X} in a text file", "printable text")


def _read(a: Arguments, draft: Draft) -> None:
    scanner = a.scanner
    before = ""
    while True:
        first = scanner.begins_line()
        a.start, word = scanner.peek()
        if not word:
            return
        name = split(word)[0]
        if name not in USAGE:
            guess = _unknown(a, word, before)
            if not (guess and first):
                scanner.advance(a.start[1])
                scanner.recover(is_nearly_directive)
                continue
            name = split(guess)[0]
        scanner.advance(a.start[1])
        a.directive, a.usage, before = name, USAGE[name], name
        _one(a, draft)


def _one(a: Arguments, draft: Draft) -> None:
    """Read one directive; after a problem go to where reading can go on."""
    directive = a.directive
    try:
        DIRECTIVES[directive](a, draft)
        return
    except Abandoned:
        pass
    if directive in BODIES:
        draft.forget_body()
    if directive in ENDS and a.directive == directive and _rest_of_body(a):
        return
    a.scanner.recover(is_nearly_directive)


def _rest_of_body(a: Arguments) -> bool:
    """Look for problems in the shape of a body whose head was wrong; say whether it was found."""
    word = a.scanner.recover(lambda w: w in SHAPES or w in ALL_ENDS or is_nearly_directive(w))
    if word not in SHAPES:
        return False
    try:
        read_outline(a)
    except Abandoned:
        return False
    return True


def _unknown(a: Arguments, word: str, before: str) -> str | None:
    """Report a word that begins no directive; return the one that was probably meant."""
    if word in SHAPES or word in ALL_ENDS:
        bodies = ", ".join(name for name, ends in ENDS.items() if word in SHAPES or word in ends)
        a.scanner.report(a.start, f"{word} outside a body", f"it inside {bodies}")
        return None
    if word.upper() in _KNOWN or is_directive(word.upper()):
        hint = f"'{word.upper()}' in capital letters"
        a.scanner.report(a.start, f"{quoted(word)} is no directive", hint)
        return word.upper()
    guess = closest(word, _KNOWN, 0.75)
    if guess:
        message = f"{quoted(word)} is no directive; did you mean '{guess}'?"
        a.scanner.report(a.start, message, "a directive")
        return guess
    odd = next((c for c in word if not c.isascii() and not c.isalnum()), "")
    name = f" (with {unicodedata.name(odd, 'an unknown character')})" if odd else ""
    expected = f"a directive; {before} takes {USAGE[before]}" if before else "a directive"
    a.scanner.report(a.start, f"unexpected {quoted(word)}{name}", expected)
    return None
