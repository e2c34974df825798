"""Bodies that move by themselves while an arm does: things on a belt, a platform, another arm.

A moving body takes one shape or several and a motion; another arm its trajectory. Both give where
each of their shapes is at any time, and how far it gets within an interval: that is all a proof
needs, see `armwerk.collision.moving_scene`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.body import named_bodies
from armwerk.collision.body_motion import BodyMotion, time_argument
from armwerk.collision.checker import Checker, Named
from armwerk.collision.kernels import layout
from armwerk.collision.packing import MeshShelf, row_of
from armwerk.collision.prover import Prover, moving_points
from armwerk.collision.trajectory_reach import TrajectoryReach
from armwerk.errors import DescriptionError, ShapeError
from armwerk.geometry import HalfSpace, Shape
from armwerk.motion.trajectory import Trajectory
from armwerk.robot.parts import Assembly


@dataclass(frozen=True, slots=True, eq=False, init=False)
class MovingBody:
    """A rigid body that moves by itself.

    Args:
        shape: One shape, or several that move together, in the frame of the body. Any but a
            half-space.
        motion: Where that frame is in the world: `ConstantVelocity`, `TimedPoses`,
            `PlatformMotion`, `Repeated`, or whatever has their four methods.
        name: For messages; empty: the names of the shapes.

    Raises:
        DescriptionError: For something that is no shape or no motion, or a mesh that is not closed.
    """

    shapes: tuple[Shape, ...]
    motion: BodyMotion
    name: str
    _arms: Array

    def __init__(self, shape: Shape | Iterable[Shape], motion: BodyMotion, name: str = "") -> None:
        given = tuple(shape) if isinstance(shape, Iterable) else (shape,)
        element = f"moving body '{name}'" if name else "moving body"
        if not isinstance(motion, BodyMotion):
            raise DescriptionError(
                "no motion",
                element=element,
                value=motion,
                allowed="ConstantVelocity, TimedPoses, PlatformMotion, Repeated",
            )
        for one in given:
            if not isinstance(one, Shape) or isinstance(one, HalfSpace):
                raise DescriptionError(
                    "cannot move",
                    element=element,
                    value=one,
                    allowed="Box, Sphere, Cylinder, Cone, Capsule, Mesh",
                )
        if not given:
            raise DescriptionError("no shape", element=element, allowed="at least one shape")
        put = object.__setattr__
        put(self, "shapes", _called(given, name))
        put(self, "motion", motion)
        put(self, "name", name or self.shapes[0].name)
        put(self, "_arms", _arms(self.shapes))

    @property
    def proved(self) -> bool:
        """Whether the motion has certain bounds."""
        return self.motion.proved

    def stands(self, low: float, high: float) -> tuple[bool, ...]:
        """Whether each shape never moves between two times [s]."""
        if len(self.motion.breaks(low, high)):
            return (False,) * len(self.shapes)
        still = not self.moves(np.array([low]), np.array([high])).any()
        return (still,) * len(self.shapes)

    def frames(self, times: Array) -> Array:
        """Return the frames of the shapes at times [s]. Shape (m, k, 12)."""
        rows = self.motion.poses(times)[:, :3].reshape(-1, 1, 12)
        return np.repeat(rows, len(self.shapes), axis=1)

    def moves(self, low: Array, high: Array) -> Array:
        """Return how far each gets from the middle of intervals [s], at most [m]. Shape (m, k)."""
        shift, turn = self.motion.reach(low, high)
        return np.asarray(shift[:, None] + np.minimum(turn, 2.0)[:, None] * self._arms)

    def at(self, time: float) -> tuple[Shape, ...]:
        """Return the shapes where they are in the world at a time [s]."""
        return _placed(self.shapes, self.frames(np.array([time]))[0])

    def breaks(self, low: float, high: float) -> Array:
        """Return the times between two [s] at which the body jumps."""
        return self.motion.breaks(low, high)


class MovingArm:
    """Another arm that drives a trajectory, standing before and after it.

    Args:
        arm: A serial arm, its name or file.
        trajectory: Its motion.
        begin: When that begins by the world's clock [s].
        shapes: Of the arm; None: as `armwerk.collision.load_shapes` finds them.
        name: For messages; empty: the arm's.

    Raises:
        DescriptionError: For anything but a serial arm and a trajectory.
        ShapeError: When the trajectory has another number of axes.
    """

    def __init__(
        self,
        arm: Named,
        trajectory: Trajectory,
        begin: float = 0.0,
        shapes: ArmShapes | None = None,
        name: str = "",
    ) -> None:
        self.checker = Checker(arm, (), shapes, self_check=False)
        if isinstance(self.checker.arms[0], Assembly) or len(self.checker.arms) > 1:
            raise DescriptionError(
                "cannot move beside another",
                element="moving arm",
                value=self.checker.arms[0].name,
                allowed="a serial arm; bodies of others are MovingBody",
            )
        if not isinstance(trajectory, Trajectory):
            raise DescriptionError(
                "no trajectory", element="moving arm", value=trajectory, allowed="a Trajectory"
            )
        if trajectory.dof != self.checker.dof:
            raise ShapeError(
                f"the trajectory moves {trajectory.dof} axes, but '{self.checker.arms[0].name}' "
                f"has {self.checker.dof}"
            )
        self.trajectory, self.begin = trajectory, time_argument(begin, "begin")
        self.name = name or self.checker.arms[0].name
        self._reach = TrajectoryReach(trajectory, self.begin)
        self._prover = Prover(self.checker)
        self._links: Integers = self.checker.scene.shapes[:, layout.OWNER].astype(np.int64)
        self.shapes = _in_links(self.checker, self.name)

    @property
    def proved(self) -> bool:
        """Whether the rates of the trajectory are bounded by formula."""
        return self._reach.proved

    def stands(self, low: float, high: float) -> tuple[bool, ...]:
        """Whether each shape belongs to the base, which stands still."""
        return tuple(bool(link == 0) for link in self._links)

    def frames(self, times: Array) -> Array:
        """Return the frames of the shapes at times [s]. Shape (m, k, 12)."""
        frames = self.checker.frames(self._reach.positions(times))
        return np.ascontiguousarray(frames[:, self._links])

    def moves(self, low: Array, high: Array) -> Array:
        """Return how far each gets from the middle of intervals [s], at most [m]. Shape (m, k)."""
        q = self._reach.positions(0.5 * (low + high))
        return self._prover.moved(q, self._reach.radii(low, high), (q, q)).single

    def at(self, time: float) -> tuple[Shape, ...]:
        """Return the shapes where they are in the world at a time [s]."""
        return _placed(self.shapes, self.frames(np.array([time]))[0])

    def breaks(self, low: float, high: float) -> Array:
        """Return the times between two [s] at which the trajectory jumps, by rounding."""
        return self._reach.breaks(low, high)


Moving: TypeAlias = MovingBody | MovingArm
"""What moves while an arm does."""


def movers(given: Iterable[Moving]) -> tuple[Moving, ...]:
    """Return what moves, after looking at what it is.

    Raises:
        DescriptionError: For anything but moving bodies and arms.
    """
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in found:
        if not isinstance(one, MovingBody | MovingArm):
            raise DescriptionError(
                "does not move",
                element="moving",
                value=one,
                allowed="MovingBody(shape, motion) or MovingArm(arm, trajectory)",
            )
    return found


def _placed(shapes: Sequence[Shape], rows: Array) -> tuple[Shape, ...]:
    """Return shapes in frames of twelve numbers each, (k, 12)."""
    frames = rows.reshape(-1, 3, 4)
    bottom = [0.0, 0.0, 0.0, 1.0]
    return tuple(
        shape.moved(np.vstack([frame, bottom])) for shape, frame in zip(shapes, frames, strict=True)
    )


def _called(shapes: Sequence[Shape], name: str) -> tuple[Shape, ...]:
    """Return shapes with their names; several of one body are told apart."""
    bodies = named_bodies(tuple(shapes))
    out: list[Shape] = []
    for body, shape in zip(bodies, shapes, strict=True):
        label = body.name
        if name:
            label = name if len(shapes) == 1 else f"{name}.{body.name}"
        out.append(replace(shape, name=label))  # type: ignore[type-var]
    return tuple(out)


def _arms(shapes: Sequence[Shape]) -> Array:
    """Return how far the points by which shapes move are from their origin, at most. Shape (k,)."""
    shelf = MeshShelf()
    rows = np.array([row_of(shape, shelf) for shape in shapes])
    points, first = moving_points(rows, True)
    far = np.linalg.norm(points[:, :3], axis=1) + points[:, 3]
    return np.array([far[a:b].max() for a, b in itertools.pairwise(first)])


def _in_links(checker: Checker, name: str) -> tuple[Shape, ...]:
    """Return the shapes of an arm in the frames behind their joints, named."""
    from armwerk.collision.scene_arrays import placed_in_links

    (given,) = checker.shapes
    named = zip(placed_in_links(given), given.names, strict=True)
    return tuple(replace(shape, name=f"{name}.{label}") for shape, label in named)  # type: ignore[type-var]
