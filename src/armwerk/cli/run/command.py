"""``armwerk run``: simulate a cell with its controllers, without a window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from armwerk.cli.collecting import end_loading
from armwerk.cli.completing import CompletingCommand
from armwerk.cli.console import add_column, add_row, err, put, put_json, table, working
from armwerk.cli.run import options
from armwerk.cli.run.armbot import translate
from armwerk.cli.run.kinds import is_mobile
from armwerk.cli.run.shared import CellOptions, with_cell_options
from armwerk.cli.shell import BAD_INPUT, STOPPED
from armwerk.errors import SceneError
from armwerk.lazy import use_later

if TYPE_CHECKING:
    from armwerk.cell.world import World
    from armwerk.cli.run.film import FilmOptions
    from armwerk.protocol import TimedMessage

FAILED = 1
ARM_OPTIONS = (
    *("manipulator", "gripper", "controller", "config", "robot", "skills", "send", "line"),
    *("trigger_processor", "trigger_processor_config", "record"),
)
ALONE = 10.0  # [s] a cell without controllers is run


class RunCommand(CompletingCommand):
    """A command that also understands ArmBot's spelling of its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Translate the words, then parse them."""
        valued = [
            name
            for option in self.params
            if option.param_type_name == "option" and not getattr(option, "is_flag", False)
            for name in option.opts
        ]
        return super().parse_args(ctx, translate(args, valued))


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be done with a cell, checked."""

    seconds: float | None
    pace: float | None
    schedule: Sequence[TimedMessage]
    logs: frozenset[str]
    log_dir: Path
    log_names: str
    record: Path | None
    record_rate: float
    film: FilmOptions
    commander: bool | None
    quiet: bool
    as_json: bool


@with_cell_options
def run(
    shared: CellOptions,
    cell: options.Cell = None,
    commander: options.Commander = None,
    video: options.Video = None,
    frames: options.Frames = None,
    fps: options.Fps = None,
    size: options.SizeText = "640x480",
    camera: options.CameraText = None,
    quiet: options.Quiet = False,
    check: options.Check = False,
    settings: options.SettingsName = None,
    physics: options.Physics = None,
    level: options.Level = False,
    mobile_program: options.MobilePrograms = None,
    events: options.EventKinds = "",
    event_log: options.EventLog = None,
    page: options.PageFile = None,
    league: options.League = False,
    list_cells: options.ListCells = False,
    as_json: options.AsJson = False,
) -> None:
    """Simulate a cell: physics, robots, controllers and triggers, until all controllers end.

    What the command line says about robots wins over the file. NRS are robot numbers: a digit, a
    range (1-3, 10-29) or a list (2357, or with commas 4,12); without them all robots are meant,
    and robot 0 where only one NR can be. ArmBot's spelling, shown first in each line, works too.
    Places are in centimetres and degrees as in the file, all else in metres and seconds. The exit
    code is 1 when a controller failed or got stuck.

    \b
    Examples:
      armwerk run --list
      armwerk run pick_and_place
      armwerk run drop_and_bounce --seconds 5 --video bounce.gif
      armwerk run my.env --manipulator 1-3=puma560 --controller pick.Pick --config "0=box=25,35"
      armwerk run -e my.env -man1-3 puma560 -c pick.Pick -cfg "box=25,35" -simtime 100 -logall
      armwerk run sorting --record sorting.jsonl.gz --send "2.5:10:STOP"
      armwerk run sorting.jsonl.gz --video sorting.mp4 --camera "-60 35"
      armwerk run mobile/football --seconds 30 --events goal --video match.gif
      armwerk run mobile/slope --settings "friction 0.2" --no-physics
    """
    if list_cells:
        _list(as_json)
        return
    ratio = shared.ratio
    shared.check()
    request = RunRequest(
        seconds=shared.seconds,
        pace=ratio,
        schedule=shared.schedule,
        logs=shared.logs,
        log_dir=shared.log_dir,
        log_names=shared.log_names,
        record=shared.recording,
        record_rate=shared.record_rate,
        film=_film(
            video,
            frames,
            options.picture_rate(fps, shared.render_ms, ratio),
            size,
            camera,
            shared.flags("FFT"),
            shared.render or "native",
        ),
        commander=commander,
        quiet=quiet,
        as_json=as_json,
    )
    name = one_cell(cell, shared.environment)
    if is_mobile(name):
        from armwerk.cli.run.mobile import MobileRequest, run_mobile

        refuse_arm_options(shared, commander)
        asked = MobileRequest(
            seconds=shared.seconds,
            pace=ratio,
            seed=shared.seed,
            dt=None if shared.dt is None else shared.dt / 1000,
            physics=physics,
            level=level,
            settings=settings,
            programs=mobile_program or (),
            events=[word.strip() for word in events.split(",") if word.strip()],
            log=event_log,
            page=page,
            league=league,
            film=request.film,
            check=check,
            quiet=quiet,
            as_json=as_json,
        )
        code = run_mobile(name, asked)
        if code:
            raise typer.Exit(code)
        return
    refuse_mobile_options(
        {
            "--settings": settings,
            "--physics": physics,
            "--level": level or None,
            "--mobile-program": mobile_program,
            "--events": events or None,
            "--event-log": event_log,
            "--page": page,
            "--league": league or None,
        }
    )
    from armwerk.cell.record import is_recording

    if is_recording(name):
        _replay(name, request)
        return
    use_later("glfw")  # MuJoCo loads it for windows, which nobody opens here
    from armwerk.cell.world import World

    with located():
        scene, _ = shared.scene(name)
    with (
        located(),
        working("building the cell (the first run on a machine compiles kernels, once)"),
    ):
        world = World(scene, **shared.world())
    with world:
        code = _checked(world, request) if check else _run(world, request)
    if code:
        raise typer.Exit(code)


run.command_class = RunCommand  # type: ignore[attr-defined]


def refuse_arm_options(shared: CellOptions, commander: bool | None) -> None:
    """Refuse what mobile scenes do not have."""
    default = CellOptions()
    for name in ARM_OPTIONS:
        if getattr(shared, name) != getattr(default, name):
            option = "--" + name.replace("_", "-")
            raise typer.BadParameter(f"{option} is for cells with arms, not for mobile scenes")
    if commander:
        raise typer.BadParameter("--commander is for cells with arms, not for mobile scenes")


def refuse_mobile_options(given: Mapping[str, object]) -> None:
    """Refuse what only mobile scenes have."""
    for option, value in given.items():
        if value is not None:
            raise typer.BadParameter(f"{option} is for mobile scenes, such as mobile/football")


def one_cell(cell: str | None, environment: str | None) -> str:
    """Return the cell that is meant: the argument, or what -e names."""
    if cell is not None and environment is not None and cell != environment:
        raise typer.BadParameter(f"two cells are given, '{cell}' and '{environment}'; give one")
    name = cell or environment
    if name is None:
        raise typer.BadParameter(
            "no cell is given; armwerk run --list shows those that come with it"
        )
    return name


def _film(
    video: Path | None,
    frames: Path | None,
    rate: float,
    size: str,
    camera: str | None,
    flags: tuple[bool, bool, bool],
    render: str,
) -> FilmOptions:
    from armwerk.cli.run.film import FilmOptions
    from armwerk.pictures.cell import Flags

    film = FilmOptions(
        video,
        frames,
        rate,
        options.picture_size(size),
        options.camera_angles(camera),
        Flags(*flags),
        options.renderer(render),
    )
    film.check()
    return film


@contextmanager
def located() -> Iterator[None]:
    """Show all problems of an environment file with their lines and carets."""
    try:
        yield
    except SceneError as error:
        err().print(f"armwerk: {error}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(BAD_INPUT) from None


def _list(as_json: bool) -> None:
    from armwerk.cli.run.report import first_comment
    from armwerk.mobile.examples.shipped import mobile_scenes, scene_summary
    from armwerk.scene.files import cells, find_cell

    rows = {name: first_comment(find_cell(name)) for name in cells()}
    rows |= {name: scene_summary(name) for name in mobile_scenes()}
    if as_json:
        put_json({"cells": rows})
        return
    shown = table(caption="run one by its name: armwerk run NAME")
    add_column(shown, "cell")
    add_column(shown, "what it shows", wrap=True)
    for name, text in rows.items():
        add_row(shown, name, text)
    put(shown)


def _checked(world: World, request: RunRequest) -> int:
    """Show a cell that was built, and run nothing."""
    from armwerk.cli.run.report import report_data, summary

    if request.as_json:
        put_json(report_data(world, []))
    else:
        put(*summary(world), "the cell is right")
    return 0


def _run(world: World, request: RunRequest) -> int:
    """Run a cell with everybody who looks on; return the exit code."""
    from armwerk.cell.driver import Interrupts
    from armwerk.cli.run.outputs import RunOutputs
    from armwerk.cli.run.report import cell_name, report_data, report_lines, summary

    end_loading()
    if not (request.quiet or request.as_json):
        put(*summary(world))
    seconds = request.seconds
    if seconds is None and not any(robot.controller for robot in world.robots.values()):
        seconds = ALONE
    with RunOutputs(world, request, cell_name(world.scene)) as outputs:
        with suppress(KeyboardInterrupt):  # the report says so
            world.run(
                seconds,
                pace=request.pace,
                observers=outputs.observers,
                schedule=request.schedule,
            )
        outputs.screen.clear()
        with working("writing the film"), Interrupts():  # one more Ctrl-C does not spoil it
            files = outputs.finish()
        data = report_data(world, files)
        outputs.report(data)
    if request.as_json:
        put_json(data)
    else:
        put(*report_lines(data))
        put(*(f"notice: {notice}" for notice in outputs.notices))
    if data["stopped"]:
        return STOPPED
    return 0 if data["ok"] else FAILED


def _replay(name: str, request: RunRequest) -> None:
    """Show what a recording holds, and film it."""
    from armwerk.cell.driver import Interrupts
    from armwerk.cell.record import Recording
    from armwerk.cli.run.film import film_recording
    from armwerk.cli.run.report import recording_lines
    from armwerk.scene.reader import parse_scene

    with working("reading the recording"):
        recording = Recording.load(name)
    files: list[Path] = []
    notices: list[str] = []
    stopped = False
    if request.film.wanted:
        with located():
            scene = parse_scene(recording.header.environment, recording.header.file)
        with working("filming"), Interrupts() as interrupts:
            files, notices = film_recording(recording, scene, request.film, interrupts.happened)
            stopped = interrupts.happened()
    if request.as_json:
        put_json(
            {
                "cell": recording.header.cell,
                "states": len(recording.times),
                "time": float(recording.times[-1]) if len(recording.times) else 0.0,
                "report": recording.report,
                "stopped": stopped,
                "files": [str(path) for path in files],
            }
        )
    else:
        put(*recording_lines(recording), *(f"written: {path}" for path in files))
        notices += ["stopped by Ctrl-C: the film ends there"] if stopped else []
        put(*(f"notice: {notice}" for notice in notices))
    if stopped:
        raise typer.Exit(STOPPED)
