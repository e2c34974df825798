"""What generated kernels offer."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Integers


class Kernels(Protocol):
    """The functions of a generated module; see `armwerk.derivation.runtime.generate`."""

    DOF: int
    LEAVES: int
    GIVEN: tuple[int, ...]
    ANGLES: tuple[tuple[int, ...], ...]

    @property
    def ACCELERATED(self) -> str:
        """The text for an accelerator; empty where it has none."""

    def branches(self, target: Array, setting: Array, out: Array) -> None:
        """Fill every branch of one pose."""

    def one(self, target: Array, setting: Array, found: Array) -> int:
        """Fill the solutions of one pose; return their number, -1 for a pose that needs care."""

    def batch(
        self,
        targets: Array,
        setting: Array,
        out: Array,
        counts: Integers,
        care: NDArray[np.uint8],
        start: int,
        stop: int,
    ) -> None:
        """Fill the solutions of poses start to stop, their numbers, and which need care."""
