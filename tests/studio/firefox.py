"""Firefox without a window, driven over WebDriver BiDi, the protocol it speaks by itself."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

_PREFERENCES = """user_pref("webgl.force-enabled", true);
user_pref("webgl.out-of-process", false);
user_pref("security.sandbox.content.level", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""


def firefox() -> str | None:
    """Return the browser; None: there is none."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class FirefoxVisitor:
    """Somebody who looks at a page in Firefox, and notes what it complains of."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.complaints: list[str] = []
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        tree = self._ask("browsingContext.getTree")
        self._context = tree["contexts"][0]["context"]

    def _ask(self, method: str, **params: object) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        self._socket.send(json.dumps(message))
        while True:
            answer: dict[str, Any] = json.loads(self._socket.recv(120))
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.complaints.append(str(answer["params"]["text"]))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, url: str, size: tuple[int, int] = (1100, 700)) -> None:
        """Open a page in a window of a size."""
        viewport = {"width": size[0], "height": size[1]}
        self._ask("browsingContext.setViewport", context=self._context, viewport=viewport)
        self._ask("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def evaluate(self, expression: str) -> object:
        """Return the value of an expression of the page, by way of JSON."""
        target = {"context": self._context}
        answer = self._ask(
            "script.evaluate",
            expression=f"JSON.stringify(({expression}) ?? null)",
            target=target,
            awaitPromise=True,
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def until(self, expression: str, seconds: float = 60.0) -> object:
        """Wait until an expression of the page holds; return it."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(expression)):
            assert time.monotonic() < end, f"{expression} did not come about; {self.complaints}"
            time.sleep(0.05)
        return value

    def picture(self, path: Path) -> Path:
        """Keep a picture of the page."""
        data = self._ask("browsingContext.captureScreenshot", context=self._context)["data"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data))
        return path


@contextmanager
def opened_firefox(profile: Path) -> Iterator[FirefoxVisitor]:
    """Open Firefox with a profile of its own."""
    program = firefox()
    assert program is not None
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "user.js").write_text(_PREFERENCES)
    words = ["--headless", "--remote-debugging-port=0", "--no-remote", "--profile", str(profile)]
    # nothing but pages of the tests is opened, and drivers of software drawing need more files
    environment = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1", "MOZ_DISABLE_CONTENT_SANDBOX": "1"}
    with subprocess.Popen(
        [program, *words, "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        try:
            yield FirefoxVisitor(connect(f"{_address(process)}/session", max_size=None))
        finally:
            process.terminate()


def _address(process: subprocess.Popen[str]) -> str:
    """Return where it listens, as it says when it has started."""
    assert process.stderr is not None
    for line in process.stderr:
        if "WebDriver BiDi listening on" in line:
            return line.rsplit(" ", 1)[1].strip()
    raise AssertionError("Firefox did not start")
