"""The closed-form inverse kinematics of one arm, ready to run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.accelerator import Device
from armwerk.arrays import Array, Integers
from armwerk.compiled import follow
from armwerk.derivation.runtime import tolerances
from armwerk.derivation.runtime.compile import Progress, kernels_for
from armwerk.derivation.runtime.interface import Kernels
from armwerk.derivation.runtime.kinematics import GIVEN, kinematics
from armwerk.derivation.runtime.singular import Numeric, SingularSolver
from armwerk.errors import ShapeError
from armwerk.geometry.arguments import checked
from armwerk.mechanics.arrays import pose_array
from armwerk.mechanics.chain import pack
from armwerk.mechanics.inverse.interface import SolutionSet
from armwerk.mechanics.kernels import layout
from armwerk.mechanics.kernels.turns import nearest_row
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.derivation.program import Program

_POSE = (4, 4)
_WORTH_THREADS = 4096  # poses; fewer are done before a second thread has started


class ClosedFormSolver:
    """All solutions of an arm, each checked against direct kinematics.

    Args:
        arm: The arm; base, tool and limits may differ from those the program was derived with.
        program: Its inverse kinematics.
        numeric: Asked for one solution of a singular pose when the formulas find none; takes a
            tool pose (4, 4) and returns (n,) or None.
        progress: Told in words when something takes long.
    """

    def __init__(
        self,
        arm: Arm,
        program: Program,
        *,
        numeric: Numeric | None = None,
        progress: Progress | None = None,
    ) -> None:
        from armwerk.derivation.runtime.generate import generate

        key, kernels = kernels_for(generate(program, kinematics(arm)), progress)
        self._set(arm, key, kernels, numeric)

    @classmethod
    def from_kernels(
        cls, arm: Arm, key: str, kernels: Kernels, numeric: Numeric | None = None
    ) -> ClosedFormSolver:
        """Return a solver for kernels that are compiled already."""
        solver = cls.__new__(cls)
        solver._set(arm, key, kernels, numeric)
        return solver

    def _set(self, arm: Arm, key: str, kernels: Kernels, numeric: Numeric | None) -> None:
        self.key = key
        self._name = arm.name
        self.kinematics = kinematics(arm)
        self.chain = pack(arm)
        self._limits = np.require(self.chain.limits, np.float64, ["C", "W"])
        self.dof = kernels.DOF
        self.given = tuple(kernels.GIVEN)
        self.branches = kernels.LEAVES
        self._kernels = kernels
        self._most = (kernels.LEAVES, kernels.DOF)
        self._joints = (kernels.DOF,)
        self._is_plain = not self.given
        self._row: Callable[[Array, Array, Array, Array, Array], int] = nearest_row
        self._one: Callable[[Array, Array, Array], int] = kernels.one
        self._slow = SingularSolver(arm, kernels, self.chain, numeric)
        self._setting = self.setting(np.zeros(len(self.given)))
        follow(self)

    def with_arm(self, arm: Arm) -> ClosedFormSolver:
        """Return the solver for the same rows with another base, tool or other limits."""
        return ClosedFormSolver.from_kernels(arm, self.key, self._kernels, self._slow.numeric)

    # -- questions --------------------------------------------------------------------------

    def all(self, T: ArrayLike, given: ArrayLike | None = None) -> Array:
        """Return every solution for a tool pose in the world. Shape (k, n), angles in (-pi, pi].

        Args:
            T: T_world_tool. Shape (4, 4).
            given: Values of the `given` joints of a redundant arm; None: zero.

        Raises:
            ShapeError: For a wrong shape, nan, infinity, or what is no rigid transform.
        """
        setting = self._setting if given is None else self.setting(given)
        found = np.empty(self._most)
        try:  # the kernel takes a float64 array in C order; what else there is gets converted
            count = self._one(T, setting, found)  # type: ignore[arg-type]
        except TypeError:
            T = self._pose(T)
            count = self._one(T, setting, found)
        if count < 0:
            return self._singular(T, setting).joints
        return found if count == self.branches else found[:count]

    def regular(self, T: ArrayLike) -> Array | None:
        """Return every solution of a pose; None for one that needs care. Shape (k, n)."""
        found = np.empty(self._most)
        try:
            count = self._one(T, self._setting, found)  # type: ignore[arg-type]
        except TypeError:
            count = self._one(self._pose(T), self._setting, found)
        if count < 0:
            return None
        return found if count == self.branches else found[:count]

    def members(self, T: ArrayLike, q: Array, given: ArrayLike | None = None) -> Array:
        """Return solutions with free turns all around the circle, and as they are at q. (k, n)."""
        setting = self._setting if given is None else self.setting(given)
        return self._slow.around(setting, pose_array(T)[0][0], self._angles(q))

    def solution_set(self, T: ArrayLike, given: ArrayLike | None = None) -> SolutionSet:
        """Return every solution, and whether there are infinitely many."""
        setting = self._setting if given is None else self.setting(given)
        T = self._pose(T)
        found = np.empty(self._most)
        count = self._one(T, setting, found)
        return self._singular(T, setting) if count < 0 else SolutionSet(found[:count], proved=True)

    solve = solution_set  # earlier name

    def released(self, T: ArrayLike, choices: Sequence[ArrayLike]) -> Array:
        """Return solutions next to branches that miss a pose with the given joints as chosen.

        A redundant arm may reach a pose with a narrow range of values of its given joints only;
        these move there from the choices that come closest.

        Args:
            T: T_world_tool. Shape (4, 4).
            choices: Values of the `given` joints.

        Returns:
            A few solutions, none where the way leads nowhere. Shape (k, n).
        """
        return self._slow.released([self.setting(one) for one in choices], pose_array(T)[0][0])

    def all_batch(
        self,
        Ts: ArrayLike,
        given: ArrayLike | None = None,
        threads: int | None = None,
        device: Device = "cpu",
    ) -> tuple[Array, Integers]:
        """Return the solutions for many poses.

        Args:
            Ts: Shape (m, 4, 4).
            given: As for `all`, the same for all poses.
            threads: None: one per available core.
            device: "gpu" solves on an accelerator, with the same result to the last bit; the few
                poses that need care are still solved here.

        Returns:
            Solutions of shape (m, branches, n) or wider, rows behind the last one nan; counts of
            shape (m,).
        """
        poses = np.ascontiguousarray(checked(Ts, (4, 4), "Ts", finite=False))
        if poses.ndim != 3:
            raise ShapeError(f"Ts: shape must be (m, 4, 4), got {poses.shape}")
        setting = self._setting if given is None else self.setting(given)
        out = np.empty((len(poses), self.branches, self.dof))
        counts = np.empty(len(poses), dtype=np.int64)
        care = np.empty(len(poses), dtype=np.uint8)
        if device == "gpu":
            self._run_there(poses, setting, (out, counts, care))
        else:
            self._run(poses, setting, (out, counts, care), threads)
        doubtful = np.flatnonzero(care)
        if not len(doubtful):
            return out, counts
        try:
            exact, _ = pose_array(poses[doubtful], "Ts")
        except ShapeError:
            pose_array(poses, "Ts")  # says which one it is, counted among all
            raise
        for k, pose in zip(doubtful, exact, strict=True):
            every = self._slow.solution_set(setting, pose, enough=self.branches)
            found = every.joints[: self.branches] if every.family else every.joints
            if len(found) > out.shape[1]:  # few joints, and formulas that fix none of them
                wider = np.full((len(out), len(found), self.dof), np.nan)
                wider[:, : out.shape[1]] = out
                out = wider
            counts[k] = len(found)
            out[k, : len(found)] = found
            out[k, len(found) :] = np.nan
        return out, counts

    def nearest(
        self,
        T: ArrayLike,
        q: ArrayLike,
        limits: Array | None = None,
        given: ArrayLike | None = None,
    ) -> Array | None:
        """Return the solution nearest to ``q`` within limits; None when there is none.

        Where there are infinitely many, of a redundant arm or at a singular pose, those found are
        followed along the self-motion of the arm towards ``q``.

        Args:
            T: T_world_tool. Shape (4, 4).
            q: Where the arm stands. Shape (n,).
            limits: [rad or m]; None: those of the arm. Shape (n, 2).
            given: As for `all`, kept exactly; None: free.
        """
        if self._is_plain and limits is None and given is None:
            quick = self._quick_nearest(T, q)
            if quick is not None:
                return quick
        near = np.ascontiguousarray(checked(q, (self.dof,), "q"))
        if near.ndim != 1:
            raise ShapeError(f"q: shape must be ({self.dof},), got {near.shape}")
        pose = self._pose(T)
        setting = self._setting
        if self.given or given is not None:
            setting = self.setting(near[[j - 1 for j in self.given]] if given is None else given)
        found = np.empty(self._most)
        count = self._one(pose, setting, found)
        found = found[:count]
        endless = bool(self.given) and given is None
        if count < 0:
            pose = pose_array(T)[0][0]
            every = self._slow.solution_set(setting, pose, self._angles(near))
            found, endless = every.joints, endless or (given is None and bool(every.family))
        if endless:
            return self._nearest_along(pose, near, found, limits)
        bounds = self._limits if limits is None else np.ascontiguousarray(limits)
        best = nearest_row(self.chain.constants, pose, found, near, bounds)
        return found[best].copy() if best >= 0 else None

    def _quick_nearest(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """Return the nearest solution of a regular pose; None: look again, with care.

        Arrays that the kernels can take go straight to them. What is wrong with others, nan among
        them, leads to no answer here and to an error there.
        """
        if not isinstance(q, np.ndarray) or not isinstance(T, np.ndarray):
            return None
        if q.shape != self._joints or T.shape != _POSE:
            return None
        found = np.empty(self._most)
        try:
            count = self._one(T, self._setting, found)
            if count <= 0:
                return None
            best = self._row(self.chain.constants, T, found[:count], q, self._limits)
        except TypeError:
            return None
        return found[best] if best >= 0 else None

    def _nearest_along(
        self, T: Array, near: Array, found: Array, limits: Array | None
    ) -> Array | None:
        """Return the nearest of infinitely many solutions, from those found along self-motions."""
        from armwerk.mechanics.kernels.self_motion import nearest_along  # compiled code

        constants = self.chain.constants
        if limits is not None:
            constants = constants.copy()
            constants[:-1, layout.SETTINGS, layout.LOWER : layout.UPPER + 1] = limits
        answer = np.empty(self.dof)
        distance = nearest_along(constants, T, near, found, answer)
        return answer if distance < np.inf else None

    # -- inside -----------------------------------------------------------------------------

    def setting(self, given: ArrayLike) -> Array:
        """Return what the kernels need besides the pose: base, tool, free turn, given joints."""
        values = np.atleast_1d(np.asarray(given, dtype=np.float64))
        if values.shape != (len(self.given),) or not np.isfinite(values).all():
            raise ShapeError(
                f"given: must be {len(self.given)} finite numbers for joints {self.given}, "
                f"got {given!r}"
            )
        frames = self.kinematics.frames()
        plain = np.array_equal(frames, np.tile(np.eye(4)[:3].ravel(), 2))
        parts = [*frames, float(plain), 1.0, 0.0, tolerances.TURN_NOISE**2]
        for joint, value in zip(self.given, values, strict=True):
            angle = value + self.kinematics.rows[joint - 1].offset
            parts += [np.cos(angle), np.sin(angle), angle, value]
        result = np.array(parts)
        if len(result) != GIVEN + 4 * len(self.given):
            raise ShapeError("setting: its layout does not fit the generated code")
        return result

    def _pose(self, T: ArrayLike) -> Array:
        pose = checked(T, (4, 4), "T", finite=False)
        if pose.ndim != 2:
            raise ShapeError(f"T: shape must be (4, 4), got {pose.shape}")
        return np.ascontiguousarray(pose)

    def _singular(self, T: ArrayLike, setting: Array) -> SolutionSet:
        return self._slow.solution_set(setting, pose_array(T)[0][0])

    def _angles(self, q: Array) -> list[float]:
        """Return the angles that free turns should have to stay where the arm stands."""
        thetas = q + [row.offset for row in self.kinematics.rows]
        return [float(np.dot(signs, thetas)) for signs in self._kernels.ANGLES]

    def _run_there(
        self, poses: Array, setting: Array, results: tuple[Array, Integers, NDArray[np.uint8]]
    ) -> None:
        from armwerk.derivation.runtime.device import device_kernel, solve_there

        kernel = device_kernel(self._kernels.ACCELERATED, self._name)
        solve_there(kernel, poses, setting, *results)

    def _run(
        self,
        poses: Array,
        setting: Array,
        results: tuple[Array, Integers, NDArray[np.uint8]],
        threads: int | None,
    ) -> None:
        count = len(poses)
        workers = _cores() if threads is None else threads
        if workers <= 1 or count < _WORTH_THREADS:
            self._kernels.batch(poses, setting, *results, 0, count)
            return
        # several parts per worker, so that one that is held up does not hold up the others
        edges = np.linspace(0, count, 4 * workers + 1).astype(int).tolist()
        with ThreadPoolExecutor(workers) as pool:
            jobs = [
                pool.submit(self._kernels.batch, poses, setting, *results, start, stop)
                for start, stop in pairwise(edges)
            ]
            for job in jobs:
                job.result()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
