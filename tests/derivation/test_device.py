"""Closed forms for the accelerator, in a process of their own; see `tests/planning/test_gpu.py`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from interpreted_memory import run_interpreted

TESTS = Path(__file__).with_name("interpreted_closed_form.py")


@pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")
def test_closed_forms_of_the_accelerator_give_the_same_bits() -> None:
    run_interpreted(TESTS)
