"""``armwerk studio``: it says where it is, can be reached there, and ends with Ctrl-C."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from armwerk.cell.record import Recording
from armwerk.cli.app import app


def test_it_serves_until_it_is_stopped(tmp_path: Path) -> None:
    words = ["studio", "tower", "--port", "0", "--no-browser", "--paused", "--pace", "0.5"]
    with subprocess.Popen(
        [sys.executable, "-m", "armwerk", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = ""
        while "http" not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        url = re.search(r"http://127\.0\.0\.1:\d+/", said)
        assert url is not None
        with urllib.request.urlopen(url[0], timeout=20) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
        assert process.returncode == 0, rest
        assert "Traceback" not in rest


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing_there"], "nothing_there"),
        (["tower", "--address", "0.0.0.0"], "token"),
        (["tower", "--render-ms", "0"], "--render-ms"),
        (["tower", "--render-flags", "XYZ"], "--render-flags"),
        (["tower", "--pace", "-1"], "pace"),
        (["tower", "--drives", "none"], "--drives"),
        (["tower", "-renderflags", "XYZ"], "--render-flags"),
        (["tower", "--render", "paper"], "--render"),
        (["tower", "-e", "sorting"], "two cells"),
        (["nothing.jsonl"], "nothing.jsonl"),
    ],
)
def test_what_is_wrong_is_told(words: list[str], says: str) -> None:
    result = CliRunner().invoke(app, ["studio", "--no-browser", "--port", "0", *words])
    assert result.exit_code == 2
    assert says in result.output


def test_it_takes_the_options_of_run(tmp_path: Path) -> None:
    words = ["-e", "drop_and_bounce", "--port", "0", "--no-browser", "-simtime", "50"]
    words += ["--record", "made.jsonl", "--seconds", "0.4", "-logmss", "--send", "0.1:7:HELLO"]
    with subprocess.Popen(
        [sys.executable, "-m", "armwerk", "studio", *words, "-renderms", "50"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for _ in range(1200):
            file = tmp_path / "made.jsonl"
            if file.exists() and '"time":0.4' in file.read_text():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0, said
    recording = Recording.load(tmp_path / "made.jsonl")
    assert recording.times[-1] == pytest.approx(0.4)  # where --seconds let time stand
    assert [trigger.text for trigger in recording.triggers] == ["HELLO"]
    assert "HELLO" in (tmp_path / "mss.out").read_text()


def test_a_misspelt_scene_of_mobile_robots_is_told_with_those_there_are() -> None:
    result = CliRunner().invoke(app, ["studio", "mobile/footbal", "--no-browser", "--port", "0"])
    assert result.exit_code != 0
    told = result.output + str(result.exception)
    assert "did you mean 'mobile/football'" in told
