"""Compiled kernels on disk, found again by what they were made of.

Takes a kernel, gives numba the folder in which its compiled form is kept: one for each content of
the sources it was made of, in the user's cache. A second environment, a clone, a wheel installed
anew find there what the first one compiled, and no file that has changed is ever overlooked,
whatever its date. numba by itself keeps kernels beside each copy of the sources and looks only at
the file a kernel stands in.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from numba import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from armwerk.code_export import exported
from armwerk.kept_library import OfNumba, open_kept
from armwerk.kernel_content import DAY, code_name, content_of, kernel_home, mark_used, stands_alone
from armwerk.native_call import is_possible

KEPT = 60  # [days] what nobody has asked for in that time is removed


class _ByContent(_CacheLocator):  # type: ignore[misc]  # numba tells no types
    """Names the folder and the content a kernel was made of."""

    def __init__(self, function: FunctionType, file: str) -> None:
        self._py_file = file  # numba names it in its warnings
        self._line = function.__code__.co_firstlineno
        self._content = content_of(function, repr((config.BOUNDSCHECK, config.OPT)))

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(kernel_home() / self._content)

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

    keep_code: Callable[[OfNumba], None] = staticmethod(lambda _payload: None)

    def reduce(self, made: OfNumba) -> OfNumba:
        """Return what is kept of a kernel."""
        payload = super().reduce(made)
        self.keep_code(payload)
        return payload

    def rebuild(self, target_context: OfNumba, payload: OfNumba) -> OfNumba:
        """Return the kernel that was kept."""
        self.keep_code(payload)
        return open_kept(target_context, payload)


class KernelCache(FunctionCache):  # type: ignore[misc]  # numba tells no types
    """What numba asks for a compiled kernel before it compiles one."""

    _impl_class = _Kept

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)
        if isinstance(self._impl.locator, _ByContent) and stands_alone(function):
            self._code = Path(self._impl.locator.get_cache_path()) / code_name(function)
            self._impl.keep_code = self._keep_code

    def _keep_code(self, payload: OfNumba) -> None:
        """Keep the machine code of a kernel also for those who run it without numba."""
        if self._code.exists() or not is_possible():  # by numba's switches it is other code
            return
        with suppress(Exception):  # whatever is wrong, others then load numba
            (_, _, (body, bitcode)), function, _, signature, *_ = payload
            code = exported(function, signature, body, bitcode)
            if code is not None:
                with self._cache_file._open_for_write(str(self._code)) as file:
                    file.write(code.packed())

    def is_filled(self) -> bool:
        """Say whether the kernel is kept, for any types."""
        return bool(self._cache_file._load_index())

    def _load_overload(self, *arguments: Any) -> Any:
        try:
            return super()._load_overload(*arguments)
        except Exception:  # a damaged file, whatever is wrong with it: compiled again
            self.flush()
            return None


@cache
def _prepare(folder: Path) -> None:
    """Make a folder, or mark it as used; the first time remove what nobody has used for long."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        _sweep(folder.parent)
    else:
        mark_used(folder)
    tempfile.TemporaryFile(dir=folder).close()


def _sweep(home: Path) -> None:
    for folder in home.iterdir():
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > KEPT * DAY:
                shutil.rmtree(folder, ignore_errors=True)
