"""A program written in one form means the same and keeps its comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from armwerk.errors import ProgramError
from armwerk.language import formatted, parse

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.irl"))


def shape(tree: object) -> object:
    """Return a tree without the places of its nodes."""
    if isinstance(tree, tuple):
        fields = getattr(tree, "_fields", None)
        if fields is None:
            return tuple(shape(item) for item in tree)
        kept = [
            shape(value)
            for field, value in zip(fields, tree, strict=True)
            if field not in ("at", "end", "until", "name_at", "file_at")
        ]
        return (type(tree).__name__, *kept)
    return tree


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_survives(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    before = parse(text)
    if before.source.problems:
        with pytest.raises(ProgramError):
            formatted(text)
        return
    new = formatted(text)
    after = parse(new)
    assert shape(after.unit) == shape(before.unit)
    assert [c.text for c in after.source.comments] == [c.text for c in before.source.comments]
    assert formatted(new) == new


def test_the_form() -> None:
    text = """{ head }
PROGRAM  Test ; VAR INT:a ,b ; real : c:=-1.5;
BEGIN a:=( 1+2 )*-b; // why

{ own line }
IF a=1 THEN Do_It ( a ,b ); ELSE move lin pose((1,2,3),orizyx(0,90,0)) speed:=100 ;
ENDIF ENDPROGRAM ;"""
    assert (
        formatted(text)
        == """{ head }
program Test;
var
  INT: a, b;
  real: c := -1.5;
begin
  a := (1 + 2) * -b; // why

  { own line }
  if a = 1 then
    Do_It(a, b);
  else
    move lin pose((1, 2, 3), orizyx(0, 90, 0)) speed := 100;
  endif
endprogram;
"""
    )
