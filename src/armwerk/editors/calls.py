"""The call that the cursor stands in: its parameters, and which of them is meant."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from armwerk.editors.analysis import Analysis, is_name
from armwerk.editors.explanations import FUNCTION_TEXTS, PROCEDURE_TEXTS, TYPE_TEXTS
from armwerk.editors.hover import comment_of
from armwerk.language.keywords import KEYWORDS
from armwerk.language.operators import FUNCTIONS
from armwerk.language.types import PREDEFINED, RecordType

FARTHEST = 2000  # words that are looked back for the beginning of a call


class CallHead(NamedTuple):
    """One way to call a routine.

    Attributes:
        name: Of the routine.
        parameters: As they are written.
        result: Type of the value; empty: there is none.
        text: What it means.
    """

    name: str
    parameters: tuple[str, ...]
    result: str
    text: str

    @property
    def label(self) -> str:
        """The head in one line."""
        tail = f": {self.result}" if self.result else ""
        return f"{self.name}({'; '.join(self.parameters)}){tail}"


class CallHelp(NamedTuple):
    """What is known of a call.

    Attributes:
        heads: The ways to call it.
        active: Which of them is meant.
        parameter: Which of its parameters is meant, counted from 0.
    """

    heads: tuple[CallHead, ...]
    active: int
    parameter: int


def call_help(analysis: Analysis, offset: int) -> CallHelp | None:
    """Return the call that an offset stands in; None: there is none."""
    words, starts = analysis.source.words, analysis.source.starts
    if analysis.in_comment(offset):
        return None
    at = bisect_left(starts, offset) - 1
    depth = commas = 0
    for index in range(at, max(-1, at - FARTHEST), -1):
        word = words[index]
        if word in (")", "]"):
            depth += 1
        elif word in ("(", "["):
            if depth == 0 and word == "(" and index and _is_callable(words[index - 1]):
                heads = _heads(analysis, index - 1)
                if heads:
                    fitting = [k for k, one in enumerate(heads) if len(one.parameters) > commas]
                    return CallHelp(heads, fitting[0] if fitting else 0, commas)
            if depth == 0:
                commas = 0
            depth = max(0, depth - 1)
        elif word == "," and depth == 0:
            commas += 1
        elif word == ";" or word in ("begin", "then", "do"):
            return None
    return None


def _is_callable(word: str) -> bool:
    return is_name(word) and (word not in KEYWORDS or word in ("write", "writeln"))


def _heads(analysis: Analysis, at: int) -> tuple[CallHead, ...]:
    word = analysis.source.words[at]
    one = analysis.declared(analysis.own, at)
    kind = None
    if one is not None:
        if one.routine is not None:
            return (_routine(analysis, at),)
        kind = analysis.kind(one) if one.kind == "type" else None
    elif word in FUNCTIONS:
        return tuple(
            CallHead(
                word,
                tuple(part.name for part in signature.parameters),
                signature.result.name,
                FUNCTION_TEXTS[word],
            )
            for signature in FUNCTIONS[word]
        )
    elif word in PROCEDURE_TEXTS:
        head, text = PROCEDURE_TEXTS[word]
        inner = head[head.index("(") + 1 : -1]
        return (CallHead(word, tuple(inner.split("; ")), "", text),)
    elif word in ("write", "writeln"):
        return (CallHead(word, ("values…",), "", "Values of any type, one after the other."),)
    else:
        kind = PREDEFINED.get(word)
    if isinstance(kind, RecordType):
        parts = zip(kind.types, kind.fields, strict=True)
        given = tuple(f"{part.name}: {name}" for part, name in parts)
        return (CallHead(word, given, kind.name, TYPE_TEXTS.get(word, "")),)
    return ()


def _routine(analysis: Analysis, at: int) -> CallHead:
    one = analysis.declared(analysis.own, at)
    assert one is not None
    assert one.routine is not None
    source = analysis.units[one.unit].source
    given = []
    for parameter in one.routine.parameters:
        for name in parameter.names:
            inner = analysis.scopes.routines.get(one.name, {}).get(name.name)
            kind = None if inner is None else analysis.kind(inner)
            shown = "?" if kind is None else kind.name
            given.append(f"{parameter.mode} {shown}: {source.spelling(name.at)}")
    result = one.routine.result
    shown = "" if result is None else source.words[result.at]
    return CallHead(source.spelling(one.at), tuple(given), shown, comment_of(analysis, one))
