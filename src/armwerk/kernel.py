"""A kernel that is declared while numba is not loaded, and runs without it as long as it can.

In goes a function in Python and a way to have numba take it over, out comes what can be called in
its place. Machine code that is kept from an earlier process is run as it is; numba takes over, all
kernels at once, when one has to be compiled, when somebody asks for what only numba knows, or in
the background when a kernel has been called so often that it is worth loading numba, whose calls
are faster.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import update_wrapper
from importlib import import_module
from types import FunctionType
from typing import Protocol
from weakref import WeakSet

from armwerk.kernel_content import code_name, content_of, kernel_home, mark_used, stands_alone
from armwerk.machine_code import unpacked
from armwerk.native_call import KernelRefusalError, linked

ENOUGH = 20_000  # calls, each some 10 µs slower than numba's, after which numba is loaded

_TAKING_OVER = threading.RLock()
_declared: list[Kernel] = []  # those that numba does not know yet
_holders: WeakSet[object] = WeakSet()


class NumbaKernel(Protocol):
    """A kernel as numba has it."""

    def __call__(self, *values: object, **named: object) -> object:
        """Run it."""


class RecordText:
    """The type of a named tuple, written without numba.

    Args:
        record: The named tuple.
        fields: Types of its fields as numba writes them, or records themselves.
    """

    def __init__(self, record: type[tuple[object, ...]], **fields: str | RecordText) -> None:
        named = tuple(getattr(record, "_fields", ()))
        if tuple(fields) != named:
            raise TypeError(f"fields must be {', '.join(named)} in this order, got {list(fields)}")
        self.record = record
        self.fields = fields


class TypeText:
    """A type of arguments and results of kernels, written without numba; called, a signature.

    Args:
        text: As numba writes it, with names of records.
        records: What these names stand for.
    """

    def __init__(self, text: str, records: Mapping[str, RecordText] | None = None) -> None:
        self.text = text
        self.records = dict(records or {})

    def __call__(self, *arguments: TypeText) -> TypeText:
        """Return the signature of a kernel that returns this, for types of its arguments."""
        return self._joined("{}({})", arguments)

    @classmethod
    def several(cls, *found: TypeText) -> TypeText:
        """Return the type of several results."""
        return cls("Tuple")._joined("{}(({},))", found)

    @classmethod
    def of_record(cls, record: type[tuple[object, ...]], *fields: TypeText) -> TypeText:
        """Return the type of a named tuple whose fields have these types."""
        names: tuple[str, ...] = tuple(getattr(record, "_fields", ()))
        held = [one.records.get(one.text, one.text) for one in fields]
        text = RecordText(record, **dict(zip(names, held, strict=True)))
        return cls(record.__name__, {record.__name__: text})

    def _joined(self, form: str, others: Sequence[TypeText]) -> TypeText:
        records = dict(self.records)
        for one in others:
            records |= one.records
        return TypeText(form.format(self.text, ", ".join(one.text for one in others)), records)


class Kernel:
    """What stands for a kernel until numba is loaded.

    Args:
        function: The kernel in Python.
        make: Returns it as numba has it.
        is_entry: Whether its machine code may be kept: an entry point for one list of types.
        result: The named tuple that it returns; None: something else.
    """

    def __init__(
        self,
        function: FunctionType,
        make: Callable[[], NumbaKernel],
        *,
        is_entry: bool,
        result: type[tuple[object, ...]] | None = None,
    ) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._make = make
        self._is_entry = is_entry
        self._may_be_kept = is_entry and stands_alone(function)
        self._result = result
        self._made: NumbaKernel | None = None
        self._native: Callable[..., object] | None = None
        self._calls = 0
        with _TAKING_OVER:
            _declared.append(self)

    def __call__(self, *values: object, **named: object) -> object:
        """Run the kernel."""
        if self._made is not None:
            return self._made(*values, **named)
        if named or not self.is_ready() or self._native is None:
            return self.dispatcher()(*values, **named)
        self._calls += 1
        if self._calls == ENOUGH:
            threading.Thread(target=take_over, name="armwerk loads numba").start()
        try:
            return self._native(*values)
        except KernelRefusalError:  # numba says why
            return self.dispatcher()(*values)

    def __getattr__(self, name: str) -> object:
        """Return what only numba knows of a kernel."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher(), name)

    def __reduce__(self) -> tuple[Callable[[str, str], object], tuple[str, str]]:
        """Have copies and other processes find it by its name."""
        return _named, (self.py_func.__module__, self.py_func.__qualname__)

    def is_ready(self) -> bool:
        """Say whether machine code of it is kept, and runs without numba."""
        if self._native is None and self._may_be_kept:
            try:
                place = kernel_home() / content_of(self.py_func) / code_name(self.py_func)
                self._native = linked(unpacked(place.read_bytes()), self._result)
                with suppress(OSError):
                    mark_used(place.parent)
            except Exception:  # nothing kept, damaged, or LLVM refuses: numba does it
                self._may_be_kept = False
        return self._native is not None

    def waits(self) -> bool:
        """Say whether it is an entry point that numba has to compile or read from disk."""
        return self._is_entry and self._made is None and not self.is_ready()

    def dispatcher(self) -> NumbaKernel:
        """Return the kernel as numba has it."""
        if self._made is None:
            take_over()
        if self._made is None:
            raise RuntimeError(f"kernel {self.__name__} is asked for while it is declared")
        return self._made


