"""A robot in the world: what its motors do, where its hand is, what its gripper holds."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import BlockedError, DescriptionError, MotionError, ShapeError, UnknownNameError
from armwerk.physics.mechanism.members import Member, check_angles, check_value
from armwerk.physics.robots.carried import carried
from armwerk.physics.robots.chains import ClosedChains
from armwerk.physics.robots.drive import Drive
from armwerk.physics.robots.face_grip import FaceGrip
from armwerk.physics.robots.grip import GripBody
from armwerk.physics.robots.motor_space import MotorSpace
from armwerk.physics.robots.motor_table import (
    BLOCKED,
    FORCE,
    GOAL,
    JAMMED,
    LIMIT,
    MAX_ACCELERATION,
    RUNS,
    SET,
    SPEED,
)
from armwerk.physics.robots.plan import RobotPlan
from armwerk.physics.robots.set_points import course_to_goal, stopping_distance

_ROUNDING = 1e-6  # fraction by which a table may exceed a speed limit
_SLIP = 1e-9  # [rad or m] the same, for steps that are nearly none


class RobotBody:
    """One robot of a simulation.

    Args:
        plan: What was mounted.
        model: Compiled from the specification it was mounted in.
        data: Its state.

    Attributes:
        plan: What was mounted.
        motors: Names of the motors, the arm's first, then the gripper's.
        dof: Number of the arm's motors.
        own_dofs: Degrees of freedom of all its members.
        table: Its place among the robots.
        arm_rows: Where the arm's motors stand among all motors.
        pad_geoms: Geoms of the gripper that things stick to: of fingers, cups and magnets.
        lip_geoms: Those of cups and magnets.
        touch_geoms: Geoms of all that touches things, fingers included.
        link_geoms: Geoms of bars, and of fingers as others than things meet them.
        ties: Sites that closed chains tie together. Shape (k, 2).
        grip: The gripper; None: there is none.
        fingers: The gripper where it has fingers, else None.
        faces: The gripper where it has cups or magnets, else None.
        chains: The arm's closed chains; None: there are none.
        space: Its joints as motors see them where they are coupled; None: each has its motor.
        refused: Why the arm did not go where single motors were last sent; empty: it did.
        failed: Why it stands still for good; empty: it does not.
    """

    drive: Drive  # comes with `attach`

    def __init__(self, plan: RobotPlan, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.plan = plan
        self.model = model
        self.data = data
        robot = plan.robot
        self.motors = tuple(robot.members[index].name for index in robot.motors)
        self.dof = len(robot.arm_motors)
        joints = [model.joint(plan.joints[index]) for index in robot.motors]
        self._positions = np.array([joint.qposadr[0] for joint in joints])
        self._dofs = np.array([joint.dofadr[0] for joint in joints])
        bodies = [model.body(name).id for name in plan.bodies]
        self.own_dofs = np.flatnonzero(np.isin(model.dof_bodyid, bodies))
        self._hand = model.site(plan.hand).id
        self.ties = np.array(
            [[model.site(name).id for name in pair] for pair in plan.ties], dtype=np.int64
        ).reshape(-1, 2)
        self.pad_geoms = tuple(model.geom(name).id for name in plan.pads)
        self.lip_geoms = tuple(model.geom(name).id for face in plan.faces for name in face.geoms)
        self.touch_geoms = tuple(model.geom(name).id for name in plan.touch)
        self.link_geoms = tuple(model.geom(name).id for name in plan.links)
        self.fingers = GripBody(self, plan.grip) if plan.grip is not None else None
        self.faces = FaceGrip(self) if plan.faces else None
        self.grip: GripBody | FaceGrip | None = self.faces or self.fingers
        self.chains = ClosedChains.of(plan, model, data)
        self.space = None if robot.axes is None else MotorSpace(plan, model)
        self.refused = ""
        self.failed = ""
        self._block: BlockedError | None = None
        self._asked: dict[int, float] = {}
        self._objection: MotionError | None = None
        self._undo: tuple[Array, int] | None = None

    def attach(self, drive: Drive, number: int, first: int) -> None:
        """Take the motors from ``first`` on, and the table ``number``, as this robot's own."""
        self.drive = drive
        self.table = number
        self.rows = slice(first, first + len(self.motors))
        self.arm_rows = slice(first, first + self.dof)

    def place(self, motor: int) -> tuple[int, int]:
        """Return where a motor stands in qpos and in qvel."""
        return int(self._positions[motor]), int(self._dofs[motor])

    @property
    def values(self) -> Array:
        """Where all motors stand [rad or m], read back. Shape (n,)."""
        values = np.array(self.data.qpos[self._positions])
        if self.space is not None:
            values[: self.dof] = self.space.values(self.data.qpos)
        return values

    @property
    def rates(self) -> Array:
        """How fast all motors move [rad/s or m/s], read back. Shape (n,)."""
        rates = np.array(self.data.qvel[self._dofs])
        if self.space is not None:
            rates[: self.dof] = self.space.rates(self.data.qvel)
        return rates

    @property
    def q(self) -> Array:
        """Where the arm's motors stand [rad or m]; the q of its model. Shape (dof,)."""
        if self.space is not None:
            return self.space.values(self.data.qpos)
        return np.asarray(self.data.qpos[self._positions[: self.dof]])

    @property
    def qd(self) -> Array:
        """How fast the arm's motors move [rad/s or m/s]. Shape (dof,)."""
        if self.space is not None:
            return self.space.rates(self.data.qvel)
        return np.asarray(self.data.qvel[self._dofs[: self.dof]])

    @property
    def goals(self) -> Array:
        """Where all motors are going [rad or m]. Shape (n,)."""
        return self.drive.motors[self.rows, GOAL].copy()

    @property
    def setpoints(self) -> Array:
        """Where all motors should be by now [rad or m]. Shape (n,)."""
        return self.drive.motors[self.rows, SET].copy()

    @property
    def setpoint_rates(self) -> Array:
        """How fast all motors should be by now [rad/s or m/s]. Shape (n,)."""
        return self.drive.motors[self.rows, SPEED].copy()

    @property
    def forces(self) -> Array:
        """What all motors give, friction of the drives included [N m or N]. Shape (n,)."""
        return self.drive.motors[self.rows, FORCE].copy()

    @property
    def max_forces(self) -> Array:
        """What all motors can give [N m or N]. Shape (n,)."""
        return self.drive.motors[self.rows, LIMIT].copy()

    @property
    def blocked(self) -> bool:
        """Whether the arm, since it was last sent somewhere, stood at its limits and let go."""
        return bool(self.drive.tables[self.table, BLOCKED])

    @property
    def block(self) -> BlockedError | None:
        """What stood in its way; None: it is not blocked, or was so in a restored state."""
        return self._block if self.blocked else None

    def forget_block(self) -> None:
        """Forget what stood in its way: another state has been restored."""
        self._block = None

    def let_go(self, block: BlockedError) -> None:
        """Hold where it stands, and remember why."""
        self._block = block
        self.drive.let_go(self.table)

    @property
    def carried(self) -> frozenset[str]:
        """Names of the things that lie on its touch parts alone, and that it does not hold.

        They move with the part they lie on as far as friction allows.
        """
        held = frozenset() if self.grip is None else self.grip.held
        return carried(self.model, self.data, self.touch_geoms, held)

    @property
    def limits(self) -> Array:
        """Smallest and largest value of all motors [rad or m]. Shape (n, 2)."""
        return np.array([self.member(k).limits for k in range(len(self.motors))])

    @property
    def moving(self) -> bool:
        """Whether any of the arm's motors is still on its way."""
        if self._objection is not None:
            return True
        drive = self.drive
        if drive.tables[self.table, RUNS]:  # in most steps, of those that ask in every one
            return True
        arm = drive.motors[self.arm_rows]
        return bool((arm[:, SET] != arm[:, GOAL]).any() or arm[:, SPEED].any())

    @property
    def jammed(self) -> bool:
        """Whether the arm, since it was last sent somewhere, gave way to a chain that opens."""
        return bool(self.drive.tables[self.table, JAMMED])

    @property
    def trouble(self) -> str:
        """Why the arm is not where it was last sent, though it stands; empty: it is there."""
        return self.failed or self.refused

    @property
    def pose(self) -> Array:
        """The grip point, or the hand of an arm without gripper, T_world_hand. Shape (4, 4)."""
        mujoco.mj_kinematics(self.model, self.data)
        result = np.eye(4)
        result[:3, :3] = self.data.site_xmat[self._hand].reshape(3, 3)
        result[:3, 3] = self.data.site_xpos[self._hand]
        return result

    def gap(self) -> float:
        """Return the largest distance of two points that closed chains tie together [m]."""
        if not len(self.ties):
            return 0.0
        mujoco.mj_kinematics(self.model, self.data)
        places = self.data.site_xpos
        apart = places[self.ties[:, 0]] - places[self.ties[:, 1]]
        return float(np.linalg.norm(apart, axis=1).max())

    def index(self, motor: str) -> int:
        """Return the place of a motor by name.

        Raises:
            UnknownNameError: For a name that no motor has.
        """
        if motor not in self.motors:
            raise UnknownNameError(f"motor of robot {self.plan.number}", motor, self.motors)
        return self.motors.index(motor)

    def set_goal(self, which: int | slice | str, value: ArrayLike) -> None:
        """Send motors somewhere; they run there within their speeds and accelerations.

        A table the arm follows ends here when a motor of the arm is meant. The motors of a
        gripper move together, so the last value for one of them holds for all.

        The whole way of an arm with closed chains is looked at first. Where single motors of it
        are sent one after the other, that is done for all of them when the next step begins;
        if they cannot go there, `refused` says why and the arm stays.

        Args:
            which: Place or name of a motor, or a slice of them.
            value: One number, or one per motor [rad or m].

        Raises:
            DescriptionError: For a value beyond a motor's limits; no motor moves then.
            MotionError: When closed chains cannot follow all of the arm's motors; none moves.
            ShapeError: For the wrong number of values.
        """
        if isinstance(which, str):
            which = self.index(which)
        chosen = np.atleast_1d(np.arange(len(self.motors))[which])
        values = np.array(value, dtype=np.float64)
        if values.shape not in {(), (len(chosen),)}:
            raise ShapeError(
                f"value must be a number or have shape ({len(chosen)},), got {values.shape}"
            )
        values = np.broadcast_to(values, chosen.shape)
        self._refuse_failed()
        for k, goal in zip(chosen, values, strict=True):
            check_value(self.member(int(k)), float(goal))
        arm = chosen < self.dof
        if arm.any():
            goals = np.clip(values, *self.limits[chosen].T)[arm]
            self._send(dict(zip(chosen[arm].tolist(), goals.tolist(), strict=True)))
        if self.fingers is not None and not arm.all():
            self.fingers.go_with(int(chosen[-1]) - self.dof, float(values[-1]))

    def follow(self, table: ArrayLike, first: int = 0) -> None:
        """Let the arm take its set points from a table, one row per step of time.

        Args:
            table: Set points of the arm's motors [rad or m]. Shape (steps, dof).
            first: The row to begin with; it is met at the end of the next step.

        Raises:
            ShapeError: For a table of another shape, or with nan in it.
            DescriptionError: For a row beyond the limits, or a step faster than a motor may go.
        """
        rows = np.array(table, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.dof or not np.isfinite(rows).all():
            raise ShapeError(
                f"table must be finite numbers of shape (steps, {self.dof}), got {rows.shape}"
            )
        rows = rows[first:]
        self._refuse_failed()
        if not len(rows):
            return
        self._check_table(rows)
        if self.chains is not None:
            problem = self.chains.problem(self.setpoints, rows, self.drive.dt)
            if problem is not None:
                raise problem
        self.forget_refusal()
        self.drive.motors[self.arm_rows, GOAL] = rows[-1]
        self.drive.follow(self.table, rows)

    def halt(self) -> None:
        """Stop the arm as fast as its accelerations allow."""
        self.forget_refusal()
        self.drive.stop_table(self.table)
        motors = self.drive.motors[self.arm_rows]
        self._brake(motors)
        if self.chains is not None and self.chains.problem(
            self.setpoints, self._course(motors), self.drive.dt
        ):  # each motor brakes on its own: where that is no way, all stop at once
            motors[:, GOAL] = motors[:, SET]
            motors[:, SPEED] = 0.0

    def settle(self) -> None:
        """Give up what single motors were asked since the last step where chains cannot follow."""
        if self._objection is not None and self._undo is not None:
            self.refused = str(self._objection)
            self.drive.motors[self.arm_rows, GOAL] = self._undo[0]
            self.drive.tables[self.table, RUNS] = self._undo[1]
        self._asked, self._objection, self._undo = {}, None, None

    def _send(self, goals: dict[int, float]) -> None:
        """Send motors of the arm to goals within their limits, by their places."""
        single = self.chains is not None and len(goals) < self.dof
        if single:
            self._asked |= goals
            goals = self._asked
            running = int(self.drive.tables[self.table, RUNS])
            self._undo = self._undo or (self.drive.motors[self.arm_rows, GOAL].copy(), running)
        planned = self.drive.motors[self.arm_rows].copy()
        if self.drive.tables[self.table, RUNS]:
            self._brake(planned)
        planned[list(goals), GOAL] = list(goals.values())
        check_angles(self.plan.robot, planned[:, GOAL])
        if self.chains is not None:
            problem = self.chains.problem(self.setpoints, self._course(planned), self.drive.dt)
            if problem is not None and not single:
                raise problem
            self._objection = problem
            if problem is not None:  # another motor may be sent before time goes on
                return
        self.refused = ""
        if not single:
            self.forget_refusal()
        self.drive.stop_table(self.table)
        self.drive.motors[self.arm_rows, GOAL] = planned[:, GOAL]
        self.drive.tables[self.table, JAMMED] = 0
        self.drive.forget_block(self.table)

    def _course(self, planned: Array) -> Array:
        """Return the set points of motors on their way to their goals. Shape (steps, dof)."""
        steps = course_to_goal(planned.copy(), self.drive.dt, np.empty((0, self.dof)))
        rows = np.empty((steps, self.dof))
        course_to_goal(planned.copy(), self.drive.dt, rows)
        return rows

    def forget_refusal(self) -> None:
        """Forget what was refused, and what single motors were asked since the last step."""
        self.refused, self._asked, self._objection, self._undo = "", {}, None, None

    def _brake(self, motors: Array) -> None:
        """Make the points where motors come to rest their goals."""
        for motor in motors:
            ahead = stopping_distance(motor[SPEED], motor[MAX_ACCELERATION], self.drive.dt)
            motor[GOAL] = motor[SET] + np.copysign(ahead, motor[SPEED])

    def _refuse_failed(self) -> None:
        if self.failed:
            raise MotionError(self.failed, segment=f"robot {self.plan.number}")

    def _check_table(self, rows: Array) -> None:
        limits = self.limits[: self.dof]
        before = np.vstack([self.drive.motors[self.arm_rows, SET], rows[:-1]])
        steps = np.abs(rows - before) / self.drive.dt
        for k in range(self.dof):
            member = self.member(k)
            for row in (int(np.argmin(rows[:, k])), int(np.argmax(rows[:, k]))):
                check_value(member, float(rows[row, k]))
            fastest = int(np.argmax(steps[:, k]))
            slack = _SLIP / self.drive.dt + _ROUNDING * member.max_velocity
            if steps[fastest, k] > member.max_velocity + slack:
                raise DescriptionError(
                    f"row {fastest} asks for {steps[fastest, k]:.6g} {member.unit}/s",
                    element=f"table, motor '{member.name}'",
                    allowed=f"up to {member.max_velocity:.6g} {member.unit}/s",
                )
        np.clip(rows, limits[:, 0], limits[:, 1], out=rows)
        check_angles(self.plan.robot, rows)

    def member(self, motor: int) -> Member:
        """Return what a motor moves, with its limits."""
        robot = self.plan.robot
        return robot.members[robot.motors[motor]]

    def __repr__(self) -> str:
        return f"<RobotBody {self.plan.number} '{self.plan.robot.name}'>"
