"""Take the pictures of the studio that the documentation shows: a tour of its views.

python scripts/tour.py [NAME ...]    all of them, or some; into docs/pictures
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from armwerk.studio import StudioFolder, StudioServer, StudioSession

OUT = Path(__file__).parents[1] / "docs" / "pictures"
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
_SETTLE = 2500  # [ms] for the last picture to be drawn with its shadows


@dataclass(frozen=True, slots=True)
class Stop:
    """A picture of the tour.

    Args:
        name: Of the file.
        subject: What the studio is started with.
        prepare: What is done on the page before.
        theme: Dark or light.
        size: Of the window [pixel].
        seconds: Of simulated time that pass before the picture.
    """

    name: str
    subject: str
    prepare: Callable[[Page], None]
    theme: str = "light"
    size: tuple[int, int] = (1400, 900)
    seconds: float = 0.0


def _wait(page: Page, expression: str, seconds: float = 200.0) -> None:
    for _ in range(round(seconds / 0.1)):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    sys.exit(f"{expression} did not come about")


def _nothing(page: Page) -> None:
    pass


def _arm(page: Page) -> None:
    page.click("#tab-arm")
    _wait(page, "window.armwerkArm && armwerkArm.posed()?.method === 'closed'")
    page.wait_for_timeout(3000)


def _motion(page: Page) -> None:
    page.click("#tab-motion")
    _wait(page, "window.armwerkMotion && armwerkMotion.planned")
    page.wait_for_timeout(3000)


def _space(page: Page) -> None:
    page.click("#tab-space")
    page.wait_for_timeout(8000)


def _program(page: Page) -> None:
    page.click("#tab-program")
    _wait(page, "window.armwerkProgram && armwerkProgram.drawn > 0", 120.0)
    page.evaluate("armwerkProgram.stopAt(21)")
    page.click("#program-run")
    _wait(page, "armwerkProgram.line === 21 && !armwerkProgram.plays", 120.0)


STOPS = (
    Stop("studio", "sorting", _nothing, seconds=6.0),
    Stop("studio-dark", "ten_arms", _nothing, "dark"),
    Stop("studio-arm", "puma560", _arm),
    Stop("studio-motion", "pick_and_place", _motion),
    Stop("studio-space", "pick_and_place", _space),
    Stop("studio-program", "pick_and_place", _program),
)


def take(stop: Stop) -> Path:
    """Take one picture and return where it is."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    session = StudioSession(stop.subject, StudioFolder(tempfile.mkdtemp()))
    with StudioServer(session) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(
            viewport={"width": stop.size[0], "height": stop.size[1]},
            color_scheme="dark" if stop.theme == "dark" else "light",
        )
        page.goto(server.url)
        _wait(page, "window.armwerk && armwerk.drawn > 0 && armwerk.status && armwerk.greeted")
        if stop.seconds:
            page.click("#run")
            _wait(page, f"armwerk.poses.time > {stop.seconds}", 300.0)
            page.click("#pause")
        stop.prepare(page)
        page.mouse.move(5, 500)
        page.wait_for_timeout(_SETTLE)
        path = OUT / f"{stop.name}.png"
        page.screenshot(path=path)
        browser.close()
    # few colours do for a screen, and a third of the bytes
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    return path


def main() -> None:
    """Take all pictures, or those that are named."""
    wanted = sys.argv[1:] or [stop.name for stop in STOPS]
    for stop in STOPS:
        if stop.name in wanted:
            path = take(stop)
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
