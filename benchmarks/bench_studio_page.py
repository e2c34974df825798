"""What a person waits for in the studio, in a real browser: headless Chromium, drawn by software.

| row | from | to |
|---|---|---|
| first picture | the page is opened | the first picture of the cell is drawn |
| from the command | `armwerk studio` is typed | the first picture |
| dragging | the mouse moves | the arm and eight ghosts are drawn there |

Each is the best of several, as the machine does other things too. Four pages of one browser look at
ten arms and a hundred cuboids at a time; what they are sent is counted, not what they draw.
"""

from __future__ import annotations

import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf

from measure import Row
from playwright.sync_api import Browser, Page, sync_playwright

from armwerk.studio import StudioFolder, StudioServer, StudioSession

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
VIEWERS = 4
SECONDS = 6.0
TIMES = 5  # of each
DRAGS = 30  # moves of the mouse of one drag
GHOSTS = 7  # beside the arm itself: eight solutions
PATIENCE = 120.0  # [s]
FIRST = """
window.firstPicture = null;
const look = () => {
  if (window.armwerk && window.armwerk.drawn > 0) window.firstPicture = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
READY = "window.armwerkArm && armwerkArm.posed() && armwerkArm.posed().method === 'closed'"


def run() -> list[Row]:
    """Measure what people wait for."""
    with _browser() as browser:
        opened = _first_picture(browser)
        typed = _from_the_command(browser)
        drags = _drags(browser)
        rate, share = _four(browser)
    told = ", ".join(f"{value:.0f}" for value in sorted(drags))
    return [
        Row("first picture", opened * 1e3, "promised", 1000.0, "ms", wanted=1.0),
        Row("first picture, from the command on", typed, "wished", 2.0, "s"),
        Row(
            "the tool dragged, mouse to 8 solutions drawn",
            min(drags),
            "promised",
            50.0,
            "ms",
            wanted=1.0,
            note=f"medians of {DRAGS} moves, {TIMES} runs: {told}",
        ),
        Row("frames to each of 4 browsers", rate, "wished", 60.0, "1/s", lower_is_better=False),
        Row("server beyond the simulation", share, "promised", 0.5, "cores", wanted=1.0),
    ]


@contextmanager
def _browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def _until(page: Page, script: str) -> None:
    for _ in range(round(PATIENCE / 0.02)):
        if page.evaluate(script):
            return
        page.wait_for_timeout(20)
    raise TimeoutError(script)


def _first_picture(browser: Browser) -> float:
    """Return the time from opening the page to the first picture [s]."""
    best = inf
    session = StudioSession("sorting", StudioFolder(tempfile.mkdtemp()))
    with StudioServer(session) as server:
        session.cell.clock.run()
        for _ in range(TIMES):
            page = browser.new_page(viewport={"width": 1100, "height": 700})
            page.add_init_script(FIRST)
            page.goto(server.url)
            _until(page, "window.firstPicture !== null")
            best = min(best, float(page.evaluate("window.firstPicture")) / 1e3)
            page.close()
    return best


def _from_the_command(browser: Browser) -> float:
    """Return the time from the command to the first picture [s]."""
    best = inf
    for _ in range(TIMES):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        page = browser.new_page(viewport={"width": 1100, "height": 700})
        page.add_init_script(FIRST)
        url = f"http://127.0.0.1:{port}/"
        begin = time.perf_counter()
        words = ["studio", "sorting", "--no-browser", "--port", str(port)]
        with subprocess.Popen(
            [sys.executable, "-m", "armwerk", *words], stdout=subprocess.DEVNULL
        ) as process:
            try:
                _answers(url)
                page.goto(url)
                _until(page, "window.firstPicture !== null")
                best = min(best, time.perf_counter() - begin)
            finally:
                process.terminate()
        page.close()
    return best


def _answers(url: str) -> None:
    for _ in range(round(PATIENCE / 0.01)):
        with suppress(OSError), urllib.request.urlopen(url, timeout=PATIENCE):
            return
        time.sleep(0.01)
    raise TimeoutError(url)


def _drags(browser: Browser) -> list[float]:
    """Return the median time from the mouse to the picture, of several drags [ms]."""
    session = StudioSession("puma560", StudioFolder(tempfile.mkdtemp()))
    found = []
    with StudioServer(session) as server:
        page = browser.new_page(viewport={"width": 1100, "height": 700})
        page.goto(server.url)
        _until(page, READY)
        _until(page, f"armwerkArm.ghosts() === {GHOSTS}")
        for _ in range(TIMES):
            page.wait_for_timeout(300)
            x, y = page.evaluate("armwerkArm.seenAt(...armwerkArm.posed().tool.slice(0, 3))")
            page.evaluate("armwerkArm.delays().length = 0")
            page.mouse.move(x, y)
            page.mouse.down()
            for step in range(1, DRAGS + 1):
                page.mouse.move(x + 20 * (step % 2), y + step / 3)
                page.wait_for_timeout(60)
            page.mouse.up()
            _until(page, "!armwerkArm.busy()")
            delays = page.evaluate("armwerkArm.delays()")
            if page.evaluate("armwerkArm.ghosts()") == GHOSTS:
                found.append(statistics.median(delays))
        page.close()
    return found


def _four(browser: Browser) -> tuple[float, float]:
    """Return frames per second that the slowest of four pages got, and the server's cores."""
    from bench_studio import processor_time

    session = StudioSession("ten_arms", StudioFolder(tempfile.mkdtemp()))
    with StudioServer(session) as server:
        session.cell.clock.run()
        pages = [browser.new_page(viewport={"width": 320, "height": 240}) for _ in range(VIEWERS)]
        for page in pages:
            # four pages drawn by software on two cores would measure the drawing
            page.add_init_script("window.requestAnimationFrame = () => 0")
            page.goto(server.url)
            _until(page, "window.armwerk && armwerk.poses && armwerk.poses.time > 0.2")
        begin, spent = time.perf_counter(), processor_time("armwerk studio")
        before = [page.evaluate("[performance.now(), armwerk.frames]") for page in pages]
        pages[0].wait_for_timeout(1000 * SECONDS)
        after = [page.evaluate("[performance.now(), armwerk.frames]") for page in pages]
        spent = processor_time("armwerk studio") - spent
        passed = time.perf_counter() - begin
        for page in pages:
            page.close()
    rates = [
        1e3 * (last[1] - first[1]) / (last[0] - first[0])
        for first, last in zip(before, after, strict=True)
    ]
    return min(rates), spent / passed
