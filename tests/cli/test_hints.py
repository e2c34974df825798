"""Slips that everybody makes get a hint; words of users are shown as they were written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli.app import app
from armwerk.cli.console import add_column, add_row, progress_bar, put, table, working
from armwerk.errors import DescriptionError, MotionError
from armwerk.mechanics.extent import millimetre_hint
from armwerk.robot.dimension import decimal_comma_hint, dimension_in

RUN = CliRunner()


@pytest.mark.parametrize(
    "words",
    [
        ["ik", "puma560", "--pose", "0,5 0,15 0,8"],  # six numbers if taken apart
        ["ik", "puma560", "--pose", "0,5 0,15 0,8 0 90 0"],
        ["ik", "puma560", "--pose", "0,5; 0,15; 0,8; 0; 90; 0"],
        ["ptp", "planar_rr", "--from", "0,5 1", "--to", "1 1"],
        ["ptp", "planar_rr", "--from", "0 1", "--to", "1 1", "--speed", "0,5"],
        ["reach", "planar_rr", "--cell", "0,5cm"],
    ],
)
def test_a_decimal_comma_is_no_separator(words: list[str]) -> None:
    result = RUN.invoke(app, words)
    assert result.exit_code == 2
    assert "a decimal comma in '0,5'? Write 0.5" in result.stderr


@pytest.mark.parametrize("pose", ["1,2,3", "1, 2, 3", "1.5,2,3", "1 2 3", "1.0,2.0 3"])
def test_commas_between_numbers_stay_allowed(pose: str) -> None:
    assert "decimal" not in RUN.invoke(app, ["ik", "planar_rr", "--pose", pose]).stderr


def test_decimal_commas_in_files(tmp_path: Path) -> None:
    file = tmp_path / "arm.toml"
    for value in ("0,4", '"0,4 m"', '"0,4"'):
        file.write_text(f'name = "x"\n[[joint]]\nkind = "revolute"\nd = {value}\n')
        with pytest.raises(DescriptionError, match=r"'0,4'\? Write 0\.4"):
            aw.load(file)
    assert decimal_comma_hint("x1,5") == decimal_comma_hint("0.1,5") == ""
    assert decimal_comma_hint("1,5,2") == decimal_comma_hint("[1, 5]") == ""
    assert dimension_in("0.4 m", "length", "d") == 0.4


def test_millimetres_given_as_metres() -> None:
    result = RUN.invoke(app, ["ik", "puma560", "--pose", "500 150 800 0 90 0"])
    assert result.exit_code == 1
    assert "are these millimetres?" in result.stdout
    assert "--mm" in result.stdout
    near = RUN.invoke(app, ["ik", "puma560", "--pose", "5 1.5 8 0 90 0"])
    assert "out of reach" in near.stdout
    assert "millimetres" not in near.stdout


def test_millimetres_in_a_path() -> None:
    model = aw.model("puma560")
    T = model.fk([0.0, -0.5, 0.5, 0.0, 0.5, 0.0])
    far = T.copy()
    far[:3, 3] *= 1000.0
    for path in (aw.Path(T).lin(far), aw.Path(far).lin(T), aw.Path(T).ptp(far)):
        with pytest.raises(MotionError, match="are these millimetres"):
            path.plan(model)


def test_the_hint_is_only_given_where_a_thousandth_would_do() -> None:
    arm = aw.load("ur5e")
    assert "millimetres" in millimetre_hint(arm, np.array([400.0, 200.0, 300.0]))
    for point in ([4.0, 2.0, 3.0], [4000.0, 0.0, 0.0], [np.inf, 0.0, 0.0], [1e300, 0.0, 0.0]):
        assert millimetre_hint(arm, np.array(point)) == ""


USER_TEXT = "[bold]red[/bold] :smile: {x} [/]"


def test_user_text_is_neither_markup_nor_emoji(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = table(USER_TEXT, caption=USER_TEXT)
    add_column(rows, USER_TEXT)
    add_row(rows, USER_TEXT)
    put(rows, USER_TEXT)
    with working(USER_TEXT), progress_bar(USER_TEXT):
        pass
    assert capsys.readouterr().out.count(USER_TEXT) == 5
    file = tmp_path / ":smile:.toml"
    result = RUN.invoke(app, ["show", str(file)])
    assert str(file) in result.stderr
    text = (
        f'name = "x"\ntitle = "{USER_TEXT}"\nsource = ":smile: [b]"\n[[joint]]\nkind = "revolute"'
    )
    file.write_text(text)
    result = RUN.invoke(app, ["show", str(file)])
    assert result.exit_code == 0
    assert USER_TEXT in result.stdout
    assert ":smile: [b]" in result.stdout


def test_a_terminal_shows_user_text_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with working("a :smile: [b] {x}"):
        pass
    with progress_bar("b :smile: [b] {x}"):
        pass
    assert "a :smile: [b] {x}" in screen.getvalue()
    assert "b :smile: [b] {x}" in screen.getvalue()
