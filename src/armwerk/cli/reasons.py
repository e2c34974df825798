"""Why a pose has no solution, as far as it can be said honestly."""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.cli.solutions import Solutions
from armwerk.planning.reachability.extent import is_bounded, largest, shoulder
from armwerk.robot.arm import Arm

_MARGIN = 0.003  # [m], what sampling may miss of a reach


def why_none(found: Solutions) -> str:
    """Return a sentence without a full stop; says what was searched when no cause is sure."""
    if isinstance(found.arm, Arm) and is_bounded(found.arm):
        target = found.target if found.target.shape == (3,) else found.target[:3, 3]
        place = _out_of_place(found.arm, target)
        if place:
            return place
    searched = _searched(found)
    if not isinstance(found.arm, Arm) or not is_bounded(found.arm):
        return searched
    if found.target.shape == (3,):
        return f"the point seems to be within reach, yet it was {searched}"
    if found.arm.dof < 6:
        return (
            f"the place is within reach, but {found.arm.dof} joints cannot take every orientation"
            f" there; {searched}"
        )
    return f"the place is within reach, but not with this orientation; {searched}"


def _out_of_place(arm: Arm, target: Array) -> str:
    """Return why the place alone cannot be reached within the limits; empty when it can."""
    centre = shoulder(arm)
    name = "base" if arm.joints[0].kind == "prismatic" else "shoulder"
    away = math.dist(target, centre)  # no overflow, however far

    def distance(points: Array) -> Array:
        return np.asarray(np.linalg.norm(points - centre, axis=1))

    far = largest(arm, distance)
    if away > far + _MARGIN:
        distance_words = f"{away:.2f}" if away < 1e6 else f"{away:.1e}"
        return (
            f"out of reach: {distance_words} m from the {name}, the arm reaches about {far:.2f} m"
        )
    close = -largest(arm, lambda points: -distance(points))
    if away < close - _MARGIN:
        return (
            f"too close: {away:.2f} m from the {name}, the tool comes no nearer than about"
            f" {close:.2f} m"
        )
    miss = -largest(arm, lambda points: -np.linalg.norm(points - target, axis=1))
    if miss > 0.01:
        return f"out of reach: within the joint limits the tool stays about {miss:.2f} m away"
    return ""


def _searched(found: Solutions) -> str:
    """Return how hard was looked, and how near the search came."""
    if not isinstance(found.arm, Arm):
        return "the closed chains of this assembly do not lead there"
    is_point = found.target.shape == (3,)
    search = found.model.solve(found.target, found.near, "position" if is_point else "pose")
    if search.method == "closed":
        return "the closed form has no real branch there"
    miss = f"{1000 * search.residual_position:.3g} mm"
    miss += f" and {np.rad2deg(search.residual_rotation):.3g} deg"
    times = f"in {search.restarts} restarts, " if search.restarts else ""
    return f"not found by the {search.method} search, {times}which came within {miss}"
