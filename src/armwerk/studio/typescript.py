"""The messages of the studio as TypeScript, so that page and server cannot disagree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

from armwerk.protocol.commands import Command
from armwerk.protocol.replies import Message
from armwerk.protocol.results import Result
from armwerk.protocol.standing import StandaloneScene

HEAD = """// Made by `make page` from armwerk.protocol; edit the classes there.

/** A command as it is sent: with a number that comes back in its answer. */
export type Numbered<T> = T & { request: number };
"""

_ALONE = (StandaloneScene,)
"""What is no message, and read by the page all the same."""
_UNIONS: dict[str, object] = {"Message": Message, "Command": Command, "Result": Result}


def typescript() -> str:
    """Return the types of all messages and commands."""
    known: dict[str, type] = {}
    unions = {name: get_args(union) for name, union in _UNIONS.items()}
    kinds = [kind for union in unions.values() for kind in union]
    for kind in (*kinds, *_ALONE):
        _collect(kind, known)
    parts = [HEAD]
    tagged = {kind.__name__ for kind in (*kinds, *_ALONE)}
    parts += [_interface(kind, name in tagged) for name, kind in known.items()]
    for title, union in unions.items():
        rows = "".join(f"\n  | {kind.__name__}" for kind in union)
        parts.append(f"export type {title} ={rows};\n")
    return "\n".join(parts)


def _collect(kind: type, known: dict[str, type]) -> None:
    for hint in get_type_hints(kind).values():
        for inner in _classes(hint):
            if inner.__name__ not in known:
                _collect(inner, known)
    known.setdefault(kind.__name__, kind)


def _classes(hint: object) -> Iterator[type]:
    if isinstance(hint, type) and is_dataclass(hint):
        yield hint
    for inner in get_args(hint):
        yield from _classes(inner)


def _interface(kind: type, tagged: bool) -> str:
    assert is_dataclass(kind)
    hints = get_type_hints(kind)
    first = (kind.__doc__ or "").strip().splitlines()[0]
    lines = [f"/** {first} */", f"export interface {kind.__name__} {{"]
    if tagged:
        lines.append(f'  type: "{kind.__name__}";')
    lines += [f"  {field.name}: {_type(hints[field.name])};" for field in fields(kind)]
    return "\n".join([*lines, "}", ""])


def _type(hint: object) -> str:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        return " | ".join(_type(one) for one in inner)
    if origin is Literal:
        return " | ".join(f'"{word}"' for word in inner)
    if origin is tuple:
        if len(inner) == 2 and inner[1] is Ellipsis:
            return f"{_type(inner[0])}[]"
        return f"[{', '.join(_type(one) for one in inner)}]"
    if isinstance(hint, type):
        plain = {bool: "boolean", int: "number", float: "number", str: "string", NoneType: "null"}
        return plain.get(hint, hint.__name__)
    raise TypeError(f"{hint!r} has no type in TypeScript")
