"""What computes the forces of an arm's motors: a small interface, and a cascade that keeps it.

Without a controller of its own an arm follows its set points exactly: computed torque,

    tau = M qdd + h,

with the mass matrix M and the forces h of gravity and speed of the simulated arm itself, and the
acceleration qdd that the set points need, see `armwerk.physics.robots.drive`. It runs
compiled, for all arms in one call.
A `JointController` takes its place, arm by arm. Whatever it asks for, the drive gives at most the
largest force of its motors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from armwerk.arrays import Array


class JointFeedback(NamedTuple):
    """What a controller is told in every step; arrays have one entry per motor of the arm, (n,).

    Attributes:
        time: Simulated [s].
        dt: Step of time [s].
        q: Where the motors stand [rad or m].
        qd: How fast they move [rad/s or m/s].
        position: Set points for the end of this step [rad or m].
        velocity: Their rates [rad/s or m/s].
        acceleration: And the rates of those [rad/s² or m/s²].
        max_force: What the motors can give [N m or N].
        mass_matrix: M of the arm as it stands [kg m²]. Shape (n, n).
        bias: Forces of gravity and speed, which hold the arm against them [N m or N].
    """

    time: float
    dt: float
    q: Array
    qd: Array
    position: Array
    velocity: Array
    acceleration: Array
    max_force: Array
    mass_matrix: Array
    bias: Array


class JointController(Protocol):
    """What computes the forces of an arm's motors."""

    def forces(self, feedback: JointFeedback) -> Array:
        """Return the motors' forces for this step [N m or N]. Shape (n,)."""
        ...

    def reset(self) -> None:
        """Forget everything; the simulation begins anew or goes back to an earlier state."""
        ...


@dataclass(slots=True)
class CascadeController:
    """Position, velocity and current in a cascade, as in most servo drives, joint by joint.

    v = p' + k (p - q);   tau = J (b (v - qd) + c ∫ (v - qd) dt), the current loop being ideal.

    Args:
        position_gain: k [1/s].
        velocity_gain: b [1/s].
        integral_gain: c [1/s²].
        feed_forward: Fraction of the set point's rate p' that is used.
    """

    position_gain: float = 20.0
    velocity_gain: float = 100.0
    integral_gain: float = 2000.0
    feed_forward: float = 0.0
    _sum: Array | None = field(default=None, repr=False)

    def reset(self) -> None:
        """Forget the integral."""
        self._sum = None

    def forces(self, feedback: JointFeedback) -> Array:
        """Return the motors' forces; the integral stands still where they are at their limit."""
        total = np.zeros(len(feedback.q)) if self._sum is None else self._sum
        wanted = self.feed_forward * feedback.velocity
        wanted = wanted + self.position_gain * (feedback.position - feedback.q)
        error = wanted - feedback.qd
        inertia = np.diag(feedback.mass_matrix)
        tau = inertia * (self.velocity_gain * error + self.integral_gain * total)
        self._sum = total + np.where(np.abs(tau) < feedback.max_force, error * feedback.dt, 0.0)
        return np.asarray(tau)
