"""Every command that takes an arm takes one arm of a tree, by "#tip" and by --tip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner, Result

import armwerk as aw
from armwerk.cli.app import app

TWO = """<robot name="two">
  <link name="base"/><link name="up"/><link name="left"/><link name="right"/>
  <joint name="a" type="revolute"><parent link="base"/><child link="up"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="l" type="revolute"><parent link="up"/><child link="left"/><origin xyz="0.3 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="r" type="revolute"><parent link="up"/><child link="right"/><origin xyz="0.3 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
</robot>"""
TABLE = """[settings]
speed = 0.1
[[trajectory]]
kind = "ptp"
joints = ["0 deg", "20 deg"]
"""
PROGRAM = "program Small;\nbegin\n  writeln('done');\nendprogram;\n"
BODIES = '[[body]]\nkind = "box"\nname = "post"\nsize = [0.1, 0.1, 0.1]\nposition = [2, 2, 0]\n'
ARM = "ARM"
"""What stands for the arm in the words of a command."""
# By command: the least words that have it load its arm.
WORDS: dict[str, list[str]] = {
    "show": [ARM],
    "derive": [ARM],
    "ik": [ARM, "--pose", "0.3 0 0"],
    "ptp": [ARM, "--from", "0 0", "--to", "10 20"],
    "move": ["table.toml", "--arm", ARM, "--from", "0 0"],
    "cspace": [ARM, "--bodies", "bodies.toml", "--shape", "6x6"],
    "reach": [ARM, "--cell", "0.2m", "--samples", "1000"],
    "plan": [ARM, "--bodies", "bodies.toml", "--from", "0 0", "--to", "10 20"],
    "program": ["small.irl", "--arm", ARM],
    "motors": ["list", "--arm", ARM, "--channel", "words"],
    "language-server": ["--arm", ARM],
    "studio": [ARM, "--no-browser", "--port", "0"],
}
OPTIONS_OF_ROBOTS = {"run"}
"""Commands whose arms stand in --manipulator NR=ARM, one for each robot."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which commands run; what would serve for ever says what it serves."""
    files = {
        "two.urdf": TWO,
        "table.toml": TABLE,
        "small.irl": PROGRAM,
        "bodies.toml": f'kind = "bodies"\n{BODIES}',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def parameters() -> dict[str, dict[str, str]]:
    """Return the parameters of all commands: name and what stands for the value."""
    group = typer.main.get_command(app)
    return {
        name: {one.name: str(one.metavar) for one in command.params}
        for name, command in group.commands.items()  # type: ignore[attr-defined]
    }


def run(words: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> Result:
    """Run a command; servers only load what they would serve."""
    from armwerk.editors.server import server as editors
    from armwerk.protocol.configuring import OpenArm
    from armwerk.robot import load
    from armwerk.studio import StudioServer

    def opened(server: StudioServer) -> None:
        answer = server.session.obey(1, OpenArm(server.session.subject))
        if answer.problem:
            raise SystemExit(answer.problem)

    class Loading:
        def start_io(self, *pipes: object) -> None:
            """End at once."""

    def made(arms: Sequence[str]) -> Loading:
        for name in arms:
            load(name)
        return Loading()

    monkeypatch.setattr(StudioServer, "serve", opened)
    monkeypatch.setattr(editors, "make_server", made)
    monkeypatch.setattr("armwerk.cli.language_server.own_pipes", lambda: ())
    return CliRunner().invoke(app, [*words])


def test_every_command_that_takes_an_arm_is_tried_here() -> None:
    known = parameters()
    arms = {
        name
        for name, own in known.items()
        if {"arm", "tip"} & {*own} or "ARM" in own.get("name", "")
    }
    assert arms == {*WORDS}
    assert all("tip" in known[name] for name in WORDS)
    robots = {name for name, own in known.items() if "manipulator" in own}
    assert robots == {*OPTIONS_OF_ROBOTS, "studio"}


@pytest.mark.parametrize("command", WORDS)
def test_a_tip_by_mark_and_by_option(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [command, *WORDS[command]]

    def with_arm(arm: str, *more: str) -> Result:
        return run([arm if word == ARM else word for word in words] + [*more], monkeypatch)

    for result in (with_arm("two.urdf#left"), with_arm("two.urdf", "--tip", "right")):
        assert result.exit_code == 0, (result.output, result.exception)
    for result in (with_arm("two.urdf#middle"), with_arm("two.urdf", "--tip", "middle")):
        assert result.exit_code != 0
        assert "middle" in result.output + str(result.exception)
    unsaid = with_arm("two.urdf")
    assert unsaid.exit_code != 0
    assert "equally long" in unsaid.output + str(unsaid.exception)


@pytest.mark.parametrize(("arm", "joints"), [("two.urdf#left", 2), ("rtb-data:puma560", 6)])
def test_robots_of_a_cell_are_named_the_same_way(
    arm: str, joints: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ":" in arm:
        pytest.importorskip("rtbdata")
    (folder / "cell.env").write_text("ROBOT0 0 0 0\n", encoding="utf-8")
    words = ["run", "cell.env", "--manipulator", f"0={arm}", "--seconds", "0.01", "--json"]
    result = run(words, monkeypatch)
    assert result.exit_code == 0, result.output
    assert arm in result.output
    with aw.World.load(folder / "cell.env", robots={0: {"manipulator": arm}}) as world:
        assert len(world.robots[0].body.motors) == joints
