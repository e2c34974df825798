"""Messages of the Debug Adapter Protocol: JSON with a head that tells its length."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import BinaryIO, TypeAlias

from armwerk.errors import DescriptionError

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
LONGEST = 64 * 1024 * 1024  # [bytes] more is no message
_HEAD = 4096  # [bytes] of a line of the head, at most


def read_message(stream: BinaryIO) -> dict[str, Json] | None:
    """Return the next message; None: there are no more.

    Raises:
        DescriptionError: When it is no message.
    """
    length = -1
    while True:
        line = stream.readline(_HEAD)
        if not line:
            return None
        if not line.strip():
            break
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
    if not 0 <= length <= LONGEST:
        raise DescriptionError("a message without its length", allowed="Content-Length: 123")
    data = stream.read(length)
    if len(data) < length:
        return None
    try:
        message = json.loads(data)
    except ValueError as error:
        raise DescriptionError(f"a message that is no JSON: {error}") from None
    if not isinstance(message, dict):
        raise DescriptionError("a message that is no object", allowed="{…}")
    return message


class MessageWriter:
    """Writes messages, from any thread.

    Args:
        stream: Where to.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._number = 0

    def send(self, message: Mapping[str, Json]) -> None:
        """Write a message with the next number; nobody may be listening any more."""
        with self._lock:
            self._number += 1
            data = json.dumps({"seq": self._number, **message}, allow_nan=False).encode("utf-8")
            try:
                self._stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
                self._stream.flush()
            except (OSError, ValueError):
                return


def text_in(given: Mapping[str, Json], name: str, otherwise: str = "") -> str:
    """Return a text of a message, or another where there is none."""
    value = given.get(name)
    return value if isinstance(value, str) else otherwise


def number_in(given: Mapping[str, Json], name: str, otherwise: int = 0) -> int:
    """Return a number of a message, or another where there is none."""
    value = given.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise


def objects_in(given: Mapping[str, Json], name: str) -> list[dict[str, Json]]:
    """Return the objects of a list in a message."""
    value = given.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def texts_in(given: Mapping[str, Json], name: str) -> list[str]:
    """Return the texts of a list in a message; one text is a list of one."""
    value = given.get(name)
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
