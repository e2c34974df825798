"""Bodies that move on the command line: planned among, checked against, filmed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import armwerk as aw
from armwerk.cli import app
from armwerk.collision import BodiesAround, MovingArm
from armwerk.planning import ArmsTogether

RUN = CliRunner(env={"COLUMNS": "160"})
LEFT, RIGHT = "-50 -80 110 -120 -90 0", "50 -80 110 -120 -90 0"
BELT = """kind = "bodies"

[[body]]
kind = "box"
name = "crate"
size = [0.25, 0.25, 0.35]
position = [-0.55, -1.2, 0.28]

[body.motion]
velocity = [0, "600 mm/s", 0]
"""
SWAP = """kind = "arms"

[[arm]]
name = "left"
description = "ur5e"
start = ["-50 deg", "-80 deg", "110 deg", "-120 deg", "-90 deg", 0]
goal = ["50 deg", "-80 deg", "110 deg", "-120 deg", "-90 deg", 0]

[[arm]]
name = "right"
description = "ur5e"
position = [-1, 0, 0]
turn = ["180 deg", 0, 0]
start = ["-50 deg", "-80 deg", "110 deg", "-120 deg", "-90 deg", 0]
goal = ["50 deg", "-80 deg", "110 deg", "-120 deg", "-90 deg", 0]
"""
ROWS = """{said}
[[trajectory]]
kind = "start"
point = [-0.35, -0.4, 0.35]
angles = [0, "180 deg", 0]
[[trajectory]]
kind = "linear"
point = [-0.35, 0.4, 0.35]
angles = [0, "180 deg", 0]
speed = 0.4
"""
SLOW = """[settings]
near = "50 mm"
near_speed = 0.1
far = "300 mm"
far_speed = 1.0
"""


@pytest.fixture
def belt(tmp_path: Path) -> Path:
    (tmp_path / "belt.toml").write_text(BELT)
    return tmp_path / "belt.toml"


def plan(belt: Path, *more: str) -> tuple[int, str]:
    words = ["plan", "ur5e", "--bodies", str(belt), "--from", LEFT, "--to", RIGHT]
    result = RUN.invoke(app, [*words, *more])
    return result.exit_code, result.stdout + result.stderr


def test_a_motion_is_planned_at_its_own_time(belt: Path, tmp_path: Path) -> None:
    out, video, moments = (tmp_path / name for name in ("way.npz", "way.gif", "way.png"))
    files = ["--save", str(out), "--video", str(video), "--moments", str(moments)]
    code, said = plan(belt, "--start", "1.5", "--margin", "0.02", "--json", *files)
    assert code == 0, said
    data = json.loads(said[said.index("{") :])
    assert data["start"] == 1.5
    assert data["arrivals"][-1] == pytest.approx(data["duration"])
    near = data["smallest_distance_to_moving"]
    assert near["body"] == "crate"
    assert near["value"] > 0.02
    around, arm = BodiesAround.load(belt), aw.load("ur5e")
    motion = aw.Trajectory.load(out, arm)
    assert aw.check(motion, arm, moving=around.moving, start=1.5).free
    assert aw.check(motion, arm, moving=around.moving, start=1.5).distance.value == pytest.approx(
        near["value"], abs=2e-4
    )
    straight = aw.ptp(arm, np.deg2rad([float(x) for x in LEFT.split()]), motion.sample(99.0)[0])
    assert not aw.check(straight, arm, moving=around.moving, start=1.5).free
    assert video.stat().st_size > 10_000
    assert moments.stat().st_size > 10_000


def test_words_say_when_it_is_where(belt: Path) -> None:
    code, said = plan(belt, "--start", "1.5", "--mm")
    assert code == 0, said
    assert "there at" in said
    assert "found in space and time in" in said
    assert "to what moves: " in said
    assert "to crate at" in said
    assert "(clock " in said


def test_a_goal_that_is_never_free_is_exit_code_1(belt: Path) -> None:
    x, y, z = aw.model("ur5e").fk(np.deg2rad([float(word) for word in RIGHT.split()]))[:3, 3]
    stands = BELT.replace("[-0.55, -1.2, 0.28]", f"[{x}, {y}, {z}]").replace('"600 mm/s"', "0")
    belt.write_text(stands, encoding="utf-8")
    code, said = plan(belt)
    assert code == 1
    assert "the goal is never free between 0 s and 60 s" in said
    assert "crate" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--start", "nan"], "start: no time"),
        (["--within", "-1"], "within: out of range"),
        (["--stay", "-1"], "stay: out of range"),
        (["--video", "film.txt"], "unknown film format"),
        (["--moments", "film.txt"], "unknown picture format"),
    ],
)
def test_wrong_options_are_told_in_a_sentence(belt: Path, words: list[str], message: str) -> None:
    code, said = plan(belt, *words)
    assert code == 2
    assert message in said


def test_what_moves_is_refused_where_things_stand(belt: Path) -> None:
    for words in (["reach", "ur5e", "--samples", "100"], ["cspace", "planar_rr"]):
        result = RUN.invoke(app, [*words, "--bodies", str(belt)])
        assert result.exit_code == 2
        assert "belt.toml:9: body 1, motion: moves" in result.stderr


def move(tmp_path: Path, belt: Path, *more: str, said: str = "") -> tuple[int, str]:
    (tmp_path / "rows.toml").write_text(ROWS.format(said=said))
    words = ["move", str(tmp_path / "rows.toml"), "--arm", "ur5e", "--bodies", str(belt)]
    result = RUN.invoke(app, [*words, *more])
    return result.exit_code, result.stdout + result.stderr


def test_a_table_is_checked_against_what_moves(belt: Path, tmp_path: Path) -> None:
    code, said = move(tmp_path, belt, "--start", "9")
    assert code == 0, said
    assert "to crate at" in said
    assert "to what moves: " in said
    sheet = tmp_path / "touching.png"
    code, said = move(tmp_path, belt, "--start", "1", "--moments", str(sheet), "--json")
    assert code == 1, said
    data = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert data["free"] is False
    assert " meets crate at " in data["check"]
    assert sheet.exists()


def test_a_table_is_slowed_near_what_moves(belt: Path, tmp_path: Path) -> None:
    belt.write_text(BELT.replace("-0.55", "-0.75"), encoding="utf-8")
    _, quick = move(tmp_path, belt, "--start", "1", "--json")
    code, slow = move(tmp_path, belt, "--start", "1", "--json", said=SLOW)
    assert code == 0, slow
    assert json.loads(slow)["duration"] > json.loads(quick)["duration"] + 0.1
    assert "slowed down near 'crate'" in slow


def test_two_arms_by_a_file(tmp_path: Path) -> None:
    file = tmp_path / "swap.toml"
    file.write_text(SWAP)
    folder, video, plot = tmp_path / "motions", tmp_path / "swap.gif", tmp_path / "swap.png"
    words = ["together", str(file), "--margin", "5", "--mm", "--save", str(folder)]
    result = RUN.invoke(app, [*words, "--video", str(video), "--plot", str(plot), "--json"])
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    assert [one["name"] for one in data["arms"]] == ["left", "right"]
    assert data["arms"][0]["smallest_distance_to_moving"]["body"].startswith("right.")
    task = ArmsTogether.load(file)
    left, right = (aw.Trajectory.load(folder / f"{arm.name}.csv", arm) for arm in task.arms)
    verdict = aw.check(left, task.arms[0], moving=[MovingArm(task.arms[1], right)])
    assert verdict.free
    assert verdict.distance.value > 0.005 - 1e-4
    assert video.stat().st_size > 10_000
    assert plot.exists()
    said = RUN.invoke(app, ["together", str(file)]).stdout
    assert "2 arms: " in said
    assert "to what moves" in said
    assert "right.link" in said


def test_one_arm_among_the_saved_motion_of_the_other(tmp_path: Path) -> None:
    arm = aw.load("ur5e")
    left, right = (np.deg2rad([float(x) for x in text.split()]) for text in (LEFT, RIGHT))
    aw.ptp(arm, left, right, "full").save(tmp_path / "other.csv")
    (tmp_path / "cell.toml").write_text(
        'kind = "bodies"\n[[body]]\nkind = "arm"\nname = "other"\ndescription = "ur5e"\n'
        'position = [-1, 0, 0]\nturn = ["180 deg", 0, 0]\n[body.motion]\nfile = "other.csv"\n'
    )
    code, said = plan(tmp_path / "cell.toml", "--margin", "0.005")
    assert code == 0, said
    assert "to other.link" in said


WRONG = {
    "kind": ('kind = "arms"', 'kind = "arm"', 1, "wrong kind of file"),
    "one": (SWAP[SWAP.index('\n[[arm]]\nname = "right') :], "", None, "two or more"),
    "twice": ('"right"', '"left"', 9, "name used twice"),
    "start": ("start = [", "begin = [", 6, "unknown key"),
    "two goals": ("goal = [", "point = [0, 0, 0]\ngoal = [", 7, "point: given beside goal"),
    "no goal": (
        SWAP[SWAP.index("goal") : SWAP.index('\n\n[[arm]]\nname = "right')],
        "",
        3,
        "goal: miss",
    ),
    "few": ('"-90 deg", 0]', '"-90 deg"]', 6, "start: not 6 joint values"),
    "arm": ('"ur5e"', '"ur5"', 5, "cannot be loaded"),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_in_files_of_arms(case: str, tmp_path: Path) -> None:
    old, new, line, message = WRONG[case]
    assert old in SWAP
    (tmp_path / "swap.toml").write_text(SWAP.replace(old, new, 1))
    result = RUN.invoke(app, ["together", str(tmp_path / "swap.toml")])
    assert result.exit_code == 2
    assert message in result.stderr
    if line is not None:
        assert f"swap.toml:{line}:" in result.stderr
