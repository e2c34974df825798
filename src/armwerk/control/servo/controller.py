"""A servo drive for every axis, fed forward, watched, and adapting to what the hand carries.

The world's drives are force-limited, have rotors and friction, and ask a `JointController` for the
forces of every step: `ServoController` is one. Its loops see the arm as a real drive does, by
encoders and currents; the mass matrix that the world offers is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.control.servo.feed_forward import ModelFeedForward, NoFeedForward
from armwerk.control.servo.load import HandLoad, LoadEstimator, require_dynamics
from armwerk.control.servo.loops import CurrentLoop, PositionLoop, VelocityLoop
from armwerk.control.servo.monitors import Alarm, Supervisor
from armwerk.control.servo.parts import CurrentStage, FeedForward, PositionStage, VelocityStage
from armwerk.errors import UnsupportedError
from armwerk.mechanics.interface import ArmModel
from armwerk.physics.drives.controller import JointFeedback

POSTURES = 64  # over which the inertia that a drive is tuned for is taken
ADAPTED_PER_LOOK = 0.02  # of the difference between the load found and the one fed forward
SURE = 0.03  # [1] relative uncertainty of a mass from which on it is adapted to


class _Last(NamedTuple):
    """The step before: where it began, and what the motors gave."""

    q: Array
    qd: Array
    force: Array


@dataclass(slots=True, eq=False)
class ServoController:
    """Cascade of position, velocity and current with inverse dynamics fed forward.

    Args:
        velocity: The middle loop; it knows the inertias the drives are tuned for.
        position: The outer loop.
        current: The inner loop.
        feed_forward: Forces that the motion takes.
        supervisor: Watches the set points; at an alarm the servo brakes and holds until
            `acknowledge`. None: nobody watches.
        estimator: Finds out what the hand carries, and has it fed forward. None: not wanted.

    Attributes:
        error: Position wanted minus measured of the last step [rad or m]. Shape (n,).
    """

    velocity: VelocityStage
    position: PositionStage = field(default_factory=PositionLoop)
    current: CurrentStage = field(default_factory=CurrentLoop)
    feed_forward: FeedForward = field(default_factory=NoFeedForward)
    supervisor: Supervisor | None = None
    estimator: LoadEstimator | None = None
    error: Array = field(init=False)
    _last: _Last | None = field(init=False, default=None)
    _full: Array = field(init=False)
    _own: tuple[Array, Array] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.estimator is not None and not isinstance(self.feed_forward, ModelFeedForward):
            raise UnsupportedError(
                "a load can be adapted to where a ModelFeedForward has it, got "
                f"{type(self.feed_forward).__name__}"
            )
        self.error = self._full = np.zeros(0)

    @classmethod
    def of(
        cls,
        model: ArmModel,
        *,
        feed_forward: bool = True,
        adapt: bool = False,
        supervisor: Supervisor | None = None,
    ) -> ServoController:
        """Return a servo that is tuned for an arm.

        Args:
            model: Of the arm, without a load.
            feed_forward: Whether speeds and inverse dynamics are fed forward.
            adapt: Whether an unknown load is estimated and adapted to.
            supervisor: Watches the set points; None: nobody.
        """
        serial = require_dynamics(model)
        inertia = np.mean(
            [np.diag(serial.mass_matrix(q)) for q in serial.chain.spread(POSTURES)], axis=0
        )
        return cls(
            VelocityLoop(inertia),
            PositionLoop(feed_forward=float(feed_forward)),
            feed_forward=ModelFeedForward(serial) if feed_forward else NoFeedForward(),
            supervisor=supervisor,
            estimator=LoadEstimator(serial) if adapt else None,
        )

    @property
    def alarm(self) -> Alarm | None:
        """Why the servo holds the arm; None: it does not."""
        return None if self.supervisor is None else self.supervisor.alarm

    @property
    def load(self) -> HandLoad:
        """What is fed forward for the hand's load."""
        if isinstance(self.feed_forward, ModelFeedForward) and self.feed_forward.load is not None:
            return self.feed_forward.load
        return HandLoad()

    def acknowledge(self) -> None:
        """Take back the alarm; the arm catches up with its set points within its limits."""
        if self.supervisor is not None:
            self.supervisor.acknowledge()

    def reset(self) -> None:
        """Forget integrals, currents, load and alarm."""
        self.velocity.reset()
        self.current.reset()
        self._last, self._own = None, None
        self._full = np.zeros(0)
        if self.supervisor is not None:
            self.supervisor.acknowledge()
        if self.estimator is not None:
            self.estimator.reset()
        if isinstance(self.feed_forward, ModelFeedForward) and self.estimator is not None:
            self.feed_forward.load = None

    def forces(self, feedback: JointFeedback) -> Array:
        """Return the motors' forces for this step [N m or N]. Shape (n,)."""
        self._learn(feedback)
        position, velocity, acceleration = self._watched(feedback)
        # the set point is for the end of the step; what is measured is its beginning
        before = position - velocity * feedback.dt
        rate = velocity - acceleration * feedback.dt
        full = self._full if len(self._full) == len(before) else np.zeros(len(before))
        self.error = before - feedback.q
        speeds = self.position.speeds(self.error, rate)
        wanted = self.velocity.forces(speeds - feedback.qd, feedback.dt, full)
        wanted = wanted + self.feed_forward.forces(before, rate, acceleration)
        given = self.current.forces(wanted, feedback.max_force, feedback.dt)
        self._full = np.asarray(np.abs(wanted) > feedback.max_force, dtype=np.float64)
        self._last = _Last(feedback.q, feedback.qd, given)
        return given

    def _learn(self, feedback: JointFeedback) -> None:
        """Take in what the step before has done, and adapt to the load that follows from it."""
        last, estimator = self._last, self.estimator
        if last is None or estimator is None or self._full.any():
            return
        dt = feedback.dt
        estimator.look(last.q, last.qd, (feedback.qd - last.qd) / dt, last.force, dt)
        found = estimator.load
        if not isinstance(self.feed_forward, ModelFeedForward):
            return
        if estimator.uncertainty > max(SURE * found.mass, SURE):
            return
        now = self.load.numbers()
        self.feed_forward.load = HandLoad.of(now + ADAPTED_PER_LOOK * (found.numbers() - now))

    def _watched(self, feedback: JointFeedback) -> tuple[Array, Array, Array]:
        """Return position, velocity and acceleration to go for, after the monitors have looked."""
        wanted = feedback.position, feedback.velocity, feedback.acceleration
        supervisor = self.supervisor
        if supervisor is None:
            return wanted
        dt, limits = feedback.dt, supervisor.limits
        alarm = supervisor.look(feedback.time, dt, feedback.position, feedback.velocity)
        if self._own is None:
            if alarm is None:
                return wanted
            # the last good set point, with the speed it had
            rate = feedback.velocity - feedback.acceleration * dt
            rate = np.clip(rate, -limits.velocity, limits.velocity)
            self._own = feedback.position - feedback.velocity * dt, rate
        at, speed = self._own
        change = limits.acceleration * dt
        if alarm is not None:
            aim = np.zeros(len(at))
        else:
            gap = feedback.position - at
            aim = np.sign(gap) * np.sqrt(2.0 * 0.5 * limits.acceleration * np.abs(gap))
            aim = np.where(np.abs(aim) * dt > np.abs(gap), gap / dt, aim)
            aim = np.clip(aim, -limits.velocity, limits.velocity)
        new = np.clip(aim, speed - change, speed + change)
        at = np.clip(at + new * dt, limits.lowest, limits.highest)
        self._own = at, new
        near = np.abs(at - feedback.position) < 1e-6
        slow = np.abs(new - feedback.velocity) <= change
        if alarm is None and near.all() and slow.all():
            self._own = None
        return at, new, (new - speed) / dt
