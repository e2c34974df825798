"""The model of a serial arm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array
from armwerk.errors import ShapeError, UnsupportedError
from armwerk.mechanics.arrays import goal_array, joint_arrays, pose_array
from armwerk.mechanics.chain import Chain, pack
from armwerk.mechanics.choice import in_order
from armwerk.mechanics.inverse import DirectSolver, InverseSolver, solver
from armwerk.mechanics.kernels import direct
from armwerk.mechanics.solution import Solution, Task
from armwerk.robot.arm import Arm

_empty = np.empty  # a name of this module is found faster than one of numpy's
_POSE = (4, 4)


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Where the tool point gets to, in the world.

    Args:
        radius: Largest distance from the arm's base [m]; infinite when a prismatic joint has no
            limits, as for the corners.
        lower: Least coordinates met [m]. Shape (3,).
        upper: Largest coordinates met [m]. Shape (3,).
    """

    radius: float
    lower: Array
    upper: Array


class SerialModel:
    """Kinematics and dynamics of a serial arm; see `ArmModel` for the shapes.

    Fixed joints, base and tool are part of every pose. Armature counts as mass of its joint;
    friction is kept apart (`friction`).

    Args:
        arm: The description, without symbols.
        ik: Inverse method, see `armwerk.mechanics.model`.
    """

    def __init__(self, arm: Arm, ik: str = "pref") -> None:
        self.arm = arm
        self.chain: Chain = pack(arm)
        self.dof = self.chain.dof
        self._shape = (self.dof,)
        self._constants = self.chain.constants
        self._bodies = self.chain.bodies
        self._fk = direct.fk_into
        self._solvers: dict[str, InverseSolver] = {}
        self._method = ik
        if ik != "pref":  # a closed form may have to be derived first; that waits until it is used
            self._solver(ik)

    def __repr__(self) -> str:
        return f"<SerialModel '{self.arm.name}' {self.arm.structure} ik={self.method}>"

    @property
    def method(self) -> str:
        """Name of the inverse method in use."""
        return self._solver(None).name

    @cached_property
    def _direct(self) -> DirectSolver | None:
        found = self._solver(None)
        return found if isinstance(found, DirectSolver) else None

    @cached_property
    def _differential(self) -> ModuleType:
        from armwerk.mechanics.kernels import jacobian

        return jacobian

    @cached_property
    def _dynamics(self) -> ModuleType:
        from armwerk.mechanics.kernels import dynamics

        return dynamics

    def fk(self, q: ArrayLike) -> Array:
        """Return the tool pose T_world_tool. Shape (4, 4), or (m, 4, 4) for q of shape (m, n).

        Raises:
            ShapeError: For another shape, nan or infinity.
        """
        try:  # one vector of the right type goes straight to the kernel, which checks the rest
            if q.ndim == 1:  # type: ignore[union-attr]
                pose = _empty(_POSE)
                self._fk(self._constants, q, pose)
                return pose
        except (AttributeError, TypeError, ValueError):
            pass
        (rows,), single = joint_arrays(self.dof, q=q)
        poses = direct.fk_batch(self._constants, rows)
        return cast(Array, poses[0] if single else poses)

    def frames(self, q: ArrayLike) -> Array:
        """Return base frame, the frame behind each joint (fixed ones too), and tool frame.

        Joint i turns about or slides along the z axis of frame i - 1. Shape (joints + 2, 4, 4), or
        (m, joints + 2, 4, 4).
        """
        (rows,), single = joint_arrays(self.dof, q=q)
        frames = direct.frames_batch(self.chain.rows, rows)
        return cast(Array, frames[0] if single else frames)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return J with (v, w) = J qd, world axes, at the tool point. Shape (6, n) or (m, 6, n)."""
        kernels = self._differential
        try:
            if q.ndim == 1:  # type: ignore[union-attr]
                J = _empty((6, self.dof))
                kernels.jacobian(self._constants, q, J)
                return J
        except (AttributeError, TypeError, ValueError):
            pass
        (rows,), single = joint_arrays(self.dof, q=q)
        many = kernels.jacobian_batch(self._constants, rows)
        return cast(Array, many[0] if single else many)

    def manipulability(self, q: ArrayLike) -> Array:
        """Return the product of the Jacobian's singular values. Shape () or (m,).

        It is 0 at a singularity. Lengths count in metres. For six joints this is |det J|, for more
        √det(J Jᵀ), for fewer √det(Jᵀ J).
        """
        return np.asarray(np.linalg.svd(self.jacobian(q), compute_uv=False).prod(axis=-1))

    def ik(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return the solutions of a pose, none when out of reach. Shape (k, n).

        Angles are in (-π, π] and joint limits do not count, unless ``within_limits`` is set: then
        only what keeps the limits is returned, angles shifted by full turns where that helps.
        The numeric methods return what they find: every solution as far as known, not proven;
        of an arm with more than six joints a handful within its limits.
        """
        if self._direct is not None and not within_limits:
            return self._direct.one(T)
        pose = goal_array(T, "pose")
        solutions, counts = self._solver(None).all(pose[None], within_limits)
        return in_order(solutions[0, : counts[0]])

    def ik_batch(
        self, Ts: ArrayLike, within_limits: bool = False
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return solutions of m poses as in `ik`, nan behind the last: (m, kmax, n), and (m,)."""
        if self._direct is not None and not within_limits:
            return self._direct.many(Ts)
        poses, _ = pose_array(Ts, "Ts")
        solutions, counts = self._solver(None).all(poses, within_limits)
        for row, count in zip(solutions, counts, strict=True):
            row[:count] = in_order(row[:count])
        return solutions, counts

    def ik_nearest(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """Return the solution within limits nearest to q, or None when none is found. Shape (n,).

        The distance is √Σ(Δq)², metres counted in length scales of the arm (`chain.scale`); full
        turns are used where the limits allow them. An arm with joints to spare moves along its
        self-motion towards q. `solve` says why there is none.
        """
        if self._direct is not None:
            return self._direct.near(T, q)
        solution = self._solver(None).nearest(goal_array(T, "pose"), self._start(q), "pose")
        return solution.q if solution.success else None

    def ik_position(self, p: ArrayLike, q: ArrayLike | None = None) -> Array | None:
        """Return joint values that bring the tool point to p, whatever its orientation.

        Args:
            p: Position in the world [m]. Shape (3,).
            q: Joint values to stay close to; None: any solution. Shape (n,).

        Returns:
            Joint values within limits, None when none is found. Shape (n,).
        """
        goal = goal_array(p, "position")
        method = self._solver(None)
        if q is None:
            solution = method.solve(goal, None, "position")
        else:
            solution = method.nearest(goal, self._start(q), "position")
        return solution.q if solution.success else None

    def solve(
        self,
        goal: ArrayLike,
        q0: ArrayLike | None = None,
        task: Task = "pose",
        method: str | None = None,
    ) -> Solution:
        """Return one solution within limits with all that is known about it, or why there is none.

        Args:
            goal: Pose of shape (4, 4); for the task "position" a point of shape (3,) will do.
            q0: Where the search starts; None: wherever the method likes. Shape (n,).
            task: "pose", or "position" to leave the orientation free.
            method: Inverse method for this call; None: the model's own.
        """
        if task not in ("pose", "position"):
            raise UnsupportedError(f"task must be 'pose' or 'position', got {task!r}")
        start = None if q0 is None else self._start(q0)
        return self._solver(method).solve(goal_array(goal, task), start, task)

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the joint forces of a motion, without friction. Shape (n,) or (m, n).

        tau = H(q) qdd + b(q, qd), by the recursion of Newton and Euler [N m or N].
        """
        kernels = self._dynamics
        try:
            if q.ndim == 1:  # type: ignore[union-attr]
                tau = _empty(self._shape)
                kernels.inverse(self._bodies, q, qd, qdd, tau)
                return tau
        except (AttributeError, TypeError, ValueError):
            pass
        rows, single = joint_arrays(self.dof, q=q, qd=qd, qdd=qdd)
        taus = kernels.inverse_batch(self._bodies, *rows)
        return cast(Array, taus[0] if single else taus)

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return Coriolis, centrifugal and gravity forces, inverse dynamics at qdd = 0."""
        return self.inverse_dynamics(q, qd, np.zeros(self.dof))

    def gravity(self, q: ArrayLike) -> Array:
        """Return the joint forces that hold the arm still [N m or N]. Shape (n,) or (m, n)."""
        zero = np.zeros(self.dof)
        return self.inverse_dynamics(q, zero, zero)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return H(q), armature on its diagonal [kg m², kg m, kg]. Shape (n, n) or (m, n, n)."""
        kernels = self._dynamics
        try:
            if q.ndim == 1:  # type: ignore[union-attr]
                H = _empty((self.dof, self.dof))
                kernels.mass(self._bodies, q, H)
                return H
        except (AttributeError, TypeError, ValueError):
            pass
        (rows,), single = joint_arrays(self.dof, q=q)
        many = kernels.mass_batch(self._bodies, rows)
        return cast(Array, many[0] if single else many)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations qdd = H⁻¹ (tau - b) without friction. Shape (n,) or (m, n).

        Raises:
            UnsupportedError: When nothing resists some joint because the masses are missing.
        """
        kernels = self._dynamics
        try:
            if q.ndim == 1:  # type: ignore[union-attr]
                qdd = _empty(self._shape)
                if kernels.forward(self._bodies, q, qd, tau, qdd) < 0:
                    return qdd
        except (AttributeError, TypeError, ValueError):
            pass
        rows, single = joint_arrays(self.dof, q=q, qd=qd, tau=tau)
        many, loose = kernels.forward_batch(self._bodies, *rows)
        if loose >= 0:
            raise UnsupportedError(
                f"arm '{self.arm.name}' has no forward dynamics: no mass, inertia or armature "
                f"resists joint '{self.arm.moving[loose].name}'"
            )
        return cast(Array, many[0] if single else many)

    def friction(self, qd: ArrayLike) -> Array:
        """Return the joint forces that friction takes, to be added to inverse dynamics.

        B qd + C₊ for qd > 0, B qd - C₋ for qd < 0, 0 at rest [N m or N]. Shape (n,) or (m, n).
        """
        (rows,), single = joint_arrays(self.dof, qd=qd)
        forwards, backwards = self.chain.coulomb.T
        force = self.chain.viscous * rows + forwards * (rows > 0) - backwards * (rows < 0)
        return np.asarray(force[0] if single else force)

    def energy(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """Return kinetic and potential energy [J], each of shape () or (m,).

        The potential energy of a mass in the world's origin is 0.
        """
        rows, single = joint_arrays(self.dof, q=q, qd=qd)
        both = self._dynamics.energy_batch(self._bodies, *rows)
        return (both[0, 0], both[0, 1]) if single else (both[:, 0], both[:, 1])

    def reach(self, samples: int = 20_000) -> Reach:
        """Return how far the tool gets, from evenly spread configurations within the limits.

        The radius is then driven to its local maximum; the corners stay those of the samples.
        """
        from scipy.optimize import minimize

        endless = ~self.chain.revolute & ~np.isfinite(self.chain.limits).all(axis=1)
        if endless.any():
            return Reach(np.inf, np.full(3, -np.inf), np.full(3, np.inf))
        base = self.arm.base[:3, 3]
        q = self.chain.spread(samples)
        points = self.fk(q)[:, :3, 3]
        far = np.linalg.norm(points - base, axis=1)

        def minus_distance(x: Array) -> tuple[float, Array]:
            way = self.fk(x)[:3, 3] - base
            length = float(np.linalg.norm(way)) or 1.0
            return -length, -(way @ self.jacobian(x)[:3]) / length

        bounds = [(float(low), float(high)) for low, high in self.chain.ranges()]
        ends = [
            minimize(minus_distance, q[k], jac=True, method="L-BFGS-B", bounds=bounds)
            for k in np.argsort(-far)[:3]
        ]
        radius = max(float(far.max()), *(-float(end.fun) for end in ends))
        return Reach(radius, points.min(axis=0), points.max(axis=0))

    def _start(self, q: ArrayLike) -> Array:
        (rows,), single = joint_arrays(self.dof, q=q)
        if not single:
            raise ShapeError(f"q must have shape ({self.dof},) here, got {rows.shape}")
        return np.asarray(rows[0])

    def _solver(self, method: str | None) -> InverseSolver:
        name = self._method if method is None else method
        if name not in self._solvers:
            self._solvers[name] = solver(name, self.arm, self.chain)
        return self._solvers[name]
