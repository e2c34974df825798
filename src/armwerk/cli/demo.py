"""``armwerk demo``: the main job from beginning to end, in a few seconds."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from armwerk.cli.console import has_screen, put, put_json, working
from armwerk.cli.solutions import Solutions, beyond_limits, solutions_json, solutions_table, solve
from armwerk.cli.tables import dh_table, pose_words, reach_words
from armwerk.cli.units import Units
from armwerk.errors import UnsupportedError
from armwerk.robot.arm import Arm

ARM = "puma560"
POSE = (0.4, -0.2, 0.9, 0.0, np.pi / 2, 0.0)  # x y z [m], a b c [rad]: the hand points forwards
UNITS = Units()
STATION_AXES = (0.4, -0.5, -0.25, -1.26, 1.46, 0.42, 0.91, 0.11)  # [rad] table, then arm


@dataclass(slots=True)
class Tour:
    """What the steps hand on to each other.

    Args:
        folder: Where pictures go.
        arm: The arm that is shown.
        found: The solutions of one pose; set by the step that solves.
        files: What was written so far, with a word on each.
        say: Where words and tables go.
    """

    folder: Path
    arm: Arm
    found: Solutions | None = None
    files: list[tuple[str, Path]] = field(default_factory=list)
    say: Callable[..., None] = put


def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for the pictures.")
    ] = Path("out/demo"),
    studio: Annotated[
        bool,
        typer.Option("--studio", help="At the end open the studio, where there is a screen."),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Write JSON, in metres and radians: solutions and files."),
    ] = False,
) -> None:
    """Show the main job: an arm, all solutions of a pose, their derivation, motions, pictures.

    Lengths are metres or millimetres and angles degrees, as each header says.

    \b
    Example:
      armwerk demo --out pictures
      armwerk demo --studio
    """
    from armwerk.robot import load_arm

    tour = Tour(out, load_arm(ARM), say=_nothing if as_json else put)
    for number, (title, step) in enumerate(STEPS, start=1):
        tour.say(f"{number}. {title}", "")
        step(tour)
        tour.say("")
    if as_json:
        files = {what: str(path) for what, path in tour.files}
        put_json({"solved": solutions_json(_solved(tour), ""), "files": files})
        return
    put("Written:")
    for what, path in tour.files:
        put(f"  {path}  {what}")
    name = _own_name()
    put("", f"Look: {name} studio shows a cell in the browser")
    put(f"Next: {name} arms; {name} show NAME; {name} derive NAME --explain; {name} --help")
    if studio and has_screen() and sys.stdout.isatty():
        from armwerk.cli.studio import open_studio

        put("")
        open_studio()


def _nothing(*_: object) -> None:
    pass


def _own_name() -> str:
    """Return how this program is called from here: by its path where the shell cannot find it."""
    started = Path(sys.argv[0])
    if shutil.which("armwerk") or started.name != "armwerk":
        return "armwerk"
    return os.path.relpath(started)


def _describe(tour: Tour) -> None:
    tour.say(f"{tour.arm.title} ({tour.arm.name}), reach {reach_words(tour.arm)}", "")
    tour.say(dh_table(tour.arm, Units(millimetres=True)))


def _solve(tour: Tour) -> None:
    from armwerk.geometry import transform_from_pose

    target = transform_from_pose(POSE)
    with working("solving (the first run on a machine compiles kernels, once)"):
        tour.found = solve(tour.arm, target, "pref", None)
    tour.say(f"pose: {pose_words(target, UNITS)}", "")
    tour.say(solutions_table(tour.found, UNITS))


def _draw_solutions(tour: Tour) -> None:
    found = _solved(tour)
    with working("drawing"):
        from armwerk.pictures import draw_arm

        title = f"{tour.arm.title}: {len(found.q)} ways to hold one pose"
        path = draw_arm(found.model, found.q, tour.folder / "solutions.png", title=title)
    _note(tour, "the arm in every solution", path)


def _explain(tour: Tour) -> None:
    with working("deriving"):
        from armwerk.derivation import derive

        derivation = derive(tour.arm)
        inverse = derivation.inverse
    ways = 1
    for step in inverse.steps:
        ways *= step.branches
        rule = step.rule if step.rule[0].isalpha() else f"theorem {step.rule}"
        tour.say(f"  {', '.join(step.unknowns)}: {step.title} ({rule}), {ways} so far")
    equations = len(derivation.equations)
    found = f"found by {inverse.method} in {equations} equations"
    tour.say(f"{inverse.branches} solutions at most, {found}")
    with working("writing the derivation"):
        files = derivation.write(tour.folder / "derivation")
    _note(tour, "the whole derivation as LaTeX, C and Python", files[0].parent)


def _draw_motion(tour: Tour) -> None:
    found = _solved(tour)
    start, end = _two_within_limits(found)
    with working("planning"):
        from armwerk.motion import ptp

        motion = ptp(found.model, found.q[start], found.q[end], sync="sync")
    words = f"from solution {start + 1} to solution {end + 1} in {motion.duration:.2f} s"
    tour.say(f"{words}, every joint within its velocity, acceleration and jerk limits")
    with working("drawing"):
        path = motion.plot(tour.folder / "motion.png")
    _note(tour, "a motion from point to point: tool path, joint curves, limits", path)


def _draw_path(tour: Tour) -> None:
    found = _solved(tour)
    start, _ = _two_within_limits(found)
    with working("planning"):
        from armwerk.motion import Path as ToolPath

        T = found.model.fk(found.q[start])
        route = ToolPath(T, speed=0.3, acceleration=2.0, jerk=40.0)
        for step in ((0.0, 0.2, 0.0), (0.0, 0.0, -0.15), (0.0, -0.2, 0.0), (0.0, 0.0, 0.15)):
            T = T.copy()
            T[:3, 3] += step
            route = route.lin(T, blend=0.04)
        motion = route.plan(found.model)  # in whichever configuration the whole path fits
    what = "a rectangle of 200 by 150 mm at 0.3 m/s, corners rounded by 40 mm"
    tour.say(f"{what}: {motion.duration:.2f} s")
    with working("drawing"):
        path = motion.plot(tour.folder / "path.png")
    _note(tour, "a path of the tool: lines and blends, joint curves, limits", path)


def _map_space(tour: Tour) -> None:
    with working("mapping"):
        from armwerk.planning import problem

        space = problem("rr").make()
    words = f"{space.tests:,} tests, {space.hits:,} contacts ({100 * space.share:.1f} %)"
    tour.say(f"two joints among five boxes: {words} in {1000 * space.seconds:.1f} ms")
    with working("drawing"):
        path = space.save(tour.folder / "configuration-space.png")
    _note(tour, "which joint values touch which box", path)


def _draw_station(tour: Tour) -> None:
    with working("drawing"):
        from armwerk.stations import StationModel, draw_station, load_station

        station = load_station("welding_station")
        model = StationModel(station)
        path = draw_station(model, STATION_AXES, tour.folder / "station.png")
    axes = ", ".join(model.names)
    tour.say(
        f"{station.title}: one chain from work piece to tool, {len(model.names)} axes ({axes})"
    )
    _note(tour, "an arm with a turn-tilt table", path)


def _run_a_cell(tour: Tour) -> None:
    with working("running the cell 'handover'"):
        from armwerk.cell import World

        with World.load("handover") as world:
            world.run(seconds=3.3)
            path = world.draw(tour.folder / "handover.png")
            report = world.run()
            states = ", ".join(f"robot {nr} {robot.state}" for nr, robot in world.robots.items())
    tour.say(f"two arms hand a bar over in the air: {world.time:.1f} s simulated, {states}")
    held = "held by friction alone, the same to the last bit every time"
    tour.say(f"{report.triggers} triggers, {held}")
    _note(tour, "the moment of the handover", path)


# Later rooms add their step here; each leaves what it made in the tour.
STEPS: tuple[tuple[str, Callable[[Tour], None]], ...] = (
    ("An arm, described once", _describe),
    ("Every joint configuration for one pose", _solve),
    ("The solutions as a picture", _draw_solutions),
    ("Why there are so many: the derivation", _explain),
    ("A motion between two of them", _draw_motion),
    ("A path of the tool", _draw_path),
    ("A configuration space", _map_space),
    ("A station: arm and turn-tilt table moved together", _draw_station),
    ("A cell in the physical world", _run_a_cell),
)


def _two_within_limits(found: Solutions) -> tuple[int, int]:
    """Return the nearest solution and, of the others within the limits, the most different."""
    inside = [row for row in range(len(found.q)) if not beyond_limits(found, row, UNITS)]
    start = found.nearest if found.nearest is not None else 0
    others = [row for row in inside if row != start] or [start]
    away = [float(np.linalg.norm(found.q[row] - found.q[start])) for row in others]
    return start, others[int(np.argmax(away))]


def _solved(tour: Tour) -> Solutions:
    if tour.found is None:
        raise UnsupportedError("the demo draws solutions before it has found any")
    return tour.found


def _note(tour: Tour, what: str, path: Path) -> None:
    tour.files.append((what, path))
    tour.say(f"{what}: {path}")
