"""Recognises arms that have a joint too many, and says why."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from armwerk.derivation.direct import segment
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.ring import POSE_ROWS, Ring

PARALLEL = 1e-9  # sine of the angle between two directions that count as parallel
RANK = 1e-9  # singular values below this share of the largest one count as zero


def freedom(memory: Memory) -> tuple[int, str]:
    """Return how many joints are a free choice, and the reason in one sentence.

    The rank of the Jacobian at a random posture is the number of directions the tool can move
    in; every joint beyond it is redundant.
    """
    ring = memory.ring
    origins, axes = _lines(ring, memory.probes[0])
    tip = np.array([memory.probes[0][names[3]] for names in POSE_ROWS])
    columns = [
        np.concatenate([np.cross(axis, tip - origin), axis])
        if row.is_revolute
        else np.concatenate([axis, np.zeros(3)])
        for row, origin, axis in zip(ring.rows, origins, axes, strict=True)
    ]
    sizes = np.linalg.svd(np.array(columns).T, compute_uv=False)
    surplus = ring.dof - int((sizes > RANK * sizes[0]).sum())
    return surplus, _reason(ring, origins, axes, surplus) if surplus else ""


def _reason(
    ring: Ring, origins: list[NDArray[np.float64]], axes: list[NDArray[np.float64]], surplus: int
) -> str:
    many = f"{surplus} joint{'s are' if surplus > 1 else ' is'} a free choice"
    slides = [k for k, row in enumerate(ring.rows) if not row.is_revolute]
    turns = [k for k, row in enumerate(ring.rows) if row.is_revolute]
    for i, j in combinations(slides, 2):
        if np.linalg.norm(np.cross(axes[i], axes[j])) < PARALLEL and j == i + 1:
            return f"redundant: slides {i + 1} and {j + 1} are parallel, {many}"
    if len(slides) > 3:
        return f"redundant: {len(slides)} slides move the tool in three directions only, {many}"
    for group in combinations(turns, 4):
        if group[-1] - group[0] == 3 and _meet(group, origins, axes):
            names = ", ".join(str(k + 1) for k in group)
            return f"redundant: the axes {names} meet in one point, {many}"
    if ring.dof > 6:
        return f"redundant: {ring.dof} joints for the 6 freedoms of a pose, {many}"
    return f"redundant: the joints move the tool in {ring.dof - surplus} ways only, {many}"


def _meet(
    group: tuple[int, ...], origins: list[NDArray[np.float64]], axes: list[NDArray[np.float64]]
) -> bool:
    """Whether all lines of a group pass through one point."""
    projectors = [np.eye(3) - np.outer(axes[k], axes[k]) for k in group]
    left = sum(projectors)
    right = sum(p @ origins[k] for p, k in zip(projectors, group, strict=True))
    point = np.linalg.lstsq(left, right, rcond=None)[0]
    return all(
        np.linalg.norm(p @ (point - origins[k])) < PARALLEL
        for p, k in zip(projectors, group, strict=True)
    )


def _lines(
    ring: Ring, values: dict[str, float]
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    """Return a point on and the direction of every joint axis at a posture."""

    origins, axes = [np.zeros(3)], [np.array([0.0, 0.0, 1.0])]
    for joint in range(1, ring.dof):
        matrix = segment(ring, 1, joint)
        axes.append(np.array([ring.evaluate(line[2], values) for line in matrix]))
        origins.append(np.array([ring.evaluate(line[3], values) for line in matrix]))
    return origins, axes
