"""The kernels of the accelerator, in a process of their own.

triton brings a compiler that does not go together with those of some witnesses (ompl, coal) once
they are loaded; and it looks at TRITON_INTERPRET when it is imported.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).with_name("interpreted_gpu.py")


@pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")
def test_the_kernels_of_the_accelerator_give_the_same_bits() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", str(TESTS)],
        cwd=TESTS.parents[2],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TRITON_INTERPRET": "1"},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    passed = re.search(r"(\d+) passed", result.stdout)
    assert passed is not None
    assert int(passed[1]) >= TESTS.read_text().count("\ndef test_")
    assert "skipped" not in result.stdout
