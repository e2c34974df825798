"""The model of a serial arm."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from armwerk.accelerator import Device
from armwerk.arrays import Array, Flags, Integers
from armwerk.compiled import follow
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.mechanics.arrays import goal_array, joint_arrays, joint_vector
from armwerk.mechanics.chain import pack
from armwerk.mechanics.choice import JointSpace, fit, nearest
from armwerk.mechanics.dynamics import SerialDynamics
from armwerk.mechanics.extent import ReachEstimate, reach_of
from armwerk.mechanics.inverse.interface import (
    TASK_SIZES,
    ClosedForm,
    InverseMethod,
    InverseSolver,
    Naming,
    NamingFactory,
    SetSolver,
    Solution,
    SolutionSet,
    Task,
)
from armwerk.mechanics.inverse.methods import ITERATIVE, Methods, make_solver
from armwerk.mechanics.inverse.solution_search import GoalSearch
from armwerk.mechanics.kernels import direct
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.mechanics.inverse.partial import PartialInverse

_empty, _ndarray = np.empty, np.ndarray  # names of this module are found faster than numpy's
_POSE = (4, 4)


Reach = ReachEstimate  # earlier name


class SerialModel(SerialDynamics):
    """Kinematics and dynamics of a serial arm; see `ArmModel` for the shapes.

    Fixed joints, base and tool are part of every pose. Armature counts as mass of its joint;
    friction is kept apart (`friction`).

    Args:
        arm: The description, without symbols.
        ik: Inverse method, see `armwerk.model`.
        methods: The inverse methods to choose from. Mechanics has only iterative ones of its own;
            `armwerk.model` adds the closed form.
        naming: Makes the names of solutions that no closed form names.
    """

    def __init__(
        self,
        arm: Arm,
        ik: InverseMethod = "pref",
        methods: Methods = ITERATIVE,
        naming: NamingFactory | None = None,
    ) -> None:
        super().__init__(arm, pack(arm))
        self._constants = self.chain.constants
        self._fk = direct.fk_into
        self._solvers: dict[str, InverseSolver] = {}
        self._partials: dict[Task, PartialInverse] = {}
        self._method: InverseMethod = ik
        self._methods = methods
        self._make_naming = naming
        if ik != "pref":  # a closed form may have to be derived first; that waits until it is used
            self._solver(ik)
        follow(self)

    def __reduce__(self) -> tuple[type[SerialModel], tuple[object, ...]]:
        """Have copies and other processes make it anew: compiled code stays where it is."""
        return SerialModel, (self.arm, self._method, self._methods, self._make_naming)

    def __repr__(self) -> str:
        return f"<SerialModel '{self.arm.name}' {self.arm.structure} ik={self.method}>"

    @property
    def method(self) -> str:
        """Name of the inverse method in use."""
        return self.inverse.name

    @property
    def limits(self) -> Array:
        """Joint limits [rad or m], infinite where free. Shape (n, 2)."""
        return self.chain.limits

    @cached_property
    def inverse(self) -> InverseSolver:
        """The inverse method in use; a closed form is derived when this is first asked for."""
        return self._solver(self._method)

    def with_arm(self, arm: Arm) -> SerialModel:
        """Return the model of another arm, with the same inverse methods."""
        return SerialModel(arm, self._method, self._methods, self._make_naming)

    # Kernels are loaded when they are first used; after that a call finds them in the instance.

    @cached_property
    def _jacobian_into(self) -> Callable[[Array, Array, Array], None]:
        from armwerk.mechanics.kernels.jacobian import jacobian

        return jacobian

    def fk(self, q: ArrayLike) -> Array:
        """Return the tool pose T_world_tool. Shape (4, 4), or (m, 4, 4) for q of shape (m, n).

        Raises:
            ShapeError: For another shape, nan or infinity.
        """
        try:  # one vector of the right type goes straight to the kernel, which checks the rest
            if isinstance(q, _ndarray) and q.ndim == 1:
                pose = _empty(_POSE)
                self._fk(self._constants, q, pose)
                return pose
        except (TypeError, ValueError):
            pass
        (rows,), single = joint_arrays(self.dof, q=q)
        poses = direct.fk_batch(self._constants, rows)
        return poses[0] if single else poses

    def frames(self, q: ArrayLike) -> Array:
        """Return base frame, the frame behind each joint (fixed ones too), and tool frame.

        Joint i turns about or slides along the z axis of frame i - 1. Shape (joints + 2, 4, 4), or
        (m, joints + 2, 4, 4).
        """
        (rows,), single = joint_arrays(self.dof, q=q)
        frames = direct.frames_batch(self.chain.rows, rows)
        return frames[0] if single else frames

    def jacobian(self, q: ArrayLike) -> Array:
        """Return J with (v, w) = J qd, world axes, at the tool point. Shape (6, n) or (m, 6, n)."""
        try:
            if isinstance(q, _ndarray) and q.ndim == 1:
                J = _empty((6, self.dof))
                self._jacobian_into(self._constants, q, J)
                return J
        except (TypeError, ValueError):
            pass
        from armwerk.mechanics.kernels.jacobian import jacobian_batch

        (rows,), single = joint_arrays(self.dof, q=q)
        many = jacobian_batch(self._constants, rows)
        return many[0] if single else many

    def manipulability(self, q: ArrayLike) -> Array:
        """Return the product of the Jacobian's singular values. Shape () or (m,).

        It is 0 at a singularity. Lengths count in metres. For six joints this is |det J|, for more
        √det(J Jᵀ), for fewer √det(Jᵀ J).
        """
        return np.asarray(np.linalg.svd(self.jacobian(q), compute_uv=False).prod(axis=-1))

    @cached_property
    def task(self) -> Task:
        """The part of a pose that the arm can choose, by its freedoms.

        "pose" with six and more; "position", "direction" (point and tool's z axis) or "plane" with
        fewer, "pose" too where it chooses something else than one of these.
        """
        from armwerk.mechanics.inverse.partial import own_task

        return own_task(self)

    def ik(
        self,
        T: ArrayLike,
        within_limits: bool = False,
        configuration: str | None = None,
        task: Task | Literal["auto"] = "pose",
    ) -> Array:
        """Return the solutions of a pose, none when out of reach. Shape (k, n).

        Angles are in (-π, π] and joint limits do not count, unless ``within_limits`` is set: then
        only what keeps the limits is returned, angles shifted by full turns where that helps.
        The numeric methods return what they find: every solution as far as known, not proven;
        of an arm with more than six joints a handful within its limits.

        Args:
            T: T_world_tool. Shape (4, 4).
            within_limits: Whether joint limits count.
            configuration: Words that the solution's name must have ("left up"), see
                `configurations`; None: all solutions.
            task: The part of the pose that counts: "pose"; "position"; "direction", position and
                the tool's z axis; "plane", place and turn in the plane of an arm whose axes are
                parallel; "auto", what the arm can choose (`task`).
        """
        if task != "pose":
            solutions = self._within_limits(self.solutions(T, task=task).joints, within_limits)
            if configuration is None:
                return solutions
            return solutions[self._named.selected(solutions, configuration)]
        solutions = self.inverse.all(T, within_limits)
        if configuration is None:
            return solutions
        return solutions[self._named.selected(solutions, configuration)]

    def _within_limits(self, solutions: Array, wanted: bool) -> Array:
        from armwerk.mechanics.inverse.partial import within

        return within(self, solutions) if wanted else solutions

    def _partial(self, task: Task) -> PartialInverse:
        if task not in self._partials:
            from armwerk.mechanics.inverse.partial import PartialInverse

            self._partials[task] = PartialInverse(self, task)
        return self._partials[task]

    def solutions(
        self,
        goal: ArrayLike,
        near: ArrayLike | None = None,
        task: Task | Literal["auto"] | None = None,
    ) -> SolutionSet:
        """Return every solution of a pose or point, and what is known of them as a whole.

        Limits do not count, angles are in (-π, π]. A pose is solved by the model's own method; a
        point, whose orientation is free, by descents from many starts. ``family`` names joints that
        move together where there are infinitely many solutions, ``proved`` says that there are no
        others than these; it is never set at singular poses.

        Args:
            goal: T_world_tool (4, 4), or a point (3,) [m].
            near: Joint values to which members of an infinite family of a point are near, and at
                which joints stay that do not move it; None: 0, or the limits next to it.
                Shape (n,).
            task: The part of a pose that counts, see `ik`; None: all of a pose, a point alone.
        """
        if task is not None and task != "pose":
            return self._part(goal, near, task)
        wanted = np.asarray(goal, dtype=np.float64)
        if wanted.shape == (3,):
            return self._of_point(wanted, near)
        solver = self.inverse
        closed = isinstance(solver, ClosedForm)
        if isinstance(solver, SetSolver) and self.dof <= 6:
            known = solver.solution_set(wanted)
            if closed or known.proved:
                return known
            joints = known.joints
        else:
            joints = solver.all(wanted)
        family = GoalSearch.of(self, wanted, self.chain.revolute).family(joints)
        return SolutionSet(joints, family, "closed" if closed else "numeric")

    def _of_point(self, goal: Array, near: ArrayLike | None) -> SolutionSet:
        """Return every solution for a point, by descents from many starts."""
        reference = self.chain.home() if near is None else joint_vector(near, self.dof)
        point = goal_array(goal, "position")[:3, 3]
        return GoalSearch.of(self, point, self.chain.revolute).solutions(reference)

    def _part(self, goal: ArrayLike, near: ArrayLike | None, task: str) -> SolutionSet:
        """Return every solution for a part of a pose."""
        from armwerk.mechanics.inverse.partial import known_task, plane_pose

        chosen = self.task if task == "auto" else known_task(task)
        if chosen == "pose":
            return self.solutions(goal_array(goal, "pose"), near)
        if chosen == "plane":
            return self.solutions(plane_pose(self, goal), near)
        return self._partial(chosen).solution_set(goal, near)

    def configurations(self, q: ArrayLike) -> list[str]:
        """Return names of configurations that the arm's geometry gives: "right up unflipped".

        A name stays the same along a path that meets no singularity, and no two regular solutions
        of a pose have the same one on arms with a wrist whose axes meet. A calibrated arm, whose
        dimensions are slightly off from those of an arm with closed form, has that arm's names.

        Args:
            q: Joint values, as `ik` returns them. Shape (k, n) or (n,).

        Raises:
            UnsupportedError: For an arm not near to a closed form, or with more than six joints.
        """
        (rows,), _ = joint_arrays(self.dof, q=q)
        return self._named.names(rows)

    @cached_property
    def _named(self) -> Naming:
        solver = self.inverse
        if isinstance(solver, ClosedForm):
            return solver.naming()
        if self._make_naming is None:
            raise UnsupportedError(
                f"arm '{self.arm.name}' is solved by '{solver.name}': only models of "
                "armwerk.model have names for their solutions"
            )
        return self._make_naming(self.arm)

    def ik_batch(
        self, Ts: ArrayLike, within_limits: bool = False, device: Device = "cpu"
    ) -> tuple[Array, Integers]:
        """Return solutions of m poses as in `ik`, nan behind the last: (m, kmax, n), and (m,).

        Args:
            Ts: T_world_tool of each pose. Shape (m, 4, 4).
            within_limits: Keep only solutions within the joint limits.
            device: "gpu" solves on an accelerator, with the same numbers to the last bit.

        Raises:
            UnsupportedError: On an accelerator, for an arm without closed form or with joints to
                spare, or where there is no accelerator.
        """
        if device == "cpu":
            return self.inverse.all_batch(Ts, within_limits)
        if device != "gpu":
            raise DescriptionError("unknown", element="device", value=device, allowed="cpu, gpu")
        solver = self.inverse
        if not isinstance(solver, ClosedForm):
            raise UnsupportedError(
                f"arm '{self.arm.name}' is solved by '{solver.name}', and only closed forms run on "
                "an accelerator; use device='cpu'"
            )
        return solver.all_batch(Ts, within_limits, device)

    def ik_nearest(
        self,
        T: ArrayLike,
        q: ArrayLike,
        configuration: str | None = None,
        weights: ArrayLike | None = None,
        task: Task | Literal["auto"] = "pose",
    ) -> Array | None:
        """Return the solution within limits nearest to q, or None when none is found. Shape (n,).

        The distance is √Σ(Δq)², metres counted in length scales of the arm (`chain.scale`); full
        turns are used where the limits allow them. An arm with joints to spare moves along its
        self-motion towards q. `solve` says why there is none.

        Args:
            T: T_world_tool. Shape (4, 4).
            q: Joint values to stay close to. Shape (n,).
            configuration: Words that the solution's name must have, see `configurations`.
            weights: What each joint counts in the distance, as a factor; where there are
                infinitely many solutions, among those that `ik` returns. Shape (n,).
            task: The part of the pose that counts, see `ik`.
        """
        if task != "pose":
            found = self.solutions(T, q, task).joints
            if configuration is not None:
                found = found[self._named.selected(found, configuration)]
            return self._nearest_of(found, q, weights)
        if configuration is None and weights is None:
            return self.inverse.nearest(T, q)
        return self._nearest_of(self.ik(T, configuration=configuration), q, weights)

    def _nearest_of(
        self, solutions: Array, q: ArrayLike, weights: ArrayLike | None
    ) -> Array | None:
        factors = np.ones(self.dof) if weights is None else joint_vector(weights, self.dof)
        space = JointSpace(self.limits, self.chain.revolute, self.chain.metric * factors)
        return nearest(space, solutions, joint_vector(q, self.dof))

    def fitted(self, solutions: Array, near: Array) -> tuple[Array, Flags]:
        """Return solutions moved by whole turns next to ``near``, and which of them keep limits.

        What keeps no limits is as little outside as goes.

        Args:
            solutions: Joint values [rad or m]. Shape (k, n).
            near: Where to be close to. Shape (n,).

        Returns:
            Shapes (k, n) and (k,).
        """
        return fit(self.chain, solutions, near)

    def ik_position(self, p: ArrayLike, q: ArrayLike | None = None) -> Array | None:
        """Return joint values that bring the tool point to p, whatever its orientation.

        Args:
            p: Position in the world [m]. Shape (3,).
            q: Joint values to stay close to; None: any solution. Shape (n,).

        Returns:
            Joint values within limits, None when none is found. Shape (n,).
        """
        if q is not None:
            return self.inverse.nearest(p, q, "position")
        solution = self.inverse.solve(p, None, "position")
        return solution.q if solution.success else None

    def solve(
        self,
        goal: ArrayLike,
        q0: ArrayLike | None = None,
        task: Task = "pose",
        method: InverseMethod | None = None,
    ) -> Solution:
        """Return one solution within limits with all that is known about it, or why there is none.

        Args:
            goal: Pose of shape (4, 4); for the task "position" a point of shape (3,) will do.
            q0: Where the search starts; None: wherever the method likes. Shape (n,).
            task: "pose", or "position" to leave the orientation free.
            method: Inverse method for this call; None: the model's own.
        """
        if task not in TASK_SIZES:
            raise UnsupportedError(f"task must be 'pose' or 'position', got {task!r}")
        solver = self.inverse if method is None else self._solver(method)
        return solver.solve(goal, q0, task)

    def reach(self, samples: int = 20_000) -> ReachEstimate:
        """Return how far the tool gets within the limits.

        The corners are those of evenly spread configurations; the radius is refined.

        Args:
            samples: Number of configurations for the corners.
        """
        return reach_of(self, samples)

    def _solver(self, method: str) -> InverseSolver:
        if method not in self._solvers:
            self._solvers[method] = make_solver(method, self.arm, self.chain, self._methods)
        return self._solvers[method]
