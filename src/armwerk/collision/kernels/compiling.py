"""How kernels are compiled: `inner` ones where they are called, `entry` points once and for all.

What many kernels call, and is large, is an entry point too: it is then compiled once, not once in
every process that compiles one of its callers. Both keep the types of what they are given, so that
kernels are checked like any other function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

from numba import njit
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]  # float64; of numbers and tables int64, of answers bool

Function = TypeVar("Function", bound=Callable[..., Any])


def inner(function: Function) -> Function:
    """Compile a function that only kernels call."""
    return cast(Function, njit(nogil=True, error_model="numpy")(function))


def entry(signature: str) -> Callable[[Function], Function]:
    """Compile a function for these argument types alone, and keep it on disk."""

    def compiled(function: Function) -> Function:
        return cast(
            Function, njit(signature, nogil=True, error_model="numpy", cache=True)(function)
        )

    return compiled
