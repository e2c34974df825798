"""The first answers of an arm whose closed form is still to be derived.

Deriving and compiling a closed form takes seconds, elimination is ready in milliseconds once its
own kernels have been compiled on a machine. So the first single poses are solved by elimination, as
long as it is sure of its answer; whoever asks for many poses, for names or for the method itself
waits for the closed form, which is kept on disk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.compiled import is_compiled
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import in_order
from armwerk.mechanics.inverse.general import GeneralSolver
from armwerk.mechanics.kernels.elimination.solve import solve_pose
from armwerk.robot.arm import Arm

ENOUGH = 20_000  # answers, after which a closed form has earned the time to derive it


def is_ready() -> bool:
    """Say whether elimination answers at once: its kernels have been compiled on this machine."""
    return is_compiled(solve_pose)


class FirstAnswers:
    """Solves single poses of a six-axis arm at once, or says that it cannot.

    Args:
        arm: The arm, for messages.
        chain: The same arm, packed.

    Raises:
        UnsupportedError: For an arm that elimination cannot take.
    """

    def __init__(self, arm: Arm, chain: Chain) -> None:
        self._solver = GeneralSolver(arm, chain)
        self._given = 0

    def all(self, T: ArrayLike, within_limits: bool) -> Array | None:
        """Return every solution of a pose, in order; None: ask the closed form. Shape (k, 6)."""
        self._given += 1
        if self._given > ENOUGH:
            return None
        answer = self._solver.proved(T, within_limits)
        return None if answer is None else in_order(answer)

    def nearest(self, T: ArrayLike, q: ArrayLike) -> tuple[bool, Array | None]:
        """Return whether it is known, and the solution within limits nearest to q or None."""
        self._given += 1
        if self._given > ENOUGH or self._solver.proved(T, within_limits=False) is None:
            return False, None
        return True, self._solver.nearest(T, np.asarray(q))
