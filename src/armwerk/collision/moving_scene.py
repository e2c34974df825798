"""An arm among bodies that move: its distance to them at a time, and proofs for intervals of time.

In the middle of an interval the distance of two shapes is d. One gets at most a, the other at most
b away from there, so that within the interval they are at least d - a - b apart.

A time by the world's clock is rounded, by the more the later it is. So every interval is widened by
that, and none that is shorter than a `tick` tells more than a longer one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.collision.kernels import layout
from armwerk.collision.moving_body import Moving
from armwerk.collision.packing import Distance
from armwerk.collision.prover import Moved
from armwerk.collision.scene_arrays import pack_pairs
from armwerk.robot.parts import Assembly


class MovingScene:
    """The shapes of a checker's arms and those that move beside them, packed once.

    What of the arm stands still, its base, is held against what moves, not against what never does
    between two times.

    Args:
        checker: The arm.
        moving: What moves; at least one.
        low: From when on it is asked about [s].
        high: Until when [s].

    Attributes:
        tick: The shortest time that the clock can tell [s].
    """

    def __init__(self, checker: Checker, moving: Sequence[Moving], low: float, high: float) -> None:
        self.checker, self.moving = checker, tuple(moving)
        arm = checker.arms[0]
        joints = arm.tree if isinstance(arm, Assembly) else checker.chain.parents
        self._links = len(joints)  # coupled axes may be fewer
        others = [shape for mover in self.moving for shape in mover.shapes]
        self.names = tuple(shape.name for shape in others)
        self.tick = 4.0 * float(np.spacing(max(abs(low), abs(high))))
        first = self._links + 1
        # what touches the arm is where the arm is, however far it comes from
        there = float(checker.scene.shapes[:, layout.SLACK].max(initial=0.0)) / layout.ALLOWANCE
        packed = pack_pairs(
            checker.shapes,
            checker.tolerances,
            [(shape, first + k, there) for k, shape in enumerate(others)],
        )
        self._own = len(packed.shapes) - len(others)
        stands = np.array([s for mover in self.moving for s in mover.stands(low, high)])
        fixed = packed.shapes[: self._own, layout.OWNER] == 0
        held = ~(fixed[:, None] & stands[None, :])
        rows, columns = np.nonzero(held)
        pairs = np.column_stack([rows, self._own + columns]).astype(np.int64)
        self.scene = packed._replace(pairs=np.ascontiguousarray(pairs))
        self.proved = all(mover.proved for mover in self.moving)

    def breaks(self, low: float, high: float) -> Array:
        """Return the times between two [s] at which something jumps. Shape (k,)."""
        return np.unique(np.concatenate([mover.breaks(low, high) for mover in self.moving]))

    def prove(self, moved: Moved, low: Array, high: Array) -> tuple[Array, Array, Array]:
        """Return what is certain about m intervals of time.

        Args:
            moved: Where the arm's links are, and how far its shapes get.
            low: When the intervals begin by the world's clock [s]. Shape (m,).
            high: When they end [s]. Shape (m,).

        Returns:
            Distance in the middle, a lower bound of it in the whole interval, and how far any
            moving shape gets, at most [m]. Each of shape (m,).
        """
        from armwerk.collision.kernels.moving_pairs import prove_pairs

        low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
        moves = np.concatenate([mover.moves(low, high) for mover in self.moving], axis=1)
        frames = self._frames(moved.frames, 0.5 * (low + high))
        own, other = self.scene.pairs[:, 0], self.scene.pairs[:, 1] - self._own
        together = np.ascontiguousarray(moved.single[:, own] + moves[:, other])
        distance, least = prove_pairs(frames, together, self.scene)
        return distance, least, moves.max(axis=1)

    def distance(self, q: Array, time: float) -> Distance:
        """Return the smallest distance to anything that moves, with names and points.

        Args:
            q: Joint values. Shape (n,).
            time: By the world's clock [s].
        """
        from armwerk.collision.kernels.arm_distance import smallest_distances

        frames = self._frames(self.checker.frames(q[None]), np.array([time]))
        values, numbers, points = smallest_distances(frames, self.scene, True)
        shape, other = int(numbers[0, 0]), layout.OWN - int(numbers[0, 1]) - self._own
        if shape < 0:
            return Distance(np.inf, points[0, 0], points[0, 1])
        part = self.checker.parts[shape]
        return Distance(float(values[0]), points[0, 0], points[0, 1], part, self.names[other])

    def distances(self, Q: Array, times: Array) -> Array:
        """Return the smallest distances at m configurations and times [m]. Shape (m,)."""
        from armwerk.collision.kernels.arm_distance import smallest_distances

        frames = self._frames(self.checker.frames(Q), times)
        return smallest_distances(frames, self.scene, True)[0]

    def _frames(self, own: Array, times: Array) -> Array:
        return np.ascontiguousarray(
            np.concatenate([own, *(mover.frames(times) for mover in self.moving)], axis=1)
        )
