"""How kernels are compiled, in one way for every room: `entry` points and what is `inner` to them.

An entry point has its argument types written down, is compiled when it is first called and kept on
disk; a call either fits or raises ``TypeError``, no other types are compiled for behind the user's
back. `load_waiting` compiles all that have not been called yet. An inner function is compiled where
an entry point calls it. Both keep the types of the function they are given, so that kernels are
checked like any other function. Division by zero gives infinity or nan, as in numpy, and no kernel
holds Python's lock.

numba is loaded when there is something to compile. What an earlier process has compiled runs
without it, see `armwerk.kernel`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from armwerk.kernel import Kernel, NumbaKernel, RecordText, TypeText, any_waits, follow, take_over
from armwerk.native_call import is_possible

if TYPE_CHECKING:
    from armwerk.numba_kernels import Freedom

__all__ = [
    "RecordText",
    "TypeText",
    "entry",
    "follow",
    "inner",
    "is_compiled",
    "load_waiting",
    "use_numba",
]

Function = TypeVar("Function", bound=Callable[..., Any])


def _declared(
    function: Callable[..., object],
    make: Callable[[], NumbaKernel],
    is_entry: bool,
    result: type[tuple[object, ...]] | None = None,
) -> Kernel | NumbaKernel:
    """Return a kernel, by numba if that is loaded already."""
    if "numba" not in sys.modules and is_possible() and isinstance(function, FunctionType):
        return Kernel(function, make, is_entry=is_entry, result=result)
    take_over()
    return make()


def entry(
    *signatures: str | TypeText,
    freedom: frozenset[Freedom] = frozenset(),
    flatten: bool = False,
    **records: RecordText,
) -> Callable[[Function], Function]:
    """Compile a function for these argument types alone, and keep it on disk.

    Args:
        signatures: Types as numba writes them, ``"void(float64[:,::1], float64[::1])"``, or as
            `TypeText` holds them, ``NUMBERS(SCENE, ROWS)``; none: for the types of the first call,
            when that comes.
        freedom: What the compiler may do to sums.
        flatten: Put every inner function into the body.
        records: Types of records under the names that signatures have for them. Written so, and
            not as numba holds them, a module can be imported without numba.
    """

    written = tuple(one.text if isinstance(one, TypeText) else one for one in signatures)
    for one in signatures:
        if isinstance(one, TypeText):
            records |= one.records

    def compile_and_keep(function: Function) -> Function:
        def make() -> NumbaKernel:
            from armwerk.numba_kernels import entry_point

            made: NumbaKernel = entry_point(function, written, freedom, flatten, records)
            return made

        returned = written[0].partition("(")[0] if len(written) == 1 else ""
        result = records[returned].record if returned in records else None
        return cast(Function, _declared(function, make, len(signatures) == 1, result))

    return compile_and_keep


def use_numba() -> None:
    """Load numba, with all that spares it time, and have it run kernels from here on."""
    import_module("armwerk.numba_kernels")
    take_over()


def load_waiting() -> None:
    """Compile, or read from disk, every entry point of the modules that have been imported.

    What must not be held up later calls this first: reading one takes 5 to 30 ms. Where machine
    code of all of them is kept numba is not loaded for that.
    """
    if "armwerk.numba_kernels" not in sys.modules and not any_waits():
        return
    from armwerk.numba_kernels import load_all

    take_over()
    load_all()


def is_compiled(kernel: Callable[..., object]) -> bool:
    """Say whether an entry point has been compiled on this machine, and is ready in no time."""
    if isinstance(kernel, Kernel):
        if kernel.is_ready():
            return True
        return is_compiled(kernel.dispatcher())
    from armwerk.numba_kernels import is_kept

    return is_kept(kernel)


@overload
def inner(function: Function, /) -> Function: ...
@overload
def inner(
    *,
    inline: bool = False,
    freedom: frozenset[Freedom] = frozenset(),
    flatten: bool = False,
    borrows: bool = False,
) -> Callable[[Function], Function]: ...
def inner(
    function: Function | None = None,
    /,
    *,
    inline: bool = False,
    freedom: frozenset[Freedom] = frozenset(),
    flatten: bool = False,
    borrows: bool = False,
) -> Function | Callable[[Function], Function]:
    """Compile a function that only kernels call.

    Args:
        function: The function, when the decorator stands alone.
        inline: Copy its statements into the caller, before types are known.
        freedom: What the compiler may do to sums.
        flatten: Put it into the body of its caller, after types are known.
        borrows: It makes no array, asks nobody for a new one and returns none but those it was
            given. Then nobody counts who holds its arrays, and a function that is handed a record
            of a hundred of them compiles in a fraction of the time. numba refuses one that makes
            arrays all the same.
    """

    def compile_inside(function: Function) -> Function:
        def make() -> NumbaKernel:
            from armwerk.numba_kernels import inner_function

            made: NumbaKernel = inner_function(
                function, inline=inline, freedom=freedom, flatten=flatten, borrows=borrows
            )
            return made

        return cast(Function, _declared(function, make, False))

    return compile_inside if function is None else compile_inside(function)
