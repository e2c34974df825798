"""Random paths of mixed segments, some through or a hair beside singular places of an arm."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp
from armwerk.mechanics.serial import SerialModel
from armwerk.motion import Path, Trajectory
from armwerk.motion.path.follower import Follower
from armwerk.motion.retiming.time_run import PathPiece

ARMS = (
    "puma560",
    "kr6_r900",
    "irb120",
    "irb140",
    "tx60",
    "stanford",
    "kr30_l16",
    "ur5e",
    "ur10e",
    "xarm6",
    "typ1",
    "typ2",
)
KINDS = ("lin", "turned", "circ", "bezier", "corner", "mixed", "start", "end")
BESIDE = (0.0, 1e-9, -1e-9, 1e-7, 1e-6, -1e-6)


@dataclass(frozen=True)
class SingularPath:
    """A path and where the arm stands at its start.

    Args:
        kind: One of `KINDS`.
        path: What is driven.
        q: Joint values with which the arm is in, or beside, the place; where the path is shifted,
            those nearest to them there. Shape (n,).
    """

    kind: str
    path: Path
    q: Array


def ordinary_joints(model: SerialModel, random: np.random.Generator) -> Array:
    """Return random joint values within the middle of their ranges. Shape (n,)."""
    low, high = model.chain.ranges().T
    return np.asarray(low + (high - low) * random.uniform(0.2, 0.8, model.dof))


def singular_joints(model: SerialModel, random: np.random.Generator) -> Array | None:
    """Return random joint values in a singularity, found where the determinant changes its sign."""
    low, high = model.chain.ranges().T
    for _ in range(40):
        q = low + (high - low) * random.uniform(0.1, 0.9, model.dof)
        axis = int(random.integers(1, model.dof - 1))
        values = np.linspace(low[axis], high[axis], 41)
        rows = np.repeat(q[None], 41, axis=0)
        rows[:, axis] = values
        signs = np.linalg.det(model.jacobian(rows))
        changes = np.flatnonzero(signs[1:] * signs[:-1] < 0.0)
        if len(changes):
            k = int(random.choice(changes))
            a, b = values[k], values[k + 1]
            for _ in range(60):
                q[axis] = 0.5 * (a + b)
                if np.linalg.det(model.jacobian(q)) * signs[k] > 0.0:
                    a = q[axis]
                else:
                    b = q[axis]
            return np.asarray(q)
    return None


def path_past(
    model: SerialModel, q: Array, beside: float, kind: str, seed: int, shift: float = 0.0
) -> SingularPath:
    """Return a path that leads past a singularity.

    Args:
        model: Of the arm.
        q: Joint values in the singularity. Shape (n,).
        beside: How far from it the arm is in the middle of the path [rad].
        kind: One of `KINDS`.
        seed: Of directions and lengths.
        shift: By which the whole path is moved away from the place [m].
    """
    random = np.random.default_rng(seed)
    there, q = q, q.copy()
    smallest = np.linalg.svd(model.jacobian(q))[2][-1]  # what moves while the tool stands
    q[int(np.argmin(np.abs(smallest) - (np.arange(len(q)) > 3)))] += beside
    pose = np.asarray(model.fk(q))
    along, across = np.linalg.qr(random.normal(size=(3, 2)))[0].T
    half = random.uniform(0.02, 0.08)
    pose[:3, 3] += shift * across
    angle = random.normal(size=3) * 0.3

    def at(x: float, y: float = 0.0, turn: float = 0.0) -> Array:
        there = pose.copy()
        there[:3, 3] += x * along + y * across
        there[:3, :3] = rotation_exp(turn * angle) @ pose[:3, :3]
        return there

    speed = random.uniform(0.05, 0.5)
    blend = random.uniform(0.002, 0.015)
    path = Path(at(-half), speed=speed)
    if kind == "lin":
        path = path.lin(at(half))
    elif kind == "turned":
        path = Path(at(-half, turn=-1.0), speed=speed).lin(at(half, turn=1.0))
    elif kind == "circ":
        path = path.circ(pose, at(half, 0.3 * half))
    elif kind == "bezier":
        path = path.bezier(at(-half / 3, half), at(half / 3, -half), end=at(half))
    elif kind == "corner":
        path = path.lin(pose, blend=blend).lin(at(0.3 * half, half))
    elif kind == "mixed":
        path = path.lin(at(half), blend=blend).circ(at(half, half), at(0.0, half), blend=blend)
        path = path.lin(at(0.0, 0.2 * half), blend=blend).ptp(at(-half))
    elif kind == "start":
        path = Path(pose, speed=speed).lin(at(half))
    else:
        path = path.lin(pose)
    if shift:
        found = np.asarray(model.ik(pose)).reshape(-1, model.dof)
        q = min(found, key=lambda row: float(np.abs(row - there).max()), default=q)
    return SingularPath(kind, path, q)


def line_past(model: SerialModel, q: Array, beside: float, seed: int) -> tuple[Array, Array]:
    """Return both ends of a line of 120 mm that passes a singularity of any kind.

    It runs along the surface of singular places, so that it is nearest to them in its middle.

    Args:
        model: Of the arm.
        q: Joint values in the singularity. Shape (n,).
        beside: How far the joints are from it in the middle of the line [rad].
        seed: Of the line's direction.
    """
    steps = 1e-6 * np.eye(model.dof)
    slopes = np.linalg.det(model.jacobian(q + steps)) - np.linalg.det(model.jacobian(q - steps))
    away = slopes / np.linalg.norm(slopes)
    across = np.linalg.solve(model.jacobian(q + 1e-3 * away).T, away)[:3]
    along = np.cross(across, np.random.default_rng(seed).normal(size=3))
    along *= 0.06 / np.linalg.norm(along)
    ends = np.asarray(model.fk(np.array([q + beside * away] * 2)))
    ends[:, :3, 3] += np.array([-along, along])
    return ends[0], ends[1]


def planned(model: SerialModel, one: SingularPath) -> Trajectory:
    """Return the motion from a configuration at the start near the place's, if there is one.

    Raises:
        MotionError: When there is none.
    """
    low, high = model.chain.limits.T
    if one.kind == "start":
        return one.path.plan(model, np.clip(one.q, low, high))
    error: MotionError | None = None
    found = np.asarray(model.ik(np.asarray(one.path.start))).reshape(-1, model.dof)
    for q0 in sorted(found, key=lambda q: float(np.abs((q - one.q)[:3]).max())):
        if (q0 >= low).all() and (q0 <= high).all():
            try:
                return one.path.plan(model, q0)
            except MotionError as stop:
                error = stop
    raise error or MotionError("no configuration at the start")


def limit_use(motion: Trajectory, step: float = 2e-4) -> Array:
    """Return the largest fractions of the limits, by differences of joint values alone.

    Differences are means of derivatives, which a motion within its limits cannot pass; rounding is
    what is left, and the steps are wide enough for it.
    """
    limits, found = motion.limits, []
    assert limits is not None
    step = max(step, motion.duration / 40_000)
    for order, wide in ((1, 1), (2, 5), (3, 10)):
        times = np.arange(0.0, motion.duration + (order * wide + 1) * step, step)
        rows = motion.sample(np.minimum(times, motion.duration))[0]
        for _ in range(order):
            rows = (rows[wide:] - rows[:-wide]) / (wide * step)
        limit = (limits.velocity, limits.acceleration, limits.jerk)[order - 1]
        found.append(float((np.abs(rows) / limit).max()))
    return np.array(found)


def turns_of(motion: Trajectory) -> list[tuple[float, float]]:
    """Return from when to when joints turn on the spot [s]."""
    told = [notice for notice in motion.notices if "while the tool stands" in str(notice)]
    return [notice.span for notice in told if notice.span is not None]


def tool_off(model: SerialModel, motion: Trajectory) -> float:
    """Return how far the tool leaves the curves of its path, and where it is to stand [m]."""
    worst = 0.0
    for span in turns_of(motion):
        points = model.fk(motion.sample(np.linspace(*span, 2001))[0])[:, :3, 3]
        worst = max(worst, float(np.linalg.norm(points - points[0], axis=1).max()))
    for piece in motion.pieces:
        times = np.linspace(0.0, piece.duration, 2001)
        assert isinstance(piece, PathPiece)
        place = piece.law.evaluate(times)[:, 0]
        points = model.fk(piece.evaluate(times).q)[:, :3, 3]
        for start, part in zip(piece.run.starts, piece.run.parts, strict=False):
            source = part.source
            here = (place >= start) & (place <= start + part.length)
            if isinstance(source, Follower) and here.any():
                s = source.arc_length(place[here] - start + part.first)
                gap = points[here] - source.track.position(s)[:, 0]
                worst = max(worst, float(np.linalg.norm(gap, axis=1).max()))
    return worst


def steps(motion: Trajectory) -> float:
    """Return the largest step of joint values where pieces of a motion meet [rad or m]."""
    ends = [
        np.abs(b.evaluate(np.zeros(1)).q[0] - a.evaluate(np.array([a.duration])).q[0]).max()
        for a, b in itertools.pairwise(motion.pieces)
    ]
    return float(max(ends, default=0.0))
