"""Words, places and comments of a program."""

from __future__ import annotations

import pytest

from armwerk.language.source import MOST_CHARACTERS, SourceText


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Move PTP P1;", ["move", "ptp", "p1", ";"]),
        ("a:=1..4", ["a", ":=", "1", "..", "4"]),
        ("x<>1.5e-3**2", ["x", "<>", "1.5e-3", "**", "2"]),
        ("'it''s {no} comment' \"//\"", ["'it''s {no} comment'", '"//"']),
        ("a{ x { y } z }b", ["a", "b"]),
        ("a (* { *) b // c '\n d", ["a", "b", "d"]),
        ("a { don't { (* } } b { c }", ["a", "b"]),
        ("a{{}}b{{{}}}c 'q{'", ["a", "b", "c", "'q{'"]),
        ("ä ß", ["ä", "ß"]),
        ("a*b(*c*)*d", ["a", "*", "b", "*", "d"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    source = SourceText(text)
    assert source.words == [*words, ""]
    assert not source.problems
    for at, word in enumerate(words):
        assert source.spelling(at).lower() == word


def test_places_count_lines_and_columns_from_one() -> None:
    source = SourceText("a\r\n  Bc { x\n } d")
    assert [(source.line(at), source.column(at)) for at in range(3)] == [(1, 1), (2, 3), (3, 4)]
    assert source.spelling(1) == "Bc"
    assert [comment.text for comment in source.comments] == ["{ x\n }"]
    assert source.comments[0].before == 2


@pytest.mark.parametrize(
    ("text", "column"), [("a { b", 3), ("a { b { c }", 3), ("a (* b", 3), ("{a} { { }", 5)]
)
def test_a_comment_without_end_is_shown_where_it_begins(text: str, column: int) -> None:
    (problem,) = SourceText(text).problems
    assert (problem.message, problem.column) == ("this comment has no end", column)


def test_a_text_that_is_too_long_is_refused() -> None:
    (problem,) = SourceText("x" * (MOST_CHARACTERS + 1)).problems
    assert "too long" in problem.message


def test_many_nested_comments_take_no_time() -> None:
    source = SourceText("a { { } } " * 5000)
    assert source.words == ["a"] * 5000 + [""]
    assert len(source.comments) == 5000
