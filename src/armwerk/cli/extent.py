"""How far an arm reaches, in words."""

from __future__ import annotations

from armwerk.cli.units import plain
from armwerk.planning.reachability.extent import largest, tool_reach
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly


def reach_words(arm: Arm | Assembly) -> str:
    """Return the reach as a sentence for people."""
    value = tool_reach(arm)
    if value is None:
        symbols = ", ".join(getattr(arm, "symbols", ()))
        return f"unknown while {symbols} have no numbers" if symbols else "unbounded"
    origin = "the axis of the body"
    if isinstance(arm, Arm):
        origin = "the base" if arm.joints[0].kind == "prismatic" else "the first axis"
    top = largest(arm, lambda points: points[:, 2])
    low = -largest(arm, lambda points: -points[:, 2])
    heights = f"tool heights from {plain(low, 2, True)} to {plain(top, 2, True)} m"
    if top - low < 0.005:
        heights = f"at height {plain(top, 2, True)} m"
    return f"about {value:.2f} m from {origin}, {heights}"
