"""Messages as JSON and back; what comes from outside is checked field by field.

A message is an object with the name of its class in ``type``; so is what an answer brings. Reading
accepts exactly the fields of that class, with exactly their types: no field too many, no number
that is not finite, no text that is too long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from armwerk.errors import DescriptionError
from armwerk.protocol.commands import Command
from armwerk.protocol.results import Result

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""What JSON can hold."""

LONGEST = 1_000_000  # characters of a text, or of a whole message
MOST = 64  # numbers in a row
LARGEST_WHOLE = 2**53  # beyond it JavaScript's numbers have gaps
_RESULTS = frozenset(get_args(Result))
_COMMANDS: dict[str, type] = {kind.__name__: kind for kind in get_args(Command)}


def encoded(message: object) -> str:
    """Return a message as JSON, with the name of its class in ``type``."""
    plain = to_plain(message)
    assert isinstance(plain, dict)
    return json.dumps(
        {"type": type(message).__name__, **plain}, ensure_ascii=False, separators=(",", ":")
    )


def to_plain(value: object) -> Plain:
    """Return a message, or a part of one, as JSON can hold it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, tuple | list):
        return [to_plain(one) for one in value]
    if is_dataclass(value):
        plain = {one.name: to_plain(getattr(value, one.name)) for one in fields(value)}
        return {"type": type(value).__name__, **plain} if type(value) in _RESULTS else plain
    raise TypeError(f"{type(value).__name__} is no part of a message")


def decoded(text: str) -> tuple[int, Command]:
    """Return the number of a request and its command.

    Args:
        text: JSON: ``{"type": "SetSpeed", "request": 7, "speed": 2}``.

    Raises:
        DescriptionError: For anything that is no command.
    """
    if len(text) > LONGEST:
        raise DescriptionError("too long", element="message", allowed=f"{LONGEST} characters")
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise DescriptionError(f"no JSON: {str(error)[:80]}", element="message") from None
    if not isinstance(data, dict):
        raise DescriptionError("no object", element="message")
    name, request = data.pop("type", None), data.pop("request", 0)
    kind = _COMMANDS.get(name) if isinstance(name, str) else None
    if kind is None:
        shown = name[:40] if isinstance(name, str) else type(name).__name__
        raise DescriptionError("no command", element="type", value=shown)
    number = _read(int, request, "request")
    assert isinstance(number, int)
    command: Command = _object(kind, data, kind.__name__)
    return number, command


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number")


@cache
def hints(kind: type) -> Mapping[str, object]:
    """Return the types of a message's fields by name."""
    return get_type_hints(kind)


def _object(kind: type, data: dict[str, object], where: str) -> Command:
    result: Command = kind(**_fields(kind, data, where))
    return result


def _fields(kind: type, data: dict[str, object], where: str) -> dict[str, object]:
    wanted = hints(kind)
    if data.keys() != wanted.keys():
        raise DescriptionError(
            "wrong fields",
            element=where,
            value=", ".join(sorted(data))[:80],
            allowed=", ".join(wanted) or "none",
        )
    return {name: _read(hint, data[name], f"{where}.{name}") for name, hint in wanted.items()}


def _read(hint: object, value: object, where: str) -> object:
    """Return a value when it is of a type; a whole number will do for a float."""
    origin, choices = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        if value is None and NoneType in choices:
            return None
        (only,) = (choice for choice in choices if choice is not NoneType)
        return _read(only, value, where)
    if origin is Literal and isinstance(value, str) and value in choices:
        return value
    if origin is tuple and isinstance(value, list):
        endless = len(choices) == 2 and choices[1] is Ellipsis
        if len(value) <= MOST if endless else len(value) == len(choices):
            kinds = choices[:1] * len(value) if endless else choices
            return tuple(_read(kind, one, where) for kind, one in zip(kinds, value, strict=True))
    if isinstance(hint, type) and is_dataclass(hint) and isinstance(value, dict):
        made: object = hint(**_fields(hint, value, where))
        return made
    if hint is str and isinstance(value, str) and _is_text(value):
        return value
    if hint is bool and isinstance(value, bool):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        if hint is float and abs(value) < LARGEST_WHOLE:  # neither for inf nor for nan
            return float(value)
        if hint is int and isinstance(value, int) and abs(value) < LARGEST_WHOLE:
            return value
    raise DescriptionError(
        "of another kind", element=where, value=repr(value)[:40], allowed=_said(hint)
    )


_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")  # no part of a text file


def _is_text(value: str) -> bool:
    return _UNWANTED.search(value) is None


def _said(hint: object) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint).replace("typing.", "")
