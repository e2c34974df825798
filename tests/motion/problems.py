"""Random point-to-point problems, and what every answer to them must fulfil."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

import armwerk as aw
from armwerk.arrays import Array
from armwerk.mechanics.serial import SerialModel
from armwerk.motion import (
    Limits,
    LinePiece,
    PolynomialPiece,
    SinePiece,
    Trajectory,
    TrajectoryPiece,
    ptp,
)
from armwerk.motion.laws.ruckig_piece import RuckigPiece
from armwerk.motion.options import Profile, Sync

KINDS = ("rest", "short", "still", "moving", "fast", "line", "back")


@dataclass(frozen=True)
class Problem:
    kind: str
    q0: Array
    q1: Array
    v0: Array
    v1: Array
    limits: Limits


def serial(name: str) -> SerialModel:
    """Return the model of a serial arm of the library, with numeric inverse kinematics."""
    found = aw.model(name, ik="numeric")
    assert isinstance(found, SerialModel)
    return found


def problem(seed: int) -> Problem:
    """Return the problem of a number: sizes from a thousandth to ten times the usual."""
    random = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n = int(random.integers(1, 8))
    v = 10.0 ** random.uniform(-1.0, 1.0, n)
    a = 10.0 ** random.uniform(-0.5, 2.0, n)
    j = 10.0 ** random.uniform(0.5, 4.0, n)
    q0 = random.uniform(-3.0, 3.0, n)
    q1 = random.uniform(-3.0, 3.0, n)
    v0 = np.zeros(n)
    v1 = np.zeros(n)
    if kind in ("short", "back"):
        q1 = q0 + random.normal(size=n) * 10.0 ** random.uniform(-6.0, -0.5, n)
    if kind == "still":
        q1 = np.where(random.random(n) < 0.5, q0, q1)
    if kind in ("moving", "back"):
        v0 = random.uniform(-1.0, 1.0, n) * v * (random.random(n) < 0.8)
        v1 = random.uniform(-1.0, 1.0, n) * v * (random.random(n) < 0.8)
    if kind == "fast":
        v0 = random.choice([-1.0, 0.0, 1.0], n) * v
        v1 = random.choice([-1.0, 0.0, 1.0], n) * v
    if kind == "line":
        way = q1 - q0
        most = (v / np.abs(way)).min()
        v0, v1 = random.uniform(-1.0, 1.0, 2)[:, None] * most * way
    return Problem(kind, q0, q1, v0, v1, Limits(v, a, j))


def planned(given: Problem, sync: Sync, profile: Profile) -> Trajectory:
    """Return the answer; fully synchronous ones start and end at rest unless on the line."""
    v0, v1 = given.v0, given.v1
    if sync == "full" and given.kind != "line":
        v0, v1 = np.zeros_like(v0), np.zeros_like(v1)
    return ptp(None, given.q0, given.q1, sync, profile, v0, v1, limits=given.limits)


def faults(given: Problem, sync: Sync, profile: Profile) -> tuple[float, float]:
    """Return by how much the ends are missed, and the limits exceeded (relatively)."""
    return worst_faults([given], sync, profile)


def worst_faults(given: list[Problem], sync: Sync, profile: Profile) -> tuple[float, float]:
    """Return the worst of many problems; their extremes are found in one go."""
    motions = [planned(one, sync, profile) for one in given]
    missed = max(_missed(one, motion) for one, motion in zip(given, motions, strict=True))
    found = stacked([plain_piece(motion.pieces[0]) for motion in motions]).extremes()
    exceeded = -1.0
    for rate in ("velocity", "acceleration", "jerk"):
        allowed = np.concatenate([getattr(one.limits, rate) for one in given])
        exceeded = max(exceeded, float((getattr(found, rate) / allowed).max()) - 1.0)
    return missed, exceeded


def _missed(given: Problem, motion: Trajectory) -> float:
    """Return how far the motion is from its ends, in position, velocity and acceleration."""
    n = len(given.q0)
    ends = np.full(n, motion.duration) if motion.arrivals is None else motion.arrivals
    q, qd, qdd, _ = motion.evaluate(np.concatenate([[0.0], ends]))
    axis = np.arange(n)
    row = axis + 1
    on_line = isinstance(motion.pieces[0], LinePiece) and given.kind != "line"
    v0, v1 = (0.0, 0.0) if on_line else (given.v0, given.v1)
    start = q[0] - given.q0, qd[0] - v0, qdd[0]
    end = q[row, axis] - given.q1, qd[row, axis] - v1, qdd[row, axis]
    return float(np.abs([*start, *end]).max())


def plain_piece(piece: TrajectoryPiece) -> PolynomialPiece | SinePiece:
    """Return the phases of a piece, those of a straight line as phases of every axis."""
    if isinstance(piece, LinePiece):
        law = plain_piece(piece.law)
        n = piece.dof
        parts = {name: np.repeat(getattr(law, name), n, axis=0) for name in _fields(law)}
        for name in set(parts) - {"knots", "length"}:
            along = piece.direction.reshape((n,) + (1,) * (parts[name].ndim - 1))
            parts[name] = parts[name] * along
        return type(law)(**parts)
    if isinstance(piece, RuckigPiece):
        return piece.polynomials
    assert isinstance(piece, PolynomialPiece | SinePiece)
    return piece


def _fields(piece: object) -> tuple[str, ...]:
    return tuple(field.name for field in fields(piece))  # type: ignore[arg-type]


def stacked(pieces: list[PolynomialPiece | SinePiece]) -> PolynomialPiece | SinePiece:
    """Return all axes of many pieces as one, with empty phases where some have fewer."""
    kind = type(pieces[0])
    count = max(piece.knots.shape[1] for piece in pieces)
    parts: dict[str, list[Array]] = {name: [] for name in _fields(pieces[0])}
    for piece in pieces:
        for name, rows in parts.items():
            array = getattr(piece, name)
            short = count - piece.knots.shape[1]
            rows.append(np.concatenate([array, np.repeat(array[:, -1:], short, axis=1)], axis=1))
            if name != "knots" and short:
                _empty(kind, name, rows[-1], piece, short)
    return kind(**{name: np.concatenate(rows) for name, rows in parts.items()})


def _empty(kind: type, name: str, row: Array, piece: object, short: int) -> None:
    """Make the added phases ones of no length that stand where the last one ended."""
    if name == "length":
        row[:, -short:] = 0.0
    elif kind is PolynomialPiece:
        row[:, -short:, 1:] = 0.0
    elif name in ("speed", "peak"):
        row[:, -short:] = 0.0
