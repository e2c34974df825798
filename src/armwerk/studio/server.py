"""The web server of the studio: one page, its files, and a websocket for each viewer.

A viewer gets the geometry, the text and then, sixty times a second, what is new: frames of poses as
bytes, everything else as JSON; a greeting says what else can be opened. It sends commands. One that
is slow is sent the latest when it can take it; the cell does not notice.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import mimetypes
import socket
import threading
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from armwerk.errors import DescriptionError
from armwerk.protocol import decoded, encoded
from armwerk.protocol.coding import LONGEST
from armwerk.protocol.commands import CellCommand, Command, ShowContacts
from armwerk.protocol.replies import Answer, CellStatus, NewEvents
from armwerk.protocol.viewing import ViewedContacts
from armwerk.studio.doors import LOOPBACK, Doors, policy
from armwerk.studio.session import StudioSession
from armwerk.wire.events import EventListener
from armwerk.wire.frames import Frame, FramePacker
from armwerk.wire.live import LiveCell
from armwerk.wire.playback import RecordedCell

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.websockets import WebSocket

RenderKind: TypeAlias = Literal["native", "fx"]
_log = logging.getLogger("armwerk.studio")
PERIOD = 1.0 / 60.0  # [s] between two frames
_STATUS = 0.1  # [s] between two looks at how things stand
_HISTORY = 200  # events of each kind that a new viewer hears of
_MOST_LOGGED = 20  # refused messages of one viewer that are logged one by one
_MOST_VIEWERS = 32
_MOST_QUESTIONS = 8  # of one viewer that are worked on at a time
_PATIENCE = 10.0  # [s] for a server to start or end
_UNBUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>armwerk studio</title>
<p>The page of the studio has not been built. Type <code>make page</code> in the folder of armwerk
and load this page again.</p></html>
"""


def bundle_folder() -> Path:
    """Return the folder that the built page is in."""
    return Path(str(files("armwerk"))) / "studio" / "bundle"


class PageFiles:
    """The built page, kept in memory, compressed as well; empty when it has not been built.

    Args:
        folder: What was built.
    """

    def __init__(self, folder: Path) -> None:
        self._kept: dict[str, tuple[str, bytes, bytes]] = {}
        for path in sorted(folder.glob("*")) if folder.is_dir() else ():
            if path.is_file():
                kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
                data = path.read_bytes()
                self._kept[path.name] = (kind, data, gzip.compress(data, 9, mtime=0))

    def page(self, token: str, render: str = "fx") -> str:
        """Return the page with the token in it, and how it is to draw."""
        if "index.html" not in self._kept:
            return _UNBUILT
        text = self._kept["index.html"][1].decode()
        return text.replace("{{token}}", token).replace("{{render}}", render)

    def get(self, name: str, compressed: bool) -> tuple[str, bytes] | None:
        """Return the kind and content of a file; None: there is none."""
        if name not in self._kept or name == "index.html":
            return None
        kind, plain, small = self._kept[name]
        return kind, small if compressed else plain


