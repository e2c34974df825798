"""Nothing is lost: server, viewer or network go at any moment, and no file is broken."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from browser import FLAGS, chromium
from playwright.sync_api import sync_playwright
from viewer import BALLS
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.typing import Origin

from armwerk.cell.record import Recording
from armwerk.errors import DescriptionError
from armwerk.scene import parse_scene
from armwerk.studio import StudioFolder, StudioServer, StudioSession

SERVER = """
import sys
from pathlib import Path
from armwerk.studio import StudioFolder, StudioServer, StudioSession
folder = Path(sys.argv[1])
session = StudioSession(folder / "cell.env", StudioFolder(folder))
server = StudioServer(session, token="a token of the tests")
session.cell.clock.run()
print(server.doors.port, flush=True)
server.serve()
"""
TOKEN = "a%20token%20of%20the%20tests"
END = "// the end\n"


def written(number: int) -> str:
    """Return a text that is long, and of which a part can be told from the whole."""
    return f"// version {number}\n{BALLS}" + f"// {number}\n" * (200 + 400 * (number % 7)) + END


class Writer(threading.Thread):
    """Edits, saves and records for as long as it can."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self.sent = 0
        self.rounds = 0

    def run(self) -> None:
        """Ask for one thing after the other until nobody answers."""
        host = f"127.0.0.1:{self._port}"
        url = f"ws://{host}/ws?token={TOKEN}"
        with (
            suppress(OSError, WebSocketException, EOFError),
            connect(url, origin=Origin(f"http://{host}"), max_size=None) as socket,
        ):
            for number in range(10_000):
                asked: tuple[dict[str, object], ...] = (
                    {"type": "WriteFile", "file": f"{number % 3}.irl", "text": written(number)},
                    {"type": "SaveCell", "file": "saved.env"},
                    {"type": "AddLines", "lines": f"BALL {number % 50} 0 50 2 0 0.5 FF0000"}
                    if number % 9 == 4
                    else {"type": "StartRecording", "file": f"{number}.jsonl.gz"},
                    {"type": "StopRecording"},
                )
                for one in asked:
                    self.sent += 1
                    socket.send(json.dumps({**one, "request": self.sent}))
                while f'"request":{self.sent},' not in str(socket.recv(30)):
                    pass
                self.rounds += 1


def is_whole(folder: Path) -> None:
    """Check every file below a folder."""
    for path in folder.glob("*.irl"):
        text = path.read_text(encoding="utf-8")
        number = re.match(r"// version (\d+)\n", text)
        assert number is not None, path
        assert text == written(int(number[1])), path
    for path in folder.glob("*.env"):
        assert parse_scene(path.read_text(encoding="utf-8"), path).things
    for path in folder.glob("*.jsonl.gz"):
        with suppress(DescriptionError):  # so early that it has no header yet
            assert Recording.load(path).header.things
    assert not [path for path in folder.iterdir() if path.name.startswith(".") and path.is_dir()]


