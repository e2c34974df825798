"""The moving state of an arm built from parts, closed chains included.

`AssemblyModel` takes motor values and says where every part is. What hangs on a closed chain
that cannot close is nan, never a guess; `AssemblyState.problems` says which chain is too short
or too long. Only the loose chain of a TIGHT_PSEUDO still points at its union point when it is
too short or too long; its gap is reported all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array, Flags, Integers
from armwerk.errors import ShapeError, UnknownNameError, UnsupportedError
from armwerk.geometry.arguments import RIGID
from armwerk.geometry.transforms import is_transform
from armwerk.mechanics.assembly import inverse
from armwerk.mechanics.assembly.loop_closing import CLOSED, close, homogeneous, why_open
from armwerk.mechanics.assembly.walk import Walk, WalkState, jacobian
from armwerk.mechanics.inverse.interface import Solution, SolutionSet, Task
from armwerk.robot.loops import ClosedChain, Union
from armwerk.robot.parts import Assembly

_NO_DYNAMICS = (
    "{what} is not computed for an assembly of parts: forces inside a closed chain need more "
    "than the motors; take the open chain with Arm.from_parts, or simulate it in the world"
)
_ROUNDING = 1e-14  # share of the largest singular value that rounding leaves of a zero
_Number = TypeVar("_Number", np.float64, np.bool_)
_LEVEL = 1e-9  # z of a unit normal below which a plane counts as vertical


@dataclass(frozen=True, slots=True, eq=False)
class AssemblyState:
    """An assembly in one configuration or in m of them.

    Shapes are given for m configurations; for a single one the leading axis is missing.

    Args:
        q: Motor values [rad or m]. Shape (m, n).
        frames: T_body_part of every part and platform by name. Shape (m, 4, 4).
        passive: Values of the passive elements by name: (a, b) of a FULLROT, one value of the
            others [rad or m]. Shape (m, 2) or (m, 1).
        unions: Union points, and origins of platforms, by name [m]. Shape (m, 3).
        gaps: Largest distance between points tied together, by name of the tie [m]; nan where
            there is no union point. Shape (m,).
        closed: Whether all loops are closed. Shape (m,).
    """

    q: Array
    frames: dict[str, Array]
    passive: dict[str, Array]
    unions: dict[str, Array]
    gaps: dict[str, Array]
    closed: Flags
    _found: WalkState
    _loops: tuple[ClosedChain, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """Why loops are open, one text per configuration; empty for a closed one."""
        single = self.q.ndim == 1
        closed = np.atleast_1d(self.closed)
        texts = []
        for k, good in enumerate(closed):
            gaps = {name: float(np.atleast_1d(gap)[k]) for name, gap in self.gaps.items()}
            open_loops = [loop for loop in self._loops if not gaps[loop.tie.name] < CLOSED]
            text = "; ".join(why_open(loop, self._found, k) for loop in open_loops)
            texts.append("" if good else text)
        return tuple(texts[:1] if single else texts)


class AssemblyModel:
    """Direct and inverse kinematics of an assembly, for one or many configurations.

    Args:
        assembly: What to move.
        tip: Name of the part whose frame is the hand; None: as the assembly says.
    """

    def __init__(self, assembly: Assembly, tip: str | None = None) -> None:
        self.assembly = assembly
        self._tip = None if tip is None else self._known(tip)
        self.walk = Walk(assembly)
        self._sides = {loop.tie.name: loop.tie.branch for loop in assembly.loops}
        for loop in assembly.loops:
            if loop.pattern == "TRIPOD" and self._is_turned_down(loop):
                self._sides[loop.tie.name] *= -1

    @property
    def arm(self) -> Assembly:
        """The description, under the name that all models give it."""
        return self.assembly

    @property
    def dof(self) -> int:
        """Number of motors."""
        return self.assembly.dof

    @property
    def limits(self) -> Array:
        """Smallest and largest motor values [rad or m]. Shape (n, 2)."""
        return self.assembly.limits

    @cached_property
    def tip(self) -> str:
        """Name of the part whose frame is the hand."""
        return self._tip or self.assembly.hand

    @property
    def middle(self) -> Array:
        """Motor values in the middle of their limits, 0 where there are none. Shape (n,)."""
        limits = self.limits
        limits[~np.isfinite(limits).all(axis=1)] = 0.0
        return np.asarray(limits.mean(axis=1))

    @property
    def rest(self) -> Array:
        """Motor values 0, or the limit next to it. Shape (n,)."""
        return np.clip(np.zeros(self.dof), *self.limits.T)

    def state(
        self, q: ArrayLike, *, near: AssemblyState | None = None, strict: bool = False
    ) -> AssemblyState:
        """Return where everything is.

        Args:
            q: Motor values [rad or m]. Shape (n,) or (m, n).
            near: An earlier state; of two ways to close a loop the nearer one is taken instead
                of the branch that the assembly names.
            strict: Whether an open loop is an error.

        Raises:
            UnsupportedError: When ``strict`` and a loop does not close.
        """
        rows, single = self._rows(q)
        found = self.walk_to(rows, self.walk.nodes, near)

        def out(array: NDArray[_Number]) -> NDArray[_Number]:
            wide = np.broadcast_to(array, (len(rows), *array.shape[1:]))
            return np.asarray(wide[0].copy()) if single else wide

        gaps = {loop.tie.name: self._gap(found, loop) for loop in self.assembly.loops}
        closed = np.ones(len(rows), dtype=bool)
        for gap in gaps.values():
            closed &= gap < CLOSED
        state = AssemblyState(
            q=out(rows),
            frames={name: out(homogeneous(*frame)) for name, frame in found.frames.items()},
            passive={part.name: out(found.values[part.name]) for part in self.assembly.passives},
            unions={name: out(point) for name, point in found.unions.items()},
            gaps={name: out(gap) for name, gap in gaps.items()},
            closed=out(closed),
            _found=found,
            _loops=self.assembly.loops,
        )
        if strict and not closed.all():
            which = int(np.flatnonzero(~closed)[0])
            place = "" if single else f"configuration {which}: "
            raise UnsupportedError(place + state.problems[which])
        return state

    def fk(
        self,
        q: ArrayLike,
        tip: str | None = None,
        *,
        near: AssemblyState | None = None,
        strict: bool = False,
    ) -> Array:
        """Return the pose of the hand, T_body_tip; nan where its closed chain does not close.

        Args:
            q: Motor values [rad or m]. Shape (n,) or (m, n).
            tip: Another part than the hand.
            near: See `state`, as for ``strict``.

        Returns:
            Shape (4, 4) or (m, 4, 4).
        """
        name = self.tip if tip is None else self._known(tip)
        rows, single = self._rows(q)
        if strict:
            self.state(q, near=near, strict=True)
        found = self.walk_to(rows, (name,), near)
        pose = homogeneous(*found.frames[name])
        if single:
            return np.asarray(pose[0])
        return pose if len(pose) == len(rows) else np.tile(pose, (len(rows), 1, 1))

    def frames(self, q: ArrayLike, *, near: AssemblyState | None = None) -> dict[str, Array]:
        """Return T_body_part of every part by name. Shape (4, 4) or (m, 4, 4) each."""
        return self.state(q, near=near).frames

    def passive(self, q: ArrayLike, *, near: AssemblyState | None = None) -> dict[str, Array]:
        """Return the values of the passive elements by name, see `AssemblyState`."""
        return self.state(q, near=near).passive

    def loop_gap(self, q: ArrayLike) -> Array:
        """Return the largest distance of points tied together [m]; nan where a loop is open.

        Shape () or (m,); 0 for an assembly without closed chains.
        """
        state = self.state(q)
        gaps = list(state.gaps.values())
        return np.asarray(np.max(gaps, axis=0) if gaps else np.zeros(state.q.shape[:-1]))

    def jacobian(self, q: ArrayLike, tip: str | None = None) -> Array:
        """Return the Jacobian of the hand by implicit differentiation of the closed chains.

        Rows v then w, in the frame of the body, at the origin of the tip. nan where a loop is
        open or in a configuration in which the motors do not determine it.

        Returns:
            Shape (6, n) or (m, 6, n).
        """
        name = self.tip if tip is None else self._known(tip)
        rows, single = self._rows(q)
        loops = self._loops_under(name)
        points = [point for loop in loops for point in loop.tie.points]
        found = self.walk_to(rows, (name, *points))
        result = jacobian(self.walk, found, name, loops)
        return np.asarray(result[0] if single else result[: len(rows)])

    def ik(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return motor values that bring the hand to a pose, as `solutions` finds them.

        Limits are looked at only with ``within_limits``. Motors that do not move the hand, such
        as fingers, are at 0, or at the limit next to it.

        Returns:
            Shape (k, n), k = 0 when out of reach.
        """
        found = inverse.solutions(self, _pose(T), self.rest).joints
        return inverse.within(self, found, self.rest) if within_limits else found

    def solutions(self, goal: ArrayLike, near: ArrayLike | None = None) -> SolutionSet:
        """Return every solution of a pose or point, and whether there are infinitely many.

        A platform and a tripod are solved in closed form, everything else by iteration from many
        starts, which finds what these lead to. Limits do not count.

        Args:
            goal: Pose (4, 4), or a point (3,) [m] whatever the orientation, in the frame of the
                body.
            near: Motor values at which those stay that do not move the hand, and to which members
                of an infinite family are near; None: 0, or the limits next to it. Shape (n,).
        """
        wanted = np.asarray(goal, dtype=np.float64)
        reference = self.rest if near is None else self._row(near)
        checked = _point(goal) if wanted.shape == (3,) else _pose(goal)
        return inverse.solutions(self, checked, reference)

    @overload
    def ik_position(self, p: ArrayLike, q: None = None) -> Array: ...
    @overload
    def ik_position(self, p: ArrayLike, q: ArrayLike | None = None) -> Array | None: ...
    def ik_position(self, p: ArrayLike, q: ArrayLike | None = None) -> Array | None:
        """Return motor values that bring the hand to a point, whatever its orientation.

        A tripod is solved in closed form.

        Args:
            p: The point in the frame of the body [m]. Shape (3,).
            q: Motor values to stay close to; None: every solution. Shape (n,).

        Returns:
            Without ``q`` shape (k, n), k = 0 when out of reach; with it the nearest within the
            limits, shape (n,), or None.
        """
        goal = _point(p)
        return self.solutions(goal).joints if q is None else self.ik_nearest(goal, q)

    def solve(self, goal: ArrayLike, q0: ArrayLike | None = None, task: Task = "pose") -> Solution:
        """Return one solution within the limits, or why there is none.

        Args:
            goal: Pose of shape (4, 4); for the task "position" a point of shape (3,) will do.
            q0: Motor values to stay close to; None: the middle of the limits. Shape (n,).
            task: "pose", or "position" to leave the orientation free.
        """
        wanted = np.asarray(goal, dtype=np.float64)
        if task == "position" and wanted.shape == (4, 4):
            wanted = _pose(wanted)[:3, 3]
        near = self.middle if q0 is None else q0
        if task == "position":
            q = self.ik_position(wanted, near)
            exists = q is not None or len(self.ik_position(wanted)) > 0
        else:
            q = self.ik_nearest(_pose(wanted), near)
            exists = q is not None or len(self.ik(wanted)) > 0
        left, turned = inverse.miss(self, q, wanted) if q is not None else (np.inf, np.inf)
        reason = "the goal is out of reach as far as the start values can tell"
        if exists:
            reason = "solved" if q is not None else "every solution found violates a motor limit"
        return Solution(
            np.full(self.dof, np.nan) if q is None else q,
            success=q is not None,
            residual_position=left,
            residual_rotation=turned,
            iterations=0,
            restarts=0,
            method="assembly",
            reason=reason,
        )

    def ik_nearest(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """Return the solution of `ik` within the limits nearest to ``q``; None without one.

        ``T`` may also be a point of shape (3,), as for `ik_position`.
        """
        near = self._row(q)
        goal = np.asarray(T, dtype=np.float64)
        return inverse.nearest(self, goal if goal.shape == (3,) else _pose(T), near)

    def ik_batch(self, Ts: ArrayLike, within_limits: bool = False) -> tuple[Array, Integers]:
        """Return the solutions of m poses: (m, kmax, n) with nan rows, and their number (m,)."""
        poses = np.asarray(Ts, dtype=np.float64)
        if poses.ndim != 3 or poses.shape[1:] != (4, 4):
            raise ShapeError(f"poses must have shape (m, 4, 4), got {poses.shape}")
        _require_rigid(poses, "poses")
        return inverse.batch(self, poses, within_limits)

    def condition(self, q: ArrayLike) -> Array:
        """Return how near a configuration is to a singular one: 1 is best, infinity singular.

        The ratio of the largest to the smallest singular value of the hand's Jacobian, of its
        translational half where there are fewer than six motors.
        """
        jacobian = self.jacobian(q)
        rows = jacobian if self.dof >= 6 else jacobian[..., :3, :]
        values = np.linalg.svd(np.nan_to_num(rows), compute_uv=False)
        largest, smallest = values[..., 0], values[..., -1]
        singular = smallest <= _ROUNDING * largest
        return np.asarray(np.where(singular, np.inf, largest / np.where(singular, 1.0, smallest)))

    def walk_to(
        self, rows: Array, targets: Iterable[str], near: AssemblyState | None = None
    ) -> WalkState:
        """Return the frames of some parts and the loops they depend on, in the walk's own form.

        Args:
            rows: Motor values. Shape (m, n).
            targets: Names of the parts.
            near: See `state`.
        """
        # of no configurations at all one is walked, whose frames the caller cuts down to none
        found = self.walk.begin(rows if len(rows) else np.zeros((1, self.dof)))
        for step in self.walk.plan(targets):
            if isinstance(step, str):
                self.walk.place(found, step)
            else:
                earlier = None if near is None else near._found
                close(self.walk, found, step, self.side(step), earlier)
        return found

    def side(self, loop: ClosedChain) -> int:
        """Return +1 or -1: which of two ways to close a loop is taken, as its pattern counts."""
        return self._sides[loop.tie.name]

    def inverse_dynamics(self, *_: ArrayLike) -> NoReturn:
        """Raise an `UnsupportedError`."""
        raise UnsupportedError(_NO_DYNAMICS.format(what="inverse dynamics"))

    def forward_dynamics(self, *_: ArrayLike) -> NoReturn:
        """Raise an `UnsupportedError`."""
        raise UnsupportedError(_NO_DYNAMICS.format(what="forward dynamics"))

    def mass_matrix(self, *_: ArrayLike) -> NoReturn:
        """Raise an `UnsupportedError`."""
        raise UnsupportedError(_NO_DYNAMICS.format(what="the mass matrix"))

    def gravity(self, *_: ArrayLike) -> NoReturn:
        """Raise an `UnsupportedError`."""
        raise UnsupportedError(_NO_DYNAMICS.format(what="gravity"))

    def energy(self, *_: ArrayLike) -> NoReturn:
        """Raise an `UnsupportedError`."""
        raise UnsupportedError(_NO_DYNAMICS.format(what="energy"))

    def __repr__(self) -> str:
        return f"<AssemblyModel of {self.assembly!r}>"

    def _gap(self, found: WalkState, loop: ClosedChain) -> Array:
        """Return the largest distance of the points of one tie [m]. Shape (m,)."""
        largest = np.zeros(found.size)
        if isinstance(loop.tie, Union):
            goals = [found.unions[loop.tie.name]] * len(loop.chains)
        else:
            rotation, position = found.frames[loop.tie.name]
            goals = [position + rotation @ np.array(anchor) for _, anchor in loop.tie.legs]
        for chain, goal in zip(loop.chains, goals, strict=True):
            away = np.linalg.norm(found.frames[chain.point][1] - goal, axis=1)
            largest = np.maximum(largest, away)
        return largest

    def _loops_under(self, name: str) -> tuple[ClosedChain, ...]:
        return tuple(step for step in self.walk.plan((name,)) if not isinstance(step, str))

    def _is_turned_down(self, loop: ClosedChain) -> bool:
        """Whether the first point of `three_spheres` is the lower one, in the middle position."""
        feet = [chain.passives[0] for chain in loop.chains]
        found = self.walk_to(self.middle[None], feet)
        one, two, three = (found.frames[foot][1][0] for foot in feet)
        normal = np.cross(two - one, three - one)
        return bool(normal[2] < -_LEVEL * np.linalg.norm(normal))

    def _known(self, name: str) -> str:
        if name not in self.assembly.tree:
            raise UnknownNameError(f"part of '{self.assembly.name}'", name, self.assembly.tree)
        return name

    def _row(self, q: ArrayLike) -> Array:
        rows, single = self._rows(q)
        if not single:
            raise ShapeError(f"q must have shape ({self.dof},), got {rows.shape}")
        return np.asarray(rows[0])

    def _rows(self, q: ArrayLike) -> tuple[Array, bool]:
        try:
            array = np.array(q, dtype=np.float64)
        except (TypeError, ValueError):
            raise ShapeError(f"q must hold numbers, got {q!r}") from None
        if array.ndim not in {1, 2} or array.shape[-1] != self.dof:
            raise ShapeError(
                f"q must have shape ({self.dof},) or (m, {self.dof}), got {array.shape}"
            )
        if not np.isfinite(array).all():
            raise ShapeError("q must be finite, got nan or infinity in it")
        return np.atleast_2d(array), array.ndim == 1


def _point(p: ArrayLike) -> Array:
    point = np.asarray(p, dtype=np.float64)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise ShapeError(f"point must be three finite numbers, got {p!r}")
    return point


def _pose(T: ArrayLike) -> Array:
    pose = np.asarray(T, dtype=np.float64)
    if pose.shape != (4, 4) or not np.isfinite(pose).all():
        raise ShapeError(f"T must be finite numbers of shape (4, 4), got shape {pose.shape}")
    _require_rigid(pose[None], "T")
    return pose


def _require_rigid(poses: Array, name: str) -> None:
    rigid = is_transform(poses, RIGID)
    if not rigid.all():
        raise ShapeError(
            f"{name} must be rigid (orthonormal right-handed rotation, last row 0 0 0 1), got "
            f"{poses[int(np.argmin(rigid))].tolist()}"
        )
