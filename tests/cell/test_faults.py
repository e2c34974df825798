"""Names and texts that turn out wrong when a cell is built: told with their places, all at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import armwerk as aw
from armwerk.errors import DescriptionError, SceneError, UnknownNameError
from armwerk.scene import parse_scene, read_scene, with_robot

PROGRAM = """
import armwerk as aw

class Strict(aw.RobotController):
    requires_configuration = True
    def configure(self, text):
        if text != "good":
            raise ValueError(f"{text} is not good")
    def run(self):
        pass

class Undecided(aw.RobotController):
    @property
    def requires_configuration(self):
        raise RuntimeError("who knows")
    def run(self):
        pass

class Sorter(aw.TriggerProcessor):
    def configure(self, text):
        self.limit = int(text)
    def receive_trigger(self, text):
        pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prog.py").write_text(PROGRAM)
    return tmp_path


def faults(folder: Path, text: str) -> list[tuple[int, int, str, str]]:
    """Return line, column, marked text and message of what building a cell comes to."""
    path = folder / "cell.env"
    path.write_text(text)
    with pytest.raises(SceneError, match=re.escape(str(path))) as caught:
        aw.World.load(path)
    assert caught.value.file == str(path)
    return [
        (p.line, p.column, p.source[p.column - 1 :][: p.length], p.message)
        for p in caught.value.problems
    ]


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("MANIPULATOR puma561", (1, 13, "puma561"), "did you mean 'puma560'"),
        ("ROBOT 0 0 0 MANIPULATOR none.toml", (1, 25, "none.toml"), "does not exist"),
        ("\n  GRIPPER parallel", (2, 11, "parallel"), "did you mean 'parallel_gripper'"),
        ("GRIPPER prog.Sorter", (1, 9, "prog.Sorter"), "is no arm"),
        ("CONTROLLER prog.Strikt", (1, 12, "prog.Strikt"), "did you mean 'Strict'"),
        ("CONTROLLER gone.Strict // here", (1, 12, "gone.Strict"), "module 'gone' was not found"),
        ("CONTROLLER prog.Sorter", (1, 12, "prog.Sorter"), "is no RobotController"),
        ("CONTROLLER prog.Strict", (1, 12, "prog.Strict"), "needs a configuration"),
        ("CONTROLLER prog.Undecided", (1, 12, "prog.Undecided"), "RuntimeError: who knows"),
        ("CONTROLLER prog.Strict\nCONFIG b_I{1}_d", (2, 8, "b_I{1}_d"), "b1d is not good"),
        ("TRIGGERPROCESSOR 5 prog.Strict", (1, 20, "prog.Strict"), "is no TriggerProcessor"),
        ("TRIGGERPROCESSOR 5 prog.Sorter TPCONFIG x", (1, 41, "x"), "refuses its configuration"),
        ("TPCONFIG yy\nTRIGGERPROCESSOR 5 prog.Sorter", (1, 10, "yy"), "refuses its configuration"),
    ],
)
def test_one_fault(folder: Path, text: str, place: tuple[int, int, str], says: str) -> None:
    ((*where, message),) = faults(folder, text)
    assert tuple(where) == place
    assert says in message


def test_all_faults_come_at_once_in_the_order_of_the_file(folder: Path) -> None:
    text = (
        "MULTIROBOT 3\nTRIGGERPROCESSOR 7 gone.Count\nMANIPULATOR0 nosuch\nGRIPPER1 nothing\n"
        "CONTROLLER2 prog.Nobody\nMANIPULATOR2 simple_arm_gripper\nGRIPPER2 parallel_gripper\n"
    )
    found = faults(folder, text)
    assert [line for line, *_ in found] == [2, 3, 4, 5, 7]
    assert "has fingers of its own" in found[-1][3]


def test_configurations_are_told_together_too(folder: Path) -> None:
    text = (
        "MULTIROBOT 2\nCONTROLLER0 prog.Strict\nCONFIG0 a\nCONTROLLER1 prog.Strict\n"
        "TRIGGERPROCESSOR 9 prog.Sorter\nTPCONFIG b\n"
    )
    assert [line for line, *_ in faults(folder, text)] == [3, 4, 6]


def test_what_does_not_stand_in_the_file_has_no_place_in_it(folder: Path) -> None:
    path = folder / "cell.env"
    path.write_text("MANIPULATOR puma560\nCONTROLLER prog.Strict\nCONFIG good\n")
    scene = read_scene(path)
    with pytest.raises(UnknownNameError, match="puma561"):
        aw.World(with_robot(scene, 0, manipulator="puma561"))
    with pytest.raises(DescriptionError, match="bad is not good") as caught:
        aw.World(scene, robots={0: {"config": "bad"}})
    assert not isinstance(caught.value, SceneError)
    with pytest.raises(DescriptionError, match="needs a configuration") as caught:
        aw.World(with_robot(scene, 0, controller="prog:Strict", config=None))
    assert not isinstance(caught.value, SceneError)


def test_places_do_not_make_scenes_different() -> None:
    one, other = parse_scene("MANIPULATOR x"), parse_scene("\n\nMANIPULATOR0 x")
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other)
    assert one.spots != other.spots
