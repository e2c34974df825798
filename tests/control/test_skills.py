"""Skills: parsed, guarded, replaced by what a controller brings itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.control import Skills
from armwerk.control.skills import GuardedModel
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.scene import parse_scene

CELL = parse_scene("ROBOT 20 30 40\nMANIPULATOR puma560\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, (True, True)),
        ("", (True, True)),
        ("+mandirkin,-maninvkin", (True, False)),
        (" -maninvkin , +mandirkin ", (True, False)),
        ("-mandirkin", (False, False)),
        ("-mandirkin,-maninvkin", (False, False)),
        ("+maninvkin", (True, True)),
    ],
)
def test_texts(text: str | None, expected: tuple[bool, bool]) -> None:
    skills = Skills.parse(text)
    assert (skills.mandirkin, skills.maninvkin) == expected
    assert Skills.parse(str(skills)) == skills


@pytest.mark.parametrize("text", ["mandirkin", "+fly", "-mandirkin,+maninvkin", "*mandirkin"])
def test_wrong_texts(text: str) -> None:
    with pytest.raises(DescriptionError, match="skills"):
        Skills.parse(text)


def run_with(skills: str, run: Any, **more: Any) -> aw.World:
    kind = type("Program", (aw.RobotController,), {"run": run, **more})
    with aw.World(CELL, skills=skills, robots={0: kind}) as cell:
        report = cell.run()
        assert report.ok, report.robots[0].error
        return cell


def test_switched_off_skills_are_unsupported() -> None:
    T = aw.pointing_down(0.3, 0.9, 0.2)

    def run(self: Any) -> None:
        refused: dict[str, Callable[[], object]] = {
            "inverse": lambda: self.inverse(T),
            "nearest": lambda: self.nearest(T),
            "move_to": lambda: self.move_to(T),
            "line_to": lambda: self.line_to(T),
            "arm.ik": lambda: self.arm.ik(T),
        }
        self.direct()
        self.arm.fk(self.q)
        for name, call in refused.items():
            with pytest.raises(UnsupportedError, match=f"{name}.*maninvkin is switched off"):
                call()
        self.move([0.1] * 6)

    run_with("-maninvkin", run)


def test_without_direct_kinematics_nothing_is_left_but_motors() -> None:
    def run(self: Any) -> None:
        for call in (self.direct, lambda: self.arm.fk(self.q), lambda: self.arm.jacobian(self.q)):
            with pytest.raises(UnsupportedError, match="mandirkin is switched off"):
                call()
        assert self.arm.dof == 6
        self.move([0.1] * 6)

    run_with("-mandirkin", run)


def test_a_refused_skill_ends_the_run_unless_caught() -> None:
    kind = type("P", (aw.RobotController,), {"run": lambda self: self.direct()})
    with aw.World(CELL, skills="-mandirkin", robots={0: kind}) as cell:
        report = cell.run()
        assert report.robots[0].state == "failed"
        assert "self.direct_kinematics = function" in report.robots[0].error


def test_a_controller_may_bring_its_own() -> None:
    model = aw.model("puma560")
    model.ik(model.fk(np.zeros(6)))  # compiled here: time in a program's own functions counts
    asked: list[str] = []

    def setup(self: Any) -> None:
        def direct(q: Array) -> Array:
            asked.append("fk")
            return model.fk(q)

        def inverse(T: Array) -> Array:
            asked.append("ik")
            return model.ik(T)

        self.direct_kinematics = direct
        self.inverse_kinematics = inverse

    def run(self: Any) -> None:
        q = np.array([0.3, -0.4, 0.2, 0.5, 0.6, -0.3])
        T = self.base @ model.fk(q)
        assert self.direct(q) == pytest.approx(T)
        assert len(self.inverse(T)) >= 4
        assert self.nearest(T, q + 0.05) == pytest.approx(q)
        self.move_to(T)
        assert self.direct() == pytest.approx(T, abs=1e-9)
        goal = T.copy()
        goal[:3, 3] += [0.02, -0.03, 0.01]
        self.line_to(goal)
        assert self.direct() == pytest.approx(goal, abs=1e-6)

    cell = run_with("-mandirkin,-maninvkin", run, __init__=setup)
    assert {"fk", "ik"} <= set(asked)
    assert cell.time > 0.1


@pytest.mark.parametrize("wrong", [lambda T: np.zeros(4), lambda T: [[1, 2, 3]]])
def test_wrong_own_kinematics_are_told(wrong: Any) -> None:
    def run(self: Any) -> None:
        self.inverse_kinematics = wrong
        with pytest.raises(aw.ArmwerkError, match="inverse_kinematics must return"):
            self.nearest(aw.pointing_down(0.3, 0.9, 0.2))
        self.direct_kinematics = lambda q: np.zeros(3)
        with pytest.raises(aw.ArmwerkError, match="direct_kinematics must return"):
            self.direct()

    run_with("-mandirkin,-maninvkin", run)


@pytest.mark.parametrize("arm", ["puma560", "tripod"])
def test_no_kinematics_of_the_model_are_left_open(arm: str) -> None:
    model = aw.model(arm)
    inverse = {name for name in dir(model) if name.startswith("ik") or name == "solve"}
    direct = {"fk", "frames", "jacobian", "manipulability", "condition", "state"}
    direct = {name for name in direct if hasattr(model, name)}
    without = GuardedModel(model, Skills.parse("-mandirkin"))
    for name in inverse | direct:
        with pytest.raises(UnsupportedError, match=f"arm.{name}"):
            getattr(without, name)
    half = GuardedModel(model, Skills.parse("-maninvkin"))
    for name in inverse:
        with pytest.raises(UnsupportedError, match="maninvkin"):
            getattr(half, name)
    assert half.fk(np.zeros(half.dof)).shape == (4, 4)
