"""How kernels are compiled, in one way for every room: `entry` points and what is `inner` to them.

An entry point has its argument types written down, is compiled when it is first called and kept on
disk; a call either fits or raises ``TypeError``, no other types are compiled for behind the user's
back. `load_waiting` compiles all that have not been called yet. An inner function is compiled where
an entry point calls it. Both keep the types of the function they are given, so that kernels are
checked like any other function. Division by zero gives infinity or nan, as in numpy, and no kernel
holds Python's lock.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias, TypeVar, cast, overload

from numba import config, njit, types
from numba.core import event

from armwerk.compiling import NOTICE
from armwerk.inner_library import InnerCompiler
from armwerk.kernel_cache import KernelCache

Function = TypeVar("Function", bound=Callable[..., Any])
Freedom: TypeAlias = Literal["contract", "nsz"]
"""What the compiler may do to sums: fuse a product into them, forget the sign of zero."""

Signature: TypeAlias = Any  # a text, or numba's own object: numba tells no types
Record = TypeVar("Record", bound=tuple[Any, ...])

_BLAS = "scipy.linalg.cython_blas"
_LOADING = threading.RLock()
_waiting: list[Callable[[], None]] = []  # what loads entry points that have not been called yet
_ALWAYS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


class _Compilations(event.Listener):  # type: ignore[misc]  # numba tells no types
    """Hears from numba when it compiles for armwerk."""

    def __init__(self) -> None:
        self._depth = 0

    def on_start(self, event: Any) -> None:
        """Tell of the outermost kernel."""
        if _is_ours(event):
            self._depth += 1
            if self._depth == 1:
                NOTICE.begin()

    def on_end(self, event: Any) -> None:
        """Tell of its end."""
        if _is_ours(event):
            self._depth -= 1
            if self._depth == 0:
                NOTICE.end()


def _is_ours(event: Any) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).startswith("armwerk")


event.register("numba:compile", _Compilations())


def _spare_scipy() -> None:
    """Have numba believe for a moment that scipy is loaded, which it takes 0.3 s to find out.

    numba asks once, when its functions of arrays are loaded, whether there is a BLAS. A kernel that
    needs one asks again when it is compiled, and then scipy is loaded.
    """
    if _BLAS in sys.modules or find_spec("scipy") is None:
        return
    sys.modules[_BLAS] = ModuleType(_BLAS)
    try:
        import_module("numba.np.arraymath")
    finally:
        del sys.modules[_BLAS]


_spare_scipy()


def entry(
    *signatures: Signature, freedom: frozenset[Freedom] = frozenset(), flatten: bool = False
) -> Callable[[Function], Function]:
    """Compile a function for these argument types alone, and keep it on disk.

    Args:
        signatures: Types as numba writes them, ``"void(float64[:,::1], float64[::1])"``, or as
            it holds them, ``types.void(SCENE, types.float64[::1])``, see `record_type`; none: for
            the types of the first call, when that comes.
        freedom: What the compiler may do to sums.
        flatten: Put every inner function into the body.
    """

    def compile_and_keep(function: Function) -> Function:
        options = _options(freedom, flatten)
        compiled = njit(**options)(function)
        if compiled is function:  # NUMBA_DISABLE_JIT: kernels run as Python, to be looked into
            return function
        compiled._cache = KernelCache(function)
        if signatures:
            _load_when_called(compiled, signatures)
        return cast(Function, compiled)

    return compile_and_keep


def _load_when_called(kernel: Any, signatures: tuple[Signature, ...]) -> None:
    """Have a kernel compiled, or read from disk, when it is first called, for these types alone.

    numba asks a dispatcher's `_compile_for_args` when a call fits nothing that is compiled, and
    `get_call_template` when another kernel calls it; both are asked through this object.
    """
    template = kernel.get_call_template

    def load() -> None:
        with _LOADING:
            if load in _waiting:
                for signature in signatures:
                    kernel.compile(signature)
                kernel.disable_compile()
                _waiting.remove(load)

    def called(*_arguments: object, **_named: object) -> object:
        load()
        return kernel  # which numba then calls with these arguments

    def called_inside(*arguments: object, **named: object) -> object:
        load()
        return template(*arguments, **named)

    kernel._compile_for_args = called
    kernel.get_call_template = called_inside
    _waiting.append(load)


def load_waiting() -> None:
    """Compile, or read from disk, every entry point of the modules that have been imported.

    What must not be held up later calls this first: reading one takes 5 to 30 ms.
    """
    for load in tuple(_waiting):
        load()


def is_compiled(kernel: Callable[..., object]) -> bool:
    """Say whether an entry point has been compiled on this machine, and is ready in no time."""
    kept = getattr(kernel, "_cache", None)
    return kept.is_filled() if isinstance(kept, KernelCache) else True


def record_type(record: type[Record], *fields: Signature) -> Signature:
    """Return the type that numba gives to a named tuple whose fields have these types."""
    return types.BaseTuple.from_types(fields, record)


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
        options = _options(freedom, flatten)
        if inline:
            options["inline"] = "always"
        options["_nrt"] = not borrows  # said in either case, or it is as in the caller
        unwrapped = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
        compiled = njit(pipeline_class=InnerCompiler, **unwrapped)(function)
        if compiled is not function:
            _spare_wrappers(compiled, options)
        return cast(Function, compiled)

    return compile_inside if function is None else compile_inside(function)


def _spare_wrappers(kernel: Any, options: dict[str, Any]) -> None:
    """Compile what unpacks Python's objects only for a call from Python, as tests make them.

    For a record of a hundred arrays it takes ten times as long to compile as a small function.
    What kernels have compiled is kept from numba's table of what Python can call.
    """

    @cache
    def plain() -> Any:
        return njit(**options)(kernel.py_func)

    kernel._insert = lambda *_arguments, **_named: None
    kernel._compile_for_args = lambda *_arguments, **_named: plain()


def _options(freedom: frozenset[Freedom], flatten: bool) -> dict[str, Any]:
    options = dict(_ALWAYS)
    if freedom:
        options["fastmath"] = set(freedom)
    if flatten and not config.BOUNDSCHECK:  # flattened and checked, kernels compile for minutes
        options["forceinline"] = True
    return options


def _find_a_place(folder: Path) -> None:
    """Let numba keep its results in a temporary folder when it can write nowhere else.

    Without a place to write it refuses to compile at all.
    """
    with suppress(OSError, RuntimeError):
        places = (folder / "__pycache__", folder, Path.home() / ".cache", Path.home())
        if "NUMBA_CACHE_DIR" in os.environ or any(os.access(place, os.W_OK) for place in places):
            return
    os.environ.setdefault("NUMBA_CACHE_DIR", tempfile.mkdtemp(prefix="armwerk-numba-"))


_find_a_place(Path(__file__).parent)
