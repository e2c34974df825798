"""Kept machine code at work, without numba: linked by LLVM, called with numpy's arrays.

In goes a `MachineCode`, out comes a function. numba hands an array on as numbers: who counts its
owners (nobody here), how many elements, their size, the address, the shape, the strides. What a
kernel allocates for itself comes from C's ``malloc``, in the form in which numba's code looks for
it.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from armwerk.machine_code import ArrayKind, Kind, MachineCode, RecordKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OK = (0, -2)  # what numba's code returns when all went well: a value, None
_WORD = 8  # [bytes]
_LOCK = threading.Lock()
_Word: TypeAlias = type[ctypes.c_ssize_t] | type[ctypes.c_double] | type[ctypes.c_uint8]
_TYPES: dict[Kind, _Word] = {
    "int64": ctypes.c_ssize_t,
    "float64": ctypes.c_double,
    "bool": ctypes.c_uint8,
}
_kept: list[object] = []  # code is unloaded when nobody holds it

# numba's block of memory: owners, two words for a destructor, address, size, allocator
_MEMORY = """
declare ptr @malloc(i64)
declare void @free(ptr)
define ptr @armwerk_allocate(i64 %size, i32 %alignment) {
  %wide = zext i32 %alignment to i64
  %slack = add i64 %wide, 64
  %total = add i64 %size, %slack
  %block = call ptr @malloc(i64 %total)
  %failed = icmp eq ptr %block, null
  br i1 %failed, label %done, label %fill
fill:
  %address = ptrtoint ptr %block to i64
  %behind = add i64 %address, 63
  %raised = add i64 %behind, %wide
  %mask = sub i64 0, %wide
  %start = and i64 %raised, %mask
  store i64 1, ptr %block
  %b = getelementptr i64, ptr %block, i64 1
  store i64 0, ptr %b
  %c = getelementptr i64, ptr %block, i64 2
  store i64 0, ptr %c
  %d = getelementptr i64, ptr %block, i64 3
  store i64 %start, ptr %d
  %e = getelementptr i64, ptr %block, i64 4
  store i64 %size, ptr %e
  %f = getelementptr i64, ptr %block, i64 5
  store i64 0, ptr %f
  br label %done
done:
  ret ptr %block
}
define ptr @armwerk_allocate_plain(i64 %size) {
  %block = call ptr @armwerk_allocate(i64 %size, i32 16)
  ret ptr %block
}
define ptr @armwerk_allocate_raw(i64 %size) {
  %block = call ptr @malloc(i64 %size)
  ret ptr %block
}
define void @armwerk_release(ptr %block) {
  call void @free(ptr %block)
  ret void
}
"""
_PROVIDED = {
    "NRT_Allocate": "armwerk_allocate_raw",
    "NRT_MemInfo_alloc": "armwerk_allocate_plain",
    "NRT_MemInfo_alloc_aligned": "armwerk_allocate",
    "NRT_MemInfo_call_dtor": "armwerk_release",
    "NRT_Free": "armwerk_release",
}
# only asked for by what Python's own calls go through, which nobody does here
_UNUSED = frozenset(
    {
        "NRT_adapt_ndarray_from_python",
        "NRT_adapt_ndarray_to_python_acqref",
        "numba_do_raise",
        "numba_gil_ensure",
        "numba_gil_release",
        "numba_runtime_build_excinfo_struct",
        "numba_unpickle",
    }
)


class KernelRefusalError(Exception):
    """A kernel has refused its arguments, or they are of a kind for numba to judge."""


def is_possible() -> bool:
    """Say whether kept machine code is run on this machine, where this has been tried.

    Who sets numba's own switches gets numba.
    """
    switches = [name for name in os.environ if name.startswith("NUMBA_")]
    return (
        sys.platform == "linux"
        and platform.machine() == "x86_64"
        and not set(switches) - {"NUMBA_CACHE_DIR"}
        and not os.path.exists(".numba_config.yaml")
    )


def linked(
    code: MachineCode, record: type[tuple[object, ...]] | None = None
) -> Callable[..., object]:
    """Return the function of kept machine code; it raises `KernelRefusalError`.

    Args:
        code: The machine code.
        record: The named tuple that it returns; None: a plain one, or something else.

    Raises:
        RuntimeError: When LLVM cannot link it, or it returns another record.
    """
    if code.record != ("" if record is None else record.__name__):
        raise RuntimeError(f"machine code returns '{code.record}'")
    from llvmlite import binding  # type: ignore[import-untyped]

    for kind in code.arguments:
        _check_argument(kind)
    with _LOCK:
        engine, provided = _engine()
        builder = binding.JITLibraryBuilder().add_object_img(code.body).add_current_process()
        for name in code.needs:
            if name in provided:
                builder.import_symbol(name, provided[name])
            elif not binding.address_of_symbol(name):
                raise RuntimeError(f"machine code needs '{name}', which is not there")
        library = builder.export_symbol(code.symbol).link(engine, f"kernel{len(_kept)}")
        _kept.append(library)
    make = None if record is None else record._make  # type: ignore[attr-defined]
    return _caller(code, int(library[code.symbol]), provided["NRT_Free"], make)


@cache
def _engine() -> tuple[object, dict[str, int]]:
    """Return LLVM's linker, and the addresses of what kernels find there."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple().create_target_machine(jit=True)
    engine = binding.create_lljit_compiler(target)
    builder = binding.JITLibraryBuilder().add_ir(_MEMORY).add_current_process()
    for name in sorted(set(_PROVIDED.values())):
        builder.export_symbol(name)
    memory = builder.link(engine, "memory")
    _kept.append(memory)
    provided = {name: int(memory[own]) for name, own in _PROVIDED.items()}
    never = binding.address_of_symbol("abort")
    return engine, {**provided, **dict.fromkeys(_UNUSED, never)}


