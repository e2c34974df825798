"""The model of a mounted arm as its program sees it: base frame, tool at the grip point."""

from __future__ import annotations

from math import cos, pi, sin
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Integers
from armwerk.errors import ShapeError
from armwerk.geometry.transforms import separation
from armwerk.mechanics import ArmModel, Solution, SolutionSet, Task
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.mechanics.inverse import inverse_method
from armwerk.mechanics.inverse.solution_search import GoalSearch
from armwerk.modelling import model
from armwerk.motion.assumed import JERK, RAMP, SPEEDS
from armwerk.motion.limits import Limits
from armwerk.physics.mechanism import Mechanism, mechanism
from armwerk.robot import Arm
from armwerk.robot.part import LinearMotor
from armwerk.robot.parts import Assembly
from armwerk.scene.scene import Robot

METHODS = {"down": "simplex", "jac": "jacobian"}  # the source's names of inverse methods
_ROUNDS = 60  # of the search for a point that hangs on a turning hand
_THERE = 1e-8  # [m]


def carrying_model(arm: Arm | Assembly, gripper: Assembly | None, ik: str) -> ArmModel:
    """Return the `ArmModel` of an arm that carries a gripper.

    Args:
        arm: The description; of an assembly only the motors that move the hand count.
        gripper: What it carries; None: nothing.
        ik: Inverse method, see `armwerk.model`; "down" and "jac" as well.
    """
    ik = METHODS.get(ik, ik)
    T_tool_grip = _carried(arm, gripper)
    if isinstance(arm, Assembly) and not arm.loops:
        arm = Arm.from_parts(arm)
    if isinstance(arm, Arm):
        if gripper is not None:
            arm = arm.with_tool(arm.tool @ T_tool_grip)
        return model(arm, inverse_method(ik))
    robot = mechanism(arm)
    names = [robot.members[index].name for index in robot.arm_motors]
    moving = [motor.name for motor in arm.moving]
    if gripper is None and names == moving:
        return model(arm)
    return CarryingModel(arm, np.array([moving.index(name) for name in names]), T_tool_grip)


def base_pose(robot: Robot) -> Array:
    """Return T_world_base = Trans(x, y, 0) · Rz(angle + 90°). Shape (4, 4).

    A robot of angle 0 looks along +y, and its arm along its own +x.
    """
    turn = robot.angle + pi / 2.0
    pose = np.eye(4)
    pose[:2, :2] = [[cos(turn), -sin(turn)], [sin(turn), cos(turn)]]
    pose[:2, 3] = robot.position
    return pose


def motion_limits(robot: Mechanism, arm: Arm | Assembly) -> Limits:
    """Return what the arm's motors may do; what its description leaves open is filled in."""
    described = {joint.name: joint for joint in arm.moving}
    rows = []
    for index in robot.arm_motors:
        member = robot.members[index]
        joint = described[member.name]
        speed = joint.max_velocity or SPEEDS[member.unit]
        acceleration = joint.max_acceleration or RAMP * speed
        jerk = joint.max_jerk or JERK * acceleration
        rows.append((speed, acceleration, jerk, *member.limits))
    velocity, acceleration_, jerk_, lowest, highest = np.array(rows, dtype=np.float64).T
    members = [robot.members[index] for index in robot.arm_motors]
    return Limits(
        velocity,
        acceleration_,
        jerk_,
        lowest=lowest,
        highest=highest,
        names=tuple(member.name for member in members),
        units=tuple(member.unit for member in members),
    )


def _carried(arm: Arm | Assembly, gripper: Assembly | None) -> Array:
    """Return T_tool_grip, which no motor changes. Shape (4, 4)."""
    if gripper is None:
        return np.eye(4)
    bare, whole = mechanism(arm), mechanism(arm, gripper)
    return np.asarray(np.linalg.inv(bare.hand_pose(bare.rest())) @ whole.hand_pose(whole.rest()))


