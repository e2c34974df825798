"""``armwerk studio``: it says where it is, can be reached there, and ends with Ctrl-C."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

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
    ],
)
def test_what_is_wrong_is_told(words: list[str], says: str) -> None:
    result = CliRunner().invoke(app, ["studio", "--no-browser", "--port", "0", *words])
    assert result.exit_code == 2
    assert says in result.output
