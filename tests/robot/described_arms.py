"""Arms for the tests of this room, and direct kinematics that shares no code with the package."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from armwerk.robot import Arm, Joint, Link, MotionSettings
from armwerk.robot.joint import KINDS
from armwerk.robot.settings import CARTESIAN_MOTIONS, JOINT_MOTIONS, PROFILES

NAMES = ("Schulter", "肘", "Ärmel 'x'", 'a "b" \\ c', "α₁", "q 1", "<&>", "𝛼", "tab\there", "é")
TEXTS = ("", "two\nlines", "  spaces  ", 'quotes " and \\', "ünï → 中文", "a & b < c")


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a random rotation. Shape (3, 3)."""
    return Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()


def random_pose(rng: np.random.Generator) -> np.ndarray:
    """Return a random pose. Shape (4, 4)."""
    pose = np.eye(4)
    pose[:3, :3] = random_rotation(rng)
    pose[:3, 3] = rng.uniform(-1, 1, 3)
    return pose


def random_link(rng: np.random.Generator) -> Link:
    """Return a body that could exist: its inertia is that of a box turned anyhow."""
    x, y, z = rng.uniform(0.05, 0.5, 3) ** 2
    mass = rng.uniform(0.1, 20)
    turn = random_rotation(rng)
    tensor = turn @ np.diag(mass / 12 * np.array([y + z, x + z, x + y])) @ turn.T
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    return Link(mass, tuple(rng.uniform(-0.3, 0.3, 3)), (xx, yy, zz, xy, xz, yz))


def random_arm(seed: int, symbols: bool = True, fixed: bool = True) -> Arm:
    """Return an arm with a bit of everything that a description can hold."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 9))
    chosen = [KINDS[0], *(KINDS[k] for k in rng.integers(0, 3 if fixed else 2, count))]
    names = list(rng.permutation(NAMES)[: len(chosen)])
    joints = []
    for kind, name in zip(chosen, names, strict=True):
        row = dict(zip(("d", "a", "alpha", "offset"), rng.uniform(-3, 3, 4), strict=True))
        if rng.random() < 0.3:
            row = {key: float(rng.choice([0.0, math.pi / 2, -math.pi / 2, 0.1])) for key in row}
            row["a"] = 0.25
        link = random_link(rng) if rng.random() < 0.7 else Link()
        more: dict[str, Any] = {}
        if symbols and rng.random() < 0.4:
            row["d"], row["alpha"] = "d0", "pi/2 + beta"
            row["a"] = "2*l1 + 0.1"
            link = Link("m1", (0.0, "r1", 0.0), ("I1", 0.0, "m1*r1**2", 0.0, 0.0, 0.0))
            more["armature"] = "J1"
        elif rng.random() < 0.5:
            more["armature"] = float(rng.random())
        if rng.random() < 0.5:
            more |= {"viscous_friction": rng.random(), "coulomb_friction": tuple(rng.random(2))}
        if rng.random() < 0.7:
            low, high = np.sort(rng.uniform(-7, 7, 2))
            more |= {"limits": (low, high), "max_velocity": rng.random() + 0.1}
        if rng.random() < 0.5:
            more |= {"max_acceleration": 1e-7, "max_jerk": 1e22, "max_force": rng.random() + 1}
        joints.append(
            Joint(kind, **row, name=str(name) if rng.random() < 0.8 else "", link=link, **more)
        )
    straight = np.eye(4)
    straight[:3, 3] = rng.uniform(-1, 1, 3)
    poses = [None, random_pose(rng), straight]
    return Arm(
        tuple(joints),
        name=str(rng.choice(NAMES)),
        base=poses[rng.integers(3)],
        tool=poses[rng.integers(3)],
        gravity=(0.0, 0.0, -9.81) if rng.random() < 0.5 else tuple(rng.uniform(-9, 9, 3)),
        title=str(rng.choice(TEXTS)),
        source=str(rng.choice(TEXTS)),
        assumed=tuple(str(text) for text in rng.choice(TEXTS, rng.integers(3))),
        tasks=tuple(str(text) for text in rng.choice(TEXTS, rng.integers(25))),
        motion=MotionSettings(
            JOINT_MOTIONS[rng.integers(3)],
            tuple(CARTESIAN_MOTIONS[k] for k in rng.integers(0, 3, rng.integers(12))),
            PROFILES[rng.integers(3)],
            float(rng.choice([0.004, 0.001, 1 / 3, 0.0005, 12.0, 1e-9])),
            [None, 0.25, 1 / 3, 2][rng.integers(4)],
        ),
    )


def turn_and_shift(axis: Sequence[float], angle: float, way: Sequence[float]) -> np.ndarray:
    """Return a turn about an axis through the origin, then a shift. Shape (4, 4)."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_rotvec(angle * np.asarray(axis, dtype=float)).as_matrix()
    pose[:3, 3] = way
    return pose


def tool_pose(arm: Arm, q: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the tool pose by multiplying the four elementary motions of each row."""
    pose = arm.base.copy()
    values = iter(q)
    for joint in arm.joints:
        value = next(values) if joint.is_moving else 0.0
        theta = float(joint.offset) + (value if joint.kind == "revolute" else 0.0)
        d = float(joint.d) + (value if joint.kind == "prismatic" else 0.0)
        pose = pose @ turn_and_shift((0, 0, 1), theta, (0, 0, d))
        pose = pose @ turn_and_shift((1, 0, 0), float(joint.alpha), (float(joint.a), 0, 0))
    return pose @ arm.tool


def moved_lines(
    kinds: Sequence[str],
    points: np.ndarray,
    directions: np.ndarray,
    end: np.ndarray,
    q: Sequence[float],
) -> np.ndarray:
    """Return where ``end`` goes when joints turn about, or slide along, lines given at zero.

    The product of exponentials: every joint moves all that lies behind it, about its own place
    at zero pose. Shape (4, 4).
    """
    pose = end.copy()
    for kind, point, along, value in reversed(list(zip(kinds, points, directions, q, strict=True))):
        axis = along / np.linalg.norm(along)
        if kind == "prismatic":
            motion = turn_and_shift((0, 0, 1), 0.0, value * axis)
        else:
            motion = turn_and_shift(axis, value, (0, 0, 0))
            motion[:3, 3] = point - motion[:3, :3] @ point
        pose = motion @ pose
    return pose
