"""Arms with coupled joints for tests: a parallelogram, shafts inside each other, a level flange."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
from numpy.typing import NDArray

import armwerk as aw

Array = NDArray[np.float64]
H = pi / 2


def parallelogram(elbow: tuple[float, float] | None = (-1.05, 1.22), name: str = "rods") -> aw.Arm:
    """Return a six-axis arm whose forearm is driven from the base."""
    link = aw.Link(12.0, (-0.2, 0.01, 0.02), (0.1, 0.3, 0.3, 0.01, 0.0, 0.02))
    small = aw.Link(3.0, (0.0, 0.02, 0.01), (0.02, 0.02, 0.01, 0.0, 0.0, 0.0))
    return aw.Arm.from_dh(
        [
            aw.Joint("revolute", 0.615, 0.1, -H, limits=(-pi, pi), name="A1", link=link),
            aw.Joint(
                *("revolute", 0.0, 0.705, 0.0, -H),
                limits=(-1.745, 1.92),
                name="A2",
                link=link,
                armature=7.0,
            ),
            aw.Joint(
                *("revolute", 0.0, 0.135, -H),
                limits=(-1.047, 1.134),
                name="A3",
                link=link,
                armature=5.0,
                coupling=aw.Coupling({"A2": -1.0}, limits=elbow),
            ),
            aw.Joint("revolute", 0.755, 0.0, H, limits=(-3.49, 3.49), name="A4", link=small),
            aw.Joint("revolute", 0.0, 0.0, -H, limits=(-2.09, 2.09), name="A5", link=small),
            aw.Joint("revolute", 0.085, limits=(-6.98, 6.98), name="A6", link=small),
        ],
        name=name,
    )


def wrist() -> aw.Arm:
    """Return the same arm without rods, its wrist driven by shafts inside each other."""
    joints = list(parallelogram(name="shafts").joints)
    joints[2] = replace(joints[2], limits=(-1.2, 1.3), coupling=None)
    joints[4] = replace(joints[4], coupling=aw.Coupling({"A4": 0.0139}))
    joints[5] = replace(joints[5], coupling=aw.Coupling({"A4": 0.013, "A5": -0.18}))
    return aw.Arm.from_dh(joints, name="shafts")


def palletiser() -> aw.Arm:
    """Return a four-axis arm with a flange that rods keep level."""
    link = aw.Link(20.0, (-0.4, 0.0, 0.0), (0.5, 2.0, 2.0, 0.0, 0.0, 0.0))
    level = aw.Coupling({"A3": -1.0}, driven=False, limits=(-2.1, 0.4))
    return aw.Arm.from_dh(
        [
            aw.Joint("revolute", 0.8, 0.3, -H, limits=(-pi, pi), name="A1", link=link),
            aw.Joint("revolute", 0.0, 1.28, 0.0, -H, limits=(-0.74, 1.49), name="A2", link=link),
            aw.Joint(
                *("revolute", 0.0, 1.35, 0.0, H),
                limits=(-0.35, 2.1),
                name="A3",
                link=link,
                coupling=aw.Coupling({"A2": -1.0}, limits=(-1.54, 1.31)),
            ),
            aw.Joint("revolute", 0.0, 0.22, -H, name="level", link=link, coupling=level),
            aw.Joint("revolute", 0.2, limits=(-5.2, 5.2), name="A6", armature=0.5, link=link),
        ],
        name="palletiser",
    )


ARMS = {arm.name: arm for arm in (parallelogram(), wrist(), palletiser())}


def inside(arm: aw.Arm, count: int, seed: int = 3) -> Array:
    """Return axis values within all limits."""
    low, high = arm.limits.T
    rows = np.random.default_rng(seed).uniform(low, high, (20 * count, arm.dof))
    kept: Array = rows[arm.keeps_limits(rows)][:count]
    assert len(kept) == count
    return kept
