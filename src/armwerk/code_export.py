"""What numba has compiled, as machine code that runs without numba; see `armwerk.machine_code`."""

from __future__ import annotations

from numba import types
from numba.core.codegen import ll as llvm

from armwerk.kept_library import OfNumba
from armwerk.machine_code import ArrayKind, Kind, MachineCode, RecordKind

_SCALARS: dict[OfNumba, Kind] = {
    types.none: "none",
    types.int64: "int64",
    types.float64: "float64",
    types.boolean: "bool",
}
_ELEMENTS = ("float64", "int64", "bool", "uint8", "uint64")  # which numpy calls the same


def exported(
    function: OfNumba, signature: OfNumba, body: bytes, bitcode: bytes
) -> MachineCode | None:
    """Return the machine code of a kernel; None where only numba knows how to call it.

    Args:
        function: numba's description of it.
        signature: Types of arguments and result.
        body: The object file.
        bitcode: What it was made of.
    """
    arguments = tuple(_kind(one) for one in signature.args)
    result = _kind(signature.return_type)
    known = tuple(one for one in arguments if one is not None)
    if result is None or len(known) < len(arguments):
        return None
    parts = llvm.parse_bitcode(bitcode).functions
    needs = {one.name for one in parts if one.is_declaration and not one.name.startswith("llvm.")}
    named = isinstance(signature.return_type, types.BaseNamedTuple)
    record = signature.return_type.instance_class.__name__ if named else ""
    return MachineCode(function.llvm_func_name, known, result, tuple(sorted(needs)), body, record)


def _kind(of: OfNumba) -> Kind | None:
    if isinstance(of, types.Array):
        if of.layout != "C" or not of.mutable or not of.aligned:
            return None
        return ArrayKind(str(of.dtype), of.ndim) if str(of.dtype) in _ELEMENTS else None
    if isinstance(of, types.BaseTuple):
        fields = tuple(_kind(one) for one in of)
        known = tuple(one for one in fields if one is not None)
        return RecordKind(known) if len(known) == len(fields) else None
    return _SCALARS.get(of)


def exported_kernel(kernel: OfNumba) -> MachineCode | None:
    """Return the machine code of a kernel that numba has compiled for one list of types."""
    (made,) = kernel.overloads.values()
    _, _, (body, bitcode) = made.library.serialize_using_object_code()
    return exported(made.fndesc, made.signature, body, bitcode)
