"""A small editor that debugs: it starts the adapter and speaks the protocol through pipes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from language_client import Json, Piped, inside, rows, text_of


class Debuggee:
    """A program in a debugger, seen by an editor.

    Args:
        folder: In which files lie.
        text: The program.
        arguments: Of the launch.
    """

    def __init__(self, folder: Path, text: str, **arguments: Json) -> None:
        self.folder = folder
        self.file = folder / "program.irl"
        self.file.write_text(text, encoding="utf-8")
        self.lines = text.split("\n")
        self.piped = Piped(["debug-adapter"], folder)
        self.events: list[dict[str, Json]] = []
        self.output = ""
        self.capabilities = self.ask("initialize", {"adapterID": "armwerk"})
        self.launch_number = self.send("launch", {"program": str(self.file), **arguments})

    def __enter__(self) -> Debuggee:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None or self.piped.process.poll() is not None:
            self.piped.kill()
            return
        self.ask("disconnect", {})
        assert self.piped.end() == 0
        assert "Traceback" not in (self.folder / "stderr.txt").read_text(encoding="utf-8")

    def send(self, command: str, arguments: Json = None) -> int:
        """Send a request, and return its number."""
        number = self.piped.number()
        message: dict[str, Json] = {"seq": number, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        self.piped.send(message)
        return number

    def _take(self) -> dict[str, Json]:
        message = self.piped.next()
        assert isinstance(message, dict)
        if message["type"] == "event":
            self.events.append(message)
            if message["event"] == "output":
                self.output += text_of(message, "body", "output")
        return message

    def answer(self, number: int) -> dict[str, Json]:
        """Return the answer to a request."""
        while True:
            message = self._take()
            if message["type"] == "response" and message["request_seq"] == number:
                return message

    def ask(self, command: str, arguments: Json = None) -> Json:
        """Ask, and return what is answered."""
        message = self.answer(self.send(command, arguments))
        assert message["success"], message
        return message["body"]

    def refused(self, command: str, arguments: Json = None) -> str:
        """Ask, and return why it is refused."""
        message = self.answer(self.send(command, arguments))
        assert not message["success"], message
        return text_of(message, "message")

    def event(self, name: str) -> Json:
        """Return the next event of a name that was not taken yet."""
        while True:
            for index, message in enumerate(self.events):
                if message["event"] == name:
                    del self.events[index]
                    return message["body"]
            message = self._take()
            assert message["type"] == "event" or message["success"], message

    def breakpoints(self, *given: int | dict[str, Json]) -> list[Json]:
        """Set breakpoints at lines, or with all they have."""
        asked: list[Json] = [{"line": one} if isinstance(one, int) else one for one in given]
        found = self.ask(
            "setBreakpoints", {"source": {"path": str(self.file)}, "breakpoints": asked}
        )
        return rows(inside(found, "breakpoints"))

    def begin(self, *given: int | dict[str, Json]) -> None:
        """Set breakpoints and let the program run."""
        self.event("initialized")
        self.breakpoints(*given)
        self.ask("configurationDone")
        assert self.answered(self.launch_number)

    def answered(self, number: int) -> bool:
        """Return whether a request sent earlier was answered well."""
        for message in self.piped.messages:
            if isinstance(message, dict) and message.get("request_seq") == number:
                return message.get("success") is True
        return self.answer(number)["success"] is True

    def stop(self) -> tuple[str, int]:
        """Wait until the program stops, and return why and in which line."""
        body = self.event("stopped")
        self.thread = int(str(inside(body, "threadId")))
        return text_of(body, "reason"), self.line()

    def line(self, frame: int = 0) -> int:
        """Return the line of a call."""
        return int(str(inside(self.frames(), frame, "line")))

    def frames(self) -> list[Json]:
        """Return all calls."""
        return rows(inside(self.ask("stackTrace", {"threadId": self.thread}), "stackFrames"))

    def go(self, command: str) -> tuple[str, int]:
        """Go on, and return why it stopped and in which line."""
        self.ask(command, {"threadId": self.thread})
        return self.stop()

    def value(self, text: str) -> str:
        """Return the value of an expression."""
        frame = inside(self.frames(), 0, "id")
        return text_of(self.ask("evaluate", {"expression": text, "frameId": frame}), "result")

    def scope(self, name: str) -> dict[str, Json]:
        """Return the variables of a scope by name."""
        frame = inside(self.frames(), 0, "id")
        scopes = rows(inside(self.ask("scopes", {"frameId": frame}), "scopes"))
        (found,) = [one for one in scopes if text_of(one, "name") == name]
        return self.opened(found)

    def opened(self, part: Json, **more: Json) -> dict[str, Json]:
        """Return the parts of a value or a scope by name."""
        reference = inside(part, "variablesReference")
        found = self.ask("variables", {"variablesReference": reference, **more})
        return {text_of(one, "name"): one for one in rows(inside(found, "variables"))}

    def ends(self) -> None:
        """Wait until the program has ended."""
        self.event("terminated")


def timed(debuggee: Debuggee, commands: Sequence[str]) -> list[float]:
    """Return how long the program took to stop after each command [s]."""
    found = []
    for command in commands:
        begin = time.perf_counter()
        debuggee.ask(command, {"threadId": debuggee.thread})
        debuggee.event("stopped")
        found.append(time.perf_counter() - begin)
    return found
