"""``armwerk station``: an arm with a rail or a table, its axes, solutions and motions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.table import Table

from armwerk.arrays import Array
from armwerk.cli.arguments import goal, joint_values
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
from armwerk.cli.move import (
    notice_words,
    summary_json,
    summary_table,
    tool_peaks,
    tool_words,
)
from armwerk.cli.output_options import JsonOption, MillimetresOption, RadiansOption
from armwerk.cli.units import Units

if TYPE_CHECKING:
    from armwerk.stations import StationModel

NO_SOLUTION = 1
_MOMENTS = 5  # of a motion in its picture


def station(
    name: Annotated[
        str | None,
        typer.Argument(help="Shipped station, a .toml file, or an arm on a rail. None: list them."),
    ] = None,
    pose: Annotated[
        str | None,
        typer.Option(
            "--pose",
            metavar='"x y z a b c"',
            help="Tool pose on the work piece: place [m], angles [deg] Z-Y'-X''.",
        ),
    ] = None,
    external: Annotated[
        str | None,
        typer.Option(
            "--external",
            metavar="WORDS",
            help='External axes [deg, m]: "turn=30 tilt=45"; along a path also free, flat, or '
            'values at its start and each goal, "turn=0,90,180".',
        ),
    ] = None,
    near: Annotated[
        str | None,
        typer.Option(
            "--near", metavar='"q1 ... qn"', help="Values of all axes [deg, m] to be near to."
        ),
    ] = None,
    move: Annotated[
        Path | None,
        typer.Option("--move", metavar="FILE", help="Table of trajectories on the work piece."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show how poses are solved: frames, then the arm's steps."),
    ] = False,
    radians: RadiansOption = False,
    millimetres: MillimetresOption = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the station, .png or .svg.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Write the motion of --move, .csv or .npz."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show an arm with external axes; solve poses and plan paths on its work piece.

    A rail carries the arm, a table carries the work piece; poses and tables of trajectories are in
    the frame of the work piece, in metres and degrees. With --pose: every solution for the places
    of the external axes, or, with --near and without --external, the nearest with all axes. With
    --move: all axes drive the table's path together; flat keeps the tool pointing down. Exit code
    1 when there is no solution.

    \b
    Examples:
      armwerk station
      armwerk station welding_station --plot station.png
      armwerk station welding_station --pose "0.1 0 0.2 0 120 0" --external "turn=30 tilt=45"
      armwerk station kr16_rail --pose "1.2 0.5 0.9 0 90 0" --near "0 0 -90 90 0 0 0"
      armwerk station rail_station --explain
      armwerk station welding_station --move seam.toml --external flat --save seam.csv
    """
    from armwerk.stations import StationModel, load_station

    units = Units(degrees=not radians, millimetres=millimetres)
    if name is None:
        _list(as_json)
        return
    check_files(plot, save)
    if pose is not None and move is not None:
        raise typer.BadParameter("--pose asks for solutions, --move for a motion: take one")
    described = load_station(name)
    if explain:
        from armwerk.stations import derive_station

        with working("deriving"):
            words = derive_station(described).explain()
        if as_json:
            put_json({"explanation": words})
        else:
            put(words)
        return
    target = None if pose is None else goal(pose, units)
    if target is not None and target.shape != (4, 4):
        raise typer.BadParameter('--pose needs six numbers "x y z a b c" for a station')
    close = None if near is None else joint_values(near, described.chain, units, "--near")
    with working("solving (the first run on a machine compiles kernels, once)"):
        model = StationModel(described)
        given = _external(model, external, units)
    if move is not None:
        _move(model, move, given, close, units, plot, save, as_json)
        return
    if isinstance(given, str):
        raise typer.BadParameter(f'--external {given} is for --move; a pose takes "turn=30"')
    if target is not None:
        q = _solutions(model, target, given, close, units, as_json)
    else:
        home = model.chain.chain.home() if close is None else close
        start = np.array(home)
        for axis, values in given.items():
            start[model.names.index(axis)] = values[0]
        q = start[None]
        _show(model, units, as_json)
    if plot is not None and len(q):
        _draw(model, q if len(q) > 1 else q[0], plot, as_json)
    if not len(q):
        raise typer.Exit(NO_SOLUTION)


def _external(model: StationModel, text: str | None, units: Units) -> str | dict[str, list[float]]:
    """Return "free" or "flat", or values of external axes by name [rad, m]."""
    if text is None:
        return {}
    words = text.split()
    if words in (["free"], ["flat"]):
        return words[0]
    found: dict[str, list[float]] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or name not in model.external_names:
            known = ", ".join(model.external_names)
            raise typer.BadParameter(
                f"--external: '{word}' is not NAME=VALUE with a name of {known}, nor free, nor flat"
            )
        scale = units.scale(model.chain.arm.moving[model.names.index(name)].kind)
        try:
            found[name] = [float(value) / scale for value in values.split(",")]
        except ValueError:
            raise typer.BadParameter(f"--external: '{word}' needs numbers behind its =") from None
    return found


