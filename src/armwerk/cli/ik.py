"""``armwerk ik``: every joint configuration that brings the tool to a pose.

Why a pose has none is said as far as it can be said honestly.
"""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from armwerk.arrays import Array
from armwerk.cli.arguments import goal, joint_values
from armwerk.cli.arm_options import ArmArgument, PartOfPose, TaskOption, TipOption, with_tip
from armwerk.cli.console import check_files, put, put_json, working
from armwerk.cli.output_options import JsonOption, MillimetresOption, RadiansOption
from armwerk.cli.solutions import Solutions, solutions_json, solutions_table, solve
from armwerk.cli.units import Units
from armwerk.mechanics.extent import is_bounded, largest, millimetre_hint, shoulder
from armwerk.robot.arm import Arm

NO_SOLUTION = 1
_MARGIN = 0.003  # [m], what sampling may miss of a reach


class SolutionMethod(StrEnum):
    """How the inverse kinematics is solved."""

    pref = "pref"
    closed = "closed"
    general = "general"
    numeric = "numeric"
    jacobian = "jacobian"
    simplex = "simplex"


def ik(
    name: ArmArgument,
    pose: Annotated[
        str,
        typer.Option(
            "--pose",
            metavar='"x y z a b c"',
            help="Tool pose: place [m], then angles [deg] a about z, b about y', c about x''.",
        ),
    ],
    near: Annotated[
        str | None,
        typer.Option(
            "--near",
            metavar='"q1 ... qn"',
            help="Joint values [deg, m] to measure the nearest solution from. Without it: 0.",
        ),
    ] = None,
    method: Annotated[
        SolutionMethod,
        typer.Option("--ik", "--method", help="How: pref takes the best one the arm has."),
    ] = SolutionMethod.pref,
    configuration: Annotated[
        str | None,
        typer.Option(
            "--configuration",
            metavar="WORDS",
            help='Only solutions with these words in their names, "left up" say; shows the names.',
        ),
    ] = None,
    names: Annotated[
        bool, typer.Option("--names", help="Show the names of the solutions: arm, elbow, wrist.")
    ] = False,
    radians: RadiansOption = False,
    millimetres: MillimetresOption = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw all solutions, .png or .svg."),
    ] = None,
    task: TaskOption = PartOfPose.pose,
    tip: TipOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find every joint configuration that brings the tool to a pose.

    The pose is in metres and degrees, in world coordinates; the angles are Z-Y'-X'': a about z,
    then b about the new y, then c about the new x. "x y z" alone leaves the orientation free, and
    --task says which part counts for an arm that cannot take every pose. Where
    joints can move together without leaving the pose or point, there are infinitely many solutions:
    that is said, with the joints, and those nearest to --near are shown. Joints that move nothing
    of it, such as fingers, stay where --near says. Exit code 1 when there is none.

    \b
    Examples:
      armwerk ik puma560 --pose "0.5 0.15 0.8 0 90 0"
      armwerk ik ur5e --pose "400 200 300 180 0 180" --mm --near "0 -90 90 0 0 0"
      armwerk ik puma560 --pose "0.5 0.15 0.8 0 90 0" --configuration "left up"
      armwerk ik simple_arm --pose "0.3 0.1 0.2"
      armwerk ik five_axis --pose "0.4 0 0.3 0 90 0" --task direction
      armwerk ik panda --pose "0.4 0 0.5 180 0 180" --ik numeric --plot panda.png
    """
    from armwerk.robot import load

    units = Units(degrees=not radians, millimetres=millimetres)
    check_files(plot, None)
    arm = load(with_tip(name, tip))
    target = goal(pose, units)
    start = None if near is None else joint_values(near, arm, units, "--near")
    with working("solving (the first run on a machine compiles kernels, once)"):
        words = "" if names and configuration is None else configuration
        found = solve(arm, target, method.value, start, words, task.value)
    _report(found, units, as_json)
    if plot is not None and len(found.q):
        _plot(found, plot, quiet=as_json)
    if not len(found.q):
        raise typer.Exit(NO_SOLUTION)


def _report(found: Solutions, units: Units, as_json: bool) -> None:
    reason = "" if len(found.q) else why_none(found)
    if as_json:
        put_json(solutions_json(found, reason))
    elif reason:
        put(f"no solution for {found.arm.name}: {reason}")
    else:
        put(solutions_table(found, units))


def _plot(found: Solutions, path: Path, quiet: bool) -> None:
    with working("drawing"):
        from armwerk.pictures import draw_arm
        from armwerk.pictures.arm import MOST

        title = f"{found.arm.title or found.arm.name}: {_count(len(found.q))}"
        written = draw_arm(found.model, np.atleast_2d(found.q[:MOST]), path, title=title)
    if not quiet:
        put(f"picture: {written}")


def _count(number: int) -> str:
    return "one solution" if number == 1 else f"{number} solutions of one pose"


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
    if found.arm.dof < 6 and found.task == "pose":
        return (
            f"the place is within reach, but {found.arm.dof} joints cannot take every orientation"
            f" there; {searched}{_other_task(found)}"
        )
    return f"the place is within reach, but not with this orientation; {searched}"


def _other_task(found: Solutions) -> str:
    """Return which part of the pose the arm can meet instead, to be put behind other words."""
    from armwerk.mechanics.serial import SerialModel  # it loads kernels

    if not isinstance(found.model, SerialModel) or found.model.task == "pose":
        return ""
    count = len(found.model.ik(found.target, task="auto"))
    return f"; --task {found.model.task} has {count} solutions" if count else ""


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
        hint = millimetre_hint(arm, np.asarray(target))
        return (
            f"out of reach: {distance_words} m from the {name}, the arm reaches about {far:.2f} m"
            + (f"{hint} unless --mm is given" if hint else "")
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
