"""Inverse kinematics of any six-axis arm with two slides, counted.

In: a packed arm of four turns and two slides, and a pose. Out: its solutions, eight at most, and
whether it is proved that there are no others. How: `armwerk.mechanics.kernels.elimination.slides`.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.inverse.loop import rigid_constants
from armwerk.mechanics.kernels.elimination.slides import (
    SlideLoop,
    solve_slides,
    solve_slides_batch,
)
from armwerk.mechanics.kernels.elimination.solve import MOST_SOLUTIONS


class TwoSlides:
    """All solutions of an arm with four turns and two slides; see the module.

    Args:
        chain: Of six joints, two of which slide.
    """

    def __init__(self, chain: Chain) -> None:
        links = np.tile(np.eye(4), (7, 1, 1))
        links[:, :3] = chain.constants[:, :3]
        links[:, :3, 3] /= chain.scale
        self._loop = SlideLoop(
            arm=np.require(chain.constants, np.float64, ["C", "W"]),
            links=links,
            turns=np.flatnonzero(chain.revolute),
            slides=np.flatnonzero(~chain.revolute),
            defect=rigid_constants(chain)[1],
        )

    def solutions(self, T: Array) -> tuple[Array, bool]:
        """Return solutions of a pose, and whether it is proved that there are no others. (k, 6)."""
        found = np.empty((MOST_SOLUTIONS, 6))
        count, proved = solve_slides(self._loop, np.ascontiguousarray(T), found)
        return found[:count], bool(proved)

    def fill(self, Ts: Array, found: Array, counts: Integers, proved: Flags) -> None:
        """Fill the same for m poses: (m, 16, 6), nan behind the last, (m,) and (m,)."""
        solve_slides_batch(self._loop, Ts, found, counts, proved)
