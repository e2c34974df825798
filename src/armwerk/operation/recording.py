"""Play-back: what an arm was led through is recorded and played; master and slave.

Whoever guides the arm, a hand, a program or a master, the recorder only looks at the modules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, MotionError
from armwerk.mechanics.interface import ArmModel
from armwerk.motion.limits import Limits
from armwerk.motion.trajectory.trajectory import Trajectory
from armwerk.motors.interface import UNABLE, MotorInterface
from armwerk.operation.points import through

_STILL = 1e-5  # [rad or m] within which an arm has not moved


@dataclass(slots=True, eq=False)
class MotionRecorder:
    """Notes where the modules of an arm are.

    Args:
        motors: Looked at only.
        dof: How many of the modules are the arm's, the first ones.
        period: Between two notes [s].
    """

    motors: MotorInterface
    dof: int
    period: float = 0.02
    _rows: list[Array] = field(init=False, default_factory=list)
    _cycles: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if not self.period >= self.motors.dt:
            raise DescriptionError(
                "shorter than a cycle",
                element="period",
                value=self.period,
                allowed=f"at least {self.motors.dt:g} s",
            )

    @property
    def _every(self) -> int:
        return max(1, round(self.period / self.motors.dt))

    def look(self) -> None:
        """Note where the arm is, when it is time; call once per cycle."""
        if self._cycles % self._every == 0:
            numbers = [one.number for one in self.motors.modules()[: self.dof]]
            self._rows.append(np.array([self.motors.status(k).position for k in numbers]))
        self._cycles += 1

    def clear(self) -> None:
        """Forget what was noted."""
        self._rows, self._cycles = [], 0

    @property
    def samples(self) -> Array:
        """What was noted, a row per period [rad or m]. Shape (m, n)."""
        return np.array(self._rows).reshape(-1, self.dof)

    def trajectory(self, model: ArmModel, limits: Limits | None = None) -> Trajectory:
        """Return what was noted as a motion, without the standing at its beginning and end.

        Where it was faster than the limits allow, all of it takes longer.

        Args:
            model: Of the arm.
            limits: None: those of the arm.

        Raises:
            MotionError: When nothing has moved.
        """
        rows = self.samples
        moved = np.abs(np.diff(rows, axis=0)).max(axis=1, initial=0.0) > _STILL
        if not moved.any():
            raise MotionError("nothing has moved while it was recorded")
        first, last = int(np.argmax(moved)), len(moved) - int(np.argmax(moved[::-1]))
        kept = rows[first : last + 1]
        times = np.arange(len(kept), dtype=np.float64) * (self._every * self.motors.dt)
        return through(times, kept, limits or Limits.of(model), model)


@dataclass(slots=True, eq=False)
class MasterSlave:
    """A slave that does what its master does, joint by joint, as fast as it may.

    Args:
        master: Guided by somebody.
        slave: Follows.
        dof: Joints of both.
        scale: Way of the slave per way of the master. Shape (n,), or one number.
        fraction: Of the slave's speed that it may use [1].
    """

    master: MotorInterface
    slave: MotorInterface
    dof: int
    scale: ArrayLike = 1.0
    fraction: float = 0.5
    recorder: MotionRecorder = field(init=False)
    _from: Array = field(init=False)
    _to: Array = field(init=False)
    _set: Array = field(init=False)

    def __post_init__(self) -> None:
        for motors in (self.master, self.slave):
            if len(motors.modules()) < self.dof:
                raise MotionError(f"there are fewer than {self.dof} modules")
        if not 0.0 < self.fraction <= 1.0:
            raise DescriptionError(
                "out of range", element="fraction", value=self.fraction, allowed="above 0, to 1"
            )
        self.recorder = MotionRecorder(self.slave, self.dof, max(0.02, self.slave.dt))
        self._from, self._to = self._places(self.master), self._places(self.slave)
        self._set = self._to.copy()

    def cycle(self) -> None:
        """Let one cycle of both pass.

        Raises:
            MotionError: When a module of the slave cannot move; the master is left alone.
        """
        self.master.cycle()
        wanted = self._to + np.asarray(self.scale) * (self._places(self.master) - self._from)
        dt = self.slave.dt
        for k, config in enumerate(self.slave.modules()[: self.dof]):
            status = self.slave.status(config.number)
            if status.state in UNABLE:
                raise MotionError(f"is {status.state}", axis=f"module {config.number}")
            most = self.fraction * config.max_velocity * dt
            low, high = config.limits
            goal = float(np.clip(wanted[k], low, high))
            step = float(np.clip(goal - self._set[k], -most, most))
            if step == 0.0 and status.state == "ready":
                continue
            self._set[k] += step
            self.slave.exec_motion(config.number, "step", float(self._set[k]), dt, step / dt)
        self.slave.cycle()
        self.recorder.look()

    def _places(self, motors: MotorInterface) -> Array:
        numbers = [one.number for one in motors.modules()[: self.dof]]
        return np.array([motors.status(k).position for k in numbers])
