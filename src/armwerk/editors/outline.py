"""The parts of a text: what it declares, and what can be folded away."""

from __future__ import annotations

from typing import NamedTuple

from armwerk.editors.analysis import Analysis, Declared, DeclaredKind
from armwerk.editors.hover import declaration_text
from armwerk.editors.positions import TextRange
from armwerk.language.keywords import ENDS, SECTIONS


class OutlineItem(NamedTuple):
    """A declaration with those inside it.

    Attributes:
        name: As it is written.
        kind: What it is.
        detail: Its type or head.
        range: All of it.
        selection: Its name.
        children: Those inside it.
    """

    name: str
    kind: DeclaredKind
    detail: str
    range: TextRange
    selection: TextRange
    children: tuple[OutlineItem, ...]


class Fold(NamedTuple):
    """Lines that can be folded away.

    Attributes:
        first: Stays to be seen, counted from 0.
        last: Counted from 0.
        is_comment: Whether they are a comment.
    """

    first: int
    last: int
    is_comment: bool


def outline(analysis: Analysis) -> list[OutlineItem]:
    """Return what a text declares, in its order."""
    unit = analysis.units[analysis.own].unit
    scopes = analysis.scopes
    own = analysis.own
    items = []
    for one in scopes.program.values():
        if one.unit != own:
            continue
        children: list[OutlineItem] = []
        last = one.at
        if one.routine is not None:
            last = max(one.at, one.routine.end)
            inner = scopes.routines.get(one.name, {})
            children = [_item(analysis, part, part.at, ()) for part in inner.values()]
        elif one.kind == "type":
            fields = [part for key, part in scopes.fields.items() if key[0] == one.name]
            children = [_item(analysis, part, part.at, ()) for part in fields if part.unit == own]
        items.append(_item(analysis, one, last, tuple(children)))
    items.sort(key=lambda item: item.range)
    if not unit.name:
        return items
    head = Declared("program", unit.name, own, unit.name_at)
    whole = analysis.range(own, unit.at, max(unit.name_at, unit.end))
    made = _item(analysis, head, unit.name_at, tuple(items))
    return [made._replace(range=whole)]


def _item(
    analysis: Analysis, one: Declared, last: int, children: tuple[OutlineItem, ...]
) -> OutlineItem:
    first = one.at if one.routine is None else one.routine.at
    where = analysis.range(one.unit, first, last)
    for child in children:  # a client refuses what reaches out of its parent
        where = TextRange(min(where.start, child.range.start), max(where.end, child.range.end))
    return OutlineItem(
        analysis.source.spelling(one.at),
        one.kind,
        declaration_text(analysis, one),
        where,
        analysis.range(one.unit, one.at),
        children,
    )


def folds(analysis: Analysis) -> list[Fold]:
    """Return what can be folded: blocks, sections, comments of several lines."""
    source = analysis.source
    words = source.words
    found: list[Fold] = []
    opened: list[tuple[str, int]] = []
    section = -1

    def close_section(at: int) -> None:
        nonlocal section
        if section >= 0:
            _add(found, source.line(section) - 1, source.line(at - 1) - 1)
        section = -1

    for at, word in enumerate(words):
        if word in SECTIONS or word in ("begin", "procedure", "function", "process"):
            close_section(at)
            if word in SECTIONS and word != "import":
                section = at
        if word in ENDS and not (word == "for" and at and words[at - 1] == "wait"):
            opened.append((word, at))
        elif opened and word in _CLOSES:
            owner = opened[-1][0]
            if word in ENDS[owner]:
                last = source.line(at) - 1
                _add(found, source.line(opened.pop()[1]) - 1, last - 1)
            elif word != "until":
                matching = [k for k, (one, _) in enumerate(opened) if word in ENDS[one]]
                if matching:
                    del opened[matching[-1] :]
    for comment in source.comments:
        first = source.text.count("\n", 0, comment.start)
        last = first + comment.text.count("\n")
        if last > first:
            found.append(Fold(first, last, True))
    return sorted(found)


_CLOSES = frozenset(word for words in ENDS.values() for word in words)


def _add(found: list[Fold], first: int, last: int) -> None:
    if last > first:
        found.append(Fold(first, last, False))
