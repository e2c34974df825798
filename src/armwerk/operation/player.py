"""Plays motions on motors, cycle by cycle; stops on the path and goes on from there.

Time on the path runs at a rate between 0 and 1. A stop lets the rate run down, so that the arm
comes to rest on the path itself; going on lets it run up again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.trajectory.trajectory import Trajectory
from armwerk.motors.interface import UNABLE, MotorInterface

AWAY = 2e-3  # [rad or m] from its beginning within which a motion may begin


@dataclass(slots=True, eq=False)
class Player:
    """Plays one motion at a time on the first modules of motors.

    Args:
        motors: What moves.
        dof: How many of the modules are the arm's, the first ones.
    """

    motors: MotorInterface
    dof: int
    _motion: Trajectory | None = field(init=False, default=None)
    _time: float = field(init=False, default=0.0)
    _rate: float = field(init=False, default=0.0)
    _wanted: float = field(init=False, default=0.0)
    _modules: Sequence[int] = field(init=False)
    _ramp: float = field(init=False)

    def __post_init__(self) -> None:
        configs = self.motors.modules()[: self.dof]
        if len(configs) < self.dof:
            raise MotionError(f"there are {len(configs)} modules for {self.dof} joints")
        self._modules = [config.number for config in configs]
        # braking on the path takes no more than half of what the motors can
        slowest = max(config.max_velocity / config.max_acceleration for config in configs)
        self._ramp = 1.0 / (2.0 * slowest)

    @property
    def q(self) -> Array:
        """Where the arm stands [rad or m]. Shape (n,)."""
        return np.array([self.motors.status(k).position for k in self._modules])

    @property
    def qd(self) -> Array:
        """How fast it moves [rad/s or m/s]. Shape (n,)."""
        return np.array([self.motors.status(k).velocity for k in self._modules])

    @property
    def loaded(self) -> bool:
        """Whether there is a motion, under way or stopped."""
        return self._motion is not None

    @property
    def moving(self) -> bool:
        """Whether time on the path passes."""
        return self._motion is not None and (self._rate > 0.0 or self._wanted > 0.0)

    @property
    def time(self) -> float:
        """How far the motion is [s]."""
        return self._time

    def load(self, motion: Trajectory) -> None:
        """Take a motion, and begin it at the next cycle.

        Raises:
            MotionError: When the arm is not where it begins.
        """
        away = np.abs(motion.sample(0.0)[0] - self.q)
        if away.max() > AWAY:
            axis = int(away.argmax())
            raise MotionError(
                f"begins {away[axis]:.4g} rad or m away from where it stands (allowed: {AWAY:g})",
                axis=f"module {self._modules[axis]}",
            )
        self._motion, self._time, self._rate, self._wanted = motion, 0.0, 1.0, 1.0

    def stop(self) -> None:
        """Come to rest on the path."""
        self._wanted = 0.0

    def go_on(self) -> None:
        """Go on from where it was stopped."""
        self._wanted = 1.0

    def drop(self) -> None:
        """Forget the motion; the motors are no matter of the player any more."""
        self._motion, self._rate, self._wanted = None, 0.0, 0.0

    def trouble(self) -> str:
        """Return why the arm cannot move; empty: it can."""
        for k in self._modules:
            status = self.motors.status(k)
            if status.state in UNABLE:
                why = f": {status.error}" if status.error else ""
                return f"module {k} is {status.state}{why}"
        return ""

    def feed(self) -> None:
        """Give the motors what the next cycle needs; call before it."""
        motion = self._motion
        if motion is None or not self.moving:
            return
        dt = self.motors.dt
        before = self._rate
        change = self._ramp * dt
        self._rate = min(max(self._wanted, before - change), before + change)
        left = motion.duration - self._time
        passed = 0.5 * (before + self._rate) * dt
        last = passed >= left - 1e-12
        self._time = motion.duration if last else self._time + passed
        q, qd, _ = motion.sample(self._time)
        rest = last or self._rate == 0.0
        for k, goal, rate in zip(self._modules, q, qd, strict=True):
            config = self.motors.module_config(k)
            low, high = config.limits
            most = config.max_velocity
            speed = 0.0 if rest else float(np.clip(self._rate * rate, -most, most))
            self.motors.exec_motion(k, "step", float(np.clip(goal, low, high)), dt, speed)
        if last:
            self.drop()
