"""The skeleton of an assembly of parts, closed chains included."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ShapeError, UnsupportedError
from armwerk.mechanics.assembly.model import AssemblyModel
from armwerk.pictures.skeleton import Bar, JointMark, Skeleton, joint_length
from armwerk.robot.loops import Platform, Union
from armwerk.robot.part import Body, LinearMotor, Passive, Servo
from armwerk.robot.parts import Assembly

_WEIGHT = 0.75  # several chains side by side want slimmer bars than a single arm
_FLAT = 0.02  # share of the size by which points of one plate may leave its plane


def assembly_skeleton(model: AssemblyModel, q: ArrayLike, size: float | None = None) -> Skeleton:
    """Return the skeleton of an assembly for the motor values ``q``. Shape (n,).

    Args:
        model: An `AssemblyModel`.
        q: Motor values [rad or m]. Shape (n,).
        size: Of the whole [m], see `assembly_size`; None: found.

    Raises:
        UnsupportedError: When a closed chain does not close with these values.
    """
    assembly: Assembly = model.assembly
    state = model.state(q)
    if not bool(np.all(state.closed)):
        raise UnsupportedError(f"'{assembly.name}' cannot be drawn: {state.problems[0]}")
    frames = state.frames
    size = assembly_size(model) if size is None else size
    bars = [bar for name in assembly.tree for bar in _bar(assembly, frames, name, size)]
    joints = [mark for name in assembly.tree for mark in _marks(assembly, frames, name, size)]
    up = np.array([0.0, 0.0, 1.0])
    for point in (state.unions[tie.name] for tie in assembly.unions if isinstance(tie, Union)):
        joints.append(JointMark("ball", point, up, up, "", 0.7 * _WEIGHT, passive=True))
    body = _body_plate(assembly, frames, size)
    plates = (*body, *_platforms(assembly, frames))
    hand = (frames[model.tip],)
    return Skeleton(tuple(bars), tuple(joints), np.eye(4), hand, size, plates, footed=not body)


def assembly_size(model: AssemblyModel) -> float:
    """Return the size of an assembly with its motors in the middle [m]; never zero."""
    frames = model.state(model.middle).frames.values()
    points = np.array([frame[:3, 3] for frame in frames])
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < 2:
        raise ShapeError(f"'{model.assembly.name}' has no parts that could be drawn")
    extent = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))
    return 1.2 * extent if extent > 1e-9 else 1.0


def _bar(assembly: Assembly, frames: dict[str, Array], name: str, size: float) -> list[Bar]:
    fix = assembly.tree[name].fix
    if fix is None:
        return []
    start, end = frames[fix][:3, 3], frames[name][:3, 3]
    if np.linalg.norm(end - start) < 1e-6 * size:
        return []
    carrier = assembly.tree[fix].part
    slides = isinstance(carrier, LinearMotor) or getattr(carrier, "freedom", "") == "LINEAR"
    if isinstance(carrier, Body | Platform) and len(carrier.connections) > 2:
        return []  # a plate stands for these
    weight = 0.75 * _WEIGHT if slides else _WEIGHT
    return [Bar(np.stack([start, end]), weight, square=slides)]


def _marks(assembly: Assembly, frames: dict[str, Array], name: str, size: float) -> list[JointMark]:
    part, frame = assembly.tree[name].part, frames[name]
    origin, x, z = frame[:3, 3], frame[:3, 0], frame[:3, 2]
    if isinstance(part, Servo):
        return [JointMark("revolute", origin, z, x, part.name, _WEIGHT)]
    if isinstance(part, LinearMotor):
        # its housing stands in front of the joint it hangs on
        centre = origin + 0.95 * joint_length(size, _WEIGHT) * x
        return [JointMark("prismatic", centre, x, z, part.name, _WEIGHT)]
    if isinstance(part, Passive):
        kind = {"FULLROT": "ball", "AXISROT": "revolute", "LINEAR": "prismatic"}[part.freedom]
        axis = x if kind == "prismatic" else z
        return [JointMark(kind, origin, axis, z, "", 0.8 * _WEIGHT, passive=True)]
    return []


def _body_plate(assembly: Assembly, frames: dict[str, Array], size: float) -> list[Array]:
    """Return the outline of the body when three or more parts stand on it in one plane."""
    feet = [tail.part.name for tail in assembly.body.connections]
    if len(feet) < 3:
        return []
    points = np.array([frames[foot][:3, 3] for foot in feet])
    return _outline(points, size)


def _platforms(assembly: Assembly, frames: dict[str, Array]) -> list[Array]:
    plates: list[Array] = []
    for tie in assembly.unions:
        if isinstance(tie, Platform):
            frame = frames[tie.name]
            anchors = np.array([anchor for _, anchor in tie.legs])
            points = anchors @ frame[:3, :3].T + frame[:3, 3]
            plates += _outline(points, float(np.ptp(points, axis=0).max()))
    return plates


def _outline(points: Array, size: float) -> list[Array]:
    """Return points of one plane in order around their middle; nothing when they are no plane."""
    middle = points.mean(axis=0)
    _, widths, axes = np.linalg.svd(points - middle)
    if widths[1] < 1e-6 * size or (len(widths) > 2 and widths[2] > _FLAT * size):
        return []
    u, v = axes[0], axes[1]
    angles = np.arctan2((points - middle) @ v, (points - middle) @ u)
    return [points[np.argsort(angles)]]
