"""`planar_cells`: the map of a planar arm on an accelerator."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.gpu.launch import DeviceMemory, Tensor, options
from armwerk.planning.kernels.records import PlanarPairs

BLOCK = 512  # cells of one program


def planar_cells(
    memory: DeviceMemory,
    line: Array,
    on: Array,
    pairs: PlanarPairs,
    dtype: str = "int32",
) -> tuple[Tensor, int]:
    """Test every cell; arguments as in `armwerk.planning.kernels.planar.fill`.

    Args:
        memory: Where the arrays go.
        line: Planar pose of each line. Shape (lines, 4).
        on: Planar pose of each part at each place. Shape (parts, places, 4).
        pairs: What is held against what.
        dtype: Of the cells; it must hold the largest sum.

    Returns:
        The cells where the memory keeps them, shape (lines, places), and the contacts.
    """
    from armwerk.planning.gpu.planar_kernel import planar_map

    lines, places = len(line), on.shape[1]
    blocks = -(-places // BLOCK)
    out = memory.zeros((lines, places), dtype)
    hits = memory.zeros((lines, blocks), "int32")
    planar_map[(lines, blocks)](
        memory.put(line),
        memory.put(np.ascontiguousarray(on.transpose(0, 2, 1))),
        memory.put(pairs.half),
        memory.put(pairs.bodies),
        memory.put(pairs.allowance),
        memory.put((pairs.rise == 0.0).astype(np.int32)),
        out,
        hits,
        places,
        PARTS=len(on),
        BODIES=len(pairs.bodies),
        BLOCK=BLOCK,
        **options(),
    )
    return out, int(memory.get(hits).sum(dtype=np.int64))
