"""Seeded planning problems among boxes, for tests, benchmarks and trying things out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies
from armwerk.collision.checker import Checker
from armwerk.geometry import Box, rotation_exp
from armwerk.modelling import model
from armwerk.robot.arm import Arm

BOXES = 12
_TRIES = 2000
_ALONG = np.linspace(0.0, 1.0, 200)


class BoxProblem(NamedTuple):
    """An arm among boxes that shall go from one configuration to another.

    Args:
        arm: The arm.
        bodies: Boxes around it.
        q0: Start, free. Shape (n,).
        q1: Goal, free. Shape (n,).
    """

    arm: Arm
    bodies: Bodies
    q0: Array
    q1: Array


def box_problem(arm: Arm, seed: int, boxes: int = BOXES) -> BoxProblem:
    """Return a problem that looks the same for the same seed.

    Boxes turned at random stand where the tool gets to, but not on the arm's base. Start and goal
    are free, within the limits and half a turn, and the straight line between them is blocked. Not
    every problem has a solution.

    Args:
        arm: A serial arm.
        seed: Any whole number from 0 on.
        boxes: How many.
    """
    rng = np.random.default_rng(seed)
    size = float(model(arm).reach(2000).radius)
    base = arm.base[:3, 3]
    while True:
        found: list[Box] = []
        while len(found) < boxes:
            direction = rng.normal(size=3)
            direction /= np.linalg.norm(direction)
            edges = rng.uniform(0.05, 0.3, 3) * size
            place = base + rng.uniform(0.35, 1.0) * size * direction
            if np.linalg.norm(place - base) > 0.3 * size + np.linalg.norm(edges) / 2:
                turn = rotation_exp(rng.normal(size=3))
                found.append(Box(tuple(edges), place, turn))
        bodies = Bodies(found)
        low, high = np.clip(arm.limits, -np.pi, np.pi).T
        tried = rng.uniform(low, high, (_TRIES, arm.dof))
        checker = Checker(arm, bodies)
        free = tried[~checker.contacts(tried)]
        for goal in free[1:]:
            if checker.contacts(free[0] + _ALONG[:, None] * (goal - free[0])).any():
                return BoxProblem(arm, bodies, free[0], goal)
