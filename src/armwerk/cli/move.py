"""``armwerk move``: plan the motion of a table of trajectories."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armwerk.collision.bodies import Bodies
    from armwerk.collision.bodies_around import BodiesAround
    from armwerk.mechanics.interface import ArmModel
    from armwerk.motion import Trajectory
    from armwerk.motion.table import Table as MotionTable
    from armwerk.motion.trajectory.summary import Notice, Summary
    from armwerk.robot import Arm, Assembly
    from armwerk.stations import Station

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from armwerk.cli.arguments import joint_values
from armwerk.cli.arm_options import (
    DrivesOption,
    MaxAccelerationOption,
    MaxJerkOption,
    MaxVelocityOption,
    OpenMeshesOption,
    SrdfOption,
    TipOption,
    limits_of,
    with_tip,
)
from armwerk.cli.console import (
    add_column,
    add_row,
    check_files,
    put,
    put_json,
    table,
    working,
    write_files,
)
from armwerk.cli.moving_options import (
    MomentsOption,
    StartOption,
    VideoOption,
    bodies_around,
    check_pictures,
    distance_json,
    moving_words,
    write_pictures,
)
from armwerk.cli.output_options import (
    CurvesOption,
    CycleOption,
    JsonOption,
    MillimetresOption,
    RadiansOption,
    SaveOption,
)
from armwerk.cli.safety_option import SafetyOption, ruled
from armwerk.cli.units import Units, short
from armwerk.errors import UnsupportedError
from armwerk.motion.options import OrientationKind, Profile

TOUCHES = 1  # exit code of a motion that touches a body
RATES = ("velocity", "acceleration", "jerk")


def move(
    file: Annotated[Path, typer.Argument(help="Table of trajectories, .toml or .csv.")],
    arm: Annotated[
        str,
        typer.Option(
            "--arm",
            help="Name from the library, a .toml, .xml, .urdf, .xacro or MJCF file, or a robot of "
            "an installed package, rtb-data:irb140.",
        ),
    ],
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar='"q1 ... qn"',
            help="Joint values [deg, m] the arm stands at. Without it: the most sensible that fit.",
        ),
    ] = None,
    near: Annotated[
        str | None,
        typer.Option(
            "--near",
            metavar='"q1 ... qn"',
            help="Without --from: start with the solution nearest to these joint values [deg, m].",
        ),
    ] = None,
    bodies: Annotated[
        Path | None,
        typer.Option(
            "--bodies",
            metavar="FILE",
            help="Bodies the arm must not touch, standing and moving, .toml; see plan.",
        ),
    ] = None,
    begin: StartOption = 0.0,
    profile: Annotated[
        Profile | None,
        typer.Option("--profile", help="Of the acceleration. Without it: as in the file."),
    ] = None,
    orientation: Annotated[
        OrientationKind | None,
        typer.Option(
            "--orientation",
            help="Of the tool along all rows: free lets it turn as the arm likes, direction keeps "
            "its z axis. Without it: as the rows say, as far as the arm can.",
        ),
    ] = None,
    optimal: Annotated[
        bool | None,
        typer.Option(
            "--optimal/--no-optimal",
            help="Look for the last per cent of the least time, or for none of it. Without it: for "
            "all but one or two per cent, which costs little computing.",
        ),
    ] = None,
    drives: DrivesOption = False,
    wrist: Annotated[
        float,
        typer.Option(
            "--wrist",
            help="Angle [deg] by which the tool's orientation may differ where a wrist passes its "
            "singularity straight. 0: not at all.",
        ),
    ] = 0.0,
    max_velocity: MaxVelocityOption = None,
    max_acceleration: MaxAccelerationOption = None,
    max_jerk: MaxJerkOption = None,
    radians: RadiansOption = False,
    millimetres: MillimetresOption = False,
    plot: CurvesOption = None,
    save: SaveOption = None,
    points: Annotated[
        Path | None,
        typer.Option(
            "--points",
            metavar="FILE",
            help="Write the interpolated points, .csv: place, inclination, speed, time, joints.",
        ),
    ] = None,
    cycle: CycleOption = None,
    video: VideoOption = None,
    moments: MomentsOption = None,
    open_meshes: OpenMeshesOption = "refuse",
    safety: SafetyOption = None,
    tip: TipOption = None,
    srdf: SrdfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plan the motion of a table of trajectories within every limit of tool and joints.

    A row of the table is a line, a circle, a Bézier curve, a spline or a motion of the joints, with
    its goal, the inclination of the tool, its speed and its blend radius; docs/motion.md shows the
    files. The star marks the axis nearest to its limits. Places where an axis holds the tool back
    are listed below.

    Without --from the arm begins with the most sensible solution of the table's start: within the
    limits, touching none of the --bodies, above the floor, away from singularities, and of those
    left the nearest to zero, or to --near. The line "start" says which was taken and why. With
    --bodies the whole motion is checked, to the last hair; exit code 1 when it touches one. Near
    them it is slowed down as the table says (near, near_speed, far, far_speed) and --safety too.
    Bodies that move are where they are at each moment; --start says when the motion begins on
    their clock.

    \b
    Examples:
      armwerk move table.toml --arm five_axis
      armwerk move table.toml --arm ur5e --near "0 -90 90 0 90 0" --bodies cell.toml
      armwerk move table.toml --arm simple_arm --orientation free
      armwerk move table.toml --arm ur5e --optimal
      armwerk move table.toml --arm irb140 --wrist 1
      armwerk move table.csv --arm puma560 --plot move.png --save move.csv --cycle 0.004
      armwerk move table.toml --arm five_axis --bodies belt.toml --start 1.5 --moments move.png
    """
    from armwerk.collision.checker import Checker
    from armwerk.collision.motion_check import check, nearest_moving
    from armwerk.collision.safety import SafetySettings
    from armwerk.collision.slowing import slowed
    from armwerk.collision.table_safety import says_distances, with_table
    from armwerk.modelling import model
    from armwerk.motion.table import Table as MotionTable
    from armwerk.robot import load

    units = Units(degrees=not radians, millimetres=millimetres)
    check_files(plot, save)
    check_pictures(video, moments)
    rows = MotionTable.load(file)
    described, rules = ruled(load(with_tip(arm, tip), srdf=srdf), safety)
    if start is not None and near is not None:
        raise typer.BadParameter("--near helps to choose a start, and --from gives one: take one")
    q0 = None if start is None else joint_values(start, described, units, "--from")
    close = None if near is None else joint_values(near, described, units, "--near")
    found = bodies_around(bodies, open_meshes)
    around = None if bodies is None else found.bodies
    if rules is not None:
        around = rules.with_bodies(around)
    with (
        working("planning (the first run on a machine compiles kernels, once)"),
        rows.naming_lines(),
    ):
        path = rows.path(orientation=orientation)
        if profile is not None:
            from dataclasses import replace

            chosen = replace(rows, settings=replace(rows.settings, profile=profile))
            path = chosen.path(orientation=orientation)
        limits = limits_of(described, units, max_velocity, max_acceleration, max_jerk)
        trajectory = path.plan(
            model(described),
            q0,
            cycle,
            limits,
            near=close,
            bodies=around,
            optimal=optimal,
            drives=drives,
            wrist=wrist if radians else math.radians(wrist),
        )
        verdict = None
        if around is not None:
            checker = Checker(described, around)
            verdict = check(trajectory, checker, moving=found.moving, start=begin)
    tool = tool_peaks(trajectory)
    if rules is not None or (
        verdict is not None and verdict.free and says_distances(rows.settings)
    ):
        settings = SafetySettings() if rules is None else rules.settings
        safety_of_rows = with_table(settings, rows.settings)
        trajectory = slowed(
            trajectory, described, around or (), safety_of_rows, moving=found.moving, start=begin
        )
        if verdict is not None and found.moving:  # later, everything is somewhere else
            verdict = check(trajectory, checker, moving=found.moving, start=begin)
    beside = None
    if verdict is not None and verdict.free and found.moving:
        beside = nearest_moving(trajectory, checker, found.moving, begin)
    summary = trajectory.summary()
    if as_json:
        data = summary_json(summary, tool)
        data["start"] = trajectory.sample(0.0)[0].tolist()
        if verdict is not None:
            data |= {"free": verdict.free, "check": str(verdict)}
        if beside is not None:
            data["smallest_distance_to_moving"] = distance_json(beside)
        put_json(data)
    else:
        put(summary_table(summary, described, units), tool_words(tool, units))
        put(*([] if verdict is None else [f"bodies: {verdict}"]))
        put(*([] if beside is None else [moving_words(beside, units, begin)]))
        put(*(notice_words(notice) for notice in summary.notices))
    write_files(trajectory, plot, save, cycle, as_json)
    if points is not None:
        _write_points(points, rows, trajectory, model(described), as_json)
    if video is not None or moments is not None:
        _write_pictures(described, trajectory, begin, around, found, video, moments, as_json)
    if verdict is not None and not verdict.free:
        raise typer.Exit(TOUCHES)


