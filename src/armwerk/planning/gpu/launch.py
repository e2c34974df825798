"""Finding an accelerator, and carrying arrays there and back."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.errors import UnsupportedError

Tensor: TypeAlias = Any
"""What kernels read and write: torch's, or what stands for it where triton interprets."""
Numbers: TypeAlias = NDArray[Any]
"""A numpy array of the kind that was asked for."""

# Products and sums stay apart: a fused one rounds once and could decide a touching pair otherwise.
EXACT = {"enable_fp_fusion": False}


class DeviceMemory(Protocol):
    """Where the arrays of a kernel live."""

    def put(self, array: NDArray[np.generic]) -> Tensor:
        """Return a copy of the array that kernels can read and write."""

    def get(self, tensor: Tensor) -> Numbers:
        """Return the array back on the host."""

    def zeros(self, shape: tuple[int, ...], dtype: str) -> Tensor:
        """Return a tensor of zeros of a numpy type name."""


class TorchMemory:
    """Arrays on the first accelerator that torch finds."""

    def __init__(self) -> None:
        torch = _torch()
        if not torch.cuda.is_available():
            raise UnsupportedError(
                "no accelerator found: torch sees none on this machine (use --device cpu)"
            )
        self._torch = torch
        self._device = torch.device("cuda")

    @property
    def name(self) -> str:
        """What the accelerator is called."""
        return str(self._torch.cuda.get_device_name(self._device))

    def put(self, array: NDArray[np.generic]) -> Tensor:
        """Return a copy of the array on the accelerator."""
        return self._torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def get(self, tensor: Tensor) -> Numbers:
        """Return the array back on the host."""
        return np.asarray(tensor.cpu().numpy())

    def zeros(self, shape: tuple[int, ...], dtype: str) -> Tensor:
        """Return zeros on the accelerator."""
        return self._torch.zeros(shape, dtype=getattr(self._torch, dtype), device=self._device)

    def wait(self) -> None:
        """Return when everything launched so far is done."""
        self._torch.cuda.synchronize()


def accelerator() -> TorchMemory:
    """Return the accelerator of this machine.

    Raises:
        UnsupportedError: When torch or triton is missing, or there is no accelerator.
    """
    return TorchMemory()


def options() -> dict[str, bool]:
    """Return the launch options of exact kernels; triton's interpreter knows none."""
    return {} if os.environ.get("TRITON_INTERPRET") == "1" else dict(EXACT)


def _torch() -> ModuleType:
    try:
        torch = import_module("torch")
        import_module("triton")
    except ImportError as error:
        raise UnsupportedError(
            f"the accelerator needs torch and triton, and '{error.name}' is not installed"
            " (pip install 'armwerk[gpu]', or use --device cpu)"
        ) from None
    return torch
