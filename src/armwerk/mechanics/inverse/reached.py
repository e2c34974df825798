"""`reached`: the answer of a solver that has joint values for a pose, with what rounding left."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.inverse.interface import Solution
from armwerk.mechanics.kernels.direct import fk


def reached(chain: Chain, q: Array, pose: Array, method: str) -> Solution:
    """Return joint values that bring the tool to a pose as an answer.

    Args:
        chain: The packed arm.
        q: Joint values [rad or m]. Shape (n,).
        pose: That was asked for. Shape (4, 4).
        method: Name of the solver.
    """
    gap = fk(chain.constants, q) - pose
    return Solution(
        q,
        success=True,
        residual_position=float(np.linalg.norm(gap[:3, 3])),
        residual_rotation=float(np.linalg.norm(gap[:3, :3]) / np.sqrt(2.0)),
        iterations=0,
        restarts=0,
        method=method,
        reason="solved",
    )
