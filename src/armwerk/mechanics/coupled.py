"""The model of an arm with coupled joints.

In: axis values, as the controller of the arm shows them. Out: what `SerialModel` gives. The links
themselves are a serial arm with every joint free (`Arm.free_chain`); between its angles and the
axis values stands a constant matrix, angles = C values, so that

    T(values) = T(C values),   J C,   Cᵀ M C + armature,   Cᵀ tau
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from armwerk.accelerator import Device
from armwerk.arrays import Array, Flags, Integers
from armwerk.compiled import follow
from armwerk.errors import UnsupportedError
from armwerk.mechanics.arrays import goal_array, joint_arrays, joint_vector, pose_array
from armwerk.mechanics.chain import axis_space
from armwerk.mechanics.inverse.interface import (
    TASK_SIZES,
    ClosedForm,
    InverseMethod,
    InverseSolver,
    NamingFactory,
    Solution,
    SolutionSet,
    Task,
)
from armwerk.mechanics.inverse.methods import ITERATIVE, Methods
from armwerk.mechanics.inverse.solution_search import GoalSearch
from armwerk.mechanics.kernels.axis_choice import nearest_values, values_within
from armwerk.mechanics.kernels.axis_motion import nearest_values_along
from armwerk.mechanics.serial import SerialModel
from armwerk.mechanics.turning import AxisTurns
from armwerk.robot.arm import Arm
from armwerk.robot.coupling import angle_ranges

_POSE = (4, 4)
_NO_POSE = np.full(_POSE, np.nan)  # stands for the pose of solutions that have different ones


class CoupledModel(SerialModel):
    """Kinematics and dynamics of an arm with coupled joints, in axis values.

    Every joint value q here, given or returned, is that of an axis: what its drive does. See
    `SerialModel` for the meaning of everything else.

    Args:
        arm: The description, without symbols, with coupled joints.
        ik: Inverse method of the free chain, see `armwerk.model`.
        methods: The inverse methods to choose from.
        naming: Makes the names of solutions that no closed form names.

    Attributes:
        free: The model of the same links with every joint free; its values are joint angles.
        turns: Between those angles and axis values.
        is_square: Whether every joint has a drive; else rods alone move some.
    """

    def __init__(
        self,
        arm: Arm,
        ik: InverseMethod = "pref",
        methods: Methods = ITERATIVE,
        naming: NamingFactory | None = None,
    ) -> None:
        self.arm = arm
        self.chain = axis_space(arm)
        self.dof = arm.dof
        self._how = (ik, methods, naming)
        self.free = SerialModel(arm.free_chain, ik, methods, naming)
        self.turns = AxisTurns(arm)
        self._C = self.turns.matrix
        self._coupled = self.turns.coupled
        self._links = self.free.chain.constants
        self._metric = np.require(self.chain.metric, np.float64, ["C", "W"])
        self._shape = (self.dof,)
        self._nearest = nearest_values
        self.is_square = self._C.shape[0] == self._C.shape[1]
        self._armature = np.array([float(joint.armature) for joint in arm.moving])
        follow(self)

    def __reduce__(self) -> tuple[type[SerialModel], tuple[object, ...]]:
        """Have copies and other processes make it anew."""
        return CoupledModel, (self.arm, *self._how)

    def __repr__(self) -> str:
        return f"<CoupledModel '{self.arm.name}' {self.arm.structure} ik={self.method}>"

    @cached_property
    def inverse(self) -> InverseSolver:
        """The inverse method of the free chain: its solutions are joint angles."""
        return self.free.inverse

    def with_arm(self, arm: Arm) -> SerialModel:
        """Return the model of another arm, with the same inverse methods."""
        if arm.is_coupled:
            return CoupledModel(arm, *self._how)
        return self.free.with_arm(arm)

    @cached_property
    def joint_bounds(self) -> tuple[Array, Array]:
        """Rows of C of the joints with limits of their own (b, n), and these (b, 2) [rad or m]."""
        turning = [joint for joint in self.arm.joints if joint.kind != "fixed"]
        bounded = [
            joint.coupling is not None and joint.coupling.limits is not None for joint in turning
        ]
        return self._C[bounded], angle_ranges(turning)[bounded]

    def angles(self, q: ArrayLike) -> Array:
        """Return the joint angles that axis values mean [rad or m]. Shape (k,) or (m, k)."""
        (rows,), single = joint_arrays(self.dof, q=q)
        angles = rows @ self._C.T
        return np.asarray(angles[0] if single else angles)

    def fk(self, q: ArrayLike) -> Array:
        """Return the tool pose T_world_tool. Shape (4, 4), or (m, 4, 4) for q of shape (m, n)."""
        return self.free.fk(self.angles(q))

    def frames(self, q: ArrayLike) -> Array:
        """Return base frame, the frame behind each joint, and tool frame; see `SerialModel`."""
        return self.free.frames(self.angles(q))

    def jacobian(self, q: ArrayLike) -> Array:
        """Return J with (v, w) = J qd, world axes, at the tool point. Shape (6, n) or (m, 6, n)."""
        return np.asarray(self.free.jacobian(self.angles(q)) @ self._C)

    @cached_property
    def task(self) -> Task:
        """The part of a pose that the arm can choose; "pose" where rods move some joint."""
        return self.free.task if self.is_square else "pose"

    def ik(
        self,
        T: ArrayLike,
        within_limits: bool = False,
        configuration: str | None = None,
        task: Task | Literal["auto"] = "pose",
    ) -> Array:
        """Return the solutions of a pose, none when out of reach. Shape (k, n).

        Axis values are in (-π, π] where a whole turn of the axis turns every joint by whole
        turns; see `SerialModel.ik`.
        """
        part = self._known_part(task)
        angles = self.free.ik(T, configuration=configuration, task=part)
        if not within_limits:
            return self.turns.values(angles)
        return self._within(angles, goal_array(T, part) if part == "pose" else _NO_POSE)

    def _within(self, angles: Array, pose: Array) -> Array:
        """Return angles as axis values within limits, those that have such. Shape (k, n)."""
        found = np.empty((len(angles), self.dof))
        zero = np.zeros(self.dof)
        count = values_within(self._links, self._coupled, pose, angles, zero, self._metric, found)
        return found[:count]

    def _known_part(self, task: Task | Literal["auto"]) -> Task:
        if task == "auto":
            return self.task
        if task != "pose" and not self.is_square:
            raise UnsupportedError(
                f"arm '{self.arm.name}' has joints that rods move: it is solved for whole poses, "
                "or for a point by ik_position"
            )
        return task

    def _gap(self, q: Array, pose: Array) -> tuple[float, float]:
        """Return how far the tool is from a pose [m] and [rad]."""
        gap = self.fk(q) - pose
        angle = float(np.linalg.norm(gap[:3, :3]) / np.sqrt(2.0))
        return float(np.linalg.norm(gap[:3, 3])), angle

    def solutions(
        self,
        goal: ArrayLike,
        near: ArrayLike | None = None,
        task: Task | Literal["auto"] | None = None,
    ) -> SolutionSet:
        """Return every solution of a pose or point, see `SerialModel.solutions`."""
        wanted = np.asarray(goal, dtype=np.float64)
        if wanted.shape == (3,) and not self.is_square:
            return self._of_point(wanted, near)
        part = None if task is None else self._known_part(task)
        angles = None if near is None else self.angles(near)
        found = self.free.solutions(goal, angles, part)
        family = found.family if self.is_square else ()
        idle = found.idle if self.is_square else ()
        return SolutionSet(
            self.turns.values(found.joints), family, found.method, idle, found.proved
        )

    def configurations(self, q: ArrayLike) -> list[str]:
        """Return names of configurations that the arm's geometry gives, see `SerialModel`."""
        return self.free.configurations(np.atleast_2d(self.angles(q)))

    def ik_batch(
        self, Ts: ArrayLike, within_limits: bool = False, device: Device = "cpu"
    ) -> tuple[Array, Integers]:
        """Return solutions of m poses as in `ik`, nan behind the last: (m, kmax, n), and (m,)."""
        if device != "cpu" and (within_limits or not self.is_square):
            raise UnsupportedError(
                f"arm '{self.arm.name}' has coupled joints, whose limits are looked at on the "
                "processor; use device='cpu'"
            )
        angles, counts = self.free.ik_batch(Ts, device=device)
        values = np.full((*angles.shape[:2], self.dof), np.nan)
        poses = pose_array(Ts, "Ts")[0] if within_limits else np.empty((len(values), 0, 0))
        for k, (row, pose) in enumerate(zip(angles, poses, strict=True)):
            known = row[: counts[k]]
            found = self._within(known, pose) if within_limits else self.turns.values(known)
            counts[k] = len(found)
            values[k, : len(found)] = found
        return values, counts

    def ik_nearest(
        self,
        T: ArrayLike,
        q: ArrayLike,
        configuration: str | None = None,
        weights: ArrayLike | None = None,
        task: Task | Literal["auto"] = "pose",
    ) -> Array | None:
        """Return the solution within limits nearest to q, or None. Shape (n,).

        The distance is that of axis values, also where there are infinitely many solutions; see
        `SerialModel.ik_nearest`.
        """
        if task == "pose" and configuration is None and weights is None:
            quick = self._quick_nearest(T, q)
            if quick is not None:
                return quick
        part = self._known_part(task)
        near, pose = joint_vector(q, self.dof), goal_array(T, part)
        factors = self._metric if weights is None else self._weighted(weights)
        endless = False
        if configuration is not None or part != "pose":
            angles = self.free.ik(pose, configuration=configuration, task=part)
        else:
            angles, endless = self._members(pose, near)
        choose = nearest_values_along if endless else nearest_values
        found = np.empty(self.dof)
        solved = pose if part == "pose" else _NO_POSE
        chosen = choose(self._links, self._coupled, solved, angles, near, factors, found)
        return found if chosen else None

    def _quick_nearest(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """Return the nearest solution of arrays that kernels can take; None: look with care."""
        if not isinstance(q, np.ndarray) or not isinstance(T, np.ndarray):
            return None
        if q.shape != self._shape or T.shape != _POSE:
            return None
        found = np.empty(self._shape)
        try:
            rows = self._regular(T)
            if rows is not None and self._nearest(
                self._links, self._coupled, T, rows, q, self._metric, found
            ):
                return found
        except TypeError:
            pass
        return None

    @cached_property
    def _regular(self) -> Callable[[ArrayLike], Array | None]:
        """What gives every solution of the free chain for a pose that needs no care, else None."""
        solver = self.free.inverse
        return solver.regular if isinstance(solver, ClosedForm) else lambda T: None

    def _weighted(self, weights: ArrayLike) -> Array:
        return np.ascontiguousarray(self._metric * joint_vector(weights, self.dof))

    def _members(self, pose: Array, near: Array) -> tuple[Array, bool]:
        """Return solutions of the free chain, and whether they are some of infinitely many."""
        known = self.free.solutions(pose)
        if not known.family:
            return known.joints, False
        solver, wanted = self.free.inverse, self.angles(near)
        if isinstance(solver, ClosedForm):
            return np.vstack([known.joints, solver.members(pose, wanted)]), True
        beside = self.free.ik_nearest(pose, wanted)
        return known.joints if beside is None else np.vstack([known.joints, beside]), True

    def fitted(self, solutions: Array, near: Array) -> tuple[Array, Flags]:
        """Return solutions moved by whole turns next to ``near``, and which of them keep limits.

        Another turn of an axis that others follow by a fraction means other values of these.
        """
        rows = np.array(solutions, dtype=np.float64)
        inside = np.zeros(len(rows), dtype=np.bool_)
        for k, row in enumerate(rows):
            kept = self.turns.within(row @ self._C.T, near)
            if kept is not None:
                rows[k], inside[k] = kept, True
        return rows, inside

    def candidates(self, T: ArrayLike, near: ArrayLike, most: int = 64) -> list[Array]:
        """Return every solution within limits with all whole turns, nearest to ``near`` first."""
        wanted = joint_vector(near, self.dof)
        found: list[Array] = []
        for row in self.free.ik(T):
            found.extend(self.turns.every(row, wanted, most))
        found.sort(key=lambda q: float(np.linalg.norm((q - wanted) * self.chain.metric)))
        return found[:most]

    def ik_position(self, p: ArrayLike, q: ArrayLike | None = None) -> Array | None:
        """Return axis values that bring the tool point to p, whatever its orientation.

        Args:
            p: Position in the world [m]. Shape (3,).
            q: Axis values to stay close to; None: any solution. Shape (n,).

        Returns:
            Axis values within limits, None when none is found. Shape (n,).
        """
        solution = self.solve(p, q, "position")
        return solution.q if solution.success else None

    def solve(
        self,
        goal: ArrayLike,
        q0: ArrayLike | None = None,
        task: Task = "pose",
        method: InverseMethod | None = None,
    ) -> Solution:
        """Return one solution within limits with all that is known about it, see `SerialModel`."""
        if task not in TASK_SIZES:
            raise UnsupportedError(f"task must be 'pose' or 'position', got {task!r}")
        pose = goal_array(goal, task)
        near = self.chain.home() if q0 is None else joint_vector(q0, self.dof)
        if task == "pose" and method is None:
            found = self.ik_nearest(pose, near)
            if found is not None:
                return self._solution(found, pose, "solved")
            count = len(self.ik(pose))
            reason = (
                f"the pose is reached in {count} ways, all beyond limits of axes or joints"
                if count
                else "the pose is out of reach"
            )
            return self._solution(near, pose, reason)
        angles = self.free.solve(goal, self.angles(near), task, method)
        if angles.success:
            found = self.turns.within(angles.q, near)
            if found is not None:
                return self._solution(found, pose, "solved", task)
        return self._searched(pose, near, task)

    def _searched(self, pose: Array, near: Array, task: Task) -> Solution:
        """Return the nearest of what descents in axis values find."""
        goal = pose[:3, 3] if task == "position" else pose
        search = GoalSearch.of(self, goal, self.chain.revolute)
        kept = [
            found
            for row in search.solutions(near).joints
            if (found := self.turns.within(row @ self._C.T, near)) is not None
        ]
        if not kept:
            return self._solution(near, pose, "no axis values within limits were found", task)
        best = min(kept, key=lambda q: float(np.linalg.norm((q - near) * self.chain.metric)))
        return self._solution(best, pose, "solved", task)

    def _solution(self, q: Array, pose: Array, reason: str, task: Task = "pose") -> Solution:
        position, rotation = self._gap(q, pose)
        return Solution(
            q,
            success=reason == "solved",
            residual_position=position,
            residual_rotation=rotation if task == "pose" else 0.0,
            iterations=0,
            restarts=0,
            method=self.method,
            reason=reason,
        )

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the forces of the drives in a motion, without friction. Shape (n,) or (m, n).

        Cᵀ tau of the free chain, and each drive's own armature [N m or N].
        """
        rows, single = joint_arrays(self.dof, q=q, qd=qd, qdd=qdd)
        taus = self.free.inverse_dynamics(*(row @ self._C.T for row in rows)) @ self._C
        taus = taus + self._armature * rows[2]
        return np.asarray(taus[0] if single else taus)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return Cᵀ M C with armature on its diagonal [kg m², kg m, kg]. (n, n) or (m, n, n)."""
        many = self._C.T @ self.free.mass_matrix(self.angles(q)) @ self._C
        return np.asarray(many + np.diag(self._armature))

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations of the axes under forces of drives, without friction.

        Shape (n,) or (m, n).

        Raises:
            UnsupportedError: When nothing resists some axis because the masses are missing.
        """
        rows, single = joint_arrays(self.dof, q=q, qd=qd, tau=tau)
        mass = np.atleast_3d(self.mass_matrix(rows[0])).reshape(-1, self.dof, self.dof)
        sizes = np.linalg.eigvalsh(mass)
        if (sizes[:, 0] <= 1e-12 * sizes[:, -1]).any():
            raise UnsupportedError(
                f"arm '{self.arm.name}' has no forward dynamics: no mass, inertia or armature "
                "resists some motion of its axes"
            )
        rest = (rows[2] - self.bias(rows[0], rows[1]))[:, :, None]
        many = np.linalg.solve(mass, rest)[:, :, 0]
        return np.asarray(many[0] if single else many)

    def energy(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """Return kinetic and potential energy [J], each of shape () or (m,)."""
        rates = np.asarray(qd, dtype=np.float64)
        kinetic, potential = self.free.energy(self.angles(q), self.angles(rates))
        own = 0.5 * np.square(rates) @ self._armature
        return np.asarray(kinetic + own), potential
