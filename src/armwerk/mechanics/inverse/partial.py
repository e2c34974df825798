"""All solutions for a part of a pose: position, position and direction, or the pose in a plane.

In: the model of an arm and a goal. Out: a `SolutionSet`.

For position and direction the arm is completed by joints behind its tool
(`armwerk.mechanics.completed`), and the completed arm is solved for a whole pose: by formula where
it has one, else by elimination with its count, else by descents. The rest of that pose is ours to
choose, so it is chosen where the added joints are not singular. A goal in a plane is the whole pose
next to it that the axes of the arm allow.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import UnknownNameError, UnsupportedError
from armwerk.geometry import rotation_exp
from armwerk.mechanics.arrays import goal_array, joint_vector
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import fit, in_order
from armwerk.mechanics.completed import CompletedArm, completed, joint_lines
from armwerk.mechanics.inverse.folds import each_once
from armwerk.mechanics.inverse.interface import TASKS, TOLERANCE, SolutionSet, Task
from armwerk.mechanics.inverse.solution_search import GoalSearch
from armwerk.robot.arm import Arm

_RANK = 1e-9  # singular values below this share of the largest count as zero
_PARALLEL = 1e-9  # sine of the angle between axes that count as parallel
_SAMPLES = 4  # configurations at which freedoms are counted
_TURNS = rotation_exp(np.array([[0.31, -0.72, 0.53], [-1.37, 0.41, 0.94], [0.83, 1.21, -1.6]]))
"""Orientations for the joints behind a tool, nobody's neat ones. Shape (3, 3, 3)."""


class TaskModel(Protocol):
    """What is asked of a model; `SerialModel` is one."""

    arm: Arm
    chain: Chain
    dof: int

    @property
    def limits(self) -> Array: ...

    def fk(self, q: ArrayLike) -> Array: ...

    def jacobian(self, q: ArrayLike) -> Array: ...

    def solutions(self, goal: ArrayLike, near: ArrayLike | None = None) -> SolutionSet: ...

    def with_arm(self, arm: Arm) -> TaskModel: ...


def known_task(name: str) -> Task:
    """Return the name of a task as one that is known.

    Raises:
        UnknownNameError: For any other; lists those that there are.
    """
    for known in TASKS:
        if name == known:
            return known
    raise UnknownNameError("task", name, TASKS)


def own_task(model: TaskModel) -> Task:
    """Return the part of a pose that an arm can choose, by its freedoms.

    "pose" also where it chooses something else than one of the parts.
    """
    whole = freedoms(model)
    if whole >= 6:
        return "pose"
    rows = model.chain.spread(_SAMPLES)
    jacobian, poses = model.jacobian(rows), model.fk(rows)
    jacobian[:, :3] /= model.chain.scale
    plane = PlaneGoals.of(model.arm)
    if plane is not None and whole == plane.freedoms:
        return "plane"
    across = np.swapaxes(poses[:, :3, :2], 1, 2) @ jacobian[:, 3:]
    for task, part in (
        ("position", jacobian[:, :3]),
        ("direction", np.concatenate([jacobian[:, :3], across], axis=1)),
    ):
        if _rank(part, np.linalg.norm(jacobian, axis=(1, 2))) == whole:
            return known_task(task)
    return "pose"


def freedoms(model: TaskModel) -> int:
    """Return in how many independent ways the tool of an arm can move, six at most."""
    jacobian = model.jacobian(model.chain.spread(_SAMPLES))
    jacobian[:, :3] /= model.chain.scale
    return _rank(jacobian, np.linalg.norm(jacobian, axis=(1, 2)))


def _rank(rows: Array, size: Array) -> int:
    """Return the largest rank of some rows of Jacobians (m, k, n) whose norms are ``size``."""
    sizes = np.linalg.svd(rows, compute_uv=False)
    return int((sizes > _RANK * size[:, None]).sum(axis=1).max())


