"""What a kernel is made of, as a key, and where its compiled form is kept under that key.

In goes a kernel in Python, out comes a key that changes with every source, constant and kernel that
it is made of. numba is not needed for that.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np

from armwerk.caching import cache_folder
from armwerk.machine_code import machine

DAY = 86400.0  # [s]
USUAL = "(None, _OptLevel(3))"  # numba's switches when nobody has set one
_FIXED = (bool, int, float, complex, str, tuple, np.generic)  # what is compiled into a kernel


def content_of(function: FunctionType, switches: str = USUAL) -> str:
    """Return a key that changes with anything that a kernel and what it calls are made of.

    That is every source in their folders, and the constants they use from elsewhere.

    Args:
        function: The kernel, in Python.
        switches: Of numba that change what it compiles.
    """
    made_of = hashlib.sha256(switches.encode())
    reached = sorted(_reached(function), key=lambda one: (one.__module__, one.__qualname__))
    for folder in sorted({os.path.dirname(one.__code__.co_filename) for one in reached}):
        made_of.update(_sources(folder))
    for one in reached:
        made_of.update(_constants(one))
    return made_of.hexdigest()[:32]


@cache
def _constants(function: FunctionType) -> bytes:
    """Return the name of a function and what it takes from its module that is no function."""
    found = [function.__qualname__.encode()]
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, np.ndarray):
            found += name.encode(), value.tobytes()
        elif isinstance(value, _FIXED):
            found.append(f"{name}={value!r}".encode())
    return b"\0".join(found)


def _reached(function: FunctionType) -> set[FunctionType]:
    """Return a kernel and all kernels it calls, directly or through others."""
    found: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _called(one)
    return found


@cache
def _called(function: FunctionType) -> tuple[FunctionType, ...]:
    found: list[FunctionType] = []
    names = function.__code__.co_names
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            for attribute in names:
                found += _python(getattr(value, attribute, None))
        else:
            found += _python(value)
    return tuple(found)


def _python(value: object) -> Iterator[FunctionType]:
    function = getattr(value, "py_func", None)
    if isinstance(function, FunctionType):
        yield function


@cache
def _sources(folder: str) -> bytes:
    """Return a key of the sources of a folder."""
    sources = hashlib.sha256()
    for source in sorted(Path(folder).glob("*.py")):
        sources.update(source.name.encode() + b"\0" + source.read_bytes())
    return sources.digest()


def kernel_home() -> Path:
    """Return the folder in which compiled kernels are kept."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(chosen) if chosen else cache_folder()) / "kernels"


def mark_used(folder: Path) -> None:
    """Note that somebody has asked for a kernel, once a day."""
    if time.time() - folder.stat().st_mtime > DAY:
        os.utime(folder)


def stands_alone(function: FunctionType) -> bool:
    """Say whether `content_of` knows all that a kernel is made of: files, and no outer function."""
    return function.__closure__ is None and os.path.isfile(function.__code__.co_filename)


def code_name(function: FunctionType) -> str:
    """Return the name of the file with the machine code of a kernel, for this machine."""
    code = function.__code__
    made_of = (machine(), code.co_code, code.co_consts, code.co_names)
    key = hashlib.sha256(repr(made_of).encode()).hexdigest()[:16]
    return f"{function.__name__}-{code.co_firstlineno}.{key}.code"
