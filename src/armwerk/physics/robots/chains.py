"""The closed chains of an arm, looked at before it moves.

Motors of a closed chain are as strong as they need be, so they would tear it apart where it cannot
close, and could lead it into another assembly mode. Therefore every table of set points, and every
way to a goal, is followed by the arm's model first (`armwerk.mechanics.assembly.course`).
"""

from __future__ import annotations

import mujoco
import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.errors import MotionError
from armwerk.geometry.quaternion import rotation_from_quaternion
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.mechanics.assembly.course import course_fault
from armwerk.physics.mechanism.members import Source
from armwerk.physics.robots.plan import RobotPlan

SAMPLE = {"m": 1e-3, "rad": 4e-3}  # of a motor between two rows looked at, at most about


class ClosedChains:
    """The closed chains that the motors of one arm move.

    Args:
        plan: What was mounted.
        source: The assembly they are described in.
        model: Compiled.
        data: Its state.
    """

    def __init__(
        self, plan: RobotPlan, source: Source, model: mujoco.MjModel, data: mujoco.MjData
    ) -> None:
        self._plan = plan
        self._data = data
        self.model = AssemblyModel(source.assembly)
        motors = plan.robot.motors
        moving = source.assembly.moving
        self._order = np.array([motors.index(source.members[motor.name]) for motor in moving])
        units = [plan.robot.members[index].unit for index in plan.robot.arm_motors]
        self._samples = np.array([SAMPLE[unit] for unit in units])
        self._plates = {
            loop.tie.name: int(model.joint(plan.joints[source.members[loop.tie.name]]).qposadr[0])
            for loop in source.assembly.loops
            if loop.pattern == "STEWART"
        }

    @classmethod
    def of(cls, plan: RobotPlan, model: mujoco.MjModel, data: mujoco.MjData) -> ClosedChains | None:
        """Return the closed chains of an arm; None: it has none."""
        arm = set(plan.robot.arm_motors)
        for source in plan.robot.sources:
            if source.assembly.loops and arm & set(source.members.values()):
                return cls(plan, source, model, data)
        return None

    def plates(self) -> dict[str, Array]:
        """Return where the platforms are by name, T_base_plate. Shape (4, 4) each."""
        result: dict[str, Array] = {}
        for name, first in self._plates.items():
            pose = np.eye(4)
            pose[:3, 3] = self._data.qpos[first : first + 3]
            pose[:3, :3] = rotation_from_quaternion(self._data.qpos[first + 3 : first + 7])
            result[name] = np.asarray(np.linalg.solve(self._plan.base, pose))
        return result

    def problem(self, values: Array, rows: Array, dt: float) -> MotionError | None:
        """Return why the arm cannot go a way; None: it can.

        Args:
            values: Of all motors, the gripper's among them; where the arm is now. Shape (n,).
            rows: Set points of the arm's motors, one row per step from now on. Shape (m, dof).
            dt: Step of time [s].
        """
        dof = rows.shape[1]
        if not len(rows):
            return None
        rows = np.vstack([values[:dof], rows])
        chosen = self._sampled(rows)
        whole = np.tile(values, (len(chosen), 1))
        whole[:, :dof] = rows[chosen]
        fault = course_fault(self.model, whole[:, self._order], self.plates())
        if fault is None:
            return None
        row = int(chosen[fault.row])
        return MotionError(
            f"{fault.problem}; nothing has moved",
            segment=f"robot {self._plan.number} '{self._plan.robot.name}'",
            place=f"at {row * dt:.4g} s of {(len(rows) - 1) * dt:.4g} s",
        )

    def _sampled(self, rows: Array) -> Integers:
        """Return the rows to look at: so many that nothing moves far in between."""
        way = np.cumsum((np.abs(np.diff(rows, axis=0)) / self._samples).max(axis=1))
        marks = np.arange(1.0, float(way[-1]) + 1.0)
        between = np.searchsorted(way, marks) + 1
        found = np.unique(np.concatenate([[0], between, [len(rows) - 1]]))
        return np.asarray(found[found < len(rows)], dtype=np.int64)
