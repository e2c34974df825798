"""Finding an accelerator, and carrying arrays there and back.

Kernels that run there do the operations of their compiled counterparts in the same order and in 64
bit, so that results are equal to the last bit.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.compiling import CompilingNotice
from armwerk.errors import UnsupportedError
from armwerk.extras import pip_line

Device: TypeAlias = Literal["cpu", "gpu"]
"""Where kernels run."""
Tensor: TypeAlias = Any
"""What kernels read and write: torch's, or what stands for it where triton interprets."""
Numbers: TypeAlias = NDArray[Any]
"""A numpy array of the kind that was asked for."""
Work: TypeAlias = Callable[[Tensor, Sequence[Tensor], int], None]
"""Works on a piece of the input: the piece, what it fills, and how many rows it has."""

# Products and sums stay apart: a fused one rounds once and could decide a touching pair otherwise.
EXACT = {"enable_fp_fusion": False}
LARGE = 1 << 25  # [bytes] from which an array is fetched in pieces
PIECE = 1 << 22  # [bytes]
COPIERS = 8  # threads
ROWS = 1 << 16  # rows of the input of a piece that is worked on
WORKERS = 8  # threads that send, wait and fetch

NOTICE = CompilingNotice(
    "armwerk: loading torch and compiling for the accelerator; triton keeps it for the next time …"
)


class DeviceMemory(Protocol):
    """Where the arrays of a kernel live."""

    def put(self, array: NDArray[np.generic]) -> Tensor:
        """Return a copy of the array that kernels can read and write."""

    def get(self, tensor: Tensor) -> Numbers:
        """Return the array back on the host."""

    def zeros(self, shape: tuple[int, ...], dtype: str) -> Tensor:
        """Return a tensor of zeros of a numpy type name."""

    def columns_last_first(self, tensor: Tensor) -> Tensor:
        """Return the columns of a matrix as rows, the last one first."""

    def stream(self, rows: Numbers, work: Work, results: Sequence[Numbers]) -> None:
        """Send an array piece by piece, have each worked on, and fetch what comes out.

        Args:
            rows: What is sent.
            work: Launches the kernel of a piece.
            results: Filled, row k from row k of what is sent.
        """


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
        if tensor.nbytes < LARGE:
            return np.asarray(tensor.cpu().numpy())
        return self._fetched(tensor.contiguous())

    def zeros(self, shape: tuple[int, ...], dtype: str) -> Tensor:
        """Return zeros on the accelerator."""
        return self._torch.zeros(shape, dtype=getattr(self._torch, dtype), device=self._device)

    def columns_last_first(self, tensor: Tensor) -> Tensor:
        """Return the columns of a matrix as rows, the last one first."""
        return tensor.t().flip(0).contiguous()

    def _fetched(self, tensor: Tensor) -> Numbers:
        """Return a large array: through pinned pieces, copied on by several threads.

        The accelerator writes pinned memory ten times as fast as any other, and most of what is
        left is the host's first touch of its pages, which threads share.
        """
        torch = self._torch
        pieces = tensor.view(-1).view(torch.uint8).split(PIECE)
        out = np.empty(tensor.nbytes, np.uint8)
        places = queue.SimpleQueue[tuple[Tensor, Tensor]]()
        workers = min(COPIERS, len(os.sched_getaffinity(0)))
        for _ in range(workers):
            pinned = torch.empty(PIECE, dtype=torch.uint8, pin_memory=True)
            places.put((pinned, torch.cuda.Stream(self._device)))
        self.wait()

        def carry(number: int) -> None:
            pinned, stream = place = places.get()
            piece = pieces[number]
            with torch.cuda.stream(stream):
                pinned[: len(piece)].copy_(piece, non_blocking=True)
            stream.synchronize()
            begin = number * PIECE
            out[begin : begin + len(piece)] = pinned[: len(piece)].numpy()
            places.put(place)

        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(carry, range(len(pieces))))
        kind = str(tensor.dtype).removeprefix("torch.")
        return out.view(kind).reshape(tuple(tensor.shape))

    def stream(self, rows: Numbers, work: Work, results: Sequence[Numbers]) -> None:
        """Send an array piece by piece, have each worked on, and fetch what comes out.

        Several threads carry a piece each, so that sending, working and fetching go on at once;
        the host's first touch of the pages of a large result is shared among them too.
        """
        torch = self._torch
        workers = min(WORKERS, len(os.sched_getaffinity(0)), -(-len(rows) // ROWS))
        places = queue.SimpleQueue[_Place]()
        for _ in range(workers):
            places.put(_Place(torch, self._device, rows, results))

        def carry(first: int) -> None:
            place = places.get()
            last = min(first + ROWS, len(rows))
            place.carry(rows[first:last], work, [result[first:last] for result in results])
            places.put(place)

        carry(0)  # which compiles
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(carry, range(ROWS, len(rows), ROWS)))

    def wait(self) -> None:
        """Return when everything launched so far is done."""
        self._torch.cuda.synchronize()


class _Place:
    """What one thread needs to carry pieces: pinned memory, memory over there, a stream."""

    def __init__(
        self, torch: ModuleType, device: Tensor, rows: Numbers, results: Sequence[Numbers]
    ) -> None:
        def pair(array: Numbers) -> tuple[Tensor, Tensor]:
            kind = getattr(torch, array.dtype.name)
            shape = (min(ROWS, len(array)), *array.shape[1:])
            pinned = torch.empty(shape, dtype=kind, pin_memory=True)
            return pinned, torch.empty(shape, dtype=kind, device=device)

        self._torch = torch
        self._stream = torch.cuda.Stream(device)
        self._sent = pair(rows)
        self._fetched = [pair(result) for result in results]

    def carry(self, rows: Numbers, work: Work, results: Sequence[Numbers]) -> None:
        """Send a piece, have it worked on and fetch the results."""
        count = len(rows)
        pinned, there = self._sent
        pinned.numpy()[:count] = rows
        with self._torch.cuda.stream(self._stream):
            there[:count].copy_(pinned[:count], non_blocking=True)
            with NOTICE.heard():
                work(there, [far for _, far in self._fetched], count)
            for near, far in self._fetched:
                near[:count].copy_(far[:count], non_blocking=True)
        self._stream.synchronize()
        for (near, _), result in zip(self._fetched, results, strict=True):
            result[...] = near.numpy()[:count]


def accelerator() -> TorchMemory:
    """Return the accelerator of this machine.

    Raises:
        UnsupportedError: When torch or triton is missing, or there is no accelerator.
    """
    with NOTICE.heard():
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
            f" ({pip_line('gpu')}, or use --device cpu)"
        ) from None
    return torch
