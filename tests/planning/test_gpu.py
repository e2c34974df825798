"""The kernels of the accelerator, in a process of their own.

triton brings a compiler that does not go together with those of some witnesses (ompl, coal) once
they are loaded; and it looks at TRITON_INTERPRET when it is imported.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from interpreted_memory import run_interpreted

TESTS = Path(__file__).with_name("interpreted_gpu.py")


@pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")
def test_the_kernels_of_the_accelerator_give_the_same_bits() -> None:
    run_interpreted(TESTS)
