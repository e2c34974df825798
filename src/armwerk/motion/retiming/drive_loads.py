"""What a motion asks of the drives: joint forces along a path against the largest each has.

In: a model with its dynamics and `max_force` of its joints. Out: forces by the path's parameter, as
fractions, and by how much a finished motion passes them.

With q(σ) along the path the forces are, by the equations of motion,

    τ = M q' σ̈ + (M q'' + C(q, q')) σ̇² + g + dry friction + B q' σ̇.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.pieces.piece import Samples

_ROOM = 1e-3  # of a drive that must be left beside what holds the arm still
_LEAST = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class DriveLoads:
    """Forces of the drives of an arm.

    Args:
        model: With the arm's dynamics.
        largest: What each drive has [N m or N]. Shape (n,).
    """

    model: SerialModel
    largest: Array

    def along(self, q: Array, one: Array, two: Array) -> Array:
        """Return what b', b, rest with dry friction, and √b ask for, b = σ̇². Shape (m, 4, n).

        Args:
            q: Joint values. Shape (m, n).
            one: q' by σ. Shape (m, n).
            two: q''. Shape (m, n).
        """
        still = np.zeros_like(q)
        gravity = self.model.inverse_dynamics(q, still, still)
        mass = self.model.inverse_dynamics(q, still, one) - gravity
        bias = self.model.inverse_dynamics(q, one, two) - gravity
        viscous = self.model.chain.viscous * one
        dry = self.model.friction(one) - viscous
        return np.stack([0.5 * mass, bias, gravity + dry, viscous], axis=1) / self.largest

    def used(self, samples: Samples) -> Array:
        """Return forces over the largest, signed. Shape (m, n)."""
        q, qd, qdd = samples[:3]
        forces = self.model.inverse_dynamics(q, qd, qdd) + self.model.friction(qd)
        return np.asarray(forces / self.largest)

    def excess(self, samples: Samples) -> float:
        """Return by what factor a motion must be slowed to keep all forces; at most 1: it does."""
        used = self.used(samples)
        q, qd = samples[:2]
        viscous = self.model.chain.viscous * qd
        static = (self.model.gravity(q) + self.model.friction(qd) - viscous) / self.largest
        moving = used - static
        side = np.sign(moving)
        room = np.maximum(1.0 - side * static, _LEAST)
        # slower by f, inertia asks for 1/f² and what rises with speed for 1/f; the rest stays
        drag = side * viscous / self.largest
        inertia = np.abs(moving) - drag
        root = np.sqrt(np.maximum(drag * drag + 4.0 * inertia * room, 0.0))
        return float(((drag + root) / (2.0 * room)).max(initial=0.0))

    def refuse_overload(self, q: Array, one: Array, words: tuple[str, str]) -> None:
        """Refuse joint values that the drives cannot hold, or cannot leave against dry friction.

        Args:
            q: Joint values at one place. Shape (n,).
            one: How they move on from there. Shape (n,).
            words: Segment and place, for the message.

        Raises:
            MotionError: Names the joint, what it takes and what its drive has.
        """
        load = np.abs(self.along(q[None], one[None], 0.0 * one[None])[0, 2])
        axis = int(np.argmax(load))
        if load[axis] <= 1.0 - _ROOM:
            return
        joint = self.model.arm.moving[axis]
        unit = "N m" if joint.unit == "rad" else "N"
        raise MotionError(
            f"weight and dry friction alone take {load[axis] * self.largest[axis]:.4g} {unit}, and "
            f"its drive has {self.largest[axis]:.4g} {unit} (max_force): no speed would do",
            segment=words[0],
            place=words[1],
            axis=f"joint '{joint.name}'",
        )


def drive_loads(model: SerialModel) -> DriveLoads:
    """Return the drives of an arm, as described.

    Raises:
        MotionError: Where a joint has no largest force.
    """
    forces = [joint.max_force for joint in model.arm.moving]
    missing = [
        f"'{joint.name}'"
        for joint, force in zip(model.arm.moving, forces, strict=True)
        if force is None or not force > 0.0
    ]
    if missing:
        raise MotionError(
            f"limits by the drives need max_force of every joint of '{model.arm.name}'; "
            f"{', '.join(missing)} has none [N m or N]"
        )
    return DriveLoads(model, np.array([float(force or 0.0) for force in forces]))
