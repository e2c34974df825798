"""The drives: goals and tables in, joint forces out, for all motors of all robots.

Every step a motor gets the set point p that it has to have at the end of the step. Arms get the
forces that bring them there in one step by their own dynamics, as far as their motors allow:

    tau = M qdd + h,    qdd = a + k (p' - q) / dt² + c (v' - qd) / dt + i,
    |tau + friction| <= limit,

M being the mass matrix, h the forces of gravity and speed, p' and v' the set point of the step
before and its rate, a what takes those to p, and i a slow integral that carries what the gripper
holds. A free arm meets its set points exactly; what pushes it off dies away by `POLE` per step.
Where it cannot, since something is in its
way or too heavy, motors give their limits and set points wait: that of the motor itself just so
far ahead that the force stays at its limit, and the row of a table until no motor is far behind.
So nothing jumps when the way is free again: set points catch up within speed and acceleration.
Motors that stand at their limits with somewhere to go are *blocked*: they let go of their goals.

Strong arms (stiff mode, closed chains) have an inertia A so large that nothing else can move them,
and no limit: F = A ((p - q) / dt - qd) / dt. Motors of grippers follow the same law, but are light
and limited: they squeeze with the limit when something is between them.

Set points come from a table (one row per step), or run to a goal: as fast as speed and
acceleration allow, such that steps of constant deceleration end exactly on the goal.

Columns of all tables stand in `motor_table`; the parts of a step in `set_points`, `motor_forces`,
`stalls` and, of closed chains, `giving_way`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry
from armwerk.errors import ShapeError
from armwerk.physics.contacts.step_view import Small
from armwerk.physics.drives.controller import JointController, JointFeedback
from armwerk.physics.drives.strength import SWING
from armwerk.physics.robots.giving_way import give_way
from armwerk.physics.robots.motor_forces import (
    add_up,
    friction_of_drive,
    limit_force,
    strong_force,
    wanted_acceleration,
)
from armwerk.physics.robots.motor_table import (
    ARM,
    AT_LIMIT,
    BLOCKED,
    COUNT,
    DOF,
    DOFS,
    EXACT_LAW,
    FAR,
    FIRST,
    FIRST_DOF,
    FORCE,
    GOAL,
    HASTE,
    HELD,
    LAGS,
    LAST_RATE,
    LAST_SET,
    LAST_SPEED,
    LAW,
    LIMIT,
    OFFSET,
    OTHER_LAW,
    POSITION,
    REACHED,
    ROWS,
    RUNS,
    SET,
    SPEED,
    STALLED,
    STILL,
    STRONG_LAW,
    SUM,
    WAITED,
    WIDTH,
)
from armwerk.physics.robots.set_points import next_points
from armwerk.physics.robots.stalls import note_stall

if TYPE_CHECKING:
    from armwerk.physics.robots.body import RobotBody

STANDS = 1e-3  # [rad/s or m/s] below which a motor counts as standing


@entry(
    "i8(f8[:,::1], i8[:,::1], i8[:,::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1],"
    " i4[::1], i4[::1], i4[::1], f8[:,::1], f8)"
)
def drive(
    motors: Array,
    places: Integers,
    tables: Integers,
    rows: Array,
    qpos: Array,
    qvel: Array,
    forces: Array,
    bias: Array,
    masses: Array,
    row_length: Small,
    row_begin: Small,
    columns: Small,
    scratch: Array,
    dt: float,
) -> int:
    """Move all set points by one step and write the forces that meet them.

    Args:
        motors: Numbers of all motors, by columns.
        places: Their places.
        tables: Of the robots.
        rows: Set points of all tables.
        qpos: MuJoCo's, as the next three.
        qvel: Speeds.
        forces: Written.
        bias: Forces of gravity and speed.
        masses: The mass matrix, rows of its lower half, sparse.
        row_length: Of each row.
        row_begin: Where it begins.
        columns: Of its entries.
        scratch: Shape (2, nv).
        dt: Step of time [s].

    Returns:
        How many robots have become blocked in this step.
    """
    blocked = 0
    wanted, result = scratch[0], scratch[1]
    for k in range(tables.shape[0]):
        table = tables[k]
        first, arm, last = table[FIRST], table[FIRST] + table[ARM], table[FIRST] + table[COUNT]
        exact = table[LAW] == EXACT_LAW
        if exact:
            for j in range(table[FIRST_DOF], table[FIRST_DOF] + table[DOFS]):
                wanted[j] = 0.0
                result[j] = 0.0
            for i in range(first, arm):
                motors[i, LAST_SET], motors[i, LAST_SPEED] = motors[i, SET], motors[i, SPEED]
                if table[AT_LIMIT] == 0:
                    waits = motors[i, SET] == motors[i, GOAL] and table[BLOCKED] == 0
                    add_up(motors[i], motors[i, SET] - qpos[places[i, POSITION]], waits, dt)
        next_points(motors, places, table, rows, dt)
        for i in range(first, last):
            motor, place = motors[i], places[i]
            q, rate = qpos[place[POSITION]], qvel[place[DOF]]
            if i >= arm or table[LAW] == STRONG_LAW:
                motor[FORCE] = strong_force(motor, q, rate, dt)
                forces[place[DOF]] = motor[FORCE]
            elif exact:
                wanted[place[DOF]] = wanted_acceleration(motor, q, rate, dt)
            # over two steps: a finger that presses may tremble by micrometres from step to step
            mean = 0.5 * (rate + motor[LAST_RATE])
            motor[LAST_RATE] = rate
            place[STILL] = place[STILL] + 1 if abs(mean) < STANDS else 0
        if not exact:
            continue
        for j in range(table[FIRST_DOF], table[FIRST_DOF] + table[DOFS]):
            for e in range(row_begin[j], row_begin[j] + row_length[j]):
                c = columns[e]
                result[j] += masses[e] * wanted[c]
                if c != j:
                    result[c] += masses[e] * wanted[j]
        table[AT_LIMIT] = 0
        for i in range(first, arm):
            motor, place = motors[i], places[i]
            j = place[DOF]
            force, full = limit_force(
                motor,
                place,
                result[j] + bias[j],
                qpos[place[POSITION]],
                qvel[j],
                masses[row_begin[j] + row_length[j] - 1],
                dt,
            )
            forces[j] = force
            if full:
                table[AT_LIMIT] = 1
        blocked += note_stall(motors, places, table, qpos, dt)
    return blocked


@dataclass(frozen=True, slots=True, eq=False)
class DriveState:
    """Everything the drives remember; arrays are copies."""

    motors: Array
    places: Integers
    tables: Integers
    rows: Array


class Drive:
    """The motors of all robots, moved by one call per step.

    Args:
        model: Compiled.
        data: Its state; forces go to ``qfrc_applied``.
        robots: Each gets its part of the motors.
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, robots: Sequence[RobotBody]
    ) -> None:
        self.dt = float(model.opt.timestep)
        self._model, self._data = model, data
        motors: list[list[float]] = []
        places: list[list[int]] = []
        firsts: list[int] = []
        for number, robot in enumerate(robots):
            firsts.append(len(motors))
            for k in range(len(robot.motors)):
                motors.append(_motor(robot, model, k))
                table = (number, k) if k < robot.dof else (-1, 0)
                places.append([*robot.place(k), *table, 0, 0])
        self.motors = np.array(motors, dtype=np.float64).reshape(-1, HASTE + 1)
        self.places = np.array(places, dtype=np.int64).reshape(-1, LAGS + 1)
        self.tables = np.zeros((len(robots), REACHED + 1), dtype=np.int64)
        self.rows = np.zeros(0)
        limits = [robot.member(k).limits for robot in robots for k in range(len(robot.motors))]
        self._limits = np.array(limits).reshape(-1, 2)
        self._controllers: list[tuple[RobotBody, JointController]] = []
        for number, (robot, first) in enumerate(zip(robots, firsts, strict=True)):
            law = STRONG_LAW if robot.plan.strong else EXACT_LAW
            if robot.plan.controller is not None and not robot.plan.strong:
                law = OTHER_LAW
                self._controllers.append((robot, robot.plan.controller))
            dofs = robot.own_dofs
            self.tables[number, LAW:AT_LIMIT] = (
                law,
                first,
                len(robot.motors),
                robot.dof,
                int(dofs[0]) if len(dofs) else 0,
                len(dofs),
            )
        state = (data.qpos, data.qvel, data.qfrc_applied, data.qfrc_bias, data.M)
        sparse = (model.M_rownnz, model.M_rowadr, model.M_colind)
        self._rest = (*sparse, np.zeros((2, model.nv)))
        self._views = (*state, *self._rest)
        self._spaces = [robot.space for robot in robots if robot.space is not None]
        # what the drives see of a world with coupled joints: copies, filled anew in each step
        self._seen = state
        if self._spaces:
            qpos, qvel, forces, bias, masses = (np.zeros_like(one) for one in state)
            self._seen = (qpos, qvel, forces, bias, masses)
        ties = [(*pair, number) for number, robot in enumerate(robots) for pair in robot.ties]
        self._ties = np.array(ties, dtype=np.int64).reshape(-1, 3)
        self._sites = data.site_xpos
        for number, (robot, first) in enumerate(zip(robots, firsts, strict=True)):
            robot.attach(self, number, first)

    def write(self) -> bool:
        """Move the set points by one step and write the forces; call between the two half steps.

        Returns:
            Whether an arm has become blocked in this step.
        """
        if len(self._ties):
            give_way(self.motors, self.places, self.tables, self._ties, self._sites, self.dt)
        if not len(self.motors):
            return False
        before = self.motors[:, SPEED].copy() if self._controllers else self.rows
        self._look()
        seen = (*self._seen, *self._rest)
        blocked = drive(self.motors, self.places, self.tables, self.rows, *seen, self.dt)
        self._give()
        for robot, controller in self._controllers:
            blocked += self._ask(robot, controller, before)
        return blocked > 0

    def _look(self) -> None:
        """Bring up to date what the drives see where joints are coupled."""
        if not self._spaces:
            return
        for seen, one in zip(self._seen, self._views, strict=False):
            seen[:] = one
        qpos, qvel, _, bias, masses = self._views[:5]
        seen_qpos, seen_qvel, _, seen_bias, seen_masses = self._seen
        for space in self._spaces:
            space.put_values(qpos, seen_qpos)
            space.put((qvel, bias, masses), (seen_qvel, seen_bias, seen_masses))

    def _give(self) -> None:
        """Hand on the forces of motors as forces of joints where these are coupled."""
        if not self._spaces:
            return
        forces, bias, masses = self._views[2:5]
        given = self._seen[2]
        forces[:] = given
        for space in self._spaces:
            forces[space.dofs] = space.joint_forces(given, bias, masses)

    def _ask(self, robot: RobotBody, controller: JointController, before: Array) -> int:
        """Take the forces of one arm from its own controller."""
        arm = self.motors[robot.arm_rows]
        dofs = self.places[robot.arm_rows, DOF]
        table = self.tables[robot.table]
        full = np.zeros((self._model.nv, self._model.nv))
        mujoco.mj_fullM(self._model, self._data, full)
        M, bias = full[np.ix_(dofs, dofs)], np.array(self._data.qfrc_bias[dofs])
        space = robot.space
        if space is not None:
            C = space.matrix
            M = C.T @ full[np.ix_(space.dofs, space.dofs)] @ C
            bias = C.T @ self._data.qfrc_bias[space.dofs]
        feedback = JointFeedback(
            float(self._data.time),
            self.dt,
            robot.q.copy(),
            robot.qd.copy(),
            arm[:, SET].copy(),
            arm[:, SPEED].copy(),
            (arm[:, SPEED] - before[robot.arm_rows]) / self.dt,
            arm[:, LIMIT].copy(),
            M,
            bias,
        )
        asked = np.asarray(controller.forces(feedback), dtype=np.float64)
        if asked.shape != dofs.shape or not np.isfinite(asked).all():
            raise ShapeError(
                f"forces of {type(controller).__name__} must be {len(dofs)} finite numbers, "
                f"got {asked!r}"
            )
        given = np.clip(asked, -arm[:, LIMIT], arm[:, LIMIT])
        arm[:, FORCE] = given
        table[AT_LIMIT] = int((given != asked).any())
        left = np.array(
            [
                force - friction_of_drive(arm[k], float(rate), float(M[k, k]), self.dt)
                for k, (force, rate) in enumerate(zip(given, robot.qd, strict=True))
            ]
        )
        if space is None:
            self._data.qfrc_applied[dofs] = left
        else:
            forces = space.forces(left, self._data.qfrc_bias, self._data.M)
            self._data.qfrc_applied[space.dofs] = forces
        return int(note_stall(self.motors, self.places, table, self._seen[0], self.dt))

    def let_go(self, robot: int) -> None:
        """Make where an arm stands its goal, and forget what it pressed with."""
        table = self.tables[robot]
        first, last = table[FIRST], table[FIRST] + table[ARM]
        self._look()
        q = self._seen[0][self.places[first:last, POSITION]]
        limits = self._limits[first:last]
        self.motors[first:last, SET] = q
        self.motors[first:last, GOAL] = np.clip(q, limits[:, 0], limits[:, 1])
        self.motors[first:last, SPEED] = self.motors[first:last, SUM] = 0.0
        self.places[first:last, LAGS] = 0
        table[RUNS] = table[STALLED] = table[AT_LIMIT] = 0
        table[BLOCKED] = 1

    def follow(self, robot: int, table: Array) -> None:
        """Let the arm of one robot take its set points from a table, one row per step.

        Args:
            robot: Its place among the robots.
            table: Shape (steps, n).
        """
        kept = [
            (k, self.rows[line[OFFSET] : line[OFFSET] + line[ROWS] * line[WIDTH]])
            for k, line in enumerate(self.tables)
            if line[RUNS] and k != robot
        ]
        offset = 0
        pieces = []
        for k, piece in kept:
            self.tables[k, OFFSET] = offset
            offset += len(piece)
            pieces.append(piece)
        self.rows = np.concatenate([*pieces, table.ravel()])
        self.tables[robot, : HELD + 1] = (1, offset, 0, len(table), table.shape[1], 0, 0)
        self.forget_block(robot)

    def forget_block(self, robot: int) -> None:
        """Begin anew to watch whether an arm gets where it is sent."""
        self.tables[robot, [BLOCKED, WAITED, REACHED]] = 0
        first, count = self.tables[robot, [FIRST, ARM]]
        self.motors[first : first + count, FAR] = np.inf

    def stop_table(self, robot: int) -> None:
        """Take the arm of one robot out of its table."""
        self.tables[robot, RUNS] = 0

    def capture(self) -> DriveState:
        """Return a copy of everything that decides what comes next."""
        copies = (self.motors.copy(), self.places.copy(), self.tables.copy(), self.rows.copy())
        for array in copies:
            array.setflags(write=False)
        return DriveState(*copies)

    def restore(self, state: DriveState) -> None:
        """Go on from a captured state."""
        self.motors[:] = state.motors
        self.places[:] = state.places
        self.tables[:] = state.tables
        self.rows = state.rows.copy()
        for _, controller in self._controllers:
            controller.reset()


def _motor(robot: RobotBody, model: mujoco.MjModel, k: int) -> list[float]:
    """Return the numbers of one motor, at rest where it starts."""
    value, member, grip = float(robot.plan.values[k]), robot.member(k), robot.plan.grip
    arm = k < robot.dof
    limits = (np.inf, member.max_velocity, member.max_acceleration)
    if arm and not robot.plan.strong:
        force, fastest, swing = float(robot.plan.max_forces[k]), *limits[1:]
        limits = (force, fastest, swing if np.isfinite(swing) else SWING[member.unit])
    elif not arm and grip is not None:
        limits = (grip.max_effort, *grip.speeds)
    inertia = float(model.dof_armature[robot.place(k)[1]])
    friction = (member.viscous_friction, *member.coulomb_friction) if arm else (0.0, 0.0, 0.0)
    watched = (value, 0.0, value, 0.0, np.inf, 0.0, 1.0)
    return [value, 0.0, value, inertia, *limits, value, 0.0, 0.0, *friction, *watched]
