"""Random arms of every kind, and their generated code run without a compiler."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np

from armwerk.errors import DescriptionError
from armwerk.robot import Arm, Joint

HALF = math.pi / 2
_NUMBA = """\
from numba import config, njit, types
from numba.extending import intrinsic
"""
_PLAIN_NJIT = """
class config:
    DISABLE_JIT = True


def njit(*signature, **options):
    return signature[0] if signature and callable(signature[0]) else lambda function: function
"""


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
    return Joint(
        "prismatic" if slides else "revolute",
        d=d,
        a=a,
        alpha=float(draw.choice([0.0, HALF, -HALF, HALF, -HALF, math.pi, draw.uniform(-3, 3)])),
        offset=float(draw.choice([0.0, 0.0, HALF, draw.uniform(-3, 3)])),
        limits=(-0.9, 1.3) if slides else None,
    )


def interpreted(source: str) -> ModuleType:
    """Return generated code as a module that Python runs itself, a thousand times as slow."""
    module = ModuleType("interpreted")
    assert _NUMBA in source
    text = source.replace(_NUMBA, _PLAIN_NJIT)
    # numpy's root keeps numpy's numbers, which divide by zero as compiled code does
    text = text.replace("from math import sqrt", "from numpy import sqrt")
    exec(compile(text, "kernels.py", "exec"), module.__dict__)
    return module
