"""Tensors and memory for triton's interpreter, which runs kernels on numpy.

It wants tensors; `Tensor` is as much of one as it asks for. A fused product and sum it rounds
twice; `round_once` mends that.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest


class Storage:
    """The memory of a tensor."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def cpu(self) -> Storage:
        return Storage(self.array.copy())

    def copy_(self, other: Storage) -> None:
        self.array[...] = other.array


class Tensor:
    """A numpy array that triton's interpreter takes for a tensor."""

    def __init__(self, array: Any = None) -> None:
        self.array = array

    @property
    def dtype(self) -> Any:
        return self.array.dtype

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def untyped_storage(self) -> Storage:
        return Storage(self.array)

    def new_empty(self, *_: Any, **__: Any) -> Tensor:
        return Tensor()

    def set_(self, storage: Storage, *_: Any) -> None:
        self.array = storage.array

    def storage_offset(self) -> int:
        return 0

    def size(self) -> Any:
        return self.array.shape

    def stride(self) -> Any:
        return self.array.strides


class Host:
    """A memory that carries nowhere."""

    def put(self, array: Any) -> Tensor:
        return Tensor(np.array(array, order="C"))

    def get(self, tensor: Tensor) -> Any:
        return tensor.array

    def zeros(self, shape: tuple[int, ...], dtype: str) -> Tensor:
        return Tensor(np.zeros(shape, dtype))

    def columns_last_first(self, tensor: Tensor) -> Tensor:
        return Tensor(np.ascontiguousarray(tensor.array.T[::-1]))

    def stream(
        self,
        rows: Any,
        work: Callable[[Tensor, Sequence[Tensor], int], None],
        results: Sequence[Any],
    ) -> None:
        """Work on two pieces, so that the seam between them is seen."""
        half = len(rows) // 2
        for part in (slice(0, half), slice(half, None)):
            count = len(rows[part])
            if count:
                tensors = [self.put(result[part]) for result in results]
                work(self.put(rows[part]), tensors, count)
                for result, tensor in zip(results, tensors, strict=True):
                    result[part] = tensor.array


def round_once(patch: pytest.MonkeyPatch) -> None:
    """Have the interpreter round a product and its sum once, as accelerators do."""
    from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.fma.argtypes = [ctypes.c_double] * 3
    library.fma.restype = ctypes.c_double
    fused = np.frompyfunc(library.fma, 3, 1)

    def create_fma(_builder: Any, x: Any, y: Any, z: Any) -> Any:
        values = np.broadcast_arrays(x.data, y.data, z.data)
        return TensorHandle(np.asarray(fused(*values), dtype=np.float64), x.dtype.scalar)

    patch.setattr(InterpreterBuilder, "create_fma", create_fma)


def run_interpreted(tests: Path) -> None:
    """Run a file of tests in a process of its own, and see that all of them ran."""
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", str(tests)],
        cwd=tests.parents[2],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TRITON_INTERPRET": "1"},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    passed = re.search(r"(\d+) passed", result.stdout)
    assert passed is not None
    assert int(passed[1]) >= tests.read_text(encoding="utf-8").count("\ndef test_")
    assert "skipped" not in result.stdout
