"""`planar_cells`: the map of a planar arm on an accelerator."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.planning.gpu.launch import DeviceMemory, Tensor, options

BLOCK = 512  # cells of one program


def planar_cells(
    memory: DeviceMemory,
    line: Array,
    on: Array,
    half: Array,
    body: Array,
    allowance: Array,
    level: NDArray[np.bool_],
    dtype: str = "int32",
) -> tuple[Tensor, int]:
    """Test every cell; arguments as in `armwerk.planning.kernels.planar.fill`.

    Args:
        memory: Where the arrays go.
        line: Planar pose of each line. Shape (lines, 4).
        on: Planar pose of each part at each place. Shape (parts, places, 4).
        half: Half lengths of the parts [m]. Shape (parts, 2).
        body: Rows x, y, cosine, sine, half lengths. Shape (bodies, 6).
        allowance: For rounding [m]. Shape (parts, bodies).
        level: Whether part and body meet in height. Shape (parts, bodies).
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
        memory.put(half),
        memory.put(body),
        memory.put(allowance),
        memory.put(level.astype(np.int32)),
        out,
        hits,
        places,
        PARTS=len(on),
        BODIES=len(body),
        BLOCK=BLOCK,
        **options(),
    )
    return out, int(memory.get(hits).sum(dtype=np.int64))
