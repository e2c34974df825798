"""``armwerk ik``: every joint configuration that brings the tool to a pose."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from armwerk.cli.arguments import goal, joint_values
from armwerk.cli.console import put, put_json, working
from armwerk.cli.reasons import why_none
from armwerk.cli.solutions import Solutions, solutions_json, solutions_table, solve
from armwerk.cli.units import Units

NO_SOLUTION = 1


class SolutionMethod(StrEnum):
    """How the inverse kinematics is solved."""

    pref = "pref"
    closed = "closed"
    numeric = "numeric"
    jacobian = "jacobian"
    simplex = "simplex"


def ik(
    name: Annotated[
        str, typer.Argument(help="Name from the library, or a .toml, .xml or .urdf file.")
    ],
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
        SolutionMethod, typer.Option("--method", help="pref takes the best one the arm has.")
    ] = SolutionMethod.pref,
    radians: Annotated[
        bool, typer.Option("--radians", help="Angles are given and shown in radians.")
    ] = False,
    millimetres: Annotated[
        bool, typer.Option("--mm", help="Lengths are given and shown in millimetres.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw all solutions, .png or .svg."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON, in metres and radians.")
    ] = False,
) -> None:
    """Find every joint configuration that brings the tool to a pose.

    The pose is in metres and degrees, in world coordinates; the angles are Z-Y'-X'': a about z,
    then b about the new y, then c about the new x. "x y z" alone leaves the orientation free; of
    a serial arm the solution nearest to --near is then shown. Exit code 1 when there is none.

    \b
    Examples:
      armwerk ik puma560 --pose "0.5 0.15 0.8 0 90 0"
      armwerk ik ur5e --pose "400 200 300 180 0 180" --mm --near "0 -90 90 0 0 0"
      armwerk ik simple_arm --pose "0.3 0.1 0.2"
      armwerk ik panda --pose "0.4 0 0.5 180 0 180" --method numeric --plot panda.png
    """
    from armwerk.robot import load

    units = Units(degrees=not radians, millimetres=millimetres)
    if plot is not None:
        from armwerk.pictures.file import picture_path

        picture_path(plot)
    arm = load(name)
    target = goal(pose, units)
    start = None if near is None else joint_values(near, arm, units, "--near")
    with working("solving (the first run on a machine compiles kernels, once)"):
        found = solve(arm, target, method.value, start)
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
