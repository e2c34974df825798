"""``armwerk together``: several arms from start to goal at once, clear of each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwerk.cli.arm_options import OpenMeshesOption
from armwerk.cli.console import (
    add_column,
    add_row,
    err,
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
    check_pictures,
    distance_json,
    write_pictures,
)
from armwerk.cli.output_options import JsonOption, MillimetresOption
from armwerk.cli.plan import NO_PATH
from armwerk.cli.units import Units

if TYPE_CHECKING:
    from armwerk.collision.motion_check import Verdict
    from armwerk.planning.paths.together import MotionsTogether


def together(
    file: Annotated[
        Path, typer.Argument(help="Arms with bases, starts and goals, and bodies, .toml.")
    ],
    seconds: Annotated[float, typer.Option("--seconds", help="Time limit [s].")] = 30.0,
    seed: Annotated[int, typer.Option("--seed", help="For what is random, 0 or more.")] = 0,
    margin: Annotated[
        float,
        typer.Option(
            "--margin", help="Distance to keep from bodies and other arms [m, or mm with --mm]."
        ),
    ] = 0.0,
    begin: StartOption = 0.0,
    within: Annotated[
        float, typer.Option("--within", help="Time the motions may take, waits included [s].")
    ] = 60.0,
    millimetres: MillimetresOption = False,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="FOLDER", help="Write the motion of each arm there, NAME.csv."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw them where they are nearest, .png, .svg."
        ),
    ] = None,
    video: VideoOption = None,
    moments: MomentsOption = None,
    open_meshes: OpenMeshesOption = "refuse",
    as_json: JsonOption = False,
) -> None:
    """Find motions of several arms at once that touch nothing, each other included.

    The file names the arms, where they stand, their starts and goals, and the bodies around them,
    standing or moving; docs/planning.md shows one. All motions begin together; an arm that is
    there earlier stands and waits. Each is proved free of all the others. When none are found
    within the time, the exit code is 1.

    \b
    Examples:
      armwerk together swap.toml
      armwerk together swap.toml --margin 0.005 --save motions --video swap.gif
    """
    from armwerk.errors import PlanningError
    from armwerk.planning.paths.together_file import ArmsTogether

    units = Units(millimetres=millimetres)
    check_pictures(video, moments)
    check_pictures(None, plot)
    task = ArmsTogether.load(file, open_meshes)
    try:
        with working("planning (the first run on a machine compiles kernels, once)"):
            keep = margin / units.scale("prismatic")
            found = task.find(seconds, seed, margin=keep, within=within, start=begin)
            verdicts = found.check()
    except PlanningError as error:
        err().print(f"armwerk: {error}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(NO_PATH) from None
    if as_json:
        put_json(_json(found, verdicts))
    else:
        _show(found, verdicts, units)
    _write(found, save, plot, as_json)
    if video is not None or moments is not None:
        write_pictures(found.picture(), video, moments, as_json)


def _show(found: MotionsTogether, verdicts: tuple[Verdict, ...], units: Units) -> None:
    beside = _beside(found)
    shown = table(
        f"{len(found.arms)} arms: {found.duration:.4f} s",
        caption="smallest distances, and when",
    )
    add_column(shown, "arm")
    add_column(shown, "takes [s]", number=True)
    for what in ("anything", "what moves"):
        add_column(shown, f"to {what} [{units.length}]", number=True, wrap=True)
        add_column(shown, "at [s]", number=True)
        add_column(shown, "between", wrap=True)
    for arm, trajectory, one, two in zip(
        found.arms, found.trajectories, verdicts, beside, strict=True
    ):
        cells: list[str] = []
        for verdict in (one, two):
            near = verdict.distance
            cells += [
                f"{near.value * units.scale('prismatic'):.4g}",
                f"{verdict.time:.3f}",
                f"{near.part}, {near.body}",
            ]
        add_row(shown, arm.name, f"{trajectory.duration:.3f}", *cells)
    put(shown, f"found {found.method} in {found.seconds:.2f} s")


def _beside(found: MotionsTogether) -> tuple[Verdict, ...]:
    """Return how near each arm comes to what moves, the other arms included."""
    from armwerk.collision.motion_check import nearest_moving

    motions = found.motions
    return tuple(
        nearest_moving(
            one.trajectory,
            one.checker,
            [*found.moving, *(other for other in motions if other is not one)],
            found.start,
        )
        for one in motions
    )


def _json(found: MotionsTogether, verdicts: tuple[Verdict, ...]) -> dict[str, object]:
    arms = [
        {
            "name": arm.name,
            "duration": trajectory.duration,
            "free": verdict.free,
            "smallest_distance": distance_json(verdict),
            "smallest_distance_to_moving": distance_json(near),
        }
        for arm, trajectory, verdict, near in zip(
            found.arms, found.trajectories, verdicts, _beside(found), strict=True
        )
    ]
    return {
        "method": found.method,
        "order": [found.arms[k].name for k in found.order],
        "seconds": found.seconds,
        "start": found.start,
        "duration": found.duration,
        "arms": arms,
    }


def _write(found: MotionsTogether, folder: Path | None, plot: Path | None, quiet: bool) -> None:
    if folder is not None:
        for arm, trajectory in zip(found.arms, found.trajectories, strict=True):
            written = trajectory.save(folder / f"{arm.name}.csv")
            if not quiet:
                put(f"trajectory: {written}")
    write_picture(found.plot, plot, quiet)
