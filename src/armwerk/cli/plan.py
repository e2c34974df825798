"""``armwerk plan``: a way from start to goal that touches nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from armwerk.cli.arguments import (
    ShapesOption,
    goal as pose_of,
    joint_values,
    kind_of,
    solids_of,
    whole_numbers,
)
from armwerk.cli.arm_options import (
    ArmArgument,
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
    err,
    progress_bar,
    put,
    put_json,
    table,
    working,
    write_picture,
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
from armwerk.cli.output_options import JsonOption, MillimetresOption, RadiansOption
from armwerk.cli.safety_option import SafetyOption, ruled
from armwerk.cli.units import Units
from armwerk.planning.options import PlannerName

if TYPE_CHECKING:
    from armwerk.arrays import Array
    from armwerk.collision.motion_check import Verdict
    from armwerk.motion.trajectory import Trajectory
    from armwerk.planning.paths.result import PlannedPath
    from armwerk.robot.arm import Arm
    from armwerk.robot.parts import Assembly

NO_PATH = 1
"""Exit code when start, goal and options are sound, but no path was found."""


def plan(
    name: ArmArgument,
    start: Annotated[str, typer.Option("--from", metavar='"q1 ... qn"', help="Start [deg, m].")],
    bodies: Annotated[
        Path | None,
        typer.Option(
            "--bodies",
            metavar="FILE",
            help="Table of the bodies around it, standing and moving, .toml.",
        ),
    ] = None,
    shapes: ShapesOption = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar='"q1 ... qn"', help="Goal [deg, m].")
    ] = None,
    pose: Annotated[
        str | None,
        typer.Option(
            "--pose",
            metavar='"x y z a b c"',
            help="Goal of the tool [m, deg], by any inverse solution; x y z alone: a point.",
        ),
    ] = None,
    planner: Annotated[
        PlannerName,
        typer.Option("--planner", help="a-star moves two joints only, see --axes."),
    ] = "rrt-connect",
    seconds: Annotated[float, typer.Option("--seconds", help="Time limit [s].")] = 10.0,
    seed: Annotated[int, typer.Option("--seed", help="One seed, one path.")] = 0,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            help="Searches of which the shortest way is taken; else 4, or 16 for detours.",
        ),
    ] = None,
    anytime: Annotated[
        bool, typer.Option("--anytime", help="Spend all of --seconds on a shorter way.")
    ] = False,
    margin: Annotated[
        float, typer.Option("--margin", help="Distance to keep from bodies [m, or mm with --mm].")
    ] = 0.0,
    begin: StartOption = 0.0,
    within: Annotated[
        float,
        typer.Option("--within", help="Time the motion may take among what moves [s]."),
    ] = 60.0,
    stay: Annotated[
        float,
        typer.Option("--stay", help="Time for which nothing that moves may touch it there [s]."),
    ] = 0.0,
    axes: Annotated[
        str, typer.Option("--axes", help="Joints that a-star moves, counted from 0.")
    ] = "0,1",
    max_velocity: MaxVelocityOption = None,
    max_acceleration: MaxAccelerationOption = None,
    max_jerk: MaxJerkOption = None,
    radians: RadiansOption = False,
    millimetres: MillimetresOption = False,
    save: Annotated[
        Path | None,
        typer.Option("--save", "--out", metavar="FILE", help="Write the trajectory, .csv or .npz."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw arm, bodies and path, .png or .svg."),
    ] = None,
    video: VideoOption = None,
    moments: MomentsOption = None,
    open_meshes: OpenMeshesOption = "refuse",
    safety: SafetyOption = None,
    tip: TipOption = None,
    srdf: SrdfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find a way from start to goal that touches nothing, and the motion along it.

    Every line of the way is proved free, not sampled. Then it is driven within the limits of the
    joints, with rounded corners, and that motion is proved free again. When no way is found
    within the time, the exit code is 1.

    Among bodies that move (docs/bodies-file.md) the arm waits, goes round them or lets them by; the
    motion is proved free at its own times. Several arms at once: armwerk together.

    \b
    Examples:
      armwerk plan ur5e --from "0 -90 90 -90 -90 0" --to "120 -60 80 -90 -90 0"
      armwerk plan ur5e --bodies cell.toml --from "0 -90 90 -90 -90 0" \\
          --pose "0.3 0.4 0.3 0 180 0" --save way.csv --plot way.png
      armwerk plan ur5e --bodies cell.toml --from "0 -90 90 -90 -90 0" \\
          --to "120 -60 80 -90 -90 0" --seconds 1 --anytime
      armwerk plan planar_rr --bodies cell.toml --from "0 0" --to "90 45" --planner a-star
      armwerk plan ur5e --bodies belt.toml --from "-50 -80 110 -120 -90 0" \\
          --to "50 -80 110 -120 -90 0" --margin 0.02 --start 2 --video crossing.gif
    """
    from armwerk.collision.motion_check import nearest_moving
    from armwerk.errors import PlanningError
    from armwerk.planning import find_path
    from armwerk.robot import load

    units = Units(degrees=not radians, millimetres=millimetres)
    check_files(plot, save)
    check_pictures(video, moments)
    arm, rules = ruled(load(with_tip(name, tip), srdf=srdf), safety)
    around = bodies_around(bodies, open_meshes)
    standing, beside = around.bodies, around.moving
    keep = margin / units.scale("prismatic")
    if rules is not None:
        standing = rules.with_bodies(standing)
        keep = max(keep, rules.settings.margin)
    q0 = joint_values(start, arm, units, "--from")
    goal = _goal(to, pose, arm, units)
    try:
        with progress_bar("planning; the first run compiles kernels, once", left=False) as progress:
            found = find_path(
                arm,
                standing,
                q0,
                goal,
                planner,
                seconds,
                seed,
                rounds=rounds,
                anytime=anytime,
                margin=keep,
                shapes=solids_of(arm, shapes),
                axes=whole_numbers(axes, "--axes"),
                progress=progress,
                limits=limits_of(arm, units, max_velocity, max_acceleration, max_jerk),
                moving=beside,
                start=begin,
                within=within,
                stay=stay,
            )
    except PlanningError as error:
        err().print(f"armwerk: {error}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(NO_PATH) from None
    with working("timing and checking the motion"):
        trajectory, verdict = found.trajectory, found.check()
        if rules is not None:
            trajectory = rules.slowed(trajectory, found.checker, moving=beside, start=begin)
            verdict = rules.check(trajectory, found.checker, moving=beside, start=begin)
        near = nearest_moving(trajectory, found.checker, beside, begin) if beside else None
    if as_json:
        put_json(_json(found, trajectory, verdict, near))
    else:
        put(_table(found, arm, units), *_words(found, trajectory, verdict, units))
        put(*([] if near is None else [moving_words(near, units, begin)]))
        put(*(f"notice: {notice}" for notice in trajectory.notices))
    _write(found, trajectory, plot, save, as_json)
    if video is not None or moments is not None:
        from armwerk.collision.motion_picture import MotionPicture
        from armwerk.collision.moving_body import MovingArm

        own = MovingArm(arm, trajectory, begin, found.checker.shapes[0])
        write_pictures(MotionPicture([own], standing, beside, keep), video, moments, as_json)


def _goal(to: str | None, pose: str | None, arm: Arm | Assembly, units: Units) -> Array:
    """Return the goal: joint values (n,), a pose (4, 4), or a point (3,)."""
    if to is not None and pose is None:
        return joint_values(to, arm, units, "--to")
    if pose is not None and to is None:
        return pose_of(pose, units)
    raise typer.BadParameter("give a goal by --to (joint values) or --pose, and not by both")


def _table(found: PlannedPath, arm: Arm | Assembly, units: Units) -> Table:
    from armwerk.planning.paths.timed_path import TimedPath

    shown = table(f"{arm.title or arm.name}: {len(found.q)} waypoints")
    add_column(shown, "", number=True)
    for joint in arm.moving:
        add_column(shown, f"{joint.name} [{units.name(kind_of(joint))}]", number=True, wrap=True)
    arrivals = found.arrivals if isinstance(found, TimedPath) else None
    if arrivals is not None:
        add_column(shown, "there at [s]", number=True, wrap=True)
    for number, row in enumerate(found.q, start=1):
        cells = [
            units.text(float(value), kind_of(joint), fixed=True)
            for value, joint in zip(row, arm.moving, strict=True)
        ]
        when = [] if arrivals is None else [f"{arrivals[number - 1]:.3f}"]
        add_row(shown, str(number), *cells, *when)
    return shown


def _words(found: PlannedPath, trajectory: Trajectory, verdict: Verdict, units: Units) -> list[str]:
    from armwerk.planning.paths.timed_path import TimedPath

    how = "in space and time" if isinstance(found, TimedPath) else f"by {found.planner}"
    lines = [
        f"found {how} in {1000 * found.seconds:.1f} ms, {found.checks} configurations looked at",
        f"motion: {trajectory.duration:.3f} s",
    ]
    near = verdict.distance
    if near.part:
        lines.append(
            f"smallest distance: {near.value * units.scale('prismatic'):.4g} {units.length}, "
            f"{near.part} to {near.body} at {verdict.time:.3f} s"
        )
    return lines


def _json(
    found: PlannedPath, trajectory: Trajectory, verdict: Verdict, beside: Verdict | None
) -> dict[str, object]:
    from armwerk.planning.paths.timed_path import TimedPath

    data: dict[str, object] = {
        "planner": found.planner,
        "seconds": found.seconds,
        "checks": found.checks,
        "rounds": found.rounds,
        "length": found.length,
        "waypoints": found.q.tolist(),
        "duration": trajectory.duration,
        "free": verdict.free,
        "smallest_distance": distance_json(verdict),
        "notices": [str(notice) for notice in trajectory.notices],
    }
    if isinstance(found, TimedPath) and beside is not None:
        data |= {
            "start": found.start,
            "arrivals": found.arrivals.tolist(),
            "smallest_distance_to_moving": distance_json(beside),
        }
    return data


def _write(
    found: PlannedPath, trajectory: Trajectory, plot: Path | None, save: Path | None, quiet: bool
) -> None:
    if save is not None:
        written = trajectory.save(save)
        if not quiet:
            put(f"trajectory: {written}")
    write_picture(found.plot, plot, quiet)
