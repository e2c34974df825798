"""``armwerk cspace``: for which joint values does which arm part hit which body?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from armwerk.accelerator import Device
from armwerk.cli.arguments import ShapesOption, joint_values, kind_of, solids_of, whole_numbers
from armwerk.cli.arm_options import OpenMeshesOption, SrdfOption, TipOption, with_tip
from armwerk.cli.console import (
    add_column,
    add_row,
    err,
    progress_bar,
    put,
    put_json,
    table,
    working,
)
from armwerk.cli.output_options import JsonOption
from armwerk.cli.sweeping_options import BodiesOption, EngineOption
from armwerk.cli.units import Units

if TYPE_CHECKING:
    from armwerk.arrays import Array
    from armwerk.collision.bodies import Bodies
    from armwerk.collision.open_mesh import OpenMesh
    from armwerk.planning import ConfigurationSpace, ExampleProblem
    from armwerk.robot.arm import Arm
    from armwerk.robot.parts import Assembly

_ROUTE = 400  # points of a motion over a map
_QUICK = 2_000_000  # tests that take no time worth a bar


def cspace(
    name: Annotated[
        str,
        typer.Argument(
            metavar="ARM",
            help="Name from the library, a .toml, .xml, .urdf, .xacro or MJCF file, a robot of an "
            "installed package (rtb-data:irb140); or a problem: tt, rr.",
        ),
    ],
    bodies: BodiesOption = None,
    shapes: ShapesOption = None,
    axes: Annotated[
        str, typer.Option("--axes", help="Two or three joints, counted from 0.")
    ] = "0,1",
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            metavar="NxM",
            help="Number of values along each axis. Without it: 360 each, 60 with three axes.",
        ),
    ] = None,
    ranges: Annotated[
        str | None,
        typer.Option(
            "--ranges",
            metavar="LOW:HIGH,...",
            help="Of each axis [deg, m]. Without it: the limits, -180 to 180 where they are wider.",
        ),
    ] = None,
    q: Annotated[
        str | None,
        typer.Option(
            "--q", metavar='"q1 ... qn"', help="Where the other joints stand [deg, m]. Else at 0."
        ),
    ] = None,
    save: Annotated[
        list[Path] | None,
        typer.Option(
            "--save",
            "--out",
            metavar="FILE",
            help="Picture .png or .svg, bare cells .npy, everything .npz; may be given again.",
        ),
    ] = None,
    route: Annotated[
        Path | None,
        typer.Option(
            "--route",
            metavar="FILE",
            help="Draw a motion over the map, .csv or .npz, as armwerk plan --save writes it.",
        ),
    ] = None,
    clearance: Annotated[
        bool, typer.Option("--clearance", help="Draw distances to the nearest body instead.")
    ] = False,
    engine: EngineOption = "local",
    workers: Annotated[
        int | None, typer.Option("--workers", help="Without it: one thread, a process per core.")
    ] = None,
    device: Annotated[
        Device, typer.Option("--device", help="gpu: planar boxes on an accelerator.")
    ] = "cpu",
    radians: Annotated[
        bool, typer.Option("--radians", help="Angles are given in radians.")
    ] = False,
    millimetres: Annotated[
        bool, typer.Option("--mm", help="Lengths are given in millimetres.")
    ] = False,
    open_meshes: OpenMeshesOption = "refuse",
    tip: TipOption = None,
    srdf: SrdfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the configuration space of an arm: which joint values hit which body.

    Every part of the arm is tested against every body in every cell. A cell holds the sum of body
    number + 1 over the hits, 0 where it is free. The first joint runs to the right, the second
    one upwards, a third one from slice to slice; all others stand still. tt and rr are the
    problems of the practical on configuration spaces, with obstacles of our own.

    \b
    Examples:
      armwerk cspace rr --save rr.png
      armwerk cspace tt --save tt.png --save tt.npy
      armwerk cspace ur5e --bodies cell.toml --axes 0,1 --shape 360x360 --save map.png
      armwerk cspace rr --clearance --save clearance.png
      armwerk cspace planar_rr --bodies cell.toml --route way.csv --save map.png
    """
    from armwerk.planning.maps.result import checked_path

    units = Units(degrees=not radians, millimetres=millimetres)
    files = [checked_path(path) for path in save or ()]
    found = _problem(name, bodies)
    arm, around = _scene(with_tip(name, tip), srdf, bodies, open_meshes, found)
    way = _route(route, arm)
    numbers = whole_numbers(axes, "--axes")
    counts = _shape(shape, len(numbers), found)
    solids = solids_of(arm, shapes)
    from armwerk.planning import cspace as make

    held = None if q is None else joint_values(q, arm, units, "--q")
    spans = None if ranges is None else _ranges(ranges, numbers, arm, units)
    with _watched(math.prod(counts) * max(1, len(around))) as progress:
        space = make(
            arm,
            around,
            axes=numbers,
            shape=counts,
            q=held,
            shapes=solids,
            ranges=spans,
            device=device,
            engine=engine,
            workers=workers,
            progress=progress,
        )
    if as_json:
        put_json(_json(space, found))
    else:
        put(_table(space, found))
    title = found.title if found is not None else None
    for path in files:
        _write(space, path, title, clearance, way, quiet=as_json)


def _problem(name: str, bodies: Path | None) -> ExampleProblem | None:
    from armwerk.planning.example_problems import problem, problems

    return problem(name) if bodies is None and name in problems() else None


