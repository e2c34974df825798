"""``armwerk run`` with scenes of mobile robots, and the log of their events."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from armwerk.cli.app import app
from armwerk.errors import UnknownNameError
from armwerk.mobile import Collision, GoalScored, MobileEvent, RobotMessage, open_scene
from armwerk.mobile.examples.shipped import find_mobile_scene
from armwerk.mobile.log import chosen, event_line, save_log
from armwerk.mobile.picture import MobilePicture


def said(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["run", *words])
    assert result.exit_code == code, result.output
    return result.output


def test_a_scene_is_run_and_its_events_shown() -> None:
    text = said("mobile/collision", "--seconds", "3")
    assert "scene collision: 2 robots" in text
    assert "robot1 with immovable prisms 1 at (0.100" in text
    assert "3.00 s simulated" in text


def test_reports_as_json_with_and_without_physics() -> None:
    real = json.loads(said("mobile/collision", "--seconds", "3", "--json"))
    ghost = json.loads(said("mobile/collision", "--seconds", "3", "--json", "--no-physics"))
    assert real["events"] == {"collision": 1}
    assert ghost["events"] == {}
    assert ghost["robots"]["robot1"][0] > 0.13
    assert real["robots"]["robot1"][0] < 0.08


def test_films_and_logs(tmp_path: Path) -> None:
    film, log = tmp_path / "c.gif", tmp_path / "events.txt"
    said(
        *("mobile/collision", "--seconds", "3", "--video", str(film), "--fps", "2"),
        *("--size", "160x120", "--event-log", str(log), "--quiet"),
    )
    with Image.open(film) as picture:
        assert getattr(picture, "n_frames", 1) == 6
    assert "prisms 1" in log.read_text(encoding="utf-8")


def test_settings_are_chosen_by_name() -> None:
    text = said("mobile/slope", "--settings", "friction 0.2", "--check")
    assert "the scene is right" in text
    told = said("mobile/slope", "--settings", "ice", "--check", code=2)
    assert "friction 0.2, friction 0.5, friction 0.8" in told


def test_another_program_for_a_robot() -> None:
    report = json.loads(
        said(
            *("mobile/collision", "--seconds", "1", "--json", "--no-physics"),
            *("--mobile-program", "robot1=straight speed=0.05"),
        )
    )
    assert report["robots"]["robot1"][0] == pytest.approx(-0.25, abs=1e-6)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("mobile/footbal",), "did you mean 'mobile/football'"),
        (("mobile/football", "--events", "gaol"), "did you mean 'goal'"),
        (("mobile/football", "--controller", "a.B"), "is for cells with arms"),
        (("tower", "--settings", "x"), "is for mobile scenes"),
        (("mobile/collision", "--mobile-program", "robot1"), "is not ROBOT=PROGRAM"),
        (("mobile/collision", "--mobile-program", "r=straight"), "robot1"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(app, ["run", *words])
    assert result.exit_code != 0
    assert told in result.output + str(result.exception)


def test_all_scenes_are_in_the_list() -> None:
    text = said("--list")
    for name in ("mobile/collision", "mobile/football", "mobile/football11", "mobile/slope"):
        assert name in text


EVENTS: list[MobileEvent] = [
    Collision(1.25, 0.01, "a", "wall", "immovable", (1.0, 2.0, 0.5), 0.3),
    GoalScored(2.5, "west", "ball"),
    RobotMessage(3.0, "a", "*", "hello"),
]


def test_events_are_chosen_and_saved(tmp_path: Path) -> None:
    assert chosen(EVENTS, ["goal"]) == [EVENTS[1]]
    assert chosen(EVENTS, who=["a"]) == [EVENTS[0], EVENTS[2]]
    assert chosen(EVENTS, ["collision"], ["b"]) == []
    assert "10.0 ms into the step, 0.300 m/s" in event_line(EVENTS[0])
    path = save_log(EVENTS, tmp_path / "log.txt")
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3
    with pytest.raises(UnknownNameError, match="did you mean 'collision'"):
        chosen(EVENTS, ["colision"])


def test_what_moves_is_drawn_where_it_is() -> None:
    scene = open_scene(find_mobile_scene("football")).scene()
    picture = MobilePicture(scene, (200, 150))
    first = picture.draw({})
    pose = np.eye(4)
    pose[:3, 3] = (0.0, 5.0, 0.0)  # out of the picture
    gone = picture.draw({"blue 2": pose})
    blue = (first[..., 2].astype(int) - first[..., 0] > 60).sum()
    left = (gone[..., 2].astype(int) - gone[..., 0] > 60).sum()
    assert 0.5 * blue < left < 0.95 * blue
    np.testing.assert_array_equal(picture.draw({}), first)