def _named(module: str, name: str) -> object:
    """Return the kernel that a module has under a name."""
    return getattr(import_module(module), name)


class WaitingKernel:
    """A kernel that is run without numba until it is worth having numba load or compile it.

    Args:
        run: Runs it: kept machine code, or Python itself.
        make: Returns it as numba has it.
        enough: Calls after which it is worth it.
    """

    def __init__(
        self, run: Callable[..., object], make: Callable[[], NumbaKernel], enough: int = ENOUGH
    ) -> None:
        self._run = run
        self._make = make
        self._enough = enough
        self._made: NumbaKernel | None = None
        self._calls = 0

    def __call__(self, *values: object) -> object:
        """Run the kernel."""
        if self._made is not None:
            return self._made(*values)
        self._calls += 1
        if self._calls == self._enough:
            threading.Thread(target=self.hand_over, name="armwerk loads numba").start()
        try:
            return self._run(*values)
        except KernelRefusalError:  # numba says why
            return self.hand_over()(*values)

    def hand_over(self) -> NumbaKernel:
        """Have numba run it from here on."""
        with _TAKING_OVER:
            if self._made is None:
                self._made = self._make()
                for holder in tuple(_holders):
                    _renew(vars(holder))
        return self._made


def any_waits() -> bool:
    """Say whether numba has to compile or read an entry point; link the code of all others."""
    return any([kernel.waits() for kernel in tuple(_declared)])


def take_over() -> None:
    """Load numba, and have it run all kernels from here on."""
    with _TAKING_OVER:
        waiting = tuple(_declared)
        if not waiting:  # asked for every kernel that is declared once numba is loaded
            return
        made = [kernel._make() for kernel in waiting]
        for kernel, dispatcher in zip(waiting, made, strict=True):
            kernel._made = dispatcher
        del _declared[: len(waiting)]
        _replace(waiting)
        for kernel, dispatcher in zip(waiting, made, strict=True):
            if kernel._calls:  # what others see of it is as if numba had run it
                getattr(dispatcher, "load_now", int)()


def _replace(kernels: tuple[Kernel, ...]) -> None:
    """Put what numba has in the place of kernels, wherever their names are looked up."""
    places = {id(kernel.py_func.__globals__): kernel.py_func.__globals__ for kernel in kernels}
    for name, module in tuple(sys.modules.items()):
        if name.partition(".")[0] == "armwerk":
            places[id(vars(module))] = vars(module)
    for names in (*places.values(), *(vars(holder) for holder in tuple(_holders))):
        _renew(names)


def _renew(names: dict[str, object]) -> None:
    for name, value in tuple(names.items()):
        if isinstance(value, Kernel | WaitingKernel) and value._made is not None:
            names[name] = value._made


def follow(holder: object) -> None:
    """Have kernels among the attributes of an object replaced when numba takes over."""
    if any(isinstance(value, Kernel | WaitingKernel) for value in vars(holder).values()):
        _holders.add(holder)
