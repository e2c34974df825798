"""Proofs that an arm touches nothing during whole intervals of a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags, Integers
from armwerk.collision.checker import Checker
from armwerk.collision.kernels import layout
from armwerk.collision.kernels.layout import MovingPoints, named
from armwerk.errors import ShapeError
from armwerk.mechanics.arrays import joint_arrays

MEASURED = 2.0
"""Of a closed chain, how far a part moves is measured between the ends and the middle of an
interval, and taken this many times: a bound by formula does not exist near its singularities."""
FINEST = 1e-4
"""[m] What moves less and still cannot be told from contact counts as contact, of planned ways."""
_CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


class Proofs(NamedTuple):
    """What is certain about m intervals of a motion.

    Args:
        distance: To the bodies, in the middle of each interval [m]. Shape (m,).
        least: A lower bound of it in the whole interval [m]. Shape (m,).
        itself: 0: the arm keeps clear of itself in the whole interval; 1: it may not; 2: it
            touches itself in the middle. Shape (m,).
        move: How far any shape gets from where it is in the middle, at most [m]. Shape (m,).
    """

    distance: Array
    least: Array
    itself: Integers
    move: Array


class Moved(NamedTuple):
    """Where a checker's links are in the middle of m intervals, and how far shapes get.

    Attributes:
        frames: In the middle of each. Shape (m, links + 1, 12).
        single: How far each shape gets, at most [m]. Shape (m, s).
        double: How far the shapes of each pair get towards each other [m]. Shape (m, p).
        closed: Where all closed chains can close. Shape (m,).
    """

    frames: Array
    single: Array
    double: Array
    closed: Flags


class Prover:
    """A checker that can speak for whole intervals.

    For a serial arm every bound is by formula, see `armwerk.collision.kernels.motion`; for an
    assembly with closed chains it is measured, see `MEASURED`.

    Args:
        checker: The arm and what stands around it.
    """

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self._serial = checker._model is None
        points, first = moving_points(checker.scene.shapes, self._serial)
        self.moving = MovingPoints(points, first, self._commons())

    @property
    def is_serial(self) -> bool:
        """Whether every bound is by formula, so that kernels can prove by themselves."""
        return self._serial

    def intervals(self, middles: Array, radii: Array, ends: tuple[Array, Array]) -> Proofs:
        """Return what is certain about intervals.

        Args:
            middles: Joint values in the middle of each. Shape (m, n).
            radii: How far each joint gets away from there, at most. Shape (m, n).
            ends: Joint values at both ends; only closed chains need them. Each of shape (m, n).
        """
        return self.proofs(self.moved(middles, radii, ends))

    def moved(self, middles: Array, radii: Array, ends: tuple[Array, Array]) -> Moved:
        """Return where links are and how far shapes get; arguments as of `intervals`."""
        from armwerk.collision.kernels.motion import displacements

        scene = self.checker.scene
        closed = np.ones(len(middles), dtype=np.bool_)
        if self._serial:
            frames = self.checker.frames(middles)
            radii = np.ascontiguousarray(self.checker.spreads(radii))
            single, double = displacements(
                self.checker.chain, frames, radii, scene.shapes, scene.pairs, self.moving
            )
        else:
            frames, single, closed = self._measured(middles, ends)
            double = single[:, scene.pairs[:, 0]] + single[:, scene.pairs[:, 1]]
        return Moved(frames, single, np.ascontiguousarray(double), closed)

    def proofs(self, moved: Moved) -> Proofs:
        """Return what is certain about intervals in which the shapes get so far."""
        from armwerk.collision.kernels.motion import prove_intervals

        frames, single, double, closed = moved
        distance, least, itself = prove_intervals(frames, single, double, self.checker.scene)
        distance[~closed], least[~closed] = -np.inf, -np.inf
        move = single.max(axis=1) if single.shape[1] else np.zeros(len(frames))
        return Proofs(distance, least, itself, move)

    def segments(
        self, Q: ArrayLike, margin: float = 0.0, finest: float = FINEST
    ) -> tuple[bool, float, int]:
        """Prove that the arm can go straight from waypoint to waypoint in joint space.

        Args:
            Q: Waypoints [rad or m]. Shape (k, n), k at least 2.
            margin: Distance to keep from bodies [m]; of the arm to itself any distance will do.
            finest: What moves less than this and is not proved counts as contact [m].

        Returns:
            Whether it is proved free; else where it is not, in segments from the start; and how
            many configurations were looked at.
        """
        (rows,), single = joint_arrays(self.checker.dof, Q=Q)
        if single or len(rows) < 2:
            raise ShapeError(f"a line needs at least two waypoints, got shape {np.shape(Q)}")
        rows = self.checker.angles(rows)
        if not self._serial:
            return self._measured_segments(rows, margin, finest)
        from armwerk.collision.kernels.segments import segments_free

        free, place, looks = segments_free(
            self.checker.chain,
            rows,
            float(margin),
            float(finest),
            self.moving,
            self.checker.scene,
        )
        return bool(free), float(place), int(looks)

    way = segments  # earlier name

    def _measured_segments(
        self, rows: Array, margin: float, finest: float
    ) -> tuple[bool, float, int]:
        """The same for an assembly: all open intervals are halved together."""
        low = np.arange(len(rows) - 1, dtype=np.float64)
        high = low + 1.0
        looks = 0
        while len(low):
            middle = 0.5 * (low + high)
            at, start, end = (_along(rows, place) for place in (middle, low, high))
            found = self.intervals(at, np.abs(end - start) / 2, (start, end))
            looks += len(low)
            hit = (found.distance <= margin) | (found.itself == 2)
            vague = ~hit & ((found.least <= margin) | (found.itself == 1))
            hit |= vague & (found.move <= finest)
            if hit.any():
                return False, float(middle[np.argmax(hit)]), looks
            low, middle, high = low[vague], middle[vague], high[vague]
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        return True, float(len(rows) - 1), looks

    def _measured(self, middles: Array, ends: tuple[Array, Array]) -> tuple[Array, Array, Flags]:
        """Return frames, how far the shapes get, and where all chains are closed."""
        frames, closed = self.checker._state(middles)
        at = self._places(frames)
        moved = np.zeros(at.shape[:2])
        for rows in ends:
            there, whole = self.checker._state(rows)
            moved = np.maximum(moved, np.linalg.norm(self._places(there) - at, axis=2))
            closed = closed & whole
        first = self.moving.first
        count = len(first) - 1
        single = np.zeros((len(middles), count))
        for s in range(count):
            single[:, s] = moved[:, first[s] : first[s + 1]].max(axis=1)
        return frames, MEASURED * single, closed

    def _places(self, frames: Array) -> Array:
        """Return the moving points in the world. Shape (m, k, 3)."""
        shapes = self.checker.scene.shapes
        owners = np.repeat(shapes[:, layout.OWNER].astype(np.int64), np.diff(self.moving.first))
        T = frames[:, owners].reshape(len(frames), len(owners), 3, 4)
        return np.asarray(
            np.einsum("mkij,kj->mki", T[..., :3], self.moving.points[:, :3]) + T[..., 3]
        )

    def _commons(self) -> Integers:
        """Return for each pair of shapes the link from which both hang. Shape (p,)."""
        scene = self.checker.scene
        if not self._serial:
            return np.zeros(len(scene.pairs), dtype=np.int64)
        before = [0, *self.checker.chain.parents.tolist()]

        def chain(link: int) -> list[int]:
            links = [link]
            while links[-1]:
                links.append(before[links[-1]])
            return links

        owners = scene.shapes[:, layout.OWNER].astype(np.int64).tolist()
        commons = []
        for i, j in scene.pairs.tolist():
            others = set(chain(owners[j]))
            commons.append(next(link for link in chain(owners[i]) if link in others))
        return np.array(commons, dtype=np.int64)


def _along(rows: Array, places: Array) -> Array:
    """Return points of a polyline; places count segments. Shape (m, n)."""
    k = np.clip(places.astype(np.int64), 0, len(rows) - 2)
    share = (places - k)[:, None]
    return np.asarray(rows[k] + share * (rows[k + 1] - rows[k]))


def moving_points(shapes: Array, with_radius: bool) -> tuple[Array, Integers]:
    """Return the points by which shapes move, and where those of each begin.

    ``with_radius``: a shape without corners is the ball around it; else six points take its place
    whose hull contains that ball.
    """
    found: list[Array] = []
    first = [0]
    for row in named(shapes):
        kind = int(row["kind"])
        R, p, centre, reach = row["rotation"], row["position"], row["centre"], float(row["reach"])
        radius = 0.0
        if kind == layout.SPHERE:
            points = p[None]
        elif kind == layout.CAPSULE:
            points = p + np.array([[-1.0], [1.0]]) * row["sizes"][0] * R[:, 2]
        elif kind == layout.BOX:
            points = p + (_CORNERS * row["sizes"]) @ R.T
        elif with_radius:
            points, radius = centre[None], reach
        else:
            out = np.sqrt(3.0) * reach * np.eye(3)
            points = centre + np.concatenate([out, -out])
        found.append(np.column_stack([points, np.full(len(points), radius)]))
        first.append(first[-1] + len(points))
    table = np.concatenate([np.zeros((0, 4)), *found])
    return np.ascontiguousarray(table), np.array(first, dtype=np.int64)
