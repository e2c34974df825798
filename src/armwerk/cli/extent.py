"""How far an arm reaches, by trying configurations within its limits; numpy only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armwerk.robot.arm import Arm

Array = NDArray[np.float64]
_TRIALS = 1200
_BEST, _CHILDREN, _ROUNDS = 8, 10, 26  # refining: survivors, trials around each, rounds
_FREE_TURN = np.pi  # [rad], half a turn either way stands for an angle without limits


def tool_points(arm: Arm, q: Array) -> Array:
    """Return the tool's places in the world for many configurations. (m, n) to (m, 3)."""
    rotation = np.broadcast_to(arm.base[:3, :3], (len(q), 3, 3))
    point = np.broadcast_to(arm.base[:3, 3], (len(q), 3))
    column = 0
    for joint in arm.joints:
        theta, d = np.full(len(q), float(joint.offset)), np.full(len(q), float(joint.d))
        if joint.is_moving:
            (theta if joint.kind == "revolute" else d)[:] += q[:, column]
            column += 1
        step, shift = _row(theta, d, float(joint.a), float(joint.alpha))
        point = point + np.einsum("mij,mj->mi", rotation, shift)
        rotation = rotation @ step
    return np.asarray(point + rotation @ arm.tool[:3, 3], dtype=np.float64)


def _row(theta: Array, d: Array, a: float, alpha: float) -> tuple[Array, Array]:
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    none = np.zeros_like(ct)
    rotation = np.stack(
        [ct, -ca * st, sa * st, st, ca * ct, -sa * ct, none, none + sa, none + ca], axis=-1
    ).reshape(-1, 3, 3)
    return rotation, np.stack([a * ct, a * st, d], axis=-1)


def is_bounded(arm: Arm) -> bool:
    """Whether the arm's reach is a number at all: no symbols, and no endless slide."""
    slides = (joint for joint in arm.moving if joint.kind == "prismatic")
    return not arm.is_symbolic and all(joint.limits is not None for joint in slides)


def largest(arm: Arm, score: Callable[[Array], Array]) -> float:
    """Return the largest score over the tool's places, found by sampling and refining.

    Args:
        arm: With `is_bounded`.
        score: From places (m, 3) [m] to numbers (m,).
    """
    random = np.random.default_rng(1)  # the same answer every time
    limits = np.where(np.isfinite(arm.limits), arm.limits, [[-_FREE_TURN, _FREE_TURN]])
    low, high = limits.T
    q = random.uniform(low, high, (_TRIALS, arm.dof))
    values = score(tool_points(arm, q))
    width = 0.25
    for _ in range(_ROUNDS):
        best = np.argsort(-values, kind="stable")[:_BEST]
        q, values = q[best], values[best]
        steps = random.normal(0.0, width, (_CHILDREN, len(q), arm.dof)) * (high - low)
        children = np.clip(q + steps, low, high).reshape(-1, arm.dof)
        q = np.vstack([q, children])
        values = np.concatenate([values, score(tool_points(arm, children))])
        width *= 0.78
    return float(values.max())


def reach(arm: Arm) -> float | None:
    """Return the farthest the tool point gets from the first axis [m]; None when unbounded.

    An arm whose first joint slides has no axis to turn about; then it is the distance from the
    base.
    """
    if not is_bounded(arm):
        return None
    origin = arm.base[:3, 3]
    along = arm.base[:3, 2] if arm.joints[0].kind != "prismatic" else np.zeros(3)

    def distance(points: Array) -> Array:
        away = points - origin
        return np.asarray(np.linalg.norm(away - np.outer(away @ along, along), axis=1))

    return largest(arm, distance)


def reach_words(arm: Arm) -> str:
    """Return the reach as a sentence for people."""
    value = reach(arm)
    if value is None:
        symbols = ", ".join(arm.symbols)
        return f"unknown while {symbols} have no numbers" if symbols else "unbounded"
    origin = "the base" if arm.joints[0].kind == "prismatic" else "the first axis"
    top = largest(arm, lambda points: points[:, 2])
    low = -largest(arm, lambda points: -points[:, 2])
    heights = f"tool heights from {low + 0.0:.2f} to {top + 0.0:.2f} m"
    if top - low < 0.005:
        heights = f"at height {top + 0.0:.2f} m"
    return f"about {value:.2f} m from {origin}, {heights}"


def shoulder(arm: Arm) -> Array:
    """Return the point of the first axis where the second joint stands, world [m]. Shape (3,)."""
    first = arm.joints[0]
    along = 0.0 if first.kind == "prismatic" else float(first.d)
    return np.asarray(arm.base[:3, 3] + along * arm.base[:3, 2], dtype=np.float64)
