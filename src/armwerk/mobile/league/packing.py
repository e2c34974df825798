"""Protocol buffers by hand: fields by number, from bytes and to bytes.

Only what the league's messages need: whole numbers, 32- and 64-bit floating-point numbers, and what
has a length (texts and messages). See the encoding's description at protobuf.dev.
"""

from __future__ import annotations

import struct
from typing import TypeAlias

from armwerk.errors import DescriptionError

_WHOLE, _EIGHT, _LONG, _FOUR = 0, 1, 2, 5  # kinds of fields
Fields: TypeAlias = dict[int, list[int | float | bytes]]
"""Values by the number of their field, in order; messages within are bytes."""


def unpacked(content: bytes) -> Fields:
    """Return the fields of a message; fields nobody knows are kept as well.

    Raises:
        DescriptionError: When the bytes are no message.
    """
    found: Fields = {}
    place = 0
    while place < len(content):
        key, place = _varint(content, place)
        number, kind = key >> 3, key & 7
        value: int | float | bytes
        if kind == _WHOLE:
            value, place = _varint(content, place)
        elif kind == _EIGHT:
            value, place = _number(content, place, "<d", 8)
        elif kind == _FOUR:
            value, place = _number(content, place, "<f", 4)
        elif kind == _LONG:
            length, place = _varint(content, place)
            if place + length > len(content):
                raise _broken("is cut off")
            value, place = content[place : place + length], place + length
        else:
            raise _broken(f"has a field of unknown kind {kind}")
        if number == 0:
            raise _broken("has a field without number")
        found.setdefault(number, []).append(value)
    return found


def whole(number: int, value: int) -> bytes:
    """Return a field with a whole number of at least 0, or a flag."""
    return _varint_bytes(number << 3 | _WHOLE) + _varint_bytes(value)


def single(number: int, value: float) -> bytes:
    """Return a field with a 32-bit floating-point number."""
    return _varint_bytes(number << 3 | _FOUR) + struct.pack("<f", value)


def double(number: int, value: float) -> bytes:
    """Return a field with a 64-bit floating-point number."""
    return _varint_bytes(number << 3 | _EIGHT) + struct.pack("<d", value)


def inner(number: int, content: bytes) -> bytes:
    """Return a field with a message or the bytes of a text."""
    return _varint_bytes(number << 3 | _LONG) + _varint_bytes(len(content)) + content


def number_of(fields: Fields, number: int, default: float | None = None) -> float | None:
    """Return the last number of a field; what is not there, or is no number, is the default."""
    values = [value for value in fields.get(number, ()) if isinstance(value, int | float)]
    return float(values[-1]) if values else default


def messages_of(fields: Fields, number: int) -> list[Fields]:
    """Return all messages of a field."""
    return [unpacked(value) for value in fields.get(number, ()) if isinstance(value, bytes)]


def message_of(fields: Fields, number: int) -> Fields | None:
    """Return the last message of a field; None: there is none."""
    found = messages_of(fields, number)
    return found[-1] if found else None


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if place >= len(content):
            raise _broken("is cut off")
        if shift > 63:
            raise _broken("has a whole number that is too long")
        byte = content[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def _number(content: bytes, place: int, form: str, size: int) -> tuple[float, int]:
    if place + size > len(content):
        raise _broken("is cut off")
    return float(struct.unpack_from(form, content, place)[0]), place + size


def _varint_bytes(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _broken(problem: str) -> DescriptionError:
    return DescriptionError(problem, element="packet", allowed="a message of the league's protocol")
