"""`StationModel`: where the tool is on the work piece, and which axes bring it there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags
from armwerk.errors import ShapeError, UnknownNameError
from armwerk.geometry import inverse
from armwerk.mechanics.arrays import goal_array, joint_arrays, joint_vector
from armwerk.mechanics.serial import SerialModel
from armwerk.modelling import model
from armwerk.robot.arm import Arm
from armwerk.stations.description import Station
from armwerk.stations.file import load_station

if TYPE_CHECKING:
    from armwerk.motion.limits import Limits
    from armwerk.motion.path.path import Path as ToolPath
    from armwerk.motion.trajectory.trajectory import Trajectory
    from armwerk.stations.coordination import ExternalChoice

External = Mapping[str, float] | ArrayLike
"""Values of the external axes, by name or in order [rad, m]."""
_PER_AXIS = {1: 25, 2: 9, 3: 5}
"""Values tried for each external axis by `ik_nearest`, by how many axes there are."""
_STARTS = 6  # of these from which the nearest solution is looked for
_FARTHER, _FAR = 3.0, 1.0  # times the best so far, and radians, from which starts are given up
_AROUND = np.pi  # [rad] to each side of where a turning axis is that is tried
_LOOKS = 241  # values of an axis at which `reaching` looks


class StationPoses(NamedTuple):
    """Where things are in the world, each of shape (4, 4) or (m, 4, 4).

    Attributes:
        piece: T_world_piece.
        mount: T_world_mount, the frame that goes with what carries the arm and is the world with
            its axes at zero.
        tool: T_world_tool.
    """

    piece: Array
    mount: Array
    tool: Array


class StationModel:
    """Kinematics of an arm with external axes.

    Poses are those of the tool in the frame of the work piece, T_piece_tool; without a table that
    is the world. Joint values stand in the order of `Station.names`. Units: m and rad.

    Args:
        station: A description, the name of a shipped one, a file, or an arm on a rail.
    """

    def __init__(self, station: Station | Arm | str | Path) -> None:
        self.station = load_station(station)
        self.chain: SerialModel = model(self.station.chain)
        self.arm: SerialModel = model(self.station.own)
        self.dof = self.station.dof
        self.names = self.station.names
        self.external_names = self.station.external_names

    def __repr__(self) -> str:
        return f"<StationModel '{self.station.name}': {', '.join(self.names)}>"

    @property
    def limits(self) -> Array:
        """Joint limits [rad or m], infinite where free. Shape (n, 2)."""
        return self.chain.limits

    @cached_property
    def table(self) -> SerialModel | None:
        """Model of what carries the work piece, in the world; None: it rests."""
        return None if self.station.table is None else model(self.station.table)

    @cached_property
    def carrier(self) -> SerialModel | None:
        """Model of what carries the arm, in the world; None: it rests."""
        return None if self.station.carrier is None else model(self.station.carrier)

    @property
    def _outer(self) -> int:
        """Number of external axes."""
        return self.station.turning + self.station.carrying

    def fk(self, q: ArrayLike) -> Array:
        """Return T_piece_tool. Shape (4, 4), or (m, 4, 4) for q of shape (m, n)."""
        return self.chain.fk(q)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return J with (v, w) = J qd: the tool's motion over the work piece, in its axes.

        At the tool point. Shape (6, n) or (m, 6, n).
        """
        return self.chain.jacobian(q)

    def world(self, q: ArrayLike) -> StationPoses:
        """Return where work piece, mount of the arm and tool are in the world.

        Args:
            q: Joint values. Shape (n,) or (m, n).
        """
        (rows,), single = joint_arrays(self.dof, q=q)
        piece, mount = self._carried(rows[:, : self._outer])
        tool = mount @ self.arm.fk(np.ascontiguousarray(rows[:, self._outer :]))
        poses = StationPoses(piece, mount, tool)
        return StationPoses(*(pose[0] for pose in poses)) if single else poses

    def _carried(self, external: Array) -> tuple[Array, Array]:
        """Return T_world_piece and T_world_mount for external values (m, k). Each (m, 4, 4)."""
        table, carrier, turning = self.table, self.carrier, self.station.turning
        piece = mount = np.broadcast_to(np.eye(4), (len(external), 4, 4))
        if table is not None:
            piece = table.fk(np.ascontiguousarray(external[:, :turning][:, ::-1]))
        if carrier is not None:
            mount = carrier.fk(np.ascontiguousarray(external[:, turning:]))
        return piece, mount

    def mount_from_piece(self, external: ArrayLike) -> Array:
        """Return T_mount_piece, with which poses on the work piece become poses of the arm alone.

        Args:
            external: Values of the external axes [rad, m]. Shape (k,) or (m, k).
        """
        (rows,), single = joint_arrays(self._outer, external=external)
        piece, mount = self._carried(rows)
        found = inverse(mount) @ piece
        return np.asarray(found[0] if single else found)

    def external_values(self, external: External | None) -> Array:
        """Return values of the external axes in order; those not named are 0 or next to it.

        Raises:
            UnknownNameError: For a name that is no external axis.
            ShapeError: For another number of values, or what is no number.
        """
        home = np.clip(np.zeros(self._outer), *self.limits[: self._outer].T)
        if external is None:
            return np.asarray(home)
        if not isinstance(external, Mapping):
            return joint_vector(external, self._outer)
        for name, value in external.items():
            if name not in self.external_names:
                raise UnknownNameError(
                    f"external axis of station '{self.station.name}'", name, self.external_names
                )
            home[self.external_names.index(name)] = value
        if not np.isfinite(home).all():
            raise ShapeError(f"external axes need finite values, got {dict(external)!r:.80}")
        return np.asarray(home)

    def ik(
        self,
        T: ArrayLike,
        external: External | None = None,
        within_limits: bool = False,
        configuration: str | None = None,
    ) -> Array:
        """Return every solution of the arm for given places of the external axes. Shape (k, n).

        Complete where the arm's own inverse kinematics is: by its closed form for most arms.

        Args:
            T: T_piece_tool. Shape (4, 4).
            external: Values of the external axes by name or in order [rad, m]; what is not named,
                or None, is 0 or the limit next to it.
            within_limits: Whether joint limits count, those of the external axes too.
            configuration: Words that the name of the arm's configuration must have.
        """
        values = self.external_values(external)
        pose = self.mount_from_piece(values) @ goal_array(T, "pose")
        found = self.arm.ik(pose, within_limits, configuration)
        low, high = self.limits[: self._outer].T
        if within_limits and ((values < low - 1e-9) | (values > high + 1e-9)).any():
            found = found[:0]
        return np.hstack([np.tile(values, (len(found), 1)), found])

    def ik_nearest(
        self,
        T: ArrayLike,
        q: ArrayLike,
        weights: ArrayLike | None = None,
        hold: Collection[str] = (),
    ) -> Array | None:
        """Return the solution within limits nearest to q, all axes free; None: none was found.

        The distance is √Σ(w Δq)², metres counted in length scales of the chain. Many places of the
        external axes are tried, and the best are moved along the self-motion of the whole chain.

        Args:
            T: T_piece_tool. Shape (4, 4).
            q: Joint values to stay close to. Shape (n,).
            weights: What each axis counts, as a factor above 0: a heavy table 5, say. Shape (n,).
            hold: Names of axes that stay as they are in q.

        Raises:
            UnknownNameError: For a name in ``hold`` that is no axis.
            ShapeError: For wrong shapes, or weights that are not above 0.
        """
        from armwerk.stations.nearest import NearestGoal, projected, relaxed

        pose, near = goal_array(T, "pose"), joint_vector(q, self.dof)
        factors = np.ones(self.dof) if weights is None else joint_vector(weights, self.dof)
        if (factors <= 0.0).any():
            raise ShapeError(f"weights must be above 0, got {factors.tolist()}")
        for name in hold:
            if name not in self.names:
                raise UnknownNameError(f"axis of station '{self.station.name}'", name, self.names)
        held = np.array([name in hold for name in self.names])
        goal = NearestGoal(pose, near, factors * self.chain.chain.metric, held)
        starts = self._starts(pose, near, held)
        led = projected(self.chain, goal)
        if led is not None and np.array_equal(led[held], near[held]):
            starts.append(led)
        starts.sort(key=goal.distance)
        best: Array | None = None
        for start in starts[:_STARTS]:
            far = np.inf if best is None else goal.distance(best)
            if goal.distance(start) > _FARTHER * far + _FAR:
                break
            found = relaxed(self.chain, goal, start)
            if found is not None and goal.distance(found) < far:
                best = found
        return best

    def _starts(self, pose: Array, near: Array, held: Flags) -> list[Array]:
        """Return solutions within limits for values of the external axes all over their ranges."""
        ranges = self.chain.chain.ranges()[: self._outer]
        wanted = np.clip(near[: self._outer], *self.limits[: self._outer].T)
        turns = self.chain.chain.revolute[: self._outer]
        around = np.stack([wanted - _AROUND, wanted + _AROUND], axis=1)
        low, high = ranges[:, :1], ranges[:, 1:]
        ranges = np.where(turns[:, None], np.clip(around, low, high), ranges)
        free = int((~held[: self._outer]).sum())
        count = _PER_AXIS.get(free, 3)
        options = [
            [float(value)]
            if fixed
            else sorted({float(value), *np.linspace(low, high, count).tolist()})
            for value, fixed, (low, high) in zip(wanted, held[: self._outer], ranges, strict=True)
        ]
        tried = np.array(list(product(*options))).reshape(-1, self._outer)
        if self._outer and ((near[: self._outer] != wanted) & held[: self._outer]).any():
            return []
        solutions, counts = self.arm.ik_batch(self.mount_from_piece(tried) @ pose)
        starts: list[Array] = []
        own = near[self._outer :]
        for values, rows, number in zip(tried, solutions, counts, strict=True):
            if not number:
                continue
            shifted, inside = self.arm.fitted(np.ascontiguousarray(rows[:number]), own)
            same = ~held[self._outer :] | (np.abs(shifted - own) < 1e-9)
            keep = inside & same.all(axis=1)
            starts += [np.concatenate([values, row]) for row in shifted[keep]]
        return starts

    def reaching(self, T: ArrayLike, axis: str, external: External | None = None) -> Array:
        """Return the ranges of an external axis with which the arm reaches a pose within limits.

        Args:
            T: T_piece_tool. Shape (4, 4).
            axis: Name of an external axis.
            external: Values of the others, as for `ik`.

        Returns:
            From and to [rad or m], one row for each range; ranges narrower than 1/240 of the
            axis's own may be missed. Shape (k, 2).
        """
        pose = goal_array(T, "pose")
        values = self.external_values(external)
        if axis not in self.external_names:
            raise UnknownNameError(
                f"external axis of station '{self.station.name}'", axis, self.external_names
            )
        index = self.external_names.index(axis)
        low, high = self.chain.chain.ranges()[index]

        def reaches(places: Array) -> Array:
            rows = np.tile(values, (len(places), 1))
            rows[:, index] = places
            poses = self.mount_from_piece(rows) @ pose
            return np.asarray(self.arm.ik_batch(poses, within_limits=True)[1] > 0)

        places = np.linspace(low, high, _LOOKS)
        there = reaches(places)
        edges = np.flatnonzero(np.diff(there.astype(np.int8)))
        inner, outer = places[edges + 1].copy(), places[edges].copy()
        swap = there[edges]
        inner[swap], outer[swap] = outer[swap], inner[swap].copy()
        for _ in range(30):
            middle = 0.5 * (inner + outer)
            inside = reaches(middle) if len(middle) else np.zeros(0, dtype=bool)
            inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
        ends = np.concatenate([[low] if there[0] else [], inner, [high] if there[-1] else []])
        return np.asarray(np.sort(ends)).reshape(-1, 2)

    def flat(
        self, T: ArrayLike, near: External | None = None, direction: ArrayLike = (0.0, 0.0, 1.0)
    ) -> Array:
        """Return values of the external axes with which the tool points down at a pose. (k,).

        Args:
            T: T_piece_tool. Shape (4, 4).
            near: Values of the external axes to be near; those that carry the arm stay there.
            direction: Of the tool that is to point down, in its frame. Shape (3,).

        Raises:
            MotionError: When the station has no table for that, or its limits do not allow it.
        """
        from armwerk.stations.flat import flat_table

        values = self.external_values(near)
        towards = goal_array(T, "pose")[:3, :3] @ np.asarray(direction, dtype=np.float64)
        turning = self.station.turning
        rows, _ = flat_table(self.station).along(towards[None], values[:turning][::-1])
        values[:turning] = rows[0, ::-1]
        return values

    def plan(
        self,
        path: ToolPath,
        q0: ArrayLike | None = None,
        external: ExternalChoice = "free",
        limits: Limits | None = None,
        near: ArrayLike | None = None,
        cycle: float | None = None,
    ) -> Trajectory:
        """Plan a path on the work piece for all axes together; see `coordinated`."""
        from armwerk.stations.coordination import coordinated

        return coordinated(self, path, q0, external, limits, near, cycle)
