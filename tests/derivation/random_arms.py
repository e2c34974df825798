"""Random arms of every kind, also as people type them."""

from __future__ import annotations

import math

import numpy as np

from armwerk.errors import DescriptionError
from armwerk.robot import Arm, Joint

HALF = math.pi / 2


def random_arm(draw: np.random.Generator, joints: int | None = None) -> Arm:
    """Return an arm of one to six turns and slides, most of its twists multiples of 90°.

    Args:
        draw: Where chance comes from.
        joints: Their number; None: any of one to six.
    """
    count = int(draw.integers(1, 7)) if joints is None else joints
    while True:
        try:
            return Arm.from_dh([_random_joint(draw) for _ in range(count)], name="random")
        except DescriptionError:
            pass  # neighbouring axes fell on one line


def _random_joint(draw: np.random.Generator) -> Joint:
    slides = draw.random() < 0.3
    d, a = (float(draw.choice([0.0, 0.0, round(draw.uniform(0.05, 0.6), 3)])) for _ in "da")
    alpha = draw.choice([0.0, HALF, -HALF, HALF, -HALF, math.pi, draw.uniform(-3, 3)])
    offset = draw.choice([0.0, 0.0, HALF, draw.uniform(-3, 3)])
    return _joint(bool(slides), np.array([d, a, alpha, offset]))


def neat_arm(draw: np.random.Generator, kinds: str | None = None) -> Arm:
    """Return an arm as people type it, or one a hair beside it.

    Twists and offsets are multiples of 15°, many of 90°, ±180° among them; lengths are zero or one
    of two numbers, which may be equal. One arm in three is moved by 1e-6 to 1e-3: its lengths, its
    offsets, some of its twists, or everything.

    Args:
        draw: Where chance comes from.
        kinds: "R" or "T" for every joint; None: one to six of any kind, three slides at most.
    """
    while kinds is None:
        slides = draw.random(int(draw.integers(1, 7))) < draw.choice([0.0, 0.2, 0.4])
        kinds = "".join("T" if one else "R" for one in slides) if slides.sum() <= 3 else None
    lengths = [0.0, 0.0, 0.0, *np.round(draw.uniform(0.05, 0.6, 2), 3)]
    lengths[-1] = lengths[-2] if draw.random() < 0.5 else lengths[-1]
    angles = np.radians([0, 90, -90, 90, -90, 180, -180, *(15 * draw.integers(-12, 13, 3))])
    while True:
        rows = np.column_stack(
            [
                draw.choice(lengths, (len(kinds), 2)),
                draw.choice(angles, len(kinds)),
                draw.choice([0.0, 0.0, *angles], len(kinds)),
            ]
        )
        if draw.random() < 0.35:
            rows += _hair(draw, rows)
        try:
            return Arm.from_dh(
                [_joint(kind == "T", row) for kind, row in zip(kinds, rows, strict=True)],
                name="neat",
            )
        except DescriptionError:
            pass  # neighbouring axes fell on one line


def _hair(draw: np.random.Generator, rows: np.ndarray) -> np.ndarray:
    """Return by how much to move d, a, alpha and offset of all joints. Shape (n, 4)."""
    off = 10.0 ** draw.uniform(-6.0, -3.0) * draw.uniform(-1.0, 1.0, rows.shape)
    which = np.zeros(rows.shape, dtype=bool)
    match int(draw.integers(4)):
        case 0:
            which[:, :2] = rows[:, :2] != 0.0
        case 1:
            which[:, 3] = True
        case 2:
            which[:, 2] = draw.random(len(rows)) < 0.3
        case _:
            which[:] = True
    return np.where(which, off, 0.0)


def _joint(slides: bool, row: np.ndarray) -> Joint:
    d, a, alpha, offset = map(float, row)
    return Joint(
        "prismatic" if slides else "revolute",
        d=d,
        a=a,
        alpha=alpha,
        offset=offset,
        limits=(-0.9, 1.3) if slides else None,
    )