def _write_pictures(
    arm: Arm | Assembly,
    trajectory: Trajectory,
    begin: float,
    bodies: Bodies | None,
    found: BodiesAround,
    video: Path | None,
    moments: Path | None,
    quiet: bool,
) -> None:
    from armwerk.collision.motion_picture import MotionPicture
    from armwerk.collision.moving_body import MovingArm

    own = MovingArm(arm, trajectory, begin)
    write_pictures(MotionPicture([own], bodies or (), found.moving), video, moments, quiet)


def _write_points(
    path: Path, rows: MotionTable, trajectory: Trajectory, numbers: ArmModel, quiet: bool
) -> None:
    """Write the list of points that the rows of the table ask for."""
    from armwerk.files import write_text
    from armwerk.operation.points import points_csv, table_points

    found = table_points(rows, trajectory, numbers)
    write_text(
        path, points_csv(found, [f"{joint.name} [{joint.unit}]" for joint in numbers.arm.moving])
    )
    if not quiet:
        put(f"points: {path} ({len(found)})")


def notice_words(notice: Notice) -> str:
    """Return a notice as it stands below a table."""
    return str(notice) if notice.segment == "start" else f"notice: {notice}"


def tool_peaks(trajectory: Trajectory) -> dict[str, float]:
    """Return the largest speeds and accelerations of the tool [m/s, m/s², rad/s, rad/s²]."""
    from armwerk.motion.pieces.piece import looks
    from armwerk.motion.retiming.time_run import PathPiece

    peaks = np.zeros((2, 2))
    for piece in trajectory.pieces:
        if not isinstance(piece, PathPiece):
            raise UnsupportedError("how the tool moves is known of pieces of a planned path only")
        for times in looks(piece.duration):
            _, motion = piece.states(times)
            for order in range(2):
                for group in range(2):
                    size = np.linalg.norm(motion[:, order, 3 * group : 3 * group + 3], axis=1)
                    peaks[order, group] = max(peaks[order, group], float(size.max()))
    return {
        "speed": float(peaks[0, 0]),
        "acceleration": float(peaks[1, 0]),
        "rotation_speed": float(peaks[0, 1]),
        "rotation_acceleration": float(peaks[1, 1]),
    }