class PartialInverse:
    """Inverse kinematics of one arm for the point, or for point and direction.

    Args:
        model: Of the arm.
        task: "position" or "direction".

    Raises:
        UnsupportedError: When no joint moves anything of that part.
    """

    def __init__(self, model: TaskModel, task: Task) -> None:
        self.model, self.task = model, task
        self.completed: CompletedArm = completed(model.arm, task)
        self._count = len(self.completed.kept)

    @cached_property
    def whole(self) -> TaskModel:
        """The model of the completed arm."""
        return self.model.with_arm(self.completed.arm)

    @cached_property
    def surplus(self) -> int:
        """How many of the kept joints are a free choice."""
        jacobian = self.whole.jacobian(self.whole.chain.spread(_SAMPLES))
        jacobian[:, :3] /= self.whole.chain.scale
        return self.whole.dof - _rank(jacobian, np.linalg.norm(jacobian, axis=(1, 2)))

    def solution_set(self, goal: ArrayLike, near: ArrayLike | None = None) -> SolutionSet:
        """Return every solution, angles in (-π, π]; see `armwerk.mechanics.SerialModel.solutions`.

        Args:
            goal: T_world_tool (4, 4); a point (3,) [m] will do for "position".
            near: Where joints stay that move nothing of the part, and to which members of an
                infinite family are near; None: 0, or the limits next to it. Shape (n,).
        """
        pose = goal_array(goal, self.task)
        home = self.model.chain.home() if near is None else joint_vector(near, self.model.dof)
        if self.surplus:
            return self._family(pose, home)
        gathered: list[SolutionSet] = []
        for wanted in self._poses(pose):
            found = self.whole.solutions(wanted)
            if found.proved:
                return self._own(pose, found, found.joints, home)
            gathered.append(found)
        rows = np.vstack([one.joints for one in gathered])
        fewest = min(gathered, key=lambda one: len(one.family))
        return self._own(pose, fewest, rows, home)

    def _poses(self, pose: Array) -> list[Array]:
        """Return whole poses with the same part."""
        found = []
        for turn in _TURNS:
            wanted = pose.copy()
            wanted[:3, :3] = turn if self.task == "position" else pose[:3, :3]
            found.append(wanted)
        return found if self.task == "position" else found[:1]

    def _own(self, T: Array, found: SolutionSet, rows: Array, home: Array) -> SolutionSet:
        """Return solutions of the completed arm as those of the arm, each once."""
        joints = np.tile(home, (len(rows), 1))
        joints[:, : self._count] = rows[:, : self._count]
        family = tuple(joint for joint in found.family if joint <= self._count)
        idle = tuple(range(self._count + 1, self.model.dof + 1))
        kept = each_once(self.model.chain, T, joints, self.task, self._count)
        return SolutionSet(in_order(kept), family, found.method, idle, found.proved)

    def _family(self, pose: Array, home: Array) -> SolutionSet:
        """Return some of infinitely many solutions, those near to the wanted joint values."""
        if self.task == "position":
            search = GoalSearch.of(self.model, pose[:3, 3], self.model.chain.revolute)
            return search.solutions(home)
        whole = self.whole
        search = GoalSearch.of(whole, pose, whole.chain.revolute)
        near = np.concatenate([home[: self._count], np.zeros(self.completed.added)])
        found = search.solutions(near)
        return self._own(pose, found, found.joints, home)


class PlaneGoals:
    """Whole poses of an arm whose axes are parallel, next to any pose.

    Args:
        normal: Direction of the axes that turn; None: there are none. Shape (3,).
        span: Rows are directions in which the tool point can move. Shape (k, 3).
        tool: T_world_tool at zero. Shape (4, 4).
    """

    def __init__(self, normal: Array | None, span: Array, tool: Array) -> None:
        self.normal, self.span, self.tool = normal, span, tool

    @property
    def freedoms(self) -> int:
        """How many numbers of a goal can be chosen at most."""
        return len(self.span) + (self.normal is not None)

    @classmethod
    def of(cls, arm: Arm) -> PlaneGoals | None:
        """Return the plane of an arm; None where its axes are not parallel."""
        lines = joint_lines(arm)
        turning = np.array([joint.kind == "revolute" for joint in arm.moving])
        slides = lines.directions[~turning]
        normal = None
        if turning.any():
            normal = lines.directions[turning][0]
            if (
                np.linalg.norm(np.cross(lines.directions[turning], normal), axis=1).max()
                > _PARALLEL
            ):
                return None
            slides = np.vstack([slides, np.linalg.svd(normal[None])[2][1:]])
        _, sizes, rows = np.linalg.svd(slides)
        return cls(normal, rows[: int((sizes > _PARALLEL).sum())], lines.tool)

    def pose(self, T: Array) -> Array:
        """Return the pose next to a goal that leaves neither plane nor orientation. (4, 4)."""
        out = self.tool.copy()
        shift = T[:3, 3] - self.tool[:3, 3]
        out[:3, 3] += self.span.T @ (self.span @ shift)
        if self.normal is not None:
            M, n = T[:3, :3] @ self.tool[:3, :3].T, self.normal
            skew = np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])
            angle = np.arctan2(n @ skew, np.trace(M) - n @ M @ n)
            out[:3, :3] = rotation_exp(angle * n) @ self.tool[:3, :3]
        return out


def plane_pose(model: TaskModel, goal: ArrayLike) -> Array:
    """Return the whole pose next to a goal in the plane of an arm. Shape (4, 4).

    Raises:
        UnsupportedError: For an arm whose axes are not parallel.
    """
    plane = PlaneGoals.of(model.arm)
    if plane is None:
        raise UnsupportedError(
            f"arm '{model.arm.name}' has no plane: its turning axes are not parallel "
            f"(the part it can choose: '{own_task(model)}')"
        )
    return plane.pose(goal_array(goal, "pose"))


def within(model: TaskModel, joints: Array) -> Array:
    """Return the solutions that keep the limits, angles moved by whole turns. Shape (k, n)."""
    if not len(joints):
        return joints
    shifted, inside = fit(model.chain, joints, np.zeros(model.dof))
    low, high = model.limits.T
    slack = TOLERANCE * 10.0
    inside |= ((shifted >= low - slack) & (shifted <= high + slack)).all(axis=1)
    return in_order(np.clip(shifted[inside], low, high))
