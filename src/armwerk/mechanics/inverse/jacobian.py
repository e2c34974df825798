"""Inverse kinematics by integrating joint rates: q <- q + J⁺ Δ with a bounded step Δ.

The method of the ArmBot and of Newton and Raphson, here for the whole pose: Δ holds the way left
for the tool's position and, as a rotation vector, for its orientation. J⁺ is the inverse of the
Jacobian or, for other than six joints, its pseudo-inverse. Converges quadratically from nearby;
has no defence at singular poses but to try another start.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.inverse.restarts import RestartingSolver
from armwerk.mechanics.inverse.solution import TASK_SIZES, Task
from armwerk.mechanics.kernels.jacobian import jacobian, remaining

STARTS = 12
STEP = 0.2  # longest step of the tool [rad, or length scales of the arm]
ITERATIONS = 150
_SHARP = 1e-12  # [rad or scales] no step makes it better
_RANK = 1e-8  # singular values below this share of the largest count as zero


class JacobianSolver(RestartingSolver):
    """Integration of joint rates; see the module."""

    name: ClassVar[str] = "jacobian"
    starts: ClassVar[int] = STARTS

    def descend(self, T: Array, q: Array, task: Task) -> tuple[Array, int]:
        """Return where the integration ends, and the number of steps."""
        chain, rows = self.chain, TASK_SIZES[task]
        units = np.where(chain.revolute, 1.0, chain.scale)
        full = np.empty((6, chain.dof))
        for iteration in range(ITERATIONS):
            error = remaining(chain.constants, T, q, rows)[:rows]
            length = float(np.linalg.norm(error))
            if length < _SHARP:
                return q, iteration
            jacobian(chain.constants, q, full)
            J = full[:rows] * units
            J[:3] /= chain.scale
            step = error * min(1.0, STEP / length)
            dq = np.linalg.pinv(J, rcond=_RANK) @ step
            largest = np.abs(dq).max()
            q = q + units * dq * min(1.0, np.pi / max(largest, 1e-300))
        return q, ITERATIONS
