"""Formulas that say nothing at poses where nothing is wrong with the arm, and how many there are.

A conclusion may carry a factor that has nothing to do with the arm: a component of a direction,
say, that elimination multiplied in. At random postures it is never zero; at the postures that
people type, angles of 0°, 30°, 45°, 90°, it is. There the formula is 0 = 0 or 0/0, though the arm
is regular and another method has formulas that hold. So programs are compared at such postures
before one is taken.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.derivation.inverse.memory import probe_of
from armwerk.derivation.program import Program
from armwerk.derivation.ring import Ring
from armwerk.derivation.runtime.kinematics import ArmKinematics, KinematicRow, wrapped
from armwerk.derivation.runtime.reference import execute

POSTURES = 64
STEPS = np.radians([15.0, 30.0, 45.0, 90.0])
STROKES = (-0.4, -0.2, 0.2, 0.4, 0.6)  # of slides, at the size of probes
REGULAR = 0.02  # least singular value at which an arm of the size of probes is regular
FOUND = 1e-5  # [rad], [m]


def lost_postures(ring: Ring, program: Program) -> int:
    """Return at how many special postures, all of them regular, a program misses the posture.

    Args:
        ring: The algebra of the arm; symbols get the numbers of a probe.
        program: Its inverse kinematics, no joint of it given.
    """
    values = probe_of(ring, 0)
    numbers = _numbers(ring, values)
    joints = _postures(numbers)
    frames = _frames(numbers, joints)
    regular = _regular(numbers, frames)
    if not regular.any():
        return 0
    twists = [f"{letter}{tag}" for tag in ring.twists for letter in "cs"]
    known = program.parameters | {name: values[name] for name in (*ring.parameters, *twists)}
    bare = replace(program, offsets=(0.0,) * ring.dof, parameters=known)
    found = execute(bare, frames[regular, -1])
    with np.errstate(all="ignore"):
        gaps = found.joints - joints[regular, None]
        gaps = np.abs(np.where(numbers.revolute, wrapped(gaps), gaps)).max(axis=2)
        hit = (gaps < FOUND) & found.real
    return int((~hit.any(axis=1)).sum())


def _numbers(ring: Ring, values: dict[str, float]) -> ArmKinematics:
    """Return the arm with the dimensions of a probe, its offsets left out."""
    rows = []
    for row in ring.rows:
        c, s, turn_c, turn_s, d, a = (
            ring.evaluate(one, values) for one in (*row.twist, *row.turn, row.d, row.a)
        )
        angle = math.atan2(turn_s, turn_c)
        rows.append(KinematicRow(row.is_revolute, d, a, (c, s), angle, (turn_c, turn_s)))
    return ArmKinematics(tuple(rows), np.eye(4), np.eye(4), np.full((ring.dof, 2), np.inf))


def _postures(numbers: ArmKinematics) -> Array:
    """Return angles of joints, multiples of one step each, and strokes. Shape (m, n)."""
    draw = np.random.default_rng(1)
    shape = (POSTURES, numbers.dof)
    steps = STEPS[np.arange(POSTURES) % len(STEPS), None]
    angles = wrapped(steps * draw.integers(-12, 13, shape))
    return np.asarray(np.where(numbers.revolute, angles, draw.choice(STROKES, shape)))


def _frames(numbers: ArmKinematics, joints: Array) -> Array:
    """Return the frame in front of every joint and behind the last. Shape (m, n + 1, 4, 4)."""
    frames = [np.broadcast_to(np.eye(4), (len(joints), 4, 4))]
    for k in range(numbers.dof):
        frames.append(frames[-1] @ numbers.row_poses(k, joints[:, k]))
    return np.stack(frames, axis=1)


def _regular(numbers: ArmKinematics, frames: Array) -> Flags:
    """Return at which postures the arm can move in as many ways as it has joints. Shape (m,)."""
    axes, origins, tip = frames[:, :-1, :3, 2], frames[:, :-1, :3, 3], frames[:, -1:, :3, 3]
    turns = numbers.revolute[:, None]
    shifts = np.where(turns, np.cross(axes, tip - origins), axes)
    columns = np.concatenate([shifts, np.where(turns, axes, 0.0)], axis=2)
    return np.asarray(np.linalg.svd(columns, compute_uv=False).min(axis=1) > REGULAR)
