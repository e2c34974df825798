"""Boxes in space: every cell of a map by separating axes.

From line to line the bodies are moved instead of the arm, the other way round: that is done once
per line, and the parts stay where they were packed.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from armwerk.collision.kernels.layout import MIDDLE, OWNER, REACH, SIZE
from armwerk.collision.kernels.rows import place
from armwerk.collision.kernels.separating import box_box

Array = NDArray[np.float64]
Cells = NDArray[np.unsignedinteger]


@njit(nogil=True, error_model="numpy", inline="always")
def near(a: Array, b: Array) -> bool:
    """Whether the balls around two rows meet; rows without end have a ball without end."""
    x, y, z = a[MIDDLE] - b[MIDDLE], a[MIDDLE + 1] - b[MIDDLE + 1], a[MIDDLE + 2] - b[MIDDLE + 2]
    r = a[REACH] + b[REACH]
    return x * x + y * y + z * z <= r * r * (1.0 + 1e-12)


@njit(nogil=True, error_model="numpy", cache=True)
def fill_boxes(back: Array, on: Array, bodies: Array, out: Cells) -> int:
    """Add body number + 1 per contact of two boxes, and return the number of contacts.

    Args:
        back: For each line the inverse of its transform, row by row. Shape (lines, 12).
        on: Row of each part at each place. Shape (parts, places, SIZE).
        bodies: Rows of the bodies. Shape (bodies, SIZE).
        out: Added to. Shape (lines, places).
    """
    moved = np.empty((bodies.shape[0], SIZE))
    hits = 0
    for i in range(back.shape[0]):
        for k in range(bodies.shape[0]):
            place(back[i], bodies[k], moved[k])
        for p in range(on.shape[0]):
            for j in range(on.shape[1]):
                part = on[p, j]
                for k in range(bodies.shape[0]):
                    if near(part, moved[k]) and box_box(part, moved[k]):
                        out[i, j] += int(bodies[k, OWNER]) + 1
                        hits += 1
    return hits
