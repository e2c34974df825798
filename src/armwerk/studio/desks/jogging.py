"""A step of one coordinate: of a joint, or of the tool in world, tool or cylindrical coordinates.

An arm with fewer than six joints cannot turn its tool freely. When the step cannot be made with the
orientation kept, and the tool stands in the upright plane through the arm's axis, it is made with
inclination and roll kept, as five-axis arms move; when that cannot be either, with the point alone.
"""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, MotionError, UnsupportedError
from armwerk.geometry import rotation_exp, transform
from armwerk.mechanics.serial import SerialModel
from armwerk.motion import Cylindrical, Path, Trajectory, inclination_of, inclined_pose, ptp
from armwerk.motion.options import OrientationKind
from armwerk.protocol.moving import JogFrame
from armwerk.studio.desks.stages import StagedArm

COORDINATES: dict[JogFrame, tuple[str, ...]] = {
    "world": ("x", "y", "z", "about x", "about y", "about z"),
    "tool": ("x", "y", "z", "about x", "about y", "about z"),
    "cylindrical": ("r", "h", "phi", "inclination", "roll"),
}
"""Names of what is stepped, in the order of their numbers."""
_FREE = 6  # joints from which on any orientation can be had
_LONGEST = 10.0  # [rad or m]
_TOOL_SPEED = 0.5  # [m/s and rad/s] of a whole share of speed


def jogged(
    staged: StagedArm, q: Array, frame: JogFrame, axis: int, step: float, speed: float
) -> Trajectory:
    """Return the motion of a step.

    Args:
        staged: The arm.
        q: Where it stands [rad or m]. Shape (n,).
        frame: In which coordinates.
        axis: Which of them, from 0.
        step: [rad or m].
        speed: Share, above 0, at most 1.

    Raises:
        DescriptionError: For a coordinate that there is not.
        MotionError: When it leads out of reach or beyond a limit.
    """
    names = tuple(one.name for one in staged.joints) if frame == "joint" else COORDINATES[frame]
    if not 0 <= axis < len(names):
        raise DescriptionError(
            "no such coordinate",
            element=f"axis of '{frame}'",
            value=axis,
            allowed=f"0 to {len(names) - 1}",
        )
    if not 0.0 < abs(step) <= _LONGEST:
        raise DescriptionError(
            "out of range", element="step", value=step, allowed=f"up to {_LONGEST:g} rad or m"
        )
    if frame == "joint":
        goal = q.copy()
        goal[axis] += step
        goal = staged.values(tuple(goal.tolist()))
        return ptp(staged.arm, q, goal, speed=speed, acceleration=speed, limits=staged.limits)
    if not isinstance(staged.model, SerialModel):
        raise UnsupportedError("the tool of an assembly cannot be jogged; its joints can")
    T = staged.model.fk(q)
    poses = _poses(T, frame, axis, step, staged.model.dof)
    problem: MotionError | None = None
    for pose, orientation in poses:
        try:
            return _driven(staged, staged.model, q, pose, orientation, frame, speed)
        except MotionError as error:
            problem = problem or error
    goal_point = staged.model.ik_position(poses[0][0][:3, 3], q)
    if staged.model.dof < _FREE and axis < 3 and goal_point is not None:
        return ptp(staged.arm, q, goal_point, speed=speed, acceleration=speed, limits=staged.limits)
    assert problem is not None
    raise MotionError(f"{names[axis]} by {_said(step, names[axis])}: {problem}") from None


def _driven(
    staged: StagedArm,
    model: SerialModel,
    q: Array,
    pose: Array,
    orientation: OrientationKind,
    frame: JogFrame,
    speed: float,
) -> Trajectory:
    start = model.fk(q)
    rate = speed * _TOOL_SPEED
    path = Path(speed=rate, rotation_speed=2 * rate, acceleration=2.0, jerk=20.0)
    if np.linalg.norm(pose[:3, 3] - start[:3, 3]) < 1e-9:
        return path.turn(pose[:3, :3]).plan(model, q, limits=staged.limits)
    if frame == "cylindrical":
        goal = model.ik_nearest(pose, q)
        if goal is None:
            raise MotionError(f"out of reach: {model.solve(pose, q).reason}")
        return ptp(model, q, goal, speed=speed, acceleration=speed, limits=staged.limits)
    return path.lin(pose, orientation=orientation).plan(model, q, limits=staged.limits)


def _poses(
    T: Array, frame: JogFrame, axis: int, step: float, dof: int
) -> list[tuple[Array, OrientationKind]]:
    """Return where the tool may go, and how it turns on the way, the best first."""
    if frame == "cylindrical":
        return [(_cylindrical(T, axis, step), "inclination")]
    along = np.zeros(3)
    along[axis % 3] = step
    R, p = T[:3, :3], T[:3, 3]
    if axis >= 3:
        turn = rotation_exp(along)
        return [(transform(R @ turn if frame == "tool" else turn @ R, p), "variable")]
    place = p + (R @ along if frame == "tool" else along)
    poses: list[tuple[Array, OrientationKind]] = [(transform(R, place), "variable")]
    if dof < _FREE:
        with suppress(MotionError):  # it leans out of the upright plane
            poses.append((inclined_pose(place, *inclination_of(T)), "inclination"))
    return poses


def _cylindrical(T: Array, axis: int, step: float) -> Array:
    at = Cylindrical.of(T[:3, 3])
    values = [at.r, at.h, at.phi]
    if axis < 3:
        values[axis] += step
    if values[0] < 0.0:
        raise MotionError(f"r by {_said(step, 'r')}: the tool would pass the axis")
    try:
        inclination, roll = inclination_of(T)
    except MotionError:
        if axis >= 3:
            raise
        # an orientation out of the upright plane goes round with the direction
        turn = rotation_exp(np.array([0.0, 0.0, values[2] - at.phi]))
        return transform(turn @ T[:3, :3], Cylindrical(*values).point)
    inclination += step if axis == 3 else 0.0
    roll += step if axis == 4 else 0.0
    return Cylindrical(*values).pose(inclination, roll)


def _said(step: float, name: str) -> str:
    if name in {"x", "y", "z", "r", "h"}:
        return f"{1000 * step:g} mm"
    return f"{math.degrees(step):.4g}°"