def make_app(
    session: StudioSession,
    doors: Doors,
    bundle: Path | None = None,
    period: float = PERIOD,
    render: RenderKind = "fx",
) -> Starlette:
    """Return the web application of a session.

    Args:
        session: What is shown.
        doors: Who may come in.
        bundle: Folder of the built page; None: where it belongs.
        period: Real time between two frames [s].
        render: How the page draws: "fx" by WebGL, where the browser has it, "native" by polygons.
    """
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route, WebSocketRoute

    pages = PageFiles(bundle_folder() if bundle is None else bundle)

    def answer(request: Request, content: str | bytes, kind: str, status: int = 200) -> Response:
        headers = policy(request.headers.get("host", ""))
        return Response(content, status, headers, kind)

    def refused(request: Request) -> Response | None:
        if not doors.knows_host(request.headers.get("host")):
            return PlainTextResponse("this server has another name", 421)
        return None

    async def front(request: Request) -> Response:
        if (no := refused(request)) is not None:
            return no
        if doors.is_open and not doors.knows_token(request.query_params.get("token")):
            return answer(request, "add ?token=… to the address", "text/plain", 403)
        return answer(request, pages.page(doors.token, render), "text/html")

    async def token(request: Request) -> Response:
        """Tell our own page the token of a server that was started anew."""
        if (no := refused(request)) is not None:
            return no
        near = request.headers.get("sec-fetch-site", "none") in {"same-origin", "none"}
        if doors.is_open or not near:
            return answer(request, "", "text/plain", 403)
        return answer(request, json.dumps({"token": doors.token}), "application/json")

    async def asset(request: Request) -> Response:
        if (no := refused(request)) is not None:
            return no
        small = "gzip" in request.headers.get("accept-encoding", "")
        found = pages.get(request.path_params["name"], small)
        if found is None:
            return answer(request, "there is no such file", "text/plain", 404)
        response = answer(request, found[1], found[0])
        if small:
            response.headers["Content-Encoding"] = "gzip"
        return response

    async def view(websocket: WebSocket) -> None:
        host, origin = websocket.headers.get("host"), websocket.headers.get("origin")
        known = doors.knows_token(websocket.query_params.get("token"))
        if not (known and doors.knows_origin(origin, host)):
            _log.warning("refused a websocket of origin %.80r", origin)
            await websocket.close(1008)
            return
        if session.viewers >= _MOST_VIEWERS:
            await websocket.close(1013)
            return
        await _Viewer(session, websocket, period).serve()

    return Starlette(
        routes=[
            Route("/", front),
            Route("/token", token),
            Route("/assets/{name}", asset),
            WebSocketRoute("/ws", view),
        ]
    )


