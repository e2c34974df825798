"""The tables that describe an arm: rows, limits, masses; and how far it reaches, in words."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from armwerk.arrays import Array
from armwerk.cli.arguments import kind_of
from armwerk.cli.console import add_column, add_row, table
from armwerk.cli.units import Units, plain, short
from armwerk.mechanics.extent import largest, tool_reach
from armwerk.robot.arm import Arm
from armwerk.robot.joint import FORCE_UNITS, Joint
from armwerk.robot.parts import Assembly, Motor

KINDS = {"revolute": "R turns", "prismatic": "T slides", "fixed": "fixed"}


def dh_table(arm: Arm, units: Units) -> Table:
    """Return the Denavit-Hartenberg rows with the joint variable where it acts."""
    length, angle = units.length, units.angle
    shown = table(
        "Denavit-Hartenberg rows", caption="Rot z theta, Trans z d, Trans x a, Rot x alpha"
    )
    add_column(shown, "joint")
    add_column(shown, "kind")
    for heading in (f"theta [{angle}]", f"d [{length}]", f"a [{length}]", f"alpha [{angle}]"):
        add_column(shown, heading, number=True)
    for joint in arm.joints:
        theta, d = units.text(joint.offset, "revolute"), units.text(joint.d, "prismatic")
        theta = _with_variable(theta, joint, "revolute")
        d = _with_variable(d, joint, "prismatic")
        a, alpha = units.text(joint.a, "prismatic"), units.text(joint.alpha, "revolute")
        add_row(shown, joint.name, KINDS[joint.kind], theta, d, a, alpha)
    return shown


def _with_variable(constant: str, joint: Joint, kind: str) -> str:
    if joint.kind != kind:
        return constant
    return "q" if constant == "0" else f"{constant} + q"


def couplings_table(arm: Arm, units: Units) -> Table:
    """Return which axes move each coupled joint, and between which angles it can be."""
    shown = table("Coupled joints", caption="the angle between the links, by values of the axes")
    for heading in ("joint", "angle"):
        add_column(shown, heading)
    for heading in ("unit", "min", "max"):
        add_column(shown, heading, number=True)
    for joint in arm.joints:
        if joint.coupling is None:
            continue
        angle = joint.name if joint.is_moving else ""
        for name, factor in joint.coupling.factors:
            size = "" if abs(factor) == 1.0 else f"{short(abs(factor))} "
            sign = ("- " if factor < 0.0 else "+ ") if angle else ("-" if factor < 0.0 else "")
            angle += f"{' ' if angle else ''}{sign}{size}{name}"
        low, high = joint.coupling.limits or (None, None)
        ends = (units.text(low, joint.kind), units.text(high, joint.kind))
        add_row(shown, joint.name, angle, units.name(joint.kind), *ends)
    return shown


def limits_table(joints: Sequence[Joint | Motor], units: Units) -> Table:
    """Return what each joint or motor may do, with the unit of each number beside it."""
    shown = table("Limits", caption="- no limit given")
    add_column(shown, "joint")
    headings = ("unit u", "min", "max", "velocity [u/s]", "acceleration [u/s²]")
    for heading in (*headings, "jerk [u/s³]", "force or torque"):
        add_column(shown, heading, number=True, wrap=True)
    for joint in joints:
        kind = kind_of(joint)
        if kind == "fixed":
            continue
        low, high = (None, None) if joint.limits is None else joint.limits
        rates = (joint.max_velocity, joint.max_acceleration, joint.max_jerk)
        force = "-" if joint.max_force is None else f"{short(joint.max_force)} {FORCE_UNITS[kind]}"
        add_row(
            shown,
            joint.name,
            units.name(kind),
            units.text(low, kind),
            units.text(high, kind),
            *("-" if rate is None else short(rate * units.scale(kind), 5) for rate in rates),
            force.replace(" m", "\N{NO-BREAK SPACE}m").replace(" N", "\N{NO-BREAK SPACE}N"),
        )
    return shown


def masses_table(arm: Arm, units: Units) -> Table | None:
    """Return mass and centre of mass of every link; None when no link has a mass."""
    if not any(joint.link.mass for joint in arm.joints):
        return None
    shown = table("Masses", caption="centre of mass in the frame behind the joint")
    add_column(shown, "link of")
    length = units.length
    for heading in ("mass [kg]", f"x [{length}]", f"y [{length}]", f"z [{length}]"):
        add_column(shown, heading, number=True)
    for joint in arm.joints:
        mass = joint.link.mass
        centre = (units.text(value, "prismatic") for value in joint.link.com)
        add_row(shown, joint.name, mass if isinstance(mass, str) else short(mass), *centre)
    return shown


def pose_words(transform: Array, units: Units) -> str:
    """Return a pose as "x y z [m], a b c [deg]", angles Z-Y'-X''; "none" for the identity."""
    import numpy as np

    from armwerk.geometry import pose_from_transform

    if np.array_equal(transform, np.eye(4)):
        return "none"
    x, y, z, a, b, c = (float(value) for value in pose_from_transform(transform))
    place = " ".join(units.text(value, "prismatic") for value in (x, y, z))
    turn = " ".join(units.text(value, "revolute") for value in (a, b, c))
    return f"x y z = {place} {units.length}, a b c = {turn} {units.angle}"


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
