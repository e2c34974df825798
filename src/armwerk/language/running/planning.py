"""Commands of motion become trajectories of an arm."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import quaternion_from_rotation, rotation_from_quaternion
from armwerk.language.running.machine import (
    MotionCommand,
    MotionRefused,
    MotionTarget,
    Pose,
)
from armwerk.motion import Limits, Path, Trajectory, ptp
from armwerk.motion.curves import Line, arc_through
from armwerk.motion.options import SegmentOptions

if TYPE_CHECKING:
    from armwerk.mechanics import ArmModel

_LINE = re.compile(r"line (\d+)")
_ATTEMPTS = 12  # to find the speed that takes the wished time
_HERE = 1e-9  # [m, rad] nearer than this, the tool is there already
_CLOSE = 1e-3  # fraction by which a duration may differ from the wished one


def matrix(pose: Pose) -> Array:
    """Return a pose as a transform. Shape (4, 4)."""
    T = np.eye(4)
    T[:3, 3] = pose[:3]
    T[:3, :3] = rotation_from_quaternion(np.array(pose[3:]))
    return T


def pose_of(T: Array) -> Pose:
    """Return a transform as a pose."""
    x, y, z = (float(value) for value in T[:3, 3])
    w, a, b, c = (float(value) for value in quaternion_from_rotation(T[:3, :3]))
    return (x, y, z, w, a, b, c)


@dataclass(frozen=True, slots=True, eq=False)
class AbsoluteGoal:
    """A target made absolute.

    Args:
        pose: Of the tool in the world. Shape (4, 4).
        joints: Where they are given [rad, m]. Shape (n,). None: the pose counts.
    """

    pose: Array
    joints: Array | None


class MotionPlanner:
    """Plans commands that follow one another without a stop.

    Args:
        model: The arm.
        limits: What its joints may do; None: what its description says.
    """

    def __init__(self, model: ArmModel, limits: Limits | None = None) -> None:
        self.model = model
        self._limits = limits
        kinds = [joint.kind for joint in model.arm.moving]
        self.units = np.array([math.radians(1.0) if kind == "revolute" else 1e-3 for kind in kinds])

    @property
    def limits(self) -> Limits:
        """What the joints may do."""
        return Limits.of(self.model) if self._limits is None else self._limits

    def tool_pose(self, q: Array, tool: Pose) -> Array:
        """Return where the tool of a program is. Shape (4, 4)."""
        return np.asarray(self.model.fk(q)) @ matrix(tool)

    def plan(self, commands: Sequence[MotionCommand], q: Array) -> Trajectory:
        """Return the motion of commands from joint values.

        Args:
            commands: The last one stops; all have the same tool.
            q: Where the arm stands [rad, m]. Shape (n,).

        Raises:
            MotionRefused: When it cannot be driven; names the line.
        """
        try:
            if len(commands) == 1 and commands[0].duration is not None:
                return self._timed(commands[0], q)
            return self._driven(commands, q)
        except MotionError as error:
            found = _LINE.search(error.segment)
            line = int(found.group(1)) if found else commands[0].line
            where = f"{error.place}, " if error.place else ""
            axis = f"{error.axis}: " if error.axis else ""
            raise MotionRefused(line, f"{where}{axis}{error.problem}") from None

    def _driven(
        self, commands: Sequence[MotionCommand], q: Array, factor: float = 1.0
    ) -> Trajectory:
        tool = matrix(commands[0].tool)
        pose = self.tool_pose(q, commands[0].tool)
        path = Path(tool=tool)
        for command in commands:
            path, pose = self._segments(path, command, pose, q, factor)
        if not path.segments:
            return ptp(
                self.model, q, q, limits=self._limits
            )  # everything ordered is where the tool is
        acceleration = min(min(command.joint_accelerations) for command in commands)
        return path.plan(self.model, q, limits=self.limits.scaled(1.0, acceleration))

    def _timed(self, command: MotionCommand, q: Array) -> Trajectory:
        """Return a motion slowed down to the duration that is wished."""
        wished = command.duration
        assert wished is not None
        quick = self._driven([command], q)
        if quick.duration >= wished * (1.0 - _CLOSE):
            return quick
        if command.kind == "ptp" and len(command.targets) == 1:
            end = quick.sample(quick.duration)[0]
            return ptp(self.model, q, end, "sync", duration=wished, limits=self._limits)
        low, high = 0.0, 1.0
        factor = quick.duration / wished
        best = quick
        for _ in range(_ATTEMPTS):
            best = self._driven([command], q, factor)
            if abs(best.duration - wished) < _CLOSE * wished:
                break
            if best.duration > wished:
                low = factor
            else:
                high = factor
            guess = factor * best.duration / wished
            factor = guess if low < guess < high else 0.5 * (low + high)
        return best

    def goals(self, command: MotionCommand, pose: Array, q: Array) -> list[AbsoluteGoal]:
        """Return the targets of a command, each from where the one before it ends."""
        found = []
        for target in command.targets:
            goal = self._goal(command, target, pose, q)
            pose = goal.pose
            q = q if goal.joints is None else goal.joints
            found.append(goal)
        return found

    def _goal(
        self, command: MotionCommand, target: MotionTarget, pose: Array, q: Array
    ) -> AbsoluteGoal:
        if target.kind == "joint":
            given = np.array(target.values[: self.model.dof]) * self.units
            joints = q + given if command.is_relative else given
            return AbsoluteGoal(self.tool_pose(joints, command.tool), joints)
        base = matrix(command.base)
        goal = np.eye(4)
        values = np.array(target.values)
        if command.is_relative:
            goal[:3, 3] = pose[:3, 3] + base[:3, :3] @ values[:3]
            goal[:3, :3] = pose[:3, :3]
            if target.kind == "pose":
                goal[:3, :3] = pose[:3, :3] @ rotation_from_quaternion(values[3:])
            return AbsoluteGoal(goal, None)
        goal[:3, 3] = base[:3, 3] + base[:3, :3] @ values[:3]
        goal[:3, :3] = pose[:3, :3]
        if target.kind == "pose":
            goal[:3, :3] = base[:3, :3] @ rotation_from_quaternion(values[3:])
        return AbsoluteGoal(goal, None)

    def _segments(
        self, path: Path, command: MotionCommand, pose: Array, q: Array, factor: float
    ) -> tuple[Path, Array]:
        """Return a path with the segments of a command, and the pose at its end."""
        goals = self.goals(command, pose, q)
        name = f"line {command.line}"
        fraction = min(command.joint_speeds) * factor
        options: SegmentOptions = {
            "name": name,
            "blend": command.blend,
            "speed": command.speed * factor,
            "acceleration": command.acceleration,
            "rotation_speed": command.rotation_speed * factor,
        }
        if command.kind == "ptp":
            for goal in goals:
                way = float(np.linalg.norm(goal.pose[:3, 3] - pose[:3, 3]))
                blend = 0.5 * way * command.joint_blend
                where = goal.pose if goal.joints is None else goal.joints
                if (
                    goal.joints is not None
                    or way > _HERE
                    or not np.allclose(goal.pose, pose, rtol=0.0, atol=_HERE)
                ):
                    path = path.ptp(where, fraction=fraction, name=name, blend=blend)
                pose = goal.pose
            return path, pose
        if command.kind == "spline":
            return path.spline([goal.pose for goal in goals], **options), goals[-1].pose
        if command.kind == "bezier":
            controls = [goal.pose[:3, 3] for goal in goals[:-1]]
            return path.bezier(*controls, end=goals[-1].pose, **options), goals[-1].pose
        ends = goals[1::2] if command.kind == "circle" else goals
        helps = goals[0::2] if command.kind == "circle" else [None] * len(goals)
        for goal, help_point in zip(ends, helps, strict=True):
            if command.weave is not None:
                woven = _woven(pose, help_point, goal, command.weave)
                path = path.spline(woven, **options)
            elif help_point is not None:
                path = path.circ(help_point.pose[:3, 3], goal.pose, **options)
            elif not np.allclose(goal.pose, pose, rtol=0.0, atol=_HERE):
                path = path.lin(goal.pose, **options)
            pose = goal.pose
        return path, pose

    def brake(self, q: Array, qd: Array) -> Trajectory | None:
        """Return the motion that brings moving joints to rest; None: they are at rest."""
        if float(np.abs(qd).max()) < 1e-6:
            return None
        limits = self.limits
        for stretch in (1.5, 2.5, 4.0):
            time = float((np.abs(qd) / limits.acceleration).max()) * stretch
            try:
                end = np.clip(q + 0.5 * qd * time, limits.lowest, limits.highest)
                return ptp(self.model, q, end, "async", v0=qd, limits=self._limits)
            except MotionError:
                continue
        return None


def _woven(
    start: Array, help_point: AbsoluteGoal | None, goal: AbsoluteGoal, weave: tuple[float, float]
) -> list[Array]:
    """Return points of a wave across a line or circle.

    Args:
        start: Where it begins. Shape (4, 4).
        help_point: On the circle; None: a line.
        goal: Where it ends.
        weave: Width to each side and length of one wave [m].
    """
    width, wave = weave
    curve = (
        Line(start[:3, 3], goal.pose[:3, 3])
        if help_point is None
        else arc_through(start[:3, 3], help_point.pose[:3, 3], goal.pose[:3, 3])
    )
    waves = max(1, round(curve.length / wave))
    count = 4 * min(waves, 200)
    states = curve.evaluate(np.linspace(0.0, curve.length, count + 1))
    points = []
    for k in range(1, count + 1):
        across = np.cross(states[k, 1], start[:3, 2])
        if float(np.linalg.norm(across)) < 1e-6:
            across = np.cross(states[k, 1], start[:3, 0])
        across /= np.linalg.norm(across)
        T = goal.pose.copy() if k == count else start.copy()
        T[:3, 3] = states[k, 0] + width * math.sin(0.5 * math.pi * k) * across
        points.append(T)
    return points
