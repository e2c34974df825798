"""The forces that a model says a motion takes, with the load at the hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.control.servo.load import HandLoad, load_forces, require_dynamics
from armwerk.mechanics.serial import SerialModel


@dataclass(slots=True, eq=False)
class ModelFeedForward:
    """Inverse dynamics and friction of the arm as it is described, and of a load.

    Args:
        model: Of the arm; rotors count by its armature.
        load: What hangs at the hand; None: nothing.
        friction: Fraction of the described friction that is fed forward [1].
    """

    model: SerialModel
    load: HandLoad | None = None
    friction: float = 1.0

    def __post_init__(self) -> None:
        require_dynamics(self.model)

    def forces(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the motors' forces of a motion [N m or N]. Shape (n,)."""
        tau = self.model.inverse_dynamics(q, qd, qdd)
        tau = tau + self.friction * self.model.friction(qd)
        if self.load is not None and self.load.mass > 0.0:
            tau = tau + load_forces(self.model, q, qd, qdd) @ self.load.numbers()
        return np.asarray(tau)


class NoFeedForward:
    """Leaves everything to the loops."""

    def forces(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return zeros. Shape (n,)."""
        return np.zeros(len(q))
