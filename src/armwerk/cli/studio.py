"""``armwerk studio``: a cell in the browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwerk.cli.arm_options import TipOption, with_tip
from armwerk.cli.console import has_screen, put, working
from armwerk.cli.run import options
from armwerk.cli.run.command import RunCommand, located, one_cell
from armwerk.cli.run.shared import CellOptions, with_cell_options

if TYPE_CHECKING:
    from armwerk.cell import World
    from armwerk.cli.run.logs import Logs
    from armwerk.scene.scene import Scene
    from armwerk.studio import StudioSession
    from armwerk.wire import LiveCell, RecordedCell

CELL = "pick_and_place"
PORT = 8421


@with_cell_options
def studio(
    shared: CellOptions,
    cell: Annotated[
        str | None,
        typer.Argument(
            metavar="[CELL|ARM|MOBILE|RECORDING]",
            help=f"A cell by name or file; an arm by name, by file, robot.urdf#tool0 for one of "
            f"several, or of an installed package, rtb-data:irb140; a scene of mobile robots or a "
            f"recording; without it {CELL}.",
            show_default=False,
        ),
    ] = None,
    tip: TipOption = None,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: any that is free.")
    ] = PORT,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    address: Annotated[
        str,
        typer.Option(
            "--address", metavar="IP", help="To listen on; others than 127.0.0.1 need a token."
        ),
    ] = "127.0.0.1",
    token: Annotated[
        str, typer.Option("--token", metavar="TEXT", help="What a viewer must know.")
    ] = "",
    paused: Annotated[bool, typer.Option("--paused", help="Begin with time at a halt.")] = False,
) -> None:
    """Open a cell in the browser: see it run, steer it, edit it; or an arm: describe and move it.

    Only this machine can reach it, unless an address is given, and then only who knows the token.
    Files are opened and saved below the folder it is started in. Lengths are shown in metres and
    angles in degrees. What is said about robots wins over the file, as in armwerk run. Ctrl-C ends
    it. Pictures are drawn by the browser: --render fx by WebGL, where it has it, --render native by
    plain polygons; --render-ms is the real time between two. ArmBot's spelling works too.

    \b
    Examples:
      armwerk studio
      armwerk studio sorting --port 9000 --no-browser
      armwerk studio ur5e
      armwerk studio mine.urdf
      armwerk studio two_arms.urdf#left_tool
      armwerk studio rtb-data:irb140
      armwerk studio mobile/football
      armwerk studio run.jsonl.gz
      armwerk studio pick_and_place --pace 0.25 --manipulator 0=ur5e
    """
    ratio = shared.ratio
    speed = 1.0 if shared.pace is None and shared.sim_time is None else ratio or 0.0
    shared.check()
    options.checked("--render-ms", shared.render_ms, 1, 10_000)
    name = (
        CELL if cell is None and shared.environment is None else one_cell(cell, shared.environment)
    )
    session = _session(_with_tip(name, tip), shared)
    try:
        from armwerk.studio import StudioServer

        period = 1.0 / 60.0 if shared.render_ms is None else shared.render_ms / 1000.0
        render = options.renderer(shared.render or "fx")
        server = StudioServer(session, address, port, token, period=period, render=render)
    except BaseException:
        session.close()
        raise
    logs: Logs | None = None
    try:
        logs = _attended(session.shown, shared, name)
        session.shown.clock.set_speed(speed)
        if not paused:
            session.shown.clock.run()
        put(f"The studio is at {server.url}\nCtrl-C ends it.")
        if "SSH_CONNECTION" in os.environ and not server.doors.is_open:
            number = server.doors.port
            put(f"From the machine you sit at: ssh -L {number}:127.0.0.1:{number} … first.")
        if browser and has_screen():
            import webbrowser

            webbrowser.open(server.url)
        server.serve()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
        if logs is not None:
            logs.close()


studio.command_class = RunCommand  # type: ignore[attr-defined]


def _with_tip(name: str, tip: str | None) -> str:
    """Return what is opened, with the tip of an arm behind its file."""
    from armwerk.studio.session import is_arm_file

    if tip is None:
        return name
    with located():
        if not is_arm_file(with_tip(name, tip)):
            raise typer.BadParameter(
                f"--tip: '{name}' has no links to choose from (allowed: a file of a tree, "
                ".urdf, .xacro or MJCF, or a robot of an installed package)"
            )
    return with_tip(name, tip)


def _session(name: str, shared: CellOptions) -> StudioSession:
    from armwerk.cell.record import is_recording
    from armwerk.mobile.examples.shipped import find_mobile_scene
    from armwerk.pictures.cell import Flags
    from armwerk.studio import StudioFolder, StudioSession
    from armwerk.studio.session import is_arm, is_arm_file, is_mobile_scene

    what: str | Scene = name
    with located():
        if name.startswith("mobile/") and not Path(name).exists():
            find_mobile_scene(name)  # refuses what does not exist, naming those that do
        named = (is_arm, is_arm_file, is_mobile_scene, is_recording)
        if not any(is_so(name) for is_so in named):
            scene, is_changed = shared.scene(name)
            what = scene if is_changed else name  # as it was written, where it can be
        with working(f"building {name} (the first run on a machine compiles kernels, once)"):
            return StudioSession(
                what, StudioFolder(_folder(name)), Flags(*shared.flags("TTT")), **shared.world()
            )


def _attended(shown: LiveCell | RecordedCell, shared: CellOptions, name: str) -> Logs | None:
    """Have a cell logged, recorded, told and halted as the options say; return the logs."""
    from armwerk.cell.observers import Audience, Observer
    from armwerk.cell.pace import RealClock
    from armwerk.cli.run.logs import Logs
    from armwerk.cli.run.outputs import LogObserver
    from armwerk.wire.live import LiveCell

    if not isinstance(shown, LiveCell):
        return None
    logs = Logs(shared.logs, shared.log_dir, shared.log_names) if shared.logs else None
    observers: list[Observer] = [] if logs is None else [LogObserver(logs)]
    schedule, clock = shared.schedule, RealClock()
    if observers or schedule:
        shown.attend(lambda world: Audience(world, observers, schedule, clock).seated())
    if shared.seconds is not None:
        shown.attend(lambda world: _halt(shown, world, shared.seconds or 0.0))
    if shared.recording is not None:
        shown.record(shared.recording, Path(name).stem, shared.record_rate)
    return logs


@contextmanager
def _halt(shown: LiveCell, world: World, seconds: float) -> Iterator[None]:
    """Let time stand once some of it has passed [s], in one world."""
    halted = False

    def look() -> None:
        nonlocal halted
        if not halted and world.time >= seconds - world.dt / 2:
            halted = True
            shown.clock.pause()

    end = world.observe(look)
    try:
        yield
    finally:
        end()


def _folder(cell: str) -> Path:
    """Return the folder below which files are opened: this one, or that of an arm's file."""
    from armwerk.robot.references import arm_reference

    meant = arm_reference(cell)
    if meant.installed:
        return Path.cwd()
    path = meant.path.resolve()
    inside = path.is_relative_to(Path.cwd()) or path.suffix == ".env" or not path.is_file()
    return Path.cwd() if inside else path.parent


def open_studio() -> None:
    """Open the studio with what it shows when nothing is said, until Ctrl-C."""
    studio(**{one.name: one.default for one in signature(studio).parameters.values()})
