"""Compiled kernels on disk, found again by what they were made of.

Takes a kernel, gives numba the folder in which its compiled form is kept: one for each content of
the sources it was made of, in the user's cache. A second environment, a clone, a wheel installed
anew find there what the first one compiled, and no file that has changed is ever overlooked,
whatever its date. numba by itself keeps kernels beside each copy of the sources and looks only at
the file a kernel stands in.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from armwerk.caching import cache_folder
from armwerk.kept_library import OfNumba, open_kept

KEPT = 60  # [days] what nobody has asked for in that time is removed
_DAY = 86400.0  # [s]
_FIXED = (bool, int, float, complex, str, tuple, np.generic)  # what is compiled into a kernel


class _ByContent(_CacheLocator):  # type: ignore[misc]  # numba tells no types
    """Names the folder and the content a kernel was made of."""

    def __init__(self, function: FunctionType, file: str) -> None:
        self._py_file = file  # numba names it in its warnings
        self._line = function.__code__.co_firstlineno
        self._content = content_of(function)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(_home() / self._content)

    def get_source_stamp(self) -> str:
        """Return what must be equal for a kept kernel to be taken."""
        return self._content

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name apart."""
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: FunctionType, py_file: str) -> _ByContent | None:
        """Return the place of a kernel, or None where its sources cannot be read."""
        try:
            found = cls(py_func, py_file)
            _prepare(Path(found.get_cache_path()))
        except (OSError, RuntimeError):
            return None
        return found


class _Kept(CompileResultCacheImpl):  # type: ignore[misc]  # numba tells no types
    _locator_classes = [_ByContent, *CompileResultCacheImpl._locator_classes]  # noqa: RUF012

    def rebuild(self, target_context: OfNumba, payload: OfNumba) -> OfNumba:
        """Return the kernel that was kept."""
        return open_kept(target_context, payload)


class KernelCache(FunctionCache):  # type: ignore[misc]  # numba tells no types
    """What numba asks for a compiled kernel before it compiles one."""

    _impl_class = _Kept

    def is_filled(self) -> bool:
        """Say whether the kernel is kept, for any types."""
        return bool(self._cache_file._load_index())

    def _load_overload(self, *arguments: Any) -> Any:
        try:
            return super()._load_overload(*arguments)
        except Exception:  # a damaged file, whatever is wrong with it: compiled again
            self.flush()
            return None


def content_of(function: FunctionType) -> str:
    """Return a key that changes with anything that a kernel and what it calls are made of.

    That is every source in their folders, and the constants they use from elsewhere.
    """
    made_of = hashlib.sha256(repr((config.BOUNDSCHECK, config.OPT)).encode())
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


def _home() -> Path:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(chosen) if chosen else cache_folder()) / "kernels"


@cache
def _prepare(folder: Path) -> None:
    """Make a folder, or mark it as used; the first time remove what nobody has used for long."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        _sweep(folder.parent)
    elif time.time() - folder.stat().st_mtime > _DAY:
        os.utime(folder)
    tempfile.TemporaryFile(dir=folder).close()


def _sweep(home: Path) -> None:
    for folder in home.iterdir():
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > KEPT * _DAY:
                shutil.rmtree(folder, ignore_errors=True)
