"""``armwerk run`` from file to report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from armwerk.cell.record import Recording
from armwerk.cli.app import app

CELL = """// Two robots and a belt
MULTIROBOT 2
ROBOT1 100 0 0
CONVEYOR 7 RUN 10 10 x 20 0 404040
RECT 50 60 60 20
ENDCONVEYOR
DEBUGNAME box
CUBOID 30 60 12.5 5 5 5 FF0000
TRIGGER CUBOIDENTERS 0 SEEN 40 60 5 10 *
BORDER -100 -100 200 200
"""
BALL = "// A ball that falls\nBALL 0 0 50 5 0 0.5 FF0000\n"
PROGRAM = """
import time
from armwerk.control import RobotController, TriggerProcessor

class Waits(RobotController):
    description = "waits for a trigger"
    def configure(self, text):
        self.debug("configured", text)
    def run(self):
        self.debug("started")
        self.debug("got", self.wait_trigger(timeout=2.0))
    def receive_line(self, text):
        self.debug("line", text)

class Ends(RobotController):
    def run(self):
        self.debug("at once")

class Fails(RobotController):
    def run(self):
        self.wait(0.1)
        raise RuntimeError("boom")

class Forever(RobotController):
    def run(self):
        while self.is_running():
            self.wait(0.1)

class Strict(RobotController):
    def receive_line(self, text):
        raise ValueError(text)

class Breaks(TriggerProcessor):
    def receive_trigger(self, text):
        raise RuntimeError("broken")

class Bows(RobotController):
    def run(self):
        self.set([0.0, 1.8, 0.0, 0.0, 0.0, 0.0])  # deep below the floor
        self.wait(4.0)

class Relay(TriggerProcessor):
    def receive_trigger(self, text):
        self.send_trigger(0, f"relayed {text}")
