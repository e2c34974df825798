"""A compiled kernel as it is read from disk: its machine code, and the rest when it is asked for.

Beside machine code numba keeps what another kernel needs that copies this one into its own body,
and reads that too, which takes four times as long. Here it is read when a kernel asks.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from numba.core.codegen import JITCodeLibrary, ll as llvm
from numba.core.compiler import CompileResult

OfNumba: TypeAlias = Any  # numba tells no types


class _KeptLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba tells no types
    """Machine code from disk."""

    _bitcode = b""
    _shared_module: OfNumba

    @classmethod
    def opened(cls, codegen: OfNumba, kept: OfNumba, function: OfNumba) -> _KeptLibrary:
        """Return the library of a function, as `serialize_using_object_code` wrote it."""
        name, _, (machine_code, bitcode) = kept
        library = cls(codegen, name)
        library._bitcode = bitcode
        library.enable_object_caching()
        library._set_compiled_object(machine_code)
        library._finalize_final_module()
        # what the engine is asked for by name
        codegen._engine._defined_symbols |= {
            function.llvm_func_name,
            function.llvm_cpython_wrapper_name,
        }
        return library

    def _get_module_for_linking(self) -> OfNumba:
        if self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self._bitcode)
            self._codegen._engine._load_defined_symbols(self._shared_module)
        return self._shared_module


def open_kept(target: OfNumba, payload: OfNumba) -> OfNumba:
    """Return what numba has when it has compiled a kernel, from what it keeps of one.

    Args:
        target: For which it was compiled.
        payload: As `numba.core.compiler.CompileResult` is pickled.
    """
    kept, function, environment, signature, is_object, lifted, notes, again, others = payload
    for prepare in again:
        prepare()
    library = _KeptLibrary.opened(target.codegen(), kept, function)
    made = CompileResult(
        target_context=target,
        typing_context=target.typing_context,
        library=library,
        environment=environment,
        entry_point=target.get_executable(library, function, environment),
        fndesc=function,
        type_annotation=notes,
        signature=signature,
        objectmode=is_object,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=again,
        referenced_envs=others,
    )
    for other in others:
        library.codegen.set_env(other.env_name, other)
    return made
