"""Choosing a configuration in which an arm shows itself well."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.assembly.model import AssemblyModel
from armwerk.pictures.skeleton import Skeleton, arm_skeleton
from armwerk.robot.arm import Arm

_TRIALS = 240
_STRETCHED = 0.75  # of the farthest reach: neither folded nor straight
_MOST_TURN = np.deg2rad(100.0)


def good_configuration(arm: Arm | AssemblyModel) -> Array:
    """Return joint values within the limits that show an arm bent and above the floor.

    The middle of the limits is often the arm stretched out straight, which hides its joints.
    The choice is made among the same trial values every time. Shape (n,). For a model of an
    assembly it is the middle of the motors' limits.
    """
    if not isinstance(arm, Arm):
        return np.asarray(arm.middle, dtype=np.float64)
    kinds = np.array([joint.kind == "revolute" for joint in arm.moving])
    free = np.where(kinds[:, None], [-np.pi, np.pi], [0.0, 0.5])
    limits = np.where(np.isfinite(arm.limits), arm.limits, free)
    middle, half = limits.mean(axis=1), np.diff(limits, axis=1)[:, 0] / 2
    half = np.where(kinds, np.minimum(0.8 * half, _MOST_TURN), 0.6 * half)
    trials = np.random.default_rng(3).uniform(-1.0, 1.0, (_TRIALS, arm.dof)) * half + middle
    posed = [arm_skeleton(arm, q) for q in trials]
    farthest = max(_radius(skeleton) for skeleton in posed) or 1.0
    scores = [_score(skeleton, farthest) for skeleton in posed]
    return np.asarray(trials[int(np.argmax(scores))], dtype=np.float64)


def _radius(skeleton: Skeleton) -> float:
    away = skeleton.tools[0][:2, 3] - skeleton.base[:2, 3]
    return float(np.hypot(away[0], away[1]))


def _score(skeleton: Skeleton, farthest: float) -> float:
    """Return how good a configuration looks: bent, half stretched, forwards, hand down."""
    points = (skeleton.points() - skeleton.base[:3, 3]) / skeleton.size
    tool = skeleton.tools[0]
    forwards = (tool[0, 3] - skeleton.base[0, 3]) / skeleton.size
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    below = np.minimum(points[:, 2] - 0.04, 0.0).sum()
    stretched = abs(_radius(skeleton) / farthest - _STRETCHED)
    return float(spread[1] + 3 * below - 0.8 * stretched + 0.3 * forwards - 0.2 * tool[2, 2])
