"""A small editor: it starts a server and speaks the protocol with it through pipes."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
PATIENCE = 120.0  # [s]


def write_message(stream: IO[bytes], message: Json) -> None:
    """Write one message with its head."""
    data = json.dumps(message).encode("utf-8")
    stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
    stream.flush()


def read_message(stream: IO[bytes]) -> Json:
    """Read one message; None: there are no more."""
    length = 0
    while line := stream.readline():
        if line in (b"\r\n", b"\n"):
            break
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    if not length:
        return None
    found: Json = json.loads(stream.read(length))
    return found


def inside(value: Json, *path: str | int) -> Json:
    """Return a part of a message."""
    for step in path:
        if isinstance(step, int):
            value = rows(value)[step]
        else:
            assert isinstance(value, dict), value
            value = value[step]
    return value


def rows(value: Json) -> list[Json]:
    """Return a list of a message."""
    assert isinstance(value, list), value
    return value


def text_of(value: Json, *path: str | int) -> str:
    """Return a text of a message."""
    found = inside(value, *path)
    assert isinstance(found, str), found
    return found


class Piped:
    """A program that speaks messages through its pipes.

    Args:
        arguments: Of ``armwerk``.
        folder: Where it runs.
    """

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        with (folder / "stderr.txt").open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "armwerk", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=folder,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin, self.process.stdout
        self._number = 0
        self.messages: list[Json] = []
        self._arrived: queue.Queue[Json] = queue.Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while (message := read_message(self._out)) is not None:
            self._arrived.put(message)
        self._arrived.put(None)

    def number(self) -> int:
        """Return a new number for a message."""
        self._number += 1
        return self._number

    def send(self, message: Json) -> None:
        """Send a message."""
        write_message(self._in, message)

    def next(self, patience: float = PATIENCE) -> Json:
        """Return the next message; it is kept too."""
        message = self._arrived.get(timeout=patience)
        assert message is not None, "the server has ended"
        self.messages.append(message)
        return message

    def end(self) -> int:
        """Wait until the program has ended, and return how."""
        self._in.close()
        code = self.process.wait(timeout=PATIENCE)
        self._thread.join(timeout=PATIENCE)
        self._out.close()
        return code

    def kill(self) -> None:
        """End the program at once."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=PATIENCE)
        self._thread.join(timeout=PATIENCE)
        self._in.close()
        self._out.close()


class Editor:
    """An editor with a language server.

    Args:
        folder: In which files lie.
        arguments: More of the command line.
        options: Given when the server starts.
    """

    def __init__(self, folder: Path, arguments: Sequence[str] = (), options: Json = None) -> None:
        self.folder = folder
        self.piped = Piped(["language-server", *arguments], folder)
        self.versions: dict[str, int] = {}
        self.problems: dict[str, list[Json]] = {}
        self.waits: list[float] = []
        """How long each answer took [s]."""
        snippets: Json = {"completionItem": {"snippetSupport": True}}
        self.capabilities = inside(
            self.ask(
                "initialize",
                {
                    "processId": None,
                    "rootUri": folder.as_uri(),
                    "capabilities": {"textDocument": {"completion": snippets}},
                    "initializationOptions": options,
                },
            ),
            "capabilities",
        )
        self.tell("initialized", {})

    def __enter__(self) -> Editor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.piped.kill()
            return
        self.ask("shutdown", None)
        self.tell("exit", None)
        assert self.piped.end() == 0
        assert "Traceback" not in (self.folder / "stderr.txt").read_text(encoding="utf-8")

    def uri(self, name: str) -> str:
        """Return the address of a file."""
        return (self.folder / name).as_uri()

    def tell(self, method: str, params: Json) -> None:
        """Send a notice."""
        self.piped.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Json) -> Json:
        """Ask, and return the whole answer; what is told meanwhile is kept."""
        number = self.piped.number()
        begin = time.perf_counter()
        self.piped.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            message = self.piped.next()
            self._note(message)
            if isinstance(message, dict) and message.get("id") == number:
                self.waits.append(time.perf_counter() - begin)
                return message

    def ask(self, method: str, params: Json) -> Json:
        """Ask, and return the result."""
        message = self.request(method, params)
        assert isinstance(message, dict)
        assert "error" not in message, message
        return message["result"]

    def _note(self, message: Json) -> None:
        if isinstance(message, dict) and message.get("method") == "textDocument/publishDiagnostics":
            uri = text_of(message, "params", "uri")
            params = inside(message, "params")
            assert isinstance(params, dict)
            version = params.get("version")
            if version is None or version == self.versions.get(uri):
                self.problems[uri] = rows(params["diagnostics"])

    def open(self, name: str, text: str) -> list[Json]:
        """Open a text, and return its problems."""
        self.versions[self.uri(name)] = 1
        self.problems.pop(self.uri(name), None)
        self.tell(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": self.uri(name),
                    "languageId": "irl",
                    "version": 1,
                    "text": text,
                }
            },
        )
        return self.told(name)

    def told(self, name: str) -> list[Json]:
        """Return the problems of a text, once they are told."""
        while self.uri(name) not in self.problems:
            self._note(self.piped.next())
        return self.problems[self.uri(name)]

    def wait_for(self, name: str, word: str) -> list[Json]:
        """Return the problems of a text, once one of them holds a word."""
        while not any(word in text_of(one, "message") for one in self.told(name)):
            self._note(self.piped.next())
        return self.problems[self.uri(name)]

    def change(self, name: str, start: tuple[int, int], end: tuple[int, int], new: str) -> None:
        """Replace letters between two places (line, UTF-16 column)."""
        self.versions[self.uri(name)] += 1
        self.problems.pop(self.uri(name), None)
        where: Json = {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        }
        self.tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri(name), "version": self.versions[self.uri(name)]},
                "contentChanges": [{"range": where, "text": new}],
            },
        )

    def replace(self, name: str, text: str) -> list[Json]:
        """Replace a whole text, and return its problems."""
        self.versions[self.uri(name)] += 1
        self.problems.pop(self.uri(name), None)
        self.tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri(name), "version": self.versions[self.uri(name)]},
                "contentChanges": [{"text": text}],
            },
        )
        return self.told(name)

    def at(self, name: str, line: int, column: int, **more: Json) -> Json:
        """Return the parameters of a question about a place."""
        return {
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": line, "character": column},
            **more,
        }

    def whole(self, name: str, **more: Json) -> Json:
        """Return the parameters of a question about a text."""
        return {"textDocument": {"uri": self.uri(name)}, **more}
