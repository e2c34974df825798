"""Every command that prints a table writes the same as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from armwerk.cli.app import COMMANDS, app

demo = sys.modules[COMMANDS["demo"].__module__]

BODIES = (
    'kind = "bodies"\n[[body]]\nkind = "box"\nsize = [0.1, 0.1, 0.1]\nposition = [0.4, 0.0, 0.0]\n'
)
TABLE = Path(__file__).parents[2] / "examples" / "motion" / "five_axis_table.toml"
SWAP = TABLE.parents[1] / "planning" / "swap.toml"
PROGRAM = "program P;\nbegin\n  move ptp joint(0, -3, -130, 0, 87, 0);\nendprogram;\n"

# What each command is given; in a folder with bodies.toml and p.irl.
WORDS: dict[str, list[str]] = {
    "demo": ["--out", "pictures"],
    "arms": [],
    "show": ["tripod"],
    "derive": ["planar_rr", "--explain"],
    "ik": ["puma560", "--pose", "0.5 0.15 0.8 0 90 0"],
    "ptp": ["planar_rr", "--from", "0 0", "--to", "30 30"],
    "move": [str(TABLE), "--arm", "five_axis"],
    "station": ["welding_station"],
    "cspace": ["planar_rr", "--bodies", "bodies.toml", "--shape", "8x8"],
    "reach": ["planar_rr", "--samples", "100"],
    "plan": ["planar_rr", "--from", "90 0", "--to", "120 0"],
    "together": [str(SWAP)],
    "run": ["drop_and_bounce", "--seconds", "0.05"],
    "program": ["p.irl", "--arm", "puma560"],
    "motors": ["list"],
}
# These print no table.
WITHOUT = {"studio", "warm", "language-server", "debug-adapter"}


def has_json(name: str) -> bool:
    group = typer.main.get_command(app)
    command = group.commands[name]  # type: ignore[attr-defined]
    return any("--json" in option.opts for option in command.params)


def test_the_lists_above_name_every_command() -> None:
    assert set(WORDS) | WITHOUT == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_prints_a_table_has_json(name: str) -> None:
    module = sys.modules[COMMANDS[name].__module__]
    tables = {"table", "dh_table", "limits_table", "solutions_table"} & vars(module).keys()
    assert has_json(name) or not tables
    assert has_json(name) == (name in WORDS)


@pytest.mark.parametrize("name", WORDS)
def test_json_can_be_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "motors":
        pytest.importorskip("canopen")
    (tmp_path / "bodies.toml").write_text(BODIES)
    (tmp_path / "p.irl").write_text(PROGRAM)
    monkeypatch.setattr(demo, "STEPS", demo.STEPS[:3])  # test_demo goes the whole way
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [name, *WORDS[name], "--json"])
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)


def test_json_of_a_program_that_is_only_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "p.irl"
    file.write_text(PROGRAM)
    read: dict[str, list[str]] = {}
    for words in (["--check"], ["--lint"], ["--export", str(tmp_path / "out")]):
        result = CliRunner().invoke(app, ["program", str(file), *words, "--json"])
        assert result.exit_code == 0, result.output
        read |= json.loads(result.stdout)
    assert read["mistakes"] == read["warnings"] == []
    assert all(Path(path).exists() for path in read["files"])
    file.write_text(PROGRAM.replace("move", "mvoe"))
    result = CliRunner().invoke(app, ["program", str(file), "--check", "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["mistakes"][0]["line"] == 3