def kill_the_server(folder: Path, times: int) -> None:
    """Kill it at random moments, and look at what it leaves."""
    draw = random.Random(times)
    (folder / "cell.env").write_text(BALLS)
    sent = 0
    for _ in range(times):
        with subprocess.Popen(
            [sys.executable, "-c", SERVER, str(folder)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            writer = Writer(int(process.stdout.readline()))
            writer.start()
            while writer.rounds == 0 and writer.is_alive():
                time.sleep(0.01)
            time.sleep(draw.uniform(0.0, 0.7))
            os.kill(process.pid, signal.SIGKILL)
        writer.join(30)
        sent += writer.sent
        is_whole(folder)
    assert sent > 4 * times


def test_a_server_killed_at_any_moment_leaves_no_broken_file(tmp_path: Path) -> None:
    kill_the_server(tmp_path, 4)


@pytest.mark.soak
def test_a_server_killed_a_hundred_times_leaves_no_broken_file(tmp_path: Path) -> None:
    kill_the_server(tmp_path, 100)


SAVING = """() => {
  const text = document.querySelector('#text');
  let number = 0;
  setInterval(() => {
    number += 1;
    const lines = `// ${number}\\n`.repeat(200 + 400 * (number % 7));
    text.value = `// version ${number}\\n${window.kept}${lines}// the end\\n`;
    text.dispatchEvent(new Event('input'));
    document.querySelector('#save').click();
  }, 60);
}"""


def kill_the_browser(folder: Path, times: int) -> None:
    """Kill it while its page edits and saves, and look at what it leaves."""
    draw = random.Random(times)
    (folder / "cell.env").write_text(BALLS)
    session = StudioSession(folder / "cell.env", StudioFolder(folder))
    saved = set()
    with StudioServer(session) as server, sync_playwright() as playwright:
        session.cell.clock.run()
        for number in range(times):
            profile = folder / f".profile{number}"
            words = [f"--user-data-dir={profile}", "--headless=new", "--remote-debugging-port=0"]
            with subprocess.Popen(
                [str(chromium()), *FLAGS, *words, "about:blank"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            ) as process:
                try:
                    browser = playwright.chromium.connect_over_cdp(_debugged(profile))
                    page = browser.contexts[0].new_page()
                    page.goto(server.url)
                    # the page's policy forbids what wait_for_function does
                    while not page.evaluate(
                        "Boolean(window.armwerk && armwerk.greeted && armwerk.status)"
                    ):
                        page.wait_for_timeout(50)
                    page.evaluate("text => { window.kept = text; }", BALLS)
                    page.evaluate(SAVING)
                    before = (folder / "cell.env").read_text(encoding="utf-8")
                    for _ in range(400):
                        if (folder / "cell.env").read_text(encoding="utf-8") != before:
                            break
                        page.wait_for_timeout(50)
                    page.wait_for_timeout(draw.uniform(0, 600))
                finally:
                    os.killpg(process.pid, signal.SIGKILL)
            shutil.rmtree(profile, ignore_errors=True)
            text = (folder / "cell.env").read_text(encoding="utf-8")
            whole = re.fullmatch(r"// version (\d+)\n.*// the end\n", text, re.DOTALL)
            assert text == BALLS or (whole is not None and text == written(int(whole[1])))
            saved.add(text)
        for _ in range(100):
            if session.viewers == 0:
                break
            time.sleep(0.1)
        assert session.viewers == 0
        assert session.cell.clock.status.state == "running"
    assert not list(folder.glob(".cell-*"))
    assert saved - {BALLS}, "it was never fast enough to save anything"


def _debugged(profile: Path) -> str:
    """Return where a browser takes orders."""
    for _ in range(600):
        with suppress(OSError, ValueError):  # not there, or not yet written
            port, _ = (profile / "DevToolsActivePort").read_text().splitlines()
            return f"http://127.0.0.1:{port}"
        time.sleep(0.05)
    raise AssertionError("the browser did not start")


@pytest.mark.skipif(chromium() is None, reason="apt-get install chromium")
def test_a_browser_killed_while_it_saves_leaves_no_broken_file(tmp_path: Path) -> None:
    kill_the_browser(tmp_path, 2)


@pytest.mark.soak
def test_a_browser_killed_a_hundred_times(tmp_path: Path) -> None:
    kill_the_browser(tmp_path, 100)


def lose_the_network(folder: Path, times: int) -> None:
    """Cut connections at random moments, in the middle of messages too."""
    draw = random.Random(times)
    (folder / "cell.env").write_text(BALLS)
    session = StudioSession(folder / "cell.env", StudioFolder(folder))
    with StudioServer(session, token="a token of the tests") as server:
        session.cell.clock.run()
        for number in range(times):
            host = f"127.0.0.1:{server.doors.port}"
            with suppress(OSError, WebSocketException):
                socket = connect(f"ws://{host}/ws?token={TOKEN}", origin=Origin(f"http://{host}"))
                text = written(number).replace("\n", "\\n")
                message = f'{{"type":"WriteFile","request":1,"file":"a.irl","text":"{text}"}}'
                socket.send(message)
                if number % 2:  # a part of a frame, and then nothing
                    socket.socket.sendall(b"\x81\xfe\x40\x00" + b"abcd" + message.encode()[:500])
                time.sleep(draw.uniform(0.0, 0.05))
                socket.socket.close()
        for _ in range(100):
            if session.viewers == 0:
                break
            time.sleep(0.1)
        assert session.viewers == 0
        assert session.cell.clock.status.state == "running"
    is_whole(folder)
    assert (folder / "a.irl").exists()


def test_a_lost_network_leaves_no_broken_file_and_no_viewer(tmp_path: Path) -> None:
    lose_the_network(tmp_path, 20)


@pytest.mark.soak
def test_a_network_lost_a_hundred_times(tmp_path: Path) -> None:
    lose_the_network(tmp_path, 100)
