"""Generated kernels that Python runs itself, until they are worth compiling.

In goes a generated source, out come its kernels at once: deriving an arm takes tenths of a second,
compiling it takes seconds. A pose costs tenths of a millisecond this way, and the result has the
bits that compiled code gives: every operation is written down in the source, and sums that it fuses
with products are fused here too, by the C library. Many poses at once are compiled for; after many
single ones numba compiles in the background and takes over.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from collections.abc import Callable
from functools import cache
from threading import Lock
from types import ModuleType
from typing import cast

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Integers
from armwerk.compiled import follow
from armwerk.derivation.runtime.compile import (
    Progress,
    kernels_for,
    load_kernels,
    refuse_undefined_names,
    source_key,
)
from armwerk.derivation.runtime.interface import Kernels
from armwerk.kernel import NumbaKernel, WaitingKernel

ENOUGH = 2_000  # poses; interpreting them takes about a second, compiling some five
FEW = 500  # poses of one batch that are not worth compiling for

_log = logging.getLogger(__name__)
_NUMBA = """\
from numba import config, njit, types
from numba.extending import intrinsic
"""
_PLAIN = """\
class config:
    DISABLE_JIT = True


def njit(*signature, **options):
    return signature[0] if signature and callable(signature[0]) else lambda function: function
"""
_C_LIBRARY = {"linux": "libm.so.6", "win32": "ucrtbase"}  # elsewhere Python itself has it loaded
_waiting: dict[str, Kernels] = {}
_making = Lock()


def kernels_at_once(source: str, progress: Progress | None = None) -> tuple[str, Kernels]:
    """Return the key and the kernels of a generated source, compiled if they have been before.

    Where Python cannot round as compiled code does, they are compiled now.

    Raises:
        UnsupportedError: When the source uses a name that it does not define.
    """
    key = source_key(source)
    found = load_kernels(key)
    if found is not None:
        return key, found
    if fused() is None or _NUMBA not in source:
        return kernels_for(source, progress)
    with _making:
        if key not in _waiting:
            refuse_undefined_names(source)
            _waiting[key] = InterpretedKernels(source, lambda: kernels_for(source, progress)[1])
        return key, _waiting[key]


class InterpretedKernels:
    """The kernels of a generated source; see `Kernels`.

    Args:
        source: As `armwerk.derivation.runtime.generate` writes it.
        compiled: Returns the same kernels compiled.
    """

    def __init__(self, source: str, compiled: Callable[[], Kernels]) -> None:
        module = cast(Kernels, interpreted_module(source))
        self.DOF = module.DOF
        self.LEAVES = module.LEAVES
        self.GIVEN = module.GIVEN
        self.ANGLES = module.ANGLES
        self.ACCELERATED: str = getattr(module, "ACCELERATED", "")
        self._module = module
        self._make = compiled
        self.one = cast(Callable[[Array, Array, Array], int], self._kernel("one"))
        self.branches = cast(Callable[[Array, Array, Array], None], self._kernel("branches"))
        follow(self)

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
        if stop - start > FEW:
            kernels = self.compiled()
            if kernels is not self._module:
                kernels.batch(targets, setting, out, counts, care, start, stop)
                return
        for k in range(start, stop):
            count = self.one(targets[k], setting, out[k])
            care[k] = count < 0
            counts[k] = max(count, 0)
            out[k, counts[k] :] = np.nan

    @cache  # noqa: B019 - kernels live as long as the process
    def compiled(self) -> Kernels:
        """Return the compiled kernels; those of Python, and a word about it, where that fails.

        Whatever goes wrong inside numba or LLVM must not keep anybody from the solutions.
        """
        try:
            return self._make()
        except Exception as error:
            problem = str(error).strip().splitlines() or [type(error).__name__]
            _log.warning(
                "the code of a closed form cannot be compiled (%s) and stays slow; please report "
                "the arm",
                problem[0],
            )
            return self._module

    def _kernel(self, name: str) -> WaitingKernel:
        run = _guarded(getattr(self._module, name))

        def compiled() -> NumbaKernel:
            kernels = self.compiled()
            return run if kernels is self._module else cast(NumbaKernel, getattr(kernels, name))

        return WaitingKernel(run, compiled, ENOUGH)


def interpreted_module(source: str) -> ModuleType:
    """Return generated code as a module that Python runs itself."""
    # numpy's root keeps numpy's numbers, which divide by zero as compiled code does
    text = source.replace(_NUMBA, _PLAIN).replace("from math import sqrt", "from numpy import sqrt")
    module = ModuleType("interpreted")
    exec(compile(text, "kernels.py", "exec"), module.__dict__)
    exact = fused()
    if exact is not None:
        vars(module)["fma"] = exact
    return module


@cache
def fused() -> Callable[[float, float, float], float] | None:
    """Return a b + c rounded once, by the C library; None where that has no such function."""
    try:
        function = ctypes.PyDLL(_C_LIBRARY.get(sys.platform)).fma
    except (OSError, AttributeError, TypeError):
        return None
    function.argtypes = [ctypes.c_double] * 3
    function.restype = ctypes.c_double
    number = np.float64

    def fma(a: float, b: float, c: float) -> float:
        return number(function(a, b, c))

    x = 1.0 + 2.0**-30
    return fma if fma(x, x, -(x * x)) == 2.0**-60 else None


def _guarded(function: Callable[[Array, Array, Array], object]) -> NumbaKernel:
    """Return a kernel that takes what compiled code does, and divides by zero in silence."""

    def run(*values: object, **_: object) -> object:
        target, setting, out = values
        if not (
            isinstance(target, np.ndarray)
            and target.shape == (4, 4)
            and target.dtype == np.float64
            and target.flags.c_contiguous
        ):
            raise TypeError("a kernel takes a pose as float64 of shape (4, 4), row by row")
        with np.errstate(all="ignore"):
            return function(target, cast(Array, setting), cast(Array, out))

    return run
