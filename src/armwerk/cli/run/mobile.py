"""``armwerk run`` for scenes of mobile robots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING

import typer

from armwerk.cli.console import put, put_json, working
from armwerk.cli.shell import STOPPED
from armwerk.mobile.events import GoalScored
from armwerk.mobile.examples.shipped import find_mobile_scene
from armwerk.mobile.files.scene_file import SceneFile, open_scene
from armwerk.mobile.files.settings import list_settings, read_settings, settings_folder
from armwerk.mobile.log import chosen, event_line, save_log
from armwerk.mobile.programs.finding import find_program
from armwerk.mobile.scene import MobileScene

if TYPE_CHECKING:
    from armwerk.cli.run.film import FilmOptions
    from armwerk.mobile.world import MobileWorld

SECONDS = 20.0  # a scene is run where nobody says how long


@dataclass(frozen=True, slots=True)
class MobileRequest:
    """What is to be done with a scene of mobile robots.

    Args:
        seconds: Simulated [s]; None: 20.
        pace: Simulated per real time; None: as fast as possible.
        seed: Of the sensors' errors.
        dt: Step of the physics [s]; None: chosen.
        physics: False: robots pass through everything; None: as the settings say, else on.
        level: Without physics: robots stay level instead of following the landscape.
        settings: Name or file of settings; None: none.
        programs: "ROBOT=PROGRAM" each.
        events: Kinds of events that are shown; empty: all.
        log: File for all events shown; None: none.
        page: File for the run as a page; None: none.
        league: Whether clients of the small-size league steer the robots.
        film: What is filmed.
        check: Whether only to look.
        quiet: Whether only the end is shown.
        as_json: Whether the report is JSON.
    """

    seconds: float | None
    pace: float | None
    seed: int
    dt: float | None
    physics: bool | None
    level: bool
    settings: str | None
    programs: Sequence[str]
    events: Sequence[str]
    log: Path | None
    page: Path | None
    league: bool
    film: FilmOptions
    check: bool
    quiet: bool
    as_json: bool


def run_mobile(name: str, request: MobileRequest) -> int:
    """Run a scene and return the exit code."""
    path = Path(name) if Path(name).suffix else find_mobile_scene(name)
    chosen((), request.events)  # refuses unknown kinds before anything is computed
    with working("reading the scene"):
        file = open_scene(path)
        scene, physics, follow = _set_up(file, path, request)
    if request.league:
        return _play(scene, request)
    world = _world(scene, path.parent, request, physics, follow)
    if not (request.quiet or request.as_json):
        put(*_summary(scene, physics))
    if request.check:
        if request.as_json:
            put_json({"scene": scene.name, "problems": list(scene.problems), "ok": True})
        else:
            put("the scene is right")
        return 0
    return _run(world, request)


def _set_up(file: SceneFile, path: Path, request: MobileRequest) -> tuple[MobileScene, bool, bool]:
    """Return the scene under its settings, whether physics is on, and the landscape followed."""
    if request.settings is None:
        physics = True if request.physics is None else request.physics
        return _programmed(file.scene(), request.programs), physics, not request.level
    listed = list_settings(settings_folder(path), file.digest)
    place = listed.get(request.settings, Path(request.settings))
    if request.settings not in listed and place.suffix != ".toml":
        known = ", ".join(listed) or "none are saved for this scene"
        raise typer.BadParameter(f"--settings: no '{request.settings}' (known: {known})")
    settings = read_settings(place)
    scene = _programmed(file.with_settings(settings), request.programs)
    physics = settings.physics if request.physics is None else request.physics
    return scene, physics, settings.follow_landscape and not request.level


def _programmed(scene: MobileScene, texts: Sequence[str]) -> MobileScene:
    """Return a scene with other programs for some robots."""
    programs: dict[str, str] = {}
    for text in texts:
        name, equals, program = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"--program: '{text}' is not ROBOT=PROGRAM")
        programs[scene.robot(name.strip()).name] = program.strip()
    robots = tuple(
        replace(robot, program=programs.get(robot.name, robot.program)) for robot in scene.robots
    )
    return replace(scene, robots=robots)


def _world(
    scene: MobileScene, folder: Path, request: MobileRequest, physics: bool, follow: bool
) -> MobileWorld:
    from armwerk.mobile.kinematic.engine import KinematicEngine
    from armwerk.mobile.world import MobileWorld

    programs = {
        robot.name: find_program(robot.program, folder) for robot in scene.robots if robot.program
    }
    engine = None if physics else KinematicEngine(scene, follow_landscape=follow)
    with working("building the world (the first run on a machine compiles kernels, once)"):
        return MobileWorld(scene, programs, request.seed, engine=engine, dt=request.dt)


def _summary(scene: MobileScene, physics: bool) -> list[str]:
    movable = sum(body.kind == "movable" for body in scene.bodies)
    lines = [
        f"scene {scene.name}: {len(scene.robots)} robots, {movable} movable and "
        f"{len(scene.bodies) - movable} immovable bodies, step {1000 * scene.step:g} ms"
        + ("" if physics else ", physics off")
    ]
    lines += [f"problem: {text}" for text in scene.problems]
    return lines


def _run(world: MobileWorld, request: MobileRequest) -> int:
    from armwerk.cell.driver import Interrupts
    from armwerk.cell.pace import Pace

    seconds = SECONDS if request.seconds is None else request.seconds
    camera = _MobileCamera(world, request.film) if request.film.wanted else None
    pace = None if request.pace is None else Pace(request.pace)
    started, shown = perf_counter(), len(world.events)
    moments = [(world.time, world.state.poses)]
    if pace is not None:
        pace.start(world.time)
    with Interrupts() as interrupts:
        for _ in range(round(seconds / world.scene.step)):
            if camera is not None:
                camera.look()
            world.step()
            if request.page is not None:
                moments.append((world.time, world.state.poses))
            if not (request.quiet or request.as_json or request.log is not None):
                put(*(event_line(one) for one in chosen(world.events[shown:], request.events)))
            shown = len(world.events)
            if pace is not None:
                pace.keep(world.time, interrupts.happened)
            if interrupts.happened():
                break
        files = [] if camera is None else camera.close()
        stopped = interrupts.happened()
    if request.log is not None:
        files.append(save_log(chosen(world.events, request.events), request.log))
    if request.page is not None:
        from armwerk.files import write_text
        from armwerk.studio.standalone import mobile_page

        files.append(write_text(request.page, mobile_page(world.scene, moments), "page"))
    _report(world, request, files, perf_counter() - started, stopped)
    return STOPPED if stopped else 0


def _play(scene: MobileScene, request: MobileRequest) -> int:
    """Let clients of the league steer the robots, until the time is over or Ctrl-C."""
    from armwerk.cell.driver import Interrupts
    from armwerk.mobile.league.door import LeagueDoor

    with working("building the world (the first run on a machine compiles kernels, once)"):
        door = LeagueDoor(scene, seed=request.seed)
    with door, Interrupts() as interrupts:
        listed = ", ".join(f"{name} {port}" for name, port in door.ports.items())
        put(f"clients are heard on UDP ports of this machine: {listed}; Ctrl-C ends it")
        started = due = perf_counter()
        shown, end = 0, request.seconds
        while not interrupts.happened() and (end is None or door.world.time < end - 1e-9):
            door.step()
            events = chosen(door.world.events[shown:], request.events or ("goal",))
            shown = len(door.world.events)
            put(*(event_line(one) for one in events))
            due = max(due + scene.step / max(door.speed, 1e-3), perf_counter() - 0.5)
            sleep(min(1.0, max(0.0, due - perf_counter())))
        files: list[Path] = []
        if request.log is not None:
            files.append(save_log(chosen(door.world.events, request.events), request.log))
        stopped = interrupts.happened()
        _report(door.world, request, files, perf_counter() - started, stopped)
    return STOPPED if stopped and end is not None else 0


def _report(
    world: MobileWorld, request: MobileRequest, files: list[Path], took: float, stopped: bool
) -> None:
    counts = Counter(event.kind for event in world.events)
    goals = Counter(event.goal for event in world.events if isinstance(event, GoalScored))
    places = {
        robot.name: [round(float(value), 6) for value in world.pose(robot.name)[:3, 3]]
        for robot in world.scene.robots
    }
    if request.as_json:
        put_json(
            {
                "scene": world.scene.name,
                "time": world.time,
                "stopped": stopped,
                "events": dict(counts),
                "goals": {goal.name: goals[goal.name] for goal in world.scene.goals},
                "robots": places,
                "problems": list(world.scene.problems),
                "files": [str(path) for path in files],
            }
        )
        return
    told = ", ".join(f"{count} x {kind}" for kind, count in sorted(counts.items())) or "none"
    put(f"{world.time:.2f} s simulated in {took:.2f} s; events: {told}")
    if world.scene.goals:
        put("goals: " + ", ".join(f"{goal.name} {goals[goal.name]}" for goal in world.scene.goals))
    put(*(f"written: {path}" for path in files))
    if stopped:
        put("stopped by Ctrl-C")


class _MobileCamera:
    """Films a world while it runs."""

    def __init__(self, world: MobileWorld, options: FilmOptions) -> None:
        from armwerk.mobile.picture import MobilePicture
        from armwerk.pictures.cell import AZIMUTH, ELEVATION
        from armwerk.pictures.film import Film, FrameFolder, open_film

        looking = options.camera
        self._world = world
        self._picture = MobilePicture(
            world.scene,
            options.size,
            azimuth=looking.get("azimuth", AZIMUTH),
            elevation=looking.get("elevation", ELEVATION),
            distance=looking.get("distance"),
        )
        self._period = 1.0 / options.rate
        self._next = 0.0
        self._films: list[Film] = []
        if options.video is not None:
            self._films.append(open_film(options.video, options.rate))
        if options.frames is not None:
            self._films.append(FrameFolder(options.frames))

    def look(self) -> None:
        """Take as many pictures as are due."""
        from armwerk.pictures.film import captioned

        world = self._world
        if world.time < self._next - 1e-9:
            return
        pixels = self._picture.draw(world.state.poses)
        more = world.scene.name
        if world.scene.goals:
            scored = Counter(one.goal for one in world.events if isinstance(one, GoalScored))
            more += "   " + " : ".join(str(scored[goal.name]) for goal in world.scene.goals)
        told = captioned(pixels, f"{world.time:.2f} s", more)
        while world.time >= self._next - 1e-9:
            for film in self._films:
                film.add(told)
            self._next += self._period

    def close(self) -> list[Path]:
        return [film.close() for film in self._films]
