"""What ``armwerk run`` says before and after: the cell, and how it went."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from rich.table import Table

from armwerk.cell.record import Recording
from armwerk.cell.report import NOBODY
from armwerk.cli.console import add_column, add_row, table
from armwerk.protocol import Note, RobotState, Trigger
from armwerk.protocol.messages import WORLD
from armwerk.scene.scene import Conveyor, Scene

if TYPE_CHECKING:
    from armwerk.cell.world import World

FAILED = ("failed", "stuck")


class RobotData(TypedDict):
    """How a robot stands; ``place`` is x, y and the angle [cm, deg]."""

    number: int
    place: list[float]
    arm: str
    gripper: str | None
    controller: str | None
    description: str
    state: RobotState
    waits: str | None
    error: str | None


class ProcessorData(TypedDict):
    """A trigger processor that failed."""

    instance: int
    error: str


class RunData(TypedDict):
    """How a run went, as ``--json`` writes it: times [s], places [m]."""

    cell: str
    file: str | None
    time: float
    real_time: float
    watched: float
    ratio: float | None
    dt: float
    stopped: bool
    waiting: bool
    ok: bool
    robots: list[RobotData]
    processors: list[ProcessorData]
    belts: dict[str, bool]
    triggers: list[tuple[float, int, str]]
    notes: list[tuple[float, int, str]]
    problems: list[tuple[float, int, str]]
    things: dict[str, list[float]]
    files: list[str]


def cell_name(scene: Scene) -> str:
    """Return the name of a cell: that of its file."""
    return "cell" if scene.file is None else Path(scene.file).stem


def first_comment(path: Path) -> str:
    """Return the first line of an environment file's first comment; empty: it has none."""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        text = line.strip()
        if text.startswith(("//", "/*")):
            return text.lstrip("/*").removesuffix("*/").strip()
        if text:
            return ""
    return ""


def title(scene: Scene) -> str:
    """Return the title line: name, and what the file says about itself."""
    said = ""
    if scene.file is not None and Path(scene.file).is_file():
        said = first_comment(Path(scene.file))
    return f"{cell_name(scene)}: {said}" if said else cell_name(scene)


def summary(world: World) -> list[Table | str]:
    """Return the tables and lines that describe a cell."""
    scene: Scene = world.scene
    shown: list[Table | str] = [title(scene), ""]
    if scene.robots:
        shown += [_robots(world), ""]
    shown.append(_contents(scene))
    for processor in scene.processors:
        shown.append(f"trigger processor {processor.instance}: {processor.name}")
    shown += [f"step {world.dt * 1000:g} ms", ""]
    return shown


def _robots(world: World) -> Table:
    shown = table()
    add_column(shown, "robot", number=True)
    add_column(shown, "at x y angle [cm, deg]", number=True)
    for heading in ("arm", "gripper"):
        add_column(shown, heading)
    add_column(shown, "controller", wrap=True)
    for row in robot_rows(world):
        x, y, angle = row["place"]
        add_row(
            shown,
            str(row["number"]),
            f"{x:g} {y:g} {angle:g}",
            row["arm"],
            row["gripper"] or "–",
            ": ".join(filter(None, [row["controller"], row["description"]])) or "–",
        )
    return shown


def robot_rows(world: World) -> list[RobotData]:
    """Return a cell's robots with their programs."""
    from armwerk.cell.building.finder import DEFAULT_ARM

    waits = {one.number: one.waits for one in world.report.robots}
    rows: list[RobotData] = []
    for robot in world.scene.robots:
        live = world.robots[robot.number]
        place = (robot.position[0] * 100, robot.position[1] * 100, math.degrees(robot.angle))
        rows.append(
            {
                "number": robot.number,
                "place": [round(value, 6) + 0.0 for value in place],
                "arm": robot.manipulator or DEFAULT_ARM,
                "gripper": robot.gripper,
                "controller": robot.controller,
                "description": live.description,
                "state": live.state,
                "waits": waits.get(robot.number) or None,
                "error": live.error or None,
            }
        )
    return rows


def _contents(scene: Scene) -> str:
    things = Counter(thing.kind for thing in scene.things)
    bodies = Counter(body.kind for body in scene.obstacles)
    belts = bodies.pop("conveyor", 0)
    zones = Counter("barrier" if hasattr(watch, "start") else "zone" for watch in scene.watches)
    parts = [
        _counted(number, name)
        for counts in (things, bodies, {"belt": belts}, zones)
        for name, number in counts.items()
        if number
    ]
    return ", ".join(parts) if parts else "an empty floor"


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'s' if number != 1 else ''}"


