"""Inner functions as entry points take them in: without machine code of their own.

numba optimises every function it compiles to the end and makes machine code of it, also of those
that are only ever copied into others, which are then optimised once more. Here an inner function is
made ready to be copied, and no more than that.
"""

from __future__ import annotations

from types import FunctionType

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _NoEngine:
    """Stands where numba tells the engine of a function's environment, which only Python needs."""

    def set_env(self, _name: str, _environment: object) -> None:
        """Keep nothing: there is no machine code that could ask."""


class _InnerLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba tells no types
    """An inner function and all it calls, ready to be copied into others."""

    @property
    def codegen(self) -> _NoEngine:
        """What numba tells of the environment."""
        return _NoEngine()

    def _optimize_final_module(self) -> None:
        # what it calls goes into its body, where that is asked for; all the rest is done once,
        # for the entry point
        passes, builder = self._codegen._module_pass_manager(
            opt=0, loop_vectorize=False, slp_vectorize=False, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        """Return that there is no machine code."""
        self._ensure_finalized()
        return 0


class InnerCompiler(Compiler):  # type: ignore[misc]  # numba tells no types
    """Compiles inner functions for numba."""

    def compile_extra(self, func: FunctionType) -> object:
        """Compile a function into a library without machine code."""
        self.state.library = _InnerLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)