def _scene(
    name: str,
    srdf: Path | None,
    bodies: Path | None,
    open_meshes: OpenMesh,
    found: ExampleProblem | None,
) -> tuple[Arm | Assembly, Bodies]:
    """Return the arm and the bodies around it."""
    from armwerk.robot import load

    if found is not None:
        return load(found.arm), found.bodies
    arm = load(name, srdf=srdf)
    if bodies is None:
        raise typer.BadParameter(
            "--bodies: a table of bodies is needed (or one of the problems tt, rr as ARM)"
        )
    from armwerk.collision.bodies import Bodies

    return arm, Bodies.load(bodies, open_meshes)


def _shape(text: str | None, count: int, found: ExampleProblem | None) -> list[int]:
    if text is not None:
        return whole_numbers(text, "--shape")
    if found is not None and count == 2:
        return list(found.shape)
    return [360] * count if count == 2 else [60] * count


def _ranges(
    text: str, axes: list[int], arm: Arm | Assembly, units: Units
) -> list[tuple[float, float]]:
    spans = []
    words = [word for word in re.split(r"[,\s]+", text.strip()) if word]
    if len(words) != len(axes):
        raise typer.BadParameter(f"--ranges: needs {len(axes)} LOW:HIGH, got {len(words)}")
    for word, axis in zip(words, axes, strict=True):
        try:
            low, high = (float(part) for part in word.split(":"))
        except ValueError:
            raise typer.BadParameter(f"--ranges: '{word}' is not LOW:HIGH") from None
        kind = kind_of(arm.moving[axis]) if 0 <= axis < arm.dof else "revolute"
        spans.append((low / units.scale(kind), high / units.scale(kind)))
    return spans


@contextmanager
def _watched(tests: int) -> Iterator[Callable[[float], None] | None]:
    """Show a bar for maps that take a while, else a word."""
    if tests < _QUICK or not err().is_terminal:
        with working("mapping (the first run on a machine compiles kernels, once)"):
            yield None
    else:
        with progress_bar("mapping") as progress:
            yield progress


def _table(space: ConfigurationSpace, found: ExampleProblem | None) -> Table:
    title = space.arm.title or space.arm.name
    names = ", ".join(axis.name for axis in space.axes)
    caption = "" if found is None else found.ours
    shown = table(f"{title}: configuration space over {names}", caption=caption)
    add_column(shown, "")
    add_column(shown, "here", number=True)
    if found is not None:
        add_column(shown, "in the source", number=True)

    def row(what: str, here: str, there: str = "") -> None:
        add_row(shown, what, here, *((there,) if found is not None else ()))

    source = found
    cells = " x ".join(str(axis.count) for axis in space.axes)
    row("cells", cells, cells if source and space.tests == source.tests else "")
    row("arm parts", str(len(space.parts)))
    row("bodies", str(len(space.bodies)))
    row("tests", f"{space.tests:,}", f"{source.tests:,}" if source else "")
    row("hits", f"{space.hits:,}", f"{source.hits:,}" if source else "")
    row("share", f"{space.fraction:.6f}", f"{source.fraction:.6f}" if source else "")
    row("free cells", f"{100 * space.free_fraction:.1f} %")
    row(
        "time [ms]",
        f"{1000 * space.seconds:.3f}",
        f"{1000 * source.seconds:,.0f}" if source else "",
    )
    row("method", space.method, "box by box" if source else "")
    return shown


def _json(space: ConfigurationSpace, found: ExampleProblem | None) -> dict[str, object]:
    data: dict[str, object] = {
        "arm": space.arm.name,
        "axes": [
            {
                "joint": axis.index,
                "name": axis.name,
                "unit": "rad" if axis.kind == "revolute" else "m",
                "low": axis.low,
                "high": axis.high,
                "count": axis.count,
            }
            for axis in space.axes
        ],
        "q": space.q.tolist(),
        "bodies": list(space.bodies.names),
        "parts": list(space.parts),
        "tests": space.tests,
        "hits": space.hits,
        "share": space.fraction,
        "free_share": space.free_fraction,
        "seconds": space.seconds,
        "method": space.method,
    }
    if found is not None:
        data["source"] = {
            "tests": found.tests,
            "hits": found.hits,
            "share": found.fraction,
            "seconds": found.seconds,
            "ours": found.ours,
        }
    return data


def _route(file: Path | None, arm: Arm | Assembly) -> Array | None:
    """Return the joint values along a motion in a file; None: there is none. Shape (m, n)."""
    if file is None:
        return None
    from armwerk.motion import Trajectory

    trajectory = Trajectory.load(file)
    if trajectory.dof != arm.dof:
        raise typer.BadParameter(
            f"--route: the motion has {trajectory.dof} axes, the arm {arm.dof}"
        )
    return trajectory.sampled(max(trajectory.duration, 1e-3) / _ROUTE)[1]


def _write(
    space: ConfigurationSpace,
    path: Path,
    title: str | None,
    clearance: bool,
    way: Array | None,
    quiet: bool,
) -> None:
    with working("writing"):
        if path.suffix.lower() in {".png", ".svg"}:
            written = space.plot(path, title=title, clearance=clearance, route=way)
        else:
            written = space.save(path)
    if not quiet:
        word = "picture" if path.suffix.lower() in {".png", ".svg"} else "cells"
        put(f"{word}: {written}")
