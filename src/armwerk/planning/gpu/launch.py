"""Finding an accelerator, carrying arrays there and back, and the sweeps that run there.

`planar_cells` is the map of a planar arm, `sweep_range` a share of a sweep over joint values.
"""

from __future__ import annotations

import os
import queue
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Integers
from armwerk.compiling import CompilingNotice
from armwerk.errors import UnsupportedError
from armwerk.extras import pip_line
from armwerk.planning.kernels.records import PlanarPairs
from armwerk.planning.reachability.sweep import SweepCounts, SweepTask

Tensor: TypeAlias = Any
"""What kernels read and write: torch's, or what stands for it where triton interprets."""
Numbers: TypeAlias = NDArray[Any]
"""A numpy array of the kind that was asked for."""

# Products and sums stay apart: a fused one rounds once and could decide a touching pair otherwise.
EXACT = {"enable_fp_fusion": False}
MAP_BLOCK = 512  # cells of one program
SWEEP_BLOCK = 256  # configurations of one program
LAUNCH = 1 << 27  # configurations of one launch, so that counters of 32 bits suffice
LARGE = 1 << 25  # [bytes] from which an array is fetched in pieces
PIECE = 1 << 22  # [bytes]
COPIERS = 8  # threads
FEWER = 16  # times as many configurations must share their first joints for these to go first

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

    def wait(self) -> None:
        """Return when everything launched so far is done."""
        self._torch.cuda.synchronize()


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


def planar_cells(
    memory: DeviceMemory,
    line: Array,
    on: Array,
    pairs: PlanarPairs,
    dtype: str = "int32",
    base: Integers | None = None,
) -> tuple[Tensor, int]:
    """Test every cell; arguments as in `armwerk.planning.kernels.planar.fill`.

    Args:
        memory: Where the arrays go.
        line: Planar pose of each line. Shape (lines, 4).
        on: Planar pose of each part at each place. Shape (parts, places, 4).
        pairs: What is held against what.
        dtype: Of the cells; it must hold the largest sum.
        base: What every cell of a line holds beforehand; None: 0. Shape (lines,).

    Returns:
        The cells where the memory keeps them, shape (lines, places), and the contacts.
    """
    with NOTICE.heard():
        from armwerk.planning.gpu.kernels import planar_map

    lines, places = len(line), on.shape[1]
    blocks = -(-places // MAP_BLOCK)
    out = memory.zeros((lines, places), dtype)
    hits = memory.zeros((lines, blocks), "int32")
    arrays = [
        memory.put(line),
        memory.put(np.ascontiguousarray(on.transpose(0, 2, 1))),
        memory.put(pairs.half),
        memory.put(pairs.bodies),
        memory.put(pairs.allowance),
        memory.put((pairs.rise == 0.0).astype(np.int32)),
        memory.put(np.zeros(lines, np.int32) if base is None else base.astype(np.int32)),
    ]
    with NOTICE.heard():
        planar_map[(lines, blocks)](
            *arrays,
            out,
            hits,
            places,
            PARTS=len(on),
            BODIES=len(pairs.bodies),
            BLOCK=MAP_BLOCK,
            **options(),
        )
    return out, int(memory.get(hits).sum(dtype=np.int64))


def sweep_range(memory: DeviceMemory, task: SweepTask, first: int, last: int) -> SweepCounts:
    """Walk the configurations first to last - 1; equal to `sweep_range` to the last bit.

    Many configurations of a grid share the values of their first joints. Whether those touch is
    found out first, once for all of them.
    """
    voxels = max(task.voxels, 1)
    best = memory.zeros((voxels,), "int64")
    reached = np.zeros(voxels, np.int64)
    touching = 0
    fixed = _arrays(memory, task)
    none = memory.zeros((1,), "int8")
    for begin in range(first, last, LAUNCH):
        end = min(begin + LAUNCH, last)
        counts = memory.zeros((voxels,), "int32")
        known, joints, known_from = none, shared_joints(task, end - begin), 0
        if joints:
            size = int(task.sizes()[joints])
            known_from, known_to = begin // size, (end - 1) // size + 1
            known = memory.zeros((known_to - known_from,), "int8")
            ahead = _arrays(memory, task, joints)
            _launch(
                memory, known_from, known_to, ahead, counts, best, known, joints=joints, keep=True
            )
        touched = _launch(
            memory,
            begin,
            end,
            fixed,
            counts,
            best,
            known,
            joints=len(task.turns),
            known_from=known_from,
            shared=joints,
            voxels=task.voxels > 0,
            rank=task.rank,
        )
        touching += int(memory.get(touched).sum(dtype=np.int64))
        reached += memory.get(counts)
    found = memory.get(best).view(np.float64)
    return SweepCounts(last - first, touching, reached[: task.voxels], found[: task.voxels])


def shared_joints(task: SweepTask, count: int) -> int:
    """Return how many first joints are worth a launch of their own; 0: none."""
    if task.listed:
        return 0
    sizes = task.sizes()
    worth = [k for k in range(1, len(task.turns)) if sizes[0] // sizes[k] * FEWER <= count]
    return max(worth, default=0)


def _arrays(memory: DeviceMemory, task: SweepTask, joints: int | None = None) -> list[Tensor]:
    """Return what the kernel reads, for all joints or as if there were only some."""
    size = task.sizes()
    return [
        memory.put(np.ascontiguousarray(task.constants[:, :3])),
        memory.put(task.turns.astype(np.int32)),
        memory.put(task.start),
        memory.put(size if joints is None else size // size[joints]),
        memory.put(task.table),
        memory.put(task.sphere if len(task.sphere) else np.zeros((1, 4))),
        memory.put(task.spheres_of.astype(np.int32)),
        memory.put(task.box if len(task.box) else np.zeros((1, 15))),
        len(task.box),
        memory.put(np.append(task.corner, task.cell)),
        memory.put(task.shape),
    ]


def _launch(
    memory: DeviceMemory,
    begin: int,
    end: int,
    fixed: list[Tensor],
    counts: Tensor,
    best: Tensor,
    known: Tensor,
    *,
    joints: int,
    known_from: int = 0,
    shared: int = 0,
    keep: bool = False,
    voxels: bool = False,
    rank: int = 0,
) -> Tensor:
    """Run the kernel and return the contacts of each program."""
    with NOTICE.heard():
        from armwerk.planning.gpu.kernels import joint_sweep

    blocks = -(-(end - begin) // SWEEP_BLOCK)
    touched = memory.zeros((blocks,), "int32")
    with NOTICE.heard():
        joint_sweep[(blocks,)](
            begin,
            end,
            *fixed,
            counts,
            best,
            touched,
            known,
            known_from,
            JOINTS=joints,
            KNOWN=shared,
            KEEP=keep,
            VOXELS=voxels,
            RANK=rank,
            BLOCK=SWEEP_BLOCK,
            **options(),
        )
    return touched
