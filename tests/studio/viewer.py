"""A viewer without a browser, for tests of the studio."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

from websockets.sync.client import connect

from armwerk.studio import StudioFolder, StudioServer, StudioSession
from armwerk.wire import Frame, FrameReader

BALLS = """// two balls
BORDER -100 -100 100 100
BALL 0 0 50 5 0 0.5 FF0000
BALL 40 0 50 5 0 0.5 00FF00
CUBOID 0 40 5 10 10 10 0000FF
"""


@contextmanager
def studio(folder: Path, text: str = BALLS, bundle: Path | None = None) -> Iterator[StudioServer]:
    """Serve a cell below a folder; time stands."""
    (folder / "cell.env").write_text(text)
    session = StudioSession(folder / "cell.env", StudioFolder(folder))
    with StudioServer(session, bundle=bundle) as server:
        yield server


class Viewer:
    """Looks on through a websocket, as the page does."""

    def __init__(self, server: StudioServer, **headers: str) -> None:
        doors = server.doors
        host = f"127.0.0.1:{doors.port}"
        query = urlencode({"token": headers.pop("token", doors.token)})
        origin = headers.pop("origin", f"http://{host}")
        self.socket = connect(
            f"ws://{host}/ws?{query}",
            origin=origin or None,  # type: ignore[arg-type]  # any text will do
            additional_headers=headers,
            max_size=None,
            compression=None,
        )
        self.reader = FrameReader()
        self.frame: Frame | None = None
        self.said: dict[str, dict[str, Any]] = {}
        self.events: list[dict[str, Any]] = []
        self.frames = 0
        self.bytes = 0
        self._request = 0

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.socket.close()

    def take(self, timeout: float = 10.0) -> None:
        """Take one message."""
        message = self.socket.recv(timeout)
        if isinstance(message, bytes):
            self.frames += 1
            self.bytes += len(message)
            self.frame = self.reader.read(message)
            return
        data = json.loads(message)
        self.said[data["type"]] = data
        if data["type"] == "NewEvents":
            self.events += data["events"]

    def until(self, what: Callable[[], bool], seconds: float = 20.0) -> None:
        """Take messages until something holds."""
        end = time.monotonic() + seconds
        while not _holds(what):
            assert time.monotonic() < end, "it did not come about"
            self.take()

    def ask(self, kind: str, **fields: object) -> dict[str, Any]:
        """Send a command and return the answer."""
        self._request += 1
        request = self._request
        self.socket.send(json.dumps({"type": kind, "request": request, **fields}))
        self.until(lambda: self.said.get("Answer", {}).get("request") == request)
        return self.said["Answer"]


def _holds(what: Callable[[], bool]) -> bool:
    try:
        return what()
    except KeyError:  # not said yet
        return False