def tool_words(tool: dict[str, float], units: Units) -> str:
    """Return the largest speeds and accelerations of the tool as a sentence."""
    length, angle = units.scale("prismatic"), units.scale("revolute")
    return (
        f"tool: up to {short(tool['speed'] * length)} {units.length}/s and "
        f"{short(tool['acceleration'] * length)} {units.length}/s², "
        f"{short(tool['rotation_speed'] * angle)} {units.angle}/s and "
        f"{short(tool['rotation_acceleration'] * angle)} {units.angle}/s²"
    )


def summary_table(summary: Summary, arm: Arm | Assembly | Station, units: Units) -> Table:
    """Return a motion as a table, one row for each axis."""
    shown = table(
        f"{arm.title or arm.name}: {summary.duration:.4f} s",
        caption="* nearest to its limits; peaks in per cent of the limits",
    )
    add_column(shown, "joint")
    for heading in ("unit u", "travel [u]", "top speed [u/s]"):
        add_column(shown, heading, number=True, wrap=True)
    for rate in RATES:
        add_column(shown, f"{rate} [%]", number=True, wrap=True)
    for index, joint in enumerate(summary.names):
        kind = "prismatic" if summary.units[index] == "m" else "revolute"
        add_row(
            shown,
            f"{joint} *" if index == summary.leading else joint,
            units.name(kind),
            units.text(summary.travel[index], kind, fixed=True),
            short(summary.peaks[index, 0] * units.scale(kind)),
            *(f"{100 * share:.1f}" for share in summary.fractions[index]),
        )
    return shown


def summary_json(summary: Summary, tool: dict[str, float]) -> dict[str, object]:
    """Return a motion as plain data in metres and radians."""
    axes = []
    for index, name in enumerate(summary.names):
        axes.append(
            {
                "name": name,
                "unit": summary.units[index],
                "travel": float(summary.travel[index]),
                "peak": dict(zip(RATES, summary.peaks[index].tolist(), strict=True)),
                "share": dict(zip(RATES, summary.fractions[index].tolist(), strict=True)),
            }
        )
    return {
        "duration": summary.duration,
        "slowest": summary.names[summary.leading],
        "axes": axes,
        "tool": tool,
        "notices": [str(notice) for notice in summary.notices],
    }
