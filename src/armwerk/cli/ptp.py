"""``armwerk ptp``: plan a motion from joint values to joint values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armwerk.motion.trajectory.summary import Summary
    from armwerk.robot import Arm, Assembly

from typing import Annotated

import typer
from rich.table import Table

from armwerk.cli.arguments import joint_values, solids_of
from armwerk.cli.arm_options import (
    ArmArgument,
    DrivesOption,
    MaxAccelerationOption,
    MaxJerkOption,
    MaxVelocityOption,
    SrdfOption,
    TipOption,
    limits_of,
    with_tip,
)
from armwerk.cli.console import add_column, add_row, check_files, put, put_json, table, write_files
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
from armwerk.motion.options import Profile, Sync


def ptp(
    name: ArmArgument,
    start: Annotated[
        str, typer.Option("--from", metavar='"q1 ... qn"', help="Joint values [deg, m].")
    ],
    goal: Annotated[
        str, typer.Option("--to", metavar='"q1 ... qn"', help="Joint values [deg, m].")
    ],
    sync: Annotated[
        Sync | None,
        typer.Option(
            "--sync",
            help="async: each axis as quick as it can; sync: all arrive together; full: on the "
            "straight line of joint space. Without it: as the arm is described.",
        ),
    ] = None,
    profile: Annotated[
        Profile | None,
        typer.Option("--profile", help="Of the acceleration. Without it: as described."),
    ] = None,
    v0: Annotated[
        str | None,
        typer.Option("--v0", metavar='"v1 ... vn"', help="Start velocity [deg/s, m/s]."),
    ] = None,
    v1: Annotated[
        str | None,
        typer.Option("--v1", metavar='"v1 ... vn"', help="End velocity [deg/s, m/s]."),
    ] = None,
    speed: Annotated[
        float, typer.Option("--speed", help="Share of the velocity limits, up to 1.")
    ] = 1.0,
    acceleration: Annotated[
        float,
        typer.Option("--acceleration", help="Share of the acceleration and jerk limits, up to 1."),
    ] = 1.0,
    duration: Annotated[
        float | None, typer.Option("--duration", help="Wished duration [s]. Without it: shortest.")
    ] = None,
    drives: DrivesOption = False,
    max_velocity: MaxVelocityOption = None,
    max_acceleration: MaxAccelerationOption = None,
    max_jerk: MaxJerkOption = None,
    radians: RadiansOption = False,
    millimetres: MillimetresOption = False,
    plot: CurvesOption = None,
    save: SaveOption = None,
    cycle: CycleOption = None,
    safety: SafetyOption = None,
    tip: TipOption = None,
    srdf: SrdfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plan the quickest motion between two joint positions within every limit.

    Joint values are degrees for turning joints and metres for sliding ones. The table shows how
    near each axis comes to its limits; the star marks the axis that decides the duration.

    \b
    Examples:
      armwerk ptp puma560 --from "0 0 0 0 0 0" --to "90 -45 30 0 60 0"
      armwerk ptp puma560 --from "0 0 0 0 0 0" --to "90 -45 30 0 60 0" --sync full --plot ptp.png
      armwerk ptp scara --from "0 0 0 0" --to "60 -40 0.1 90" --profile sine --save ptp.csv
      armwerk ptp puma560 --from "0 0 0 0 0 0" --to "90 -45 30 0 60 0" --drives
      armwerk ptp robot.urdf --from "0 0 0 0 0 0" --to "90 -45 30 0 60 0" --max-acceleration 400
    """
    from armwerk.motion import ptp as plan
    from armwerk.robot import load

    units = Units(degrees=not radians, millimetres=millimetres)
    check_files(plot, save)
    arm, rules = ruled(load(with_tip(name, tip), srdf=srdf), safety)
    trajectory = plan(
        arm,
        joint_values(start, arm, units, "--from"),
        joint_values(goal, arm, units, "--to"),
        sync,
        profile,
        None if v0 is None else joint_values(v0, arm, units, "--v0"),
        None if v1 is None else joint_values(v1, arm, units, "--v1"),
        speed=speed,
        acceleration=acceleration,
        duration=duration,
        limits=limits_of(arm, units, max_velocity, max_acceleration, max_jerk),
        drives=drives,
    )
    if rules is not None:
        trajectory = rules.slowed(trajectory, arm, shapes=solids_of(arm, None))
    summary = trajectory.summary()
    if as_json:
        put_json(_json(summary))
    else:
        put(_table(summary, arm, units), *(f"notice: {notice}" for notice in summary.notices))
    write_files(trajectory, plot, save, cycle, as_json)


def _table(summary: Summary, arm: Arm | Assembly, units: Units) -> Table:
    shown = table(
        f"{arm.title or arm.name}: {summary.duration:.4f} s",
        caption="* decides the duration; peaks in per cent of the limits",
    )
    add_column(shown, "joint")
    for heading in ("unit u", "travel [u]", "arrives [s]", "top speed [u/s]"):
        add_column(shown, heading, number=True, wrap=True)
    for heading in ("velocity [%]", "acceleration [%]", "jerk [%]"):
        add_column(shown, heading, number=True, wrap=True)
    for index, joint in enumerate(summary.names):
        kind = "prismatic" if summary.units[index] == "m" else "revolute"
        scale = units.scale(kind)
        add_row(
            shown,
            f"{joint} *" if index == summary.leading else joint,
            units.name(kind),
            units.text(summary.travel[index], kind, fixed=True),
            f"{summary.arrivals[index]:.4f}",
            short(summary.peaks[index, 0] * scale),
            *(f"{100 * share:.1f}" for share in summary.fractions[index]),
        )
    return shown


def _json(summary: Summary) -> dict[str, object]:
    axes = []
    for index, name in enumerate(summary.names):
        velocity, acceleration, jerk = summary.peaks[index].tolist()
        shares = summary.fractions[index].tolist()
        axes.append(
            {
                "name": name,
                "unit": summary.units[index],
                "travel": float(summary.travel[index]),
                "arrives": float(summary.arrivals[index]),
                "peak": {"velocity": velocity, "acceleration": acceleration, "jerk": jerk},
                "share": dict(zip(("velocity", "acceleration", "jerk"), shares, strict=True)),
            }
        )
    return {
        "duration": summary.duration,
        "leading": summary.names[summary.leading],
        "axes": axes,
        "notices": [str(notice) for notice in summary.notices],
    }