"""


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    (tmp_path / "prog.py").write_text(PROGRAM, encoding="utf-8")
    path = tmp_path / "two.env"
    path.write_text(CELL, encoding="utf-8")
    return path


@pytest.fixture
def ball(tmp_path: Path) -> Path:
    path = tmp_path / "ball.env"
    path.write_text(BALL, encoding="utf-8")
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["run", *map(str, words)])


def test_a_trigger_reaches_its_robot(cell: Path) -> None:
    result = run(cell, "-c0", "prog.Waits", "-c1", "prog.Ends", "-cfg", "speed=3")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("two: Two robots and a belt\n")
    assert "waits for a trigger" in " ".join(result.output.split())  # the table may wrap
    assert "0: configured speed=3" in result.output
    assert "0: got SEEN" in result.output
    assert "robot 0: done" in result.output
    assert "1 cuboid, 1 belt, 1 zone" in result.output
    quiet = run(cell, "-c0", "prog.Waits", "-c1", "prog.Ends", "--quiet")
    assert "got SEEN" not in quiet.output
    assert "robot 0: done" in quiet.output


def test_a_controller_that_fails_is_reported_and_the_other_goes_on(cell: Path) -> None:
    result = run(cell, "--controller", "0=prog.Waits", "--controller", "1=prog.Fails")
    assert result.exit_code == 1
    assert "robot 1: failed" in result.output
    assert "RuntimeError: boom" in result.output
    assert "robot 0: done" in result.output


def test_a_trigger_processor_that_fails_is_reported(cell: Path) -> None:
    words = ("-tp", "20:prog.Breaks", "--send", "0.1:20:x", "--seconds", "0.2")
    result = run(cell, *words)
    assert result.exit_code == 1
    assert "trigger processor 20: failed" in result.stdout
    assert "RuntimeError: broken" in result.stdout
    told = json.loads(run(cell, *words, "--json").stdout)
    assert not told["ok"]
    assert told["processors"][0]["instance"] == 20


def test_json(cell: Path) -> None:
    words = ["-c", "prog.Ends", "--send", "0.05:7:STOP", "--seconds", "0.3", "--json"]
    data = json.loads(run(cell, *words).stdout)
    assert data["time"] == pytest.approx(0.3)
    assert [robot["state"] for robot in data["robots"]] == ["done", "done"]
    assert data["triggers"] == [[0.05, 7, "STOP"]]
    assert data["belts"] == {"conveyor0": False}
    assert [note[2] for note in data["notes"]] == ["at once", "at once"]
    assert data["robots"][1]["place"] == [100.0, 0.0, 0.0]
    # carried by a belt of 20 cm/s for 0.05 s, so no further than a centimetre
    assert 0.3 < data["things"]["box"][0] < 0.311


def test_lines_and_processors(cell: Path) -> None:
    words = ["-c0", "prog.Waits", "-tp", "9:prog.Relay", "--line", "0.1:0:hello there"]
    result = run(cell, *words, "--send", "0.2:9:ping")
    assert "0: line hello there" in result.output
    assert "0: got relayed ping" in result.output


def test_the_command_line_puts_robots_elsewhere(cell: Path) -> None:
    words = ["-robot1", "-50 20 90", "-man1", "scara", "--check", "--json", "-ik", "closed"]
    data = json.loads(run(cell, *words).stdout)
    assert data["robots"][1]["place"] == [-50.0, 20.0, 90.0]
    assert [robot["arm"] for robot in data["robots"]] == ["simple_arm", "scara"]
    assert data["time"] == 0


def test_without_controllers_it_runs_for_the_time_given(ball: Path) -> None:
    result = run(ball, "--seconds", "0.2", "--dt", "1", "--json")
    data = json.loads(result.stdout)
    assert data["dt"] == 0.001
    fallen = 0.5 * 9.81 * 0.2**2
    assert data["things"]["ball0"][2] == pytest.approx(0.5 - fallen, abs=2e-3)


def test_drives_have_forces_that_end_unless_stiff_ones_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(PROGRAM, encoding="utf-8")
    path = tmp_path / "bow.env"
    path.write_text("MANIPULATOR irb120\nCONTROLLER prog.Bows\nROBOT 0 0 0\n", encoding="utf-8")
    blocked, through = run(path), run(path, "--drives", "stiff")
    assert "is blocked by floor" in blocked.output
    assert "blocked" not in through.output
    assert (blocked.exit_code, through.exit_code) == (0, 0)


def test_pace(ball: Path) -> None:
    begin = time.perf_counter()
    result = run(ball, "--seconds", "0.5", "-simtime", "200")  # half as fast as real time
    assert result.exit_code == 0
    assert time.perf_counter() - begin > 0.95


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nonsuch"], "no cell is called 'nonsuch'"),
        ([], "no cell is given"),
        (["{cell}", "-e", "other.env"], "two cells"),
        (["{cell}", "-mna", "x"], "did you mean -man"),
        (["{cell}", "--seconds", "-1"], "--seconds"),
        (["{cell}", "--dt", "50"], "--dt"),
        (["{cell}", "--drives", "endless"], "limited, stiff"),
        (["{cell}", "--fps", "0"], "--fps"),
        (["{cell}", "-renderms", "0"], "--render-ms"),
        (["{cell}", "-skills", "+flying"], "flying"),
        (["{cell}", "-c5", "prog.Ends"], "no such robot"),
        (["{cell}", "-c", "prog.Nobody"], "Nobody"),
        (["{cell}", "-man", "nonsuch"], "nonsuch"),
        (["{cell}", "--record", "x.txt"], ".jsonl"),
        (["{cell}", "--video", "x.avi"], ".gif"),
        (["nonsuch.jsonl"], "cannot be read"),
    ],
)
def test_wrong_input(cell: Path, words: list[str], told: str) -> None:
    result = run(*(word.replace("{cell}", str(cell)) for word in words))
    assert result.exit_code == 2
    assert told in result.stderr
    assert "Traceback" not in result.output


def test_wrong_cells_show_every_problem(tmp_path: Path) -> None:
    path = tmp_path / "bad.env"
    path.write_text("ROBOT 0 0 x\nBALL 1 2 3 4 5 6 RED\n", encoding="utf-8")
    result = run(path)
    assert result.exit_code == 2
    assert "bad.env:1:" in result.stderr
    assert "bad.env:2:" in result.stderr
    assert "^" in result.stderr


def test_names_that_do_not_exist_show_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "bad.env"
    path.write_text("ROBOT 0 0 0\nMANIPULATOR nosuch\nCONTROLLER gone.Pick\n", encoding="utf-8")
    result = run(path)
    assert result.exit_code == 2
    assert "bad.env:2:13: " in result.stderr
    assert "bad.env:3:12: " in result.stderr
    assert "     3 | CONTROLLER gone.Pick\n       |            ^^^^^^^^^" in result.stderr
    told = run(path, "-man", "scara", "-c", "other.Pick").stderr
    assert "module 'other' was not found" in told
    assert "bad.env" not in told


def test_list() -> None:
    result = run("--list")
    assert result.exit_code == 0
    assert "pick_and_place" in result.output
    cells = json.loads(run("--list", "--json").stdout)["cells"]
    assert all(cells.values())


def test_help_in_both_spellings() -> None:
    assert run("-?").output == run("--help").output
    for word in ("-man[nrs]", "-cfg[nr]", "-simtime", "armwerk run pick_and_place"):
        assert word in run("-?").output


def test_logs(cell: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    words = ["-c0", "prog.Waits", "-c1", "prog.Fails", "-logall", "-lognames", "abc"]
    run(cell, *words, "-logdir", folder)
    assert {path.name for path in folder.iterdir()} == {
        "debug_abc.out",
        "state_abc.out",
        "syslog_abc.out",
        "simthreads_abc.out",
        "mss_abc.out",
    }
    assert "got SEEN" in (folder / "debug_abc.out").read_text()
    states = (folder / "state_abc.out").read_text()
    assert "running, in prog.py line" in states
    assert "wait_trigger(timeout=2.0)" in states
    system = (folder / "syslog_abc.out").read_text()
    assert "robot 1 is failed" in system
    assert "RuntimeError: boom" in system
    assert "trigger to 0: SEEN" in system
    assert "MainThread" in (folder / "simthreads_abc.out").read_text()
    (seen,) = (folder / "mss_abc.out").read_text().splitlines()
    time, instance, text = seen.split()
    assert float(time) == pytest.approx(0.25, abs=0.02)
    assert (instance, text) == ("0", "'SEEN'")


def test_the_end_of_a_run_is_kept_too(cell: Path, tmp_path: Path) -> None:
    record, logs = tmp_path / "run.jsonl", tmp_path / "logs"
    words = ("-c0", "prog.Ends", "-c1", "prog.Fails", "--record", record, "--record-rate", "1")
    assert run(cell, *words, "-logsys", "-logstate", "-logdir", logs).exit_code == 1
    system = (logs / "syslog.out").read_text(encoding="utf-8")
    assert "robot 0 is done" in system
    assert "robot 1 is failed" in system
    assert (logs / "state.out").read_text(encoding="utf-8").endswith("failed\n")
    found = Recording.load(record)
    assert len(found.times) == 2
    assert found.report is not None
    assert found.times[-1] == pytest.approx(found.report["time"])


def test_what_goes_wrong_is_told_at_once(cell: Path) -> None:
    words = (cell, "-c0", "prog.Strict", "--line", "0.1:0:nonsense", "--seconds", "0.2")
    result = run(*words)
    assert "0.100 s  0: the line 'nonsense' was refused: ValueError: nonsense" in result.stdout
    assert "nonsense" not in run(*words, "--quiet").stdout
    told = json.loads(run(*words, "--json").stdout)["problems"]
    assert told[0][:2] == [0.1, 0]
    assert "refused" in told[0][2]


def test_only_the_logs_asked_for(cell: Path, tmp_path: Path) -> None:
    run(cell, "-c", "prog.Ends", "-logdebug", "-logdir", tmp_path / "logs")
    assert [path.name for path in (tmp_path / "logs").iterdir()] == ["debug.out"]
    (tmp_path / "file").write_text("")
    result = run(cell, "-logdebug", "-logdir", tmp_path / "file" / "logs")
    assert result.exit_code == 2
    assert "debug.out" in result.stderr


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_record_and_replay(cell: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"run{ending}"
    words = ["-c0", "prog.Waits", "-man1", "puma560", "--seconds", "0.5"]
    result = run(cell, *words, "--record", path, "--record-rate", "20")
    assert f"written: {path}" in result.output
    recording = Recording.load(path)
    assert np.allclose(recording.times, np.arange(11) / 20)
    assert recording.header.things == ("box",)
    assert [len(robot.motors) for robot in recording.header.robots] == [3, 6]
    moved = recording.thing("box")[0][:, 0]
    assert moved[-1] - moved[0] == pytest.approx(0.1, abs=0.005)  # 20 cm/s for half a second
    assert recording.travels[-1, 0] == pytest.approx(0.1)
    assert recording.report is not None
    assert recording.report["robots"][0]["state"] == "done"
    assert [note.text for note in recording.notes] == ["started", "got SEEN"]
    assert [trigger[1:] for trigger in recording.triggers] == [(0, "SEEN")]
    # the box enters the zone of radius 5 cm around x = 40 cm, 5 cm from where it started
    assert recording.triggers[0].time == pytest.approx(0.25, abs=0.02)
    shown = run(path, "--frames", tmp_path / "frames", "--fps", "4", "--size", "160x120")
    assert shown.exit_code == 0, shown.output
    assert "recording of 0.500 s, 11 states at 20 Hz" in shown.output
    frames = sorted((tmp_path / "frames").iterdir())
    assert [frame.name for frame in frames] == [f"frame_{index:05d}.png" for index in range(3)]
    with Image.open(frames[0]) as first:
        assert first.size == (160, 120)


def test_pictures_by_the_time_between_them(ball: Path, tmp_path: Path) -> None:
    """ArmBot's -renderms: one at the beginning, then one every 100 ms of simulated time."""
    words = ["--seconds", "0.35", "--frames", tmp_path / "frames", "--size", "32x32"]
    assert run(ball, *words, "-renderms", "100").exit_code == 0
    assert len(list((tmp_path / "frames").glob("*.png"))) == 4
    paced = [*words[:3], tmp_path / "paced", *words[4:], "-simtime", "50"]
    assert run(ball, *paced, "-renderms", "50").exit_code == 0  # of real time, at double pace
    assert len(list((tmp_path / "paced").glob("*.png"))) == 4
    refused = run(ball, *words, "-renderms", "100", "--fps", "10")
    assert refused.exit_code == 2
    assert "say the same" in refused.output


