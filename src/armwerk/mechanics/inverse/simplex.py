"""Inverse kinematics by the downhill simplex of Nelder and Mead on the pose error.

Needs no derivative and no inverse, and is a hundred times slower than `numeric` for it. When the
simplex has shrunk without arriving, it is set up anew around its best corner.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.optimize import minimize

from armwerk.arrays import Array
from armwerk.mechanics.inverse.restarts import RestartingSolver
from armwerk.mechanics.inverse.solution import TASK_SIZES, Task
from armwerk.mechanics.kernels.jacobian import remaining

STARTS = 6
ROUNDS = 6  # simplices in a row from one start
EVALUATIONS = 1500  # of the error, for one simplex
FIRST_EDGE = 0.3  # [rad or scales]; later simplices are smaller
_SOLVED = 1e-21  # half the square of 4e-11 rad or scales: safely below the tolerance


class SimplexSolver(RestartingSolver):
    """Downhill simplex; see the module."""

    name: ClassVar[str] = "simplex"
    starts: ClassVar[int] = STARTS

    def descend(self, T: Array, q: Array, task: Task) -> tuple[Array, int]:
        """Return the best corner, and the number of evaluations."""
        chain, rows = self.chain, TASK_SIZES[task]
        units = np.where(chain.revolute, 1.0, chain.scale)

        def error(x: Array) -> float:
            e = remaining(chain.constants, T, x * units, rows)[:rows]
            return 0.5 * float(e @ e)

        x, evaluations, before, edge = q / units, 0, np.inf, FIRST_EDGE
        for _ in range(ROUNDS):
            corners = np.vstack([x, x + edge * np.eye(chain.dof)])
            end = minimize(
                error,
                x,
                method="Nelder-Mead",
                options={
                    "initial_simplex": corners,
                    "xatol": 1e-14,
                    "fatol": 1e-26,
                    "maxfev": EVALUATIONS,
                    "adaptive": True,
                },
            )
            x, value = end.x, float(end.fun)
            evaluations += int(end.nfev)
            if value < _SOLVED or value > 0.5 * before:
                break
            before, edge = value, max(1e-4, min(edge, 4.0 * np.sqrt(value)))
        return np.asarray(x * units), evaluations
