"""Small programs, each with what must come of it in a file beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from outcomes import outcome

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.out"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_does_what_it_should(path: Path, tmp_path: Path) -> None:
    assert outcome(
        path.with_suffix(".irl").read_text(encoding="utf-8"), tmp_path
    ) == path.read_text(encoding="utf-8")


def test_there_are_many_of_them() -> None:
    assert len(PROGRAMS) >= 200