class _Viewer:
    """One who looks on."""

    def __init__(self, session: StudioSession, websocket: WebSocket, period: float) -> None:
        self._session = session
        self._period = period
        self._websocket = websocket
        self._cell: LiveCell | RecordedCell | None = None
        self._listener: EventListener | None = None
        self._version = -1
        self._packer = FramePacker()
        self._frame: Frame | None = None
        self._status: CellStatus | None = None
        self._looked = 0.0
        self._refused = 0
        self._contacts_wanted = False
        self._contacts: ViewedContacts | None = None
        self._questions: set[asyncio.Task[None]] = set()  # asked, and not yet answered

    async def serve(self) -> None:
        """Tell and listen until it has gone."""
        await self._websocket.accept()
        self._session.viewers += 1
        tasks = [asyncio.create_task(one) for one in (self._tell(), self._listen())]
        greeter = asyncio.create_task(self._greet())  # looks at files: the picture need not wait
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            tasks += [greeter, *self._questions]
            for task in tasks:
                task.cancel()
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(result, Exception) and not _is_gone(result):
                    _log.error("a viewer was lost: %r", result)
        finally:
            self._session.viewers -= 1
            self._turn_to(None)

    async def _greet(self) -> None:
        greeting = await asyncio.to_thread(self._session.greeting)
        await self._websocket.send_text(encoded(greeting))

    async def _listen(self) -> None:
        from starlette.websockets import WebSocketDisconnect

        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect
            text = message.get("text")
            try:
                if not isinstance(text, str):
                    raise DescriptionError("bytes are no command", element="message")
                request, command = decoded(text)
            except DescriptionError as error:
                self._refused += 1
                if self._refused <= _MOST_LOGGED:
                    _log.warning("refused a message: %s", error)
                await self._websocket.send_text(encoded(Answer(-1, str(error))))
                continue
            if isinstance(command, ShowContacts):
                self._want_contacts(command.shown)
                await self._websocket.send_text(encoded(Answer(request)))
                continue
            if isinstance(command, CellCommand):
                await self._answer(request, command)
                continue
            while len(self._questions) >= _MOST_QUESTIONS:
                await asyncio.wait(self._questions, return_when=asyncio.FIRST_COMPLETED)
            question = asyncio.create_task(self._answer(request, command))
            self._questions.add(question)
            question.add_done_callback(self._questions.discard)

    def _want_contacts(self, wanted: bool) -> None:
        if wanted != self._contacts_wanted and self._cell is not None:
            if wanted:
                self._cell.watch_contacts()
            else:
                self._cell.unwatch_contacts()
        self._contacts_wanted = wanted

    def _turn_to(self, cell: LiveCell | RecordedCell | None) -> None:
        """Look at something else."""
        if self._cell is not None:
            self._cell.unwatch()
            if self._contacts_wanted:
                self._cell.unwatch_contacts()
        self._cell = cell
        if cell is not None:
            cell.watch()
            if self._contacts_wanted:
                cell.watch_contacts()
            self._listener = cell.events.listen(_HISTORY)

    async def _answer(self, request: int, command: Command) -> None:
        answer = await asyncio.to_thread(self._session.answer, request, command)
        await self._websocket.send_text(answer)

    async def _tell(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            await self._news(loop.time())
            now = loop.time()
            # a frame that was late is made up for, but not more than one
            due = max(due + self._period, now - self._period)
            await asyncio.sleep(max(0.0, due - now))

    async def _news(self, now: float) -> None:
        send = self._websocket
        cell = self._session.shown
        if cell is not self._cell:
            self._turn_to(cell)
        feed = cell.feed
        if feed.geometry.version != self._version:
            self._version, self._packer = feed.geometry.version, FramePacker()
            for text in await asyncio.to_thread(self._session.first_texts, cell):
                await send.send_text(text)
        frame = feed.frame()
        if frame is not self._frame and frame.version == self._version:
            self._frame = frame
            await send.send_bytes(self._packer.pack(frame))
        if self._contacts_wanted and feed.contacts is not self._contacts:
            self._contacts = feed.contacts
            await send.send_text(encoded(feed.contacts))
        if self._listener is not None and (news := self._listener.take()):
            dropped = sum(self._listener.dropped.values())
            await send.send_text(encoded(NewEvents(tuple(news), dropped)))
        if now - self._looked >= _STATUS:
            self._looked = now
            status = self._session.status()
            if status != self._status:
                self._status = status
                await send.send_text(encoded(status))


def _is_gone(error: Exception) -> bool:
    """Say whether an error only tells that a viewer has closed its side."""
    from starlette.websockets import WebSocketDisconnect

    return isinstance(error, WebSocketDisconnect | RuntimeError | OSError)


class StudioServer:
    """A session on an address; a context manager that ends both.

    Args:
        session: What is shown.
        address: To listen on; others than this machine's own need a token.
        port: To listen on; 0: any that is free.
        token: What a viewer must know; empty: a new one is made up.
        bundle: Folder of the built page; None: where it belongs.
        period: Real time between two frames [s].
        render: How the page draws: "fx" by WebGL, where the browser has it, "native" by polygons.

    Attributes:
        doors: Who may come in, and where.

    Raises:
        DescriptionError: When the address needs a token or cannot be had.
    """

    def __init__(
        self,
        session: StudioSession,
        address: str = LOOPBACK,
        port: int = 0,
        token: str = "",
        bundle: Path | None = None,
        period: float = PERIOD,
        render: RenderKind = "fx",
    ) -> None:
        Doors(address, port, token)  # before anything is opened
        self.session = session
        self._socket = _listening(address, port)
        self.doors = Doors(address, self._socket.getsockname()[1], token)
        self._server = _uvicorn(make_app(session, self.doors, bundle, period, render))
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where the page is."""
        return self.doors.url

    def serve(self) -> None:
        """Serve until Ctrl-C."""
        self._server.run(sockets=[self._socket])

    def start(self) -> None:
        """Serve in a thread of its own."""
        self._thread = threading.Thread(target=self.serve, name="armwerk studio", daemon=True)
        self._thread.start()
        waited = threading.Event()
        for _ in range(round(_PATIENCE / 0.01)):
            if self._server.started:
                return
            waited.wait(0.01)
        raise DescriptionError("did not start", element=f"studio on port {self.doors.port}")

    def close(self) -> None:
        """End the server and its session."""
        self._server.should_exit = self._server.force_exit = True
        if self._thread is not None:
            self._thread.join(_PATIENCE)
        self._socket.close()
        self.session.close()

    def __enter__(self) -> StudioServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _listening(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DescriptionError(
            f"cannot be had: {reason}",
            element=f"port {port} of {address}",
            allowed="--port with another number; 0: any that is free",
        ) from None


def _uvicorn(app: Starlette) -> uvicorn.Server:
    import uvicorn

    config = uvicorn.Config(
        app,
        ws="websockets-sansio",
        ws_max_size=4 * LONGEST,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        lifespan="off",
        access_log=False,
        log_level="error",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)
