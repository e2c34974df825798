"""Machine code of a kernel as it is kept beside what numba keeps: to be run without numba.

In goes what numba has compiled, out comes a text of bytes that says how the code is called, and
back. To load numba takes half a second; who asks for one answer in a new process does not want to
wait for a compiler that has nothing to compile.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeAlias

Scalar: TypeAlias = Literal["none", "int64", "float64", "bool"]
_SCALARS: dict[object, Scalar] = {
    "none": "none",
    "int64": "int64",
    "float64": "float64",
    "bool": "bool",
}
_FORM = 1  # of the text; another number is another form


@dataclass(frozen=True, slots=True)
class ArrayKind:
    """An array in C order.

    Args:
        element: Name of its type, as numpy has it.
        axes: Number of axes.
    """

    element: str
    axes: int


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A tuple.

    Args:
        fields: What it holds.
    """

    fields: tuple[Kind, ...]


Kind: TypeAlias = Scalar | ArrayKind | RecordKind


@dataclass(frozen=True, slots=True)
class MachineCode:
    """A compiled function, and how it is called.

    Args:
        symbol: Its name in the object file.
        arguments: What it takes.
        result: What it returns.
        needs: Names that the object file expects elsewhere.
        body: The object file.
        record: Name of the named tuple that it returns; empty: something else.
    """

    symbol: str
    arguments: tuple[Kind, ...]
    result: Kind
    needs: tuple[str, ...]
    body: bytes
    record: str = ""

    def packed(self) -> bytes:
        """Return all of it as bytes."""
        head = {
            "form": _FORM,
            "symbol": self.symbol,
            "arguments": [_written(kind) for kind in self.arguments],
            "result": _written(self.result),
            "needs": list(self.needs),
            "record": self.record,
            "digest": hashlib.sha256(self.body).hexdigest(),
        }
        return json.dumps(head).encode() + b"\n" + self.body


def unpacked(content: bytes) -> MachineCode:
    """Return the code of what `MachineCode.packed` wrote.

    Raises:
        ValueError: For bytes that are damaged or of another form.
    """
    line, _, body = content.partition(b"\n")
    head = json.loads(line)
    if not isinstance(head, dict) or head.get("form") != _FORM:
        raise ValueError("kept machine code has another form")
    if head.get("digest") != hashlib.sha256(body).hexdigest():
        raise ValueError("kept machine code is damaged")
    return MachineCode(
        symbol=str(head["symbol"]),
        arguments=tuple(_read(kind) for kind in head["arguments"]),
        result=_read(head["result"]),
        needs=tuple(str(name) for name in head["needs"]),
        body=body,
        record=str(head.get("record", "")),
    )


def _written(kind: Kind) -> object:
    if isinstance(kind, ArrayKind):
        return {"array": kind.element, "axes": kind.axes}
    if isinstance(kind, RecordKind):
        return [_written(field) for field in kind.fields]
    return kind


def _read(written: object) -> Kind:
    if isinstance(written, dict):
        return ArrayKind(str(written["array"]), int(written["axes"]))
    if isinstance(written, list):
        return RecordKind(tuple(_read(field) for field in written))
    return _SCALARS[written]


@cache
def machine() -> str:
    """Return what compiled code depends on besides its source."""
    from llvmlite import __version__, binding  # type: ignore[import-untyped]

    features = hashlib.sha256(binding.get_host_cpu_features().flatten().encode()).hexdigest()[:16]
    python = ".".join(str(part) for part in sys.version_info[:3])
    return (
        f"{python} numba {_numba_version()} llvmlite {__version__} "
        f"{binding.get_process_triple()} {binding.get_host_cpu_name()} {features}"
    )


def _numba_version() -> str:
    """Return the version of numba, which is not loaded for that."""
    loaded = sys.modules.get("numba")
    known = getattr(loaded, "__version__", None)
    if known is not None:
        return str(known)
    place = find_spec("numba")
    if place is not None and place.origin is not None:
        text = (Path(place.origin).parent / "_version.py").read_text(encoding="utf-8")
        found = re.search(r'"version": "([^"]+)"', text)
        if found:
            return found[1]
    from importlib.metadata import version

    return version("numba")
