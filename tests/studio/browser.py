"""A real browser for tests of the studio's page: headless Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

PICTURES = Path(__file__).parents[2] / "out" / "studio"
FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]


def chromium() -> str | None:
    """Return the browser; None: there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def opened() -> Iterator[Browser]:
    """Open a browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """Somebody who looks at the page, and notes everything the browser complains of.

    Args:
        browser: In which.
        url: Of the page.
        size: Width and height of the window [pixel].
        theme: "light" or "dark".
    """

    def __init__(
        self, browser: Browser, url: str, size: tuple[int, int] = (1100, 700), theme: str = "light"
    ) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if theme == "dark" else "light",
            bypass_csp=False,
        )
        self.page: Page = self.context.new_page()
        self.page.on("console", lambda one: self._note(one.type, one.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda one: self.requests.append(one.url))
        self.page.goto(url)

    def _note(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} and "GPU stall due to ReadPixels" not in text:
            self.complaints.append(text)

    def until(self, script: str, seconds: float = 30.0) -> object:
        """Wait until an expression of the page holds; return it."""
        for _ in range(round(seconds / 0.05)):
            if value := self.page.evaluate(script):
                return value
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{script} did not come about; {self.complaints}")

    def picture(self, name: str) -> Path:
        """Keep a picture of the page."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.png"
        self.page.screenshot(path=path)
        return path

    def close(self) -> None:
        """Go."""
        self.context.close()
