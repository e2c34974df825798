"""Half-written programs: every question has an answer, and places are right to the letter."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from test_mutated_programs import PROGRAMS, mutated

from armwerk.editors.analysis import Analysis
from armwerk.editors.calls import call_help
from armwerk.editors.completion import complete
from armwerk.editors.hover import hover
from armwerk.editors.outline import OutlineItem, folds, outline
from armwerk.editors.positions import TextLines, TextPosition, TextRange, changed, units
from armwerk.editors.renaming import renamable, renamed
from armwerk.editors.tokens import coloured, encoded
from armwerk.errors import DescriptionError
from armwerk.language import formatted, parse
from armwerk.language.linting.text import text_lints

PARTS = 10


def asked(text: str, offsets: list[int]) -> None:
    """Ask everything about a text, at several places."""
    analysis = Analysis(text)
    analysis.problems(0)
    if analysis.checked is not None:
        text_lints(analysis.checked)
    items = outline(analysis)
    while items:
        item = items.pop()
        assert item.range.start <= item.selection.start <= item.selection.end <= item.range.end
        inner: list[OutlineItem] = list(item.children)
        assert all(item.range.start <= child.range.start for child in inner)
        assert all(child.range.end <= item.range.end for child in inner)
        items += inner
    assert all(0 <= one.first < one.last < len(analysis.lines) for one in folds(analysis))
    words = coloured(analysis)
    assert all(a.start + len(a.text) <= b.start for a, b in pairwise(words))
    assert len(encoded(analysis)) == 5 * len(words)
    for offset in offsets:
        hover(analysis, offset)
        complete(analysis, offset)
        call_help(analysis, offset)
        one = renamable(analysis, offset)
        if one is not None:
            uses = analysis.uses(one)
            assert (one.unit, one.at) in uses or one.kind == "program"
            try:
                renamed(analysis, one, "another_name")
            except DescriptionError:
                continue


@pytest.mark.parametrize("part", range(PARTS))
def test_mutants_are_answered(part: int) -> None:
    chance = random.Random(100 + part)
    for _ in range(500):
        text = mutated(chance.choice(PROGRAMS), chance)
        asked(text, [chance.randrange(len(text) + 1) for _ in range(4)])


def test_programs_cut_off_anywhere_are_answered() -> None:
    chance = random.Random(7)
    for text in chance.sample(PROGRAMS, 60):
        end = chance.randrange(len(text) + 1)
        asked(text[:end], [end])
        asked(text[end:], [0, len(text) - end])


@pytest.mark.parametrize("text", ["", ";", "{", "(*", "'", ".", "a.", "(.", "program", "\n" * 5000])
def test_next_to_nothing_is_answered(text: str) -> None:
    asked(text, list(range(min(len(text), 10) + 1)))


def renaming_keeps_meaning(text: str) -> None:
    """Rename everything a program declares; it must be as right, or as wrong, as before."""
    analysis = Analysis(text)
    before = [problem.message for problem in analysis.problems(0)]
    declared = [*analysis.scopes.program.values()]
    for names in analysis.scopes.routines.values():
        declared += names.values()
    for number, one in enumerate(declared):
        places = renamed(analysis, one, f"renamed_{number}")[0]
        new = text
        for where in sorted(places, reverse=True):
            new = changed(new, where, f"renamed_{number}")
        after = [problem.message for problem in Analysis(new).problems(0)]
        assert len(after) == len(before), (one.name, after)


@pytest.mark.parametrize("part", range(4))
def test_renaming_leaves_programs_right(part: int) -> None:
    right = [text for text in PROGRAMS if not Analysis(text).problems(0)]
    for text in right[part::12]:
        renaming_keeps_meaning(text)


def test_positions_go_there_and_back() -> None:
    chance = random.Random(5)
    for _ in range(200):
        text = "".join(chance.choice("aß😀\n€ \t𝄞") for _ in range(chance.randrange(60)))
        lines = TextLines(text)
        for offset in range(len(text) + 1):
            place = lines.position(offset)
            assert lines.offset(place) == offset
            before = text[:offset]
            column = before.rpartition("\n")[2].encode("utf-16-le")
            assert place == (before.count("\n"), len(column) // 2)
        assert units(text) == len(text.encode("utf-16-le")) // 2
        assert lines.offset(TextPosition(999, 0)) == len(text)
        first = text.split("\n")[0]
        assert lines.offset(TextPosition(0, 999)) == len(first)


def test_changes_are_those_of_the_editor() -> None:
    chance = random.Random(6)
    text = "".join(PROGRAMS[:3]) + "{ 😀 Größe }"
    for _ in range(300):
        start, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        end = min(end, start + 5)
        new = chance.choice(["", "x", "😀\n", "ß"])
        lines = TextLines(text)
        where = TextRange(lines.position(start), lines.position(end))
        wanted = text[:start] + new + text[end:]
        text = changed(text, where, new)
        assert text == wanted


def test_formatting_is_the_same_twice_and_keeps_comments(tmp_path: Path) -> None:
    chance = random.Random(8)
    for _ in range(300):
        text = mutated(chance.choice(PROGRAMS), chance)
        if parse(text).source.problems:
            continue
        once = formatted(text)
        assert formatted(once) == once
        kept = [one.text for one in parse(once).source.comments]
        assert kept == [one.text for one in parse(text).source.comments]
