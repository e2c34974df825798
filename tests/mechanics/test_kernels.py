"""Compiled kernels: all are kept on disk, and a second process does not compile."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from armwerk.cli.warm import kernel_modules
from armwerk.compiled import load_waiting

KERNELS = [name for name in kernel_modules() if name.startswith("armwerk.mechanics.")]

COUNT_MISSES = """
import sys
from importlib import import_module
from armwerk.compiled import load_waiting
for name in sys.argv[1:]:
    module = import_module(name)
    load_waiting()
    for kernel in vars(module).values():
        if getattr(kernel, "__module__", "") == module.__name__ and hasattr(kernel, "stats"):
            if not kernel._can_compile and kernel.stats.cache_misses:
                raise SystemExit(f"{name}.{kernel.__name__} was compiled again")
"""


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_with_a_signature_is_cached(name: str) -> None:
    module = import_module(name)
    load_waiting()
    public = [
        value
        for key, value in vars(module).items()
        if hasattr(value, "py_func")
        and not key.startswith("_")
        and not value._can_compile  # an entry point; what is inner to it is compiled with it
        and value.__module__ == module.__name__
    ]
    assert public
    for kernel in public:
        assert kernel.stats.cache_path, kernel


def test_a_second_process_does_not_compile() -> None:
    assert "armwerk.mechanics.kernels.direct" in KERNELS
    for name in KERNELS:
        import_module(name)
    load_waiting()
    done = subprocess.run(
        [sys.executable, "-c", COUNT_MISSES, *KERNELS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
