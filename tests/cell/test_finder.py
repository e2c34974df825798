"""Names in cells become arms, grippers and programs, or an error that helps."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import armwerk as aw
from armwerk.cell.building.finder import Finder, gripper_names
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.robot.parts import Assembly
from armwerk.scene import Scene

PROGRAM = """
import armwerk as aw
class Pick(aw.RobotController):
    def run(self):
        self.debug({text!r})
class Count(aw.TriggerProcessor):
    def receive_trigger(self, text):
        pass
class Other:
    pass
class Greedy(aw.RobotController):
    def __init__(self, what):
        pass
class Broken(aw.RobotController):
    def __init__(self):
        raise RuntimeError("no luck today")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pick.py").write_text(PROGRAM.format(text="from pick"))
    return tmp_path


def test_controllers_and_processors(folder: Path) -> None:
    finder = Finder(folder)
    for name in ("pick.Pick", "pick:Pick"):
        found = finder.controller(name, "robot 0, controller")
        assert isinstance(found, aw.RobotController)
        assert type(found).__name__ == "Pick"
    assert isinstance(finder.processor("pick.Count", "trigger processor 5"), aw.TriggerProcessor)


def test_packages_and_modules_of_python(folder: Path) -> None:
    package = folder / "line" / "inner"
    package.mkdir(parents=True)
    (folder / "line" / "tools.py").write_text("NAME = 'packed'\n")
    (package / "__init__.py").write_text("from ..tools import NAME\n")
    (package / "work.py").write_text(
        "import armwerk as aw\nfrom . import NAME\n"
        "class Job(aw.RobotController):\n    name = NAME\n    def run(self):\n        pass\n"
    )
    finder = Finder(folder)
    assert finder.controller("line.inner.work.Job", "robot 0").name == "packed"  # type: ignore[attr-defined]
    with pytest.raises(
        DescriptionError, match=r"controller\.py:\d+: robot 0: 'RobotController' would"
    ):
        finder.controller("armwerk.control.controller.RobotController", "robot 0")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("pack.Pick", "robot 0: module 'pack' was not found beside the cell"),
        ("pick.Pik", "has no class 'Pik'; did you mean 'Pick'"),
        ("pick.Other", "is no RobotController"),
        ("pick.Count", "is no RobotController"),
        ("pick.Greedy", "needs a constructor without arguments"),
        ("pick.Broken", "RuntimeError: no luck today"),
        ("pick", "is no name of a class"),
        ("pick..Pick", "is no name of a class"),
        ("", "is no name of a class"),
        ("pick.sub.Pick", "module 'pick.sub' was not found"),
        ("os.path.nothing.Here", "module 'os.path.nothing' was not found"),
    ],
)
def test_errors_help(folder: Path, name: str, says: str) -> None:
    with pytest.raises(DescriptionError, match="robot 0") as caught:
        Finder(folder).controller(name, "robot 0")
    assert says in str(caught.value)


def test_a_module_that_raises_is_named_with_its_line(folder: Path) -> None:
    (folder / "bad.py").write_text("x = 1\n\ny = 1 / 0\n")
    (folder / "worse.py").write_text("def f(:\n    pass\n")
    (folder / "gone.py").write_text("import no_such_module_at_all\n")
    (folder / "leaves.py").write_text("raise SystemExit(2)\n")
    finder = Finder(folder)
    for name, says in (
        ("bad", r"ZeroDivisionError.*bad\.py.*line 3"),
        ("worse", r"SyntaxError.*worse\.py.*line 1"),
        ("gone", r"ModuleNotFoundError.*no_such_module_at_all.*gone\.py.*line 1"),
        ("leaves", r"SystemExit: 2.*leaves\.py.*line 1"),
    ):
        with pytest.raises(DescriptionError, match=says):
            finder.controller(f"{name}.Pick", "robot 0")


