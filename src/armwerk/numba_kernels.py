"""Kernels in numba: entry points that are compiled when they are called, and what is inner to them.

`armwerk.compiled` has the words that kernels are declared with; here is what these do once numba is
loaded.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Literal, TypeAlias

from armwerk import lean_numba  # noqa: F401 - it loads numba

# isort: split
from numba import config, njit, types
from numba.core import event
from numba.extending import typeof_impl

from armwerk.compiling import NOTICE
from armwerk.inner_library import InnerCompiler
from armwerk.kept_library import OfNumba
from armwerk.kernel import Kernel, RecordText
from armwerk.kernel_cache import KernelCache

Freedom: TypeAlias = Literal["contract", "nsz"]
"""What the compiler may do to sums: fuse a product into them, forget the sign of zero."""

_BLAS = "scipy.linalg.cython_blas"
_LOADING = threading.RLock()
_waiting: list[Callable[[], None]] = []  # what loads entry points that have not been called yet
_ALWAYS: dict[str, OfNumba] = {"nogil": True, "error_model": "numpy"}


class _Compilations(event.Listener):  # type: ignore[misc]  # numba tells no types
    """Hears from numba when it compiles for armwerk."""

    def __init__(self) -> None:
        self._depth = 0

    def on_start(self, event: OfNumba) -> None:
        """Tell of the outermost kernel."""
        if _is_ours(event):
            self._depth += 1
            if self._depth == 1:
                NOTICE.begin()

    def on_end(self, event: OfNumba) -> None:
        """Tell of its end."""
        if _is_ours(event):
            self._depth -= 1
            if self._depth == 0:
                NOTICE.end()


def _is_ours(event: OfNumba) -> bool:
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


@typeof_impl.register(Kernel)  # type: ignore[untyped-decorator]  # numba tells no types
def _kernel_type(kernel: Kernel, _context: object) -> OfNumba:
    """Have numba see the dispatcher behind a kernel that was declared before it was loaded."""
    return types.Dispatcher(kernel.dispatcher())


def entry_point(
    function: Callable[..., object],
    signatures: tuple[OfNumba, ...],
    freedom: frozenset[Freedom],
    flatten: bool,
    records: Mapping[str, RecordText],
) -> OfNumba:
    """Return an entry point as numba has it; see `armwerk.compiled.entry`."""
    compiled = njit(**_options(freedom, flatten))(function)
    if compiled is function:  # NUMBA_DISABLE_JIT: kernels run as Python, to be looked into
        return function
    compiled._cache = KernelCache(compiled.py_func)
    if signatures:
        _load_when_called(compiled, tuple(_signature(one, records) for one in signatures))
    return compiled


def _signature(written: OfNumba, records: Mapping[str, RecordText]) -> OfNumba:
    """Return a signature as numba takes it, names of records in it replaced by their types."""
    if not records:
        return written
    known = vars(types)
    held = {name: _record_type(one) for name, one in records.items()}
    return eval(written, {}, {**known, **held})


def _record_type(written: RecordText) -> OfNumba:
    fields = [
        eval(field, {}, vars(types)) if isinstance(field, str) else _record_type(field)
        for field in written.fields.values()
    ]
    return types.BaseTuple.from_types(fields, written.record)


def inner_function(
    function: Callable[..., object],
    *,
    inline: bool,
    freedom: frozenset[Freedom],
    flatten: bool,
    borrows: bool,
) -> OfNumba:
    """Return an inner function as numba has it; see `armwerk.compiled.inner`."""
    options = _options(freedom, flatten)
    if inline:
        options["inline"] = "always"
    options["_nrt"] = not borrows  # said in either case, or it is as in the caller
    unwrapped = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
    compiled = njit(pipeline_class=InnerCompiler, **unwrapped)(function)
    if compiled is not function:
        _spare_wrappers(compiled, options)
    return compiled


def _load_when_called(kernel: OfNumba, signatures: tuple[OfNumba, ...]) -> None:
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
    kernel.load_now = load
    _waiting.append(load)


def load_all() -> None:
    """Compile, or read from disk, every entry point of the modules that have been imported.

    What must not be held up later calls this first: reading one takes 5 to 30 ms.
    """
    for load in tuple(_waiting):
        load()


def is_kept(kernel: object) -> bool:
    """Say whether an entry point has been compiled on this machine."""
    kept = getattr(kernel, "_cache", None)
    return kept.is_filled() if isinstance(kept, KernelCache) else True


def _spare_wrappers(kernel: OfNumba, options: dict[str, OfNumba]) -> None:
    """Compile what unpacks Python's objects only for a call from Python, as tests make them.

    For a record of a hundred arrays it takes ten times as long to compile as a small function.
    What kernels have compiled is kept from numba's table of what Python can call.
    """

    @cache
    def plain() -> OfNumba:
        return njit(**options)(kernel.py_func)

    kernel._insert = lambda *_arguments, **_named: None
    kernel._compile_for_args = lambda *_arguments, **_named: plain()


def _options(freedom: frozenset[Freedom], flatten: bool) -> dict[str, OfNumba]:
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
