"""What could stand where the cursor is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from armwerk.editors.analysis import Analysis, Declared, is_name
from armwerk.editors.explanations import (
    FUNCTION_TEXTS,
    PROCEDURE_TEXTS,
    SNIPPETS,
    TYPE_TEXTS,
    VARIABLE_TEXTS,
    WORD_TEXTS,
)
from armwerk.editors.hover import comment_of, declaration_text, kind_text, signature_text
from armwerk.language.checking.symbols import SYSTEM_VARIABLES, TRUTHS, WORLD_VALUES
from armwerk.language.keywords import KEYWORDS, MOVE_PARAMETERS, PATH_KINDS
from armwerk.language.operators import FUNCTIONS
from armwerk.language.types import PREDEFINED, RecordType

ProposalKind: TypeAlias = Literal[
    "variable", "constant", "type", "function", "procedure", "process", "field", "keyword",
    "snippet", "label", "signal", "parameter", "program",
]  # fmt: skip
_TYPE_PLACES = frozenset({"of", "var", "const", "input", "output", "record", "in", "out", "inout"})


class CompletionProposal(NamedTuple):
    """A word, or a form, that could stand at a place.

    Attributes:
        label: What is shown and inserted.
        kind: What it is.
        detail: Its type or head.
        text: What it means; empty: nothing more is known.
        snippet: What is inserted instead, with places to fill in; empty: the label.
        rank: Nearer names have a smaller one.
    """

    label: str
    kind: ProposalKind
    detail: str = ""
    text: str = ""
    snippet: str = ""
    rank: int = 5


def complete(analysis: Analysis, offset: int) -> list[CompletionProposal]:
    """Return what could stand at an offset, whose word may have been begun."""
    if analysis.in_comment(offset):
        return []
    source = analysis.source
    at = bisect_left(source.starts, offset)  # the first word behind the cursor
    prefix = ""
    if at and at - 1 < len(source.words):
        word, start = source.words[at - 1], source.starts[at - 1]
        if word[:1] in ("'", '"') and len(word) > 1 and start < offset < start + len(word):
            return []
        if is_name(word) and start < offset <= start + len(word):
            at -= 1
            prefix = word[: offset - start]
        elif word[:1].isdigit() and offset <= start + len(word):
            return []
    before = source.words[at - 1] if at else ""
    found = list(_proposals(analysis, at, before))
    return [one for one in found if _fits(one.label, prefix)]


def _fits(label: str, prefix: str) -> bool:
    """Return whether the letters of a prefix stand in a label, in their order."""
    letters = iter(label.lower())
    return label[:1].lower() == prefix[:1] and all(c in letters for c in prefix) if prefix else True


def _proposals(analysis: Analysis, at: int, before: str) -> Iterator[CompletionProposal]:
    words = analysis.source.words
    routine = analysis.routine_at(analysis.own, at)
    match before:
        case ".":
            kind = analysis.kind_before(analysis.own, at - 1)
            if isinstance(kind, RecordType):
                for name, part in zip(kind.fields, kind.types, strict=True):
                    yield CompletionProposal(name, "field", part.name, rank=1)
            return
        case "goto":
            for unit, owner, name in analysis.scopes.labels:
                if (unit, owner) == (analysis.own, routine):
                    yield CompletionProposal(name, "label", rank=1)
            return
        case "move" | "move_inc":
            for word in sorted(PATH_KINDS):
                yield CompletionProposal(word, "keyword", text=WORD_TEXTS[word], rank=1)
            return
        case "start" | "stop":
            for one in analysis.scopes.program.values():
                if one.kind == "process":
                    yield _named(analysis, one, 1)
            return
        case "program" | "module" | "procedure" | "function" | "process":
            return
    first = _statement(words, at)
    if first in ("move", "move_inc") and before not in (":=", ",", "(", "["):
        for word in sorted(MOVE_PARAMETERS):
            yield CompletionProposal(word, "keyword", text=WORD_TEXTS[word], rank=1)
    yield from _names(analysis, routine)
    in_types = before in _TYPE_PLACES
    for name, type_text in TYPE_TEXTS.items():
        yield CompletionProposal(
            name, "type", kind_text(PREDEFINED[name]), type_text, rank=1 if in_types else 6
        )
    if in_types:
        return
    yield from _predefined()
    for word in sorted(KEYWORDS):
        yield CompletionProposal(word, "keyword", text=WORD_TEXTS.get(word, ""), rank=7)
    if not before or before in (";", "begin") or before in KEYWORDS:
        for word, (detail, snippet) in SNIPPETS.items():
            yield CompletionProposal(
                word, "snippet", detail, WORD_TEXTS.get(word, ""), snippet, rank=6
            )


def _statement(words: list[str], at: int) -> str:
    """Return the first word of the statement that a word stands in."""
    while at > 0 and words[at - 1] not in (";", "begin", "then", "do", "else"):
        at -= 1
        if words[at] in ("move", "move_inc"):
            break
    return words[at] if at < len(words) else ""


def _names(analysis: Analysis, routine: str) -> Iterator[CompletionProposal]:
    inner = analysis.scopes.routines.get(routine, {})
    for one in inner.values():
        yield _named(analysis, one, 2)
    for one in analysis.scopes.program.values():
        if one.name not in inner:
            yield _named(analysis, one, 3)


def _named(analysis: Analysis, one: Declared, rank: int) -> CompletionProposal:
    name = analysis.units[one.unit].source.spelling(one.at)
    detail = declaration_text(analysis, one)
    snippet = f"{name}($0)" if one.routine is not None and one.routine.parameters else ""
    return CompletionProposal(name, one.kind, detail, comment_of(analysis, one), snippet, rank)


def _predefined() -> Iterator[CompletionProposal]:
    for name, signatures in FUNCTIONS.items():
        head = signature_text(name, signatures[-1])
        yield CompletionProposal(name, "function", head, FUNCTION_TEXTS[name], f"{name}($0)")
    yield CompletionProposal(
        "running", "function", "running(process): bool", FUNCTION_TEXTS["running"]
    )
    for name, (head, text) in PROCEDURE_TEXTS.items():
        yield CompletionProposal(name, "procedure", head, text, f"{name}($0)")
    for name, (kind, _) in SYSTEM_VARIABLES.items():
        yield CompletionProposal(name, "variable", kind.name, VARIABLE_TEXTS[name])
    for name, kind in WORLD_VALUES.items():
        yield CompletionProposal(name, "variable", kind.name, VARIABLE_TEXTS[name])
    for name, (kind, _) in TRUTHS.items():
        yield CompletionProposal(name, "constant", kind.name, VARIABLE_TEXTS[name])