def _caller(
    code: MachineCode, address: int, release: int, make: Callable[[object], object] | None
) -> Callable[..., object]:
    """Return a Python function that calls machine code and makes a record of what comes out."""
    kinds = code.arguments
    types = [ctypes.c_ssize_t] * 2 + [one for kind in kinds for one in _types(kind)]
    function = ctypes.CFUNCTYPE(ctypes.c_int, *types)(address)
    free = ctypes.CFUNCTYPE(None, ctypes.c_ssize_t)(release)
    space = ctypes.c_char * (_WORD + _size(code.result))  # for the reason of a failure, the result
    result = code.result
    records = tuple(isinstance(kind, RecordKind) for kind in kinds)
    # records and their arrays stay where they are, and most are handed on many times in a row
    last: list[tuple[object, list[int | float]]] = [(None, [])] * len(kinds)

    def call(*values: object) -> object:
        if len(values) != len(kinds):
            raise TypeError(f"{len(kinds)} arguments are wanted, got {len(values)}")
        words: list[int | float] = []
        for k, value in enumerate(values):
            if not records[k]:
                _fill(kinds[k], value, words)
                continue
            known, numbers = last[k]
            if known is not value:
                numbers = []
                _fill(kinds[k], value, numbers)
                last[k] = value, numbers
            words += numbers
        room = space()
        place = ctypes.addressof(room)
        if function(place + _WORD, place, *words) not in _OK:
            raise KernelRefusalError
        found = _value(result, place + _WORD, free)[0]
        return found if make is None else make(found)

    return call


def _check_argument(kind: Kind) -> None:
    if isinstance(kind, RecordKind):
        for field in kind.fields:
            _check_argument(field)
    elif not isinstance(kind, ArrayKind) and kind not in _TYPES:
        raise RuntimeError(f"no way to hand on an argument of kind {kind}")


def _types(kind: Kind) -> list[_Word]:
    if isinstance(kind, RecordKind):
        return [one for field in kind.fields for one in _types(field)]
    if isinstance(kind, ArrayKind):
        return [ctypes.c_ssize_t] * (5 + 2 * kind.axes)
    return [_TYPES[kind]]


def _fill(kind: Kind, value: object, words: list[int | float]) -> None:
    """Add the numbers as which an argument is handed on."""
    if isinstance(kind, ArrayKind):
        if type(value) is not np.ndarray:
            if isinstance(value, np.ndarray):
                raise KernelRefusalError
            raise TypeError(f"an array is wanted, got {type(value).__name__}")
        if value.ndim != kind.axes or value.dtype != kind.element or not value.flags.carray:
            raise TypeError(
                f"an array of {kind.element} with {kind.axes} axes in C order is wanted, "
                f"got {value.dtype} with {value.ndim}"
            )
        address = value.__array_interface__["data"][0]
        words += (0, 0, value.size, value.itemsize, address, *value.shape, *value.strides)
    elif isinstance(kind, RecordKind):
        if not isinstance(value, tuple) or len(value) != len(kind.fields):
            raise KernelRefusalError
        for field, part in zip(kind.fields, value, strict=True):
            _fill(field, part, words)
    elif kind == "bool" and isinstance(value, bool | np.bool):
        words.append(bool(value))
    elif kind == "int64" and isinstance(value, int | np.integer):
        words.append(int(value))
    elif kind == "float64" and isinstance(value, int | float | np.floating | np.integer):
        words.append(float(value))
    else:
        raise KernelRefusalError


def _size(kind: Kind) -> int:
    """Return the size of a result [bytes], padded."""
    if isinstance(kind, RecordKind):
        return sum(_size(field) for field in kind.fields)
    return _WORD * (5 + 2 * kind.axes) if isinstance(kind, ArrayKind) else _WORD


def _value(kind: Kind, place: int, free: Callable[[int], None]) -> tuple[object, int]:
    """Return the result at a place, and where it ends."""
    if isinstance(kind, RecordKind):
        parts = []
        for field in kind.fields:
            if field != "bool":
                place = -(-place // _WORD) * _WORD
            part, place = _value(field, place, free)
            parts.append(part)
        return tuple(parts), place
    if isinstance(kind, ArrayKind):
        words = (ctypes.c_ssize_t * (5 + kind.axes)).from_address(place)
        array = _copied(kind, words[4], tuple(words[5:]))
        if words[0]:
            free(words[0])
        return array, place + _size(kind)
    if kind == "int64":
        return ctypes.c_int64.from_address(place).value, place + _WORD
    if kind == "float64":
        return ctypes.c_double.from_address(place).value, place + _WORD
    if kind == "bool":
        return bool(ctypes.c_uint8.from_address(place).value), place + 1
    return None, place + _WORD


def _copied(kind: ArrayKind, address: int, shape: tuple[int, ...]) -> NDArray[np.generic]:
    """Return an array of its own with what stands at an address."""
    array: NDArray[np.generic] = np.empty(shape, dtype=kind.element)
    ctypes.memmove(array.ctypes.data, address, array.nbytes)
    return array