class CarryingModel:
    """An assembly with closed chains that carries a gripper.

    Args:
        assembly: What carries.
        motors: Places of the arm's motors among all motors of the assembly.
        offset: T_hand_grip. Shape (4, 4).
    """

    def __init__(self, assembly: Assembly, motors: Integers, offset: Array) -> None:
        self._model = AssemblyModel(assembly)
        self._motors = motors
        self._offset = offset
        self._back = np.linalg.inv(offset)
        self._rest = self._model.middle

    @property
    def arm(self) -> Assembly:
        """What carries."""
        return self._model.arm

    @property
    def dof(self) -> int:
        """Number of the arm's motors."""
        return len(self._motors)

    @property
    def limits(self) -> Array:
        """Smallest and largest values of the arm's motors [rad or m]. Shape (n, 2)."""
        return np.asarray(self._model.limits[self._motors])

    def frames(self, q: ArrayLike) -> dict[str, Array]:
        """Return T_base_part of every part by name. Shape (4, 4) or (m, 4, 4) each."""
        return self._model.frames(self._all(q))

    def fk(self, q: ArrayLike) -> Array:
        """Return T_base_grip. Shape (4, 4), or (m, 4, 4)."""
        return np.asarray(self._model.fk(self._all(q)) @ self._offset)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return J with (v, w) = J qd at the grip point, base frame. Shape (6, n)."""
        J = self._model.jacobian(self._all(q))[..., self._motors]
        arm = self._model.fk(self._all(q))[..., :3, :3] @ self._offset[:3, 3]
        J[..., :3, :] += np.cross(J[..., 3:, :], arm[..., :, None], axis=-2)
        return np.asarray(J)

    def ik(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return motor values for a pose of the grip point. Shape (k, n)."""
        found = self._model.ik(np.asarray(T, dtype=np.float64) @ self._back, within_limits)
        return np.asarray(found[:, self._motors])

    def ik_batch(self, Ts: ArrayLike, within_limits: bool = False) -> tuple[Array, Integers]:
        """Return the solutions of m poses, nan behind the last: (m, kmax, n), and counts (m,)."""
        poses = np.asarray(Ts, dtype=np.float64) @ self._back
        found, counts = self._model.ik_batch(poses, within_limits)
        return np.asarray(found[..., self._motors]), counts

    def solutions(self, goal: ArrayLike, near: ArrayLike | None = None) -> SolutionSet:
        """Return every solution of a pose or point, and whether there are infinitely many."""
        wanted = np.asarray(goal, dtype=np.float64)
        reference = np.clip(np.zeros(self.dof), *self.limits.T) if near is None else near
        if wanted.shape == (4, 4):
            found = self._model.solutions(wanted @ self._back, self._all(reference))
            place = {int(motor) + 1: k + 1 for k, motor in enumerate(self._motors)}
            family = tuple(place[motor] for motor in found.family if motor in place)
            idle = tuple(place[motor] for motor in found.idle if motor in place)
            joints = np.asarray(found.joints[:, self._motors])
            return SolutionSet(joints, family, found.method, idle)
        moving = self.arm.moving
        lengths = np.array([isinstance(moving[k], LinearMotor) for k in self._motors])
        search = GoalSearch(self, wanted, ~lengths, lengths)
        return search.solutions(np.asarray(reference, dtype=np.float64))

    def solve(self, goal: ArrayLike, q0: ArrayLike | None = None, task: Task = "pose") -> Solution:
        """Return one solution within limits with all that is known of it, or why there is none."""
        wanted = np.asarray(goal, dtype=np.float64)
        if task == "position" and wanted.shape == (4, 4):
            wanted = wanted[:3, 3]
        near = self._rest[self._motors] if q0 is None else np.asarray(q0, dtype=np.float64)
        q = self.ik_nearest(wanted, near)
        if q is None:
            reason = "the goal is out of reach as far as the start values can tell"
            nowhere = np.full(self.dof, np.nan)
            return Solution(nowhere, False, np.inf, np.inf, 0, 0, "assembly", reason)
        reached = self.fk(q)
        turned = 0.0
        if wanted.shape == (4, 4):
            away, angle = separation(reached, wanted)
            left, turned = float(away), float(angle)
        else:
            left = float(np.linalg.norm(reached[:3, 3] - wanted))
        return Solution(q, True, left, turned, 0, 0, "assembly", "solved")

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> NoReturn:
        """Raise an `UnsupportedError`, as the next ones."""
        self._model.inverse_dynamics(q, qd, qdd)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> NoReturn:
        """Raise."""
        self._model.forward_dynamics(q, qd, tau)

    def mass_matrix(self, q: ArrayLike) -> NoReturn:
        """Raise."""
        self._model.mass_matrix(q)

    def gravity(self, q: ArrayLike) -> NoReturn:
        """Raise."""
        self._model.gravity(q)

    def energy(self, q: ArrayLike, qd: ArrayLike) -> NoReturn:
        """Raise."""
        self._model.energy(q, qd)

    def ik_nearest(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """Return the solution within limits nearest to q; T may be a point (3,). Shape (n,)."""
        goal = np.asarray(T, dtype=np.float64)
        near = self._all(q)
        if goal.shape == (3,):
            return self._to_point(goal, near)
        found = self._model.ik_nearest(goal @ self._back, near)
        return None if found is None else np.asarray(found[self._motors])

    def ik_position(self, p: ArrayLike, q: ArrayLike | None = None) -> Array | None:
        """Return motor values that bring the grip point to a point [m].

        With ``q`` the nearest to it within limits, shape (n,), or None; else shape (k, n).
        """
        goal = np.asarray(p, dtype=np.float64)
        if goal.shape != (3,) or not np.isfinite(goal).all():
            raise ShapeError(f"point must be three finite numbers, got {p!r}")
        if q is not None:
            return self.ik_nearest(goal, q)
        return self.solutions(goal).joints

    def _to_point(self, goal: Array, near: Array) -> Array | None:
        """Correct the hand's goal by what the grip point misses until it misses nothing."""
        q, hand = near, goal - self._model.fk(near)[:3, :3] @ self._offset[:3, 3]
        for _ in range(_ROUNDS):
            found = self._model.ik_nearest(hand, q)
            if found is None:
                return None
            q = np.asarray(found)
            missed = goal - (self._model.fk(q) @ self._offset)[:3, 3]
            if np.linalg.norm(missed) < _THERE:
                return np.asarray(q[self._motors])
            hand = hand + missed
        return None

    def _all(self, q: ArrayLike) -> Array:
        given = np.asarray(q, dtype=np.float64)
        values = np.broadcast_to(self._rest, (*given.shape[:-1], len(self._rest))).copy()
        values[..., self._motors] = given
        return values