def _list(as_json: bool) -> None:
    from armwerk.stations import load_station, station_names

    stations = [load_station(one) for one in station_names()]
    if as_json:
        put_json({one.name: list(one.names) for one in stations})
        return
    shown = table("Stations", caption="an arm on a rail, kr16_rail say, is one by itself")
    for heading in ("name", "external axes", "what it is"):
        add_column(shown, heading, wrap=heading == "what it is")
    for one in stations:
        add_row(shown, one.name, ", ".join(one.external_names), one.title)
    put(shown)


def _show(model: StationModel, units: Units, as_json: bool) -> None:
    """Put the axes with their limits."""
    axes, outer = model.chain.arm.moving, len(model.external_names)
    if as_json:
        rows = [
            {"name": joint.name, "kind": joint.kind, "external": k < outer, "limits": joint.limits}
            for k, joint in enumerate(axes)
        ]
        put_json({"name": model.station.name, "axes": rows})
        return
    shown = table(
        f"{model.station.title or model.station.name}: {model.dof} axes",
        caption="in the order of joint values, from the work piece to the tool; - no limit given",
    )
    for heading in ("axis", "what it does"):
        add_column(shown, heading)
    for heading in ("unit u", "from [u]", "to [u]", "speed [u/s]"):
        add_column(shown, heading, number=True)
    turning = model.station.turning
    for k, joint in enumerate(axes):
        role = "carries the work piece" if k < turning else "carries the arm" if k < outer else ""
        low, high = joint.limits or (None, None)
        add_row(
            shown,
            joint.name,
            role or "arm",
            units.name(joint.kind),
            units.text(low, joint.kind),
            units.text(high, joint.kind),
            units.text(joint.max_velocity, joint.kind),
        )
    put(shown)


def _solutions(
    model: StationModel,
    target: Array,
    given: dict[str, list[float]],
    near: Array | None,
    units: Units,
    as_json: bool,
) -> Array:
    """Put every solution for given external axes, or the nearest of all; return them. (k, n)."""
    for axis, values in given.items():
        if len(values) != 1:
            raise typer.BadParameter(f"--external: a pose takes one value for {axis}")
    one = {axis: values[0] for axis, values in given.items()}
    if near is not None and not given:
        found = model.ik_nearest(target, near)
        q = np.empty((0, model.dof)) if found is None else found[None]
    else:
        q = model.ik(target, one, within_limits=True)
    ranges = {} if len(q) else _reaching(model, target, one)
    if as_json:
        put_json({"axes": list(model.names), "solutions": q.tolist(), "reaching": ranges})
    elif len(q):
        put(_solutions_table(model, q, units))
    else:
        put(f"no solution within the limits{_would_do(model, ranges, units)}")
    return q


def _reaching(
    model: StationModel, target: Array, given: dict[str, float]
) -> dict[str, list[list[float]]]:
    found = {name: model.reaching(target, name, given) for name in model.external_names}
    return {name: rows.tolist() for name, rows in found.items() if len(rows)}


def _would_do(model: StationModel, ranges: dict[str, list[list[float]]], units: Units) -> str:
    told = []
    for name, rows in ranges.items():
        kind = model.chain.arm.moving[model.names.index(name)].kind
        for low, high in rows:
            words = " to ".join(units.text(end, kind) for end in (low, high))
            told.append(f"{name} from {words} {units.name(kind)}")
    return f"; {', or '.join(told)} would reach it" if told else ""


def _solutions_table(model: StationModel, q: Array, units: Units) -> Table:
    shown = table(f"{model.station.title or model.station.name}: {len(q)} within the limits")
    axes = model.chain.arm.moving
    for joint in axes:
        add_column(shown, f"{joint.name} [{units.name(joint.kind)}]", number=True)
    for row in q:
        cells = zip(axes, row, strict=True)
        add_row(shown, *(units.text(float(value), joint.kind, True) for joint, value in cells))
    return shown


def _move(
    model: StationModel,
    file: Path,
    given: str | dict[str, list[float]],
    near: Array | None,
    units: Units,
    plot: Path | None,
    save: Path | None,
    as_json: bool,
) -> None:
    from armwerk.motion.table import Table as MotionTable

    choice = {axis: values if len(values) > 1 else values[0] for axis, values in given.items()} if (
        isinstance(given, dict)
    ) else given  # fmt: skip
    rows = MotionTable.load(file)
    with (
        working("planning (the first run on a machine compiles kernels, once)"),
        rows.naming_lines(),
    ):
        trajectory = model.plan(rows.path(), external=choice or "free", near=near)
    summary, tool = trajectory.summary(), tool_peaks(trajectory)
    if as_json:
        data = summary_json(summary, tool)
        data["start"] = trajectory.sample(0.0)[0].tolist()
        put_json(data)
    else:
        put(summary_table(summary, model.station, units), tool_words(tool, units))
        put(*(notice_words(notice) for notice in summary.notices))
    write_files(trajectory, None, save, None, as_json)
    if plot is not None:
        times = np.linspace(0.0, trajectory.duration, _MOMENTS)
        _draw(model, trajectory.evaluate(times).q, plot, as_json)


def _draw(model: StationModel, q: Array, path: Path, quiet: bool) -> None:
    with working("drawing"):
        from armwerk.stations import draw_station

        written = draw_station(model, q, path)
    if not quiet:
        put(f"picture: {written}")