def report_data(world: World, files: list[Path]) -> RunData:
    """Return how a run went, as plain data.

    Args:
        world: After its run.
        files: What was written.
    """
    report = world.report
    real, watched = report.wall, report.observed
    computed = real - watched
    robots = robot_rows(world)
    problems: list[ProcessorData] = [
        {"instance": instance, "error": error} for instance, error in report.processors
    ]
    return {
        "cell": cell_name(world.scene),
        "file": None if world.scene.file is None else str(world.scene.file),
        "time": round(float(world.time), 9),
        "real_time": round(real, 3),
        "watched": round(watched, 3),
        "ratio": round(float(world.time) / computed, 3) if computed > 0 else None,
        "dt": world.dt,
        "stopped": report.why == "interrupted",
        "waiting": report.why == "waiting",
        "ok": report.why != "waiting"
        and not problems
        and not any(robot["state"] in FAILED for robot in robots),
        "robots": robots,
        "processors": problems,
        "belts": _belts(world),
        "triggers": [_entry(trigger) for trigger in world.triggers],
        "notes": [_entry(note) for note in world.notes],
        "problems": [_entry(problem) for problem in world.problems],
        "things": {
            name: [round(float(value), 6) + 0.0 for value in world.objects[name].position]
            for name in world.scene.names()
        },
        "files": [str(path) for path in files],
    }


def _entry(entry: Trigger | Note) -> tuple[float, int, str]:
    return (round(entry.time, 9), entry.instance, entry.text)


def _belts(world: World) -> dict[str, bool]:
    names = [
        name for name, body in world.scene.obstacle_names().items() if isinstance(body, Conveyor)
    ]
    return {
        name: bool(belt.running) for name, belt in zip(names, world.simulation.belts, strict=True)
    }


def report_lines(data: RunData) -> list[str]:
    """Return how a run went, for people."""
    ended = "stopped after" if data["stopped"] else "simulated"
    lines = [f"{ended} {data['time']:.3f} s in {data['real_time']:.1f} s{_ratio(data)}"]
    triggers, notes = len(data["triggers"]), len(data["notes"])
    lines.append(f"{_counted(triggers, 'trigger')}, {_counted(notes, 'debug line')}")
    if data["waiting"]:
        lines.append(NOBODY)
    for robot in data["robots"]:
        if robot["controller"]:
            told = f", {robot['waits']}" if robot["waits"] else ""
            lines.append(f"robot {robot['number']}: {robot['state']}{told}")
        if robot["error"]:
            lines += [f"  {line}" for line in robot["error"].rstrip().splitlines()]
    for processor in data["processors"]:
        lines.append(f"trigger processor {processor['instance']}: failed")
        lines += [f"  {line}" for line in processor["error"].rstrip().splitlines()]
    lines += [
        f"world, at {time:.3f} s: {text}"
        for time, instance, text in data["problems"]
        if instance == WORLD
    ]
    lines += [f"written: {path}" for path in data["files"]]
    return lines


def _ratio(data: RunData) -> str:
    if not data["ratio"]:
        return ""
    aside = data["watched"] > 0.1 * data["real_time"] and data["watched"] > 0.1
    told = f" ({data['watched']:.1f} s of it for pictures and files)" if aside else ""
    return f"{told}, {data['ratio']:.1f} times real time"


def recording_lines(recording: Recording) -> list[str]:
    """Return what a recording holds, for people."""
    header = recording.header
    end = float(recording.times[-1]) if len(recording.times) else 0.0
    lines = [
        f"{header.cell}: recording of {end:.3f} s, {len(recording.times)} states at "
        f"{header.rate:g} Hz by armwerk {header.versions.get('armwerk', '?')}",
        ", ".join(
            _counted(number, name)
            for number, name in (
                (len(header.things), "thing"),
                (len(header.robots), "robot"),
                (len(header.belts), "belt"),
                (len(recording.triggers), "trigger"),
                (len(recording.notes), "debug line"),
            )
        ),
    ]
    if recording.report is None:
        return [*lines, "it was cut off: there is no report"]
    states = [
        f"robot {robot['number']}: {robot['state']}"
        for robot in recording.report.get("robots", ())
        if robot.get("controller")
    ]
    return [*lines, *states]
