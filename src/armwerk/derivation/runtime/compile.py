"""Compiles generated source with numba, or loads what was compiled before."""

from __future__ import annotations

import importlib.util
import logging
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Integers
from armwerk.derivation.runtime.cache import SOURCE, digest, find_entry, new_entry

Progress = Callable[[str], None]
_log = logging.getLogger(__name__)


class Kernels(Protocol):
    """The functions of a generated module; see `armwerk.derivation.runtime.generate`."""

    DOF: int
    LEAVES: int
    GIVEN: tuple[int, ...]

    def branches(self, target: Array, setting: Array, out: Array) -> None:
        """Fill every branch of one pose."""

    def one(self, target: Array, setting: Array, found: Array) -> int:
        """Fill the solutions of one pose; return their number, -1 for a pose that needs care."""

    def batch(
        self,
        targets: Array,
        setting: Array,
        out: Array,
        counts: Integers,
        care: NDArray[np.uint8],
        start: int,
        stop: int,
    ) -> None:
        """Fill the solutions of poses start to stop, their numbers, and which need care."""


def machine() -> str:
    """Return what compiled code depends on besides its source."""
    import numba
    from llvmlite import binding  # type: ignore[import-untyped]

    cpu = binding.get_host_cpu_name()
    return f"{platform.python_version()} numba {numba.__version__} {cpu} {platform.machine()}"


def kernels_for(source: str, progress: Progress | None = None) -> tuple[str, Kernels]:
    """Return the key and the kernels of a generated source, compiled now or earlier."""
    key = digest(source, machine())
    found = load_kernels(key)
    if found is not None:
        return key, found
    tell(progress, "compiling the inverse kinematics")
    with new_entry(key) as folder:
        (folder / SOURCE).write_text(source, encoding="utf-8")
        try:
            kernels = _module(key, folder)
        except RuntimeError as error:
            # Ctrl-C within a call that LLVM makes back to Python is lost there; what is
            # seen of it is that a function was not compiled
            if "no compiled object" in str(error):
                raise KeyboardInterrupt from error
            raise
    return key, kernels


def load_kernels(key: str) -> Kernels | None:
    """Return the kernels of an entry of the cache; None when it is not there or damaged."""
    folder = find_entry(key)
    if folder is None:
        return None
    try:
        return _module(key, folder)
    except Exception:  # whatever is wrong with it, it can be made again
        _log.warning("generated code %s in the cache is damaged; making it again", key)
        return None


def _module(key: str, folder: Path) -> Kernels:
    name = f"armwerk_closed_form_{key}"
    spec = importlib.util.spec_from_file_location(name, folder / SOURCE)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {folder / SOURCE}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    finally:
        sys.dont_write_bytecode = keep
    return cast(Kernels, module)


def tell(progress: Progress | None, text: str) -> None:
    """Say what takes long, to the log and to whoever asked."""
    _log.info(text)
    if progress is not None:
        progress(text)
