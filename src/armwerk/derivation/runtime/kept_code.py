"""Generated kernels as machine code: kept beside their source, run without numba.

In goes the folder of an entry of the cache, out come the kernels of an arm. What numba has compiled
is written down when the entry is made; a process that only asks for some poses runs that.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import cast

from armwerk.compiled import follow
from armwerk.derivation.runtime.interface import Kernels
from armwerk.kernel import NumbaKernel, WaitingKernel
from armwerk.machine_code import unpacked
from armwerk.native_call import is_possible, linked

_NAMES = ("one", "branches", "batch")
_CONSTANTS = "constants.json"


class KeptKernels:
    """The kernels of an arm; see `Kernels`.

    Args:
        folder: Of the entry.
        load: Returns the same kernels by numba.

    Raises:
        OSError: Where no machine code is kept.
        ValueError: Where it is damaged.
        RuntimeError: Where LLVM cannot link it.
    """

    def __init__(self, folder: Path, load: Callable[[], Kernels]) -> None:
        constants = json.loads((folder / _CONSTANTS).read_text(encoding="utf-8"))
        self.DOF = int(constants["DOF"])
        self.LEAVES = int(constants["LEAVES"])
        self.GIVEN = tuple(int(joint) for joint in constants["GIVEN"])
        self.ANGLES = tuple(tuple(int(sign) for sign in signs) for signs in constants["ANGLES"])
        self._load = once = cache(load)
        self.one, self.branches, self.batch = (_kernel(folder, name, once) for name in _NAMES)
        follow(self)

    @property
    def ACCELERATED(self) -> str:
        """The text for an accelerator, from beside the source."""
        return self._load().ACCELERATED


def _kernel(folder: Path, name: str, load: Callable[[], Kernels]) -> WaitingKernel:
    code = unpacked((folder / f"{name}.code").read_bytes())
    return WaitingKernel(linked(code), lambda: cast(NumbaKernel, getattr(load(), name)))


def keep_code(folder: Path, kernels: Kernels) -> None:
    """Write down what numba has compiled, into the folder of an entry."""
    from armwerk.code_export import exported_kernel

    if not is_possible() or not all(hasattr(kernels, name) for name in _NAMES):
        return  # code that others must not run, or another kind of generated module
    for name in _NAMES:
        code = exported_kernel(getattr(kernels, name))
        if code is None:
            return
        (folder / f"{name}.code").write_bytes(code.packed())
    constants = {name: getattr(kernels, name) for name in ("DOF", "LEAVES", "GIVEN", "ANGLES")}
    (folder / _CONSTANTS).write_text(json.dumps(constants), encoding="utf-8")