def test_two_cells_with_modules_of_the_same_name_do_not_mix(tmp_path: Path) -> None:
    worlds = []
    before = set(sys.modules)
    for text in ("first", "second"):
        place = tmp_path / text
        place.mkdir()
        (place / "helper.py").write_text(f"TEXT = {text!r}\n")
        (place / "pick.py").write_text(
            "import armwerk as aw\n"
            "import helper\n"
            "from helper import TEXT\n"
            "class Pick(aw.RobotController):\n"
            "    def run(self):\n"
            "        self.wait(0.1)\n"
            "        import helper as late\n"
            "        self.debug(TEXT, helper.TEXT, late.TEXT)\n"
        )
        (place / "cell.env").write_text("ROBOT 0 0 0\nCONTROLLER pick.Pick\n")
        worlds.append(aw.World.load(place / "cell.env"))
    for cell in worlds:
        assert cell.run().ok
    assert [cell.notes[0].text for cell in worlds] == ["first first first", "second second second"]
    assert "helper" not in sys.modules
    assert "pick" not in sys.modules
    for cell in worlds:
        cell.close()
    left = set(sys.modules) - before
    assert not [name for name in left if name.startswith("armwerk_cell_")]
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_changed_module_is_read_anew(folder: Path) -> None:
    cell = folder / "cell.env"
    cell.write_text("ROBOT 0 0 0\nCONTROLLER pick.Pick\n")
    for text in ("aaaa", "bbbb"):
        (folder / "pick.py").write_text(PROGRAM.format(text=text))
        with aw.World.load(cell) as world:
            world.run()
            assert world.notes[0].text == text


def test_no_bytecode_is_left_beside_a_cell(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    Finder(folder).controller("pick.Pick", "robot 0")
    assert not list(folder.rglob("*.pyc"))


def test_arms_and_grippers(folder: Path) -> None:
    aw.load("scara").save(folder / "mine.toml")
    (folder / "arms.py").write_text(
        "import armwerk as aw\n"
        "READY = aw.load('puma560')\n"
        "def made():\n    return aw.load('stanford')\n"
        "class Wrong:\n    pass\n"
    )
    finder = Finder(folder)
    assert finder.arm(None, "robot 0").name == "simple_arm"
    assert finder.arm("puma560", "robot 0").name == "puma560"
    assert finder.arm("mine.toml", "robot 0").name == "scara"
    assert finder.arm("arms.READY", "robot 0").name == "puma560"
    assert finder.arm("arms:made", "robot 0").name == "stanford"
    assert isinstance(finder.arm("tripod", "robot 0"), Assembly)
    assert finder.gripper(None, "robot 0") is None
    assert "parallel_gripper" in gripper_names()
    for name in gripper_names():
        found = finder.gripper(name, "robot 0")
        assert found is not None
        assert found.name == name
    with pytest.raises(UnknownNameError, match="puma560"):
        finder.arm("puma56", "robot 0")
    with pytest.raises(UnknownNameError, match="parallel_gripper"):
        finder.gripper("paralel_gripper", "robot 0")
    with pytest.raises(DescriptionError, match="no arm"):
        finder.arm("arms.Wrong", "robot 0")
    with pytest.raises(DescriptionError, match="gripper must be an assembly"):
        finder.gripper("mine.toml", "robot 0, gripper")


def test_a_cell_without_a_file_has_nothing_beside_it() -> None:
    with pytest.raises(DescriptionError, match=r"module 'pick' was not found among the modules"):
        aw.World(Scene(), robots={0: "pick.Pick"})


def test_robots_given_by_hand(folder: Path) -> None:
    with aw.World(
        Scene(),
        robots={2: {"manipulator": "puma560", "q": [0.1] * 6, "position": (1.0, 2.0)}},
    ) as cell:
        assert list(cell.robots) == [2]
        assert cell.robots[2].q == pytest.approx([0.1] * 6)
        assert cell.robots[2].state == "idle"
    with pytest.raises(UnknownNameError, match="manipulator"):
        aw.World(Scene(), robots={0: {"manipulater": "puma560"}})  # type: ignore[dict-item]
    with pytest.raises(DescriptionError, match="0 to 99"):
        aw.World(Scene(), robots={100: {}})