def test_video_of_a_small_cell(ball: Path, tmp_path: Path) -> None:
    film = tmp_path / "films" / "ball.gif"
    words = ["--seconds", "0.3", "--video", film, "--fps", "10", "--size", "160x120"]
    result = run(ball, *words, "--camera", "-90 20 3", "-renderflags", "TTT")
    assert result.exit_code == 0, result.output
    with Image.open(film) as shown:
        assert getattr(shown, "n_frames", 1) == 4
        heights = []
        for index in range(4):
            shown.seek(index)
            pixels = np.asarray(shown.convert("RGB"), dtype=float)
            red = pixels[..., 0] - pixels[..., 1:].max(axis=-1) > 60
            heights.append(np.argwhere(red)[:, 0].mean())
    assert heights == sorted(heights)  # rows count downwards: the ball falls
    assert heights[-1] - heights[0] > 5


def test_ctrl_c_closes_everything(cell: Path, tmp_path: Path) -> None:
    words = ["-c", "prog.Forever", "--pace", "1", "--record", "run.jsonl", "-logsys"]
    begun = subprocess.Popen(
        [sys.executable, "-m", "armwerk", "run", cell.name, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        path = tmp_path / "run.jsonl"
        limit = time.monotonic() + 60
        while not (path.exists() and path.read_text().count('"state"') > 3):
            assert time.monotonic() < limit
            assert begun.poll() is None
            time.sleep(0.05)
        begun.send_signal(signal.SIGINT)
        output, errors = begun.communicate(timeout=60)
    finally:
        begun.kill()
    assert begun.returncode == 130
    assert errors == ""
    assert "stopped after" in output
    assert "robot 0: stopped" in output
    report = Recording.load(path).report
    assert report is not None
    assert report["stopped"] is True
    assert "stopped by the user" in (tmp_path / "syslog.out").read_text()


def interrupted(words: list[str], folder: Path, seen: Path, times: int = 1) -> tuple[int, str]:
    """Start a command, press Ctrl-C once a file is there, and return exit code and output."""
    begun = subprocess.Popen(
        [sys.executable, "-m", "armwerk", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        limit = time.monotonic() + 60
        while not list(seen.parent.glob(seen.name)):
            assert time.monotonic() < limit
            assert begun.poll() is None
            time.sleep(0.01)
        for _ in range(times):
            begun.send_signal(signal.SIGINT)
            time.sleep(0.1)
        output, _ = begun.communicate(timeout=60)
    finally:
        begun.kill()
    return begun.returncode, output


def test_films_end_well_at_ctrl_c(cell: Path, tmp_path: Path) -> None:
    film = "film.gif"
    words = ["run", cell.name, "-c", "prog.Forever", "--frames", "frames", "--video", film]
    code, output = interrupted([*words, "--size", "160x120"], tmp_path, tmp_path / "frames/*05.png")
    assert code == 130
    assert f"written: {film}" in output
    frames = sorted((tmp_path / "frames").iterdir())
    with Image.open(tmp_path / film) as shown:
        assert getattr(shown, "n_frames", 1) >= 5
        shown.seek(getattr(shown, "n_frames", 1) - 1)
        shown.load()
    with Image.open(frames[-1]) as last:
        last.load()


def test_the_film_of_a_recording_ends_well_at_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["run", "drop_and_bounce", "--seconds", "8", "--record", "run.jsonl"]
    assert CliRunner().invoke(app, words).exit_code == 0
    again = ["run", "run.jsonl", "--frames", "frames", "--video", "film.gif", "--fps", "30"]
    code, output = interrupted(again, tmp_path, tmp_path / "frames/*05.png")
    assert code == 130
    assert "stopped by Ctrl-C: the film ends there" in output
    with Image.open(tmp_path / "film.gif") as shown:
        assert 5 <= getattr(shown, "n_frames", 1) < 240
