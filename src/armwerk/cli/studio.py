"""``armwerk studio``: a cell in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwerk.cli.console import put, working
from armwerk.cli.run import options
from armwerk.cli.run.command import located, simulation_settings

if TYPE_CHECKING:
    from armwerk.scene.scene import Scene

CELL = "pick_and_place"
PORT = 8421


def studio(
    cell: Annotated[
        str,
        typer.Argument(
            metavar="[CELL|ARM]",
            help="A cell by name or file; an arm of the library, or its file (.toml, .xml, .urdf).",
        ),
    ] = CELL,
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
    manipulator: options.Manipulators = None,
    gripper: options.Grippers = None,
    controller: options.Controllers = None,
    config: options.Configs = None,
    robot: options.Places = None,
    ik: options.Ik = "pref",
    skills: options.SkillsText = None,
    trigger_processor: options.Processors = None,
    trigger_processor_config: options.ProcessorConfigs = None,
    pace: options.PaceText = None,
    sim_time: options.SimTime = None,
    dt: options.Dt = None,
    drives: options.Drives = "limited",
    seed: options.Seed = 0,
    render_ms: options.RenderMs = None,
    render_flags: options.RenderFlags = "TTT",
) -> None:
    """Open a cell in the browser: see it run, steer it, edit it; or an arm: describe and move it.

    Only this machine can reach it, unless an address is given, and then only who knows the token.
    Files are opened and saved below the folder it is started in. Lengths are shown in metres and
    angles in degrees. What is said about robots wins over the file, as in armwerk run. Ctrl-C ends
    it.

    \b
    Examples:
      armwerk studio
      armwerk studio sorting --port 9000 --no-browser
      armwerk studio ur5e
      armwerk studio mine.urdf
      armwerk studio pick_and_place --pace 0.25 --manipulator 0=ur5e
    """
    from armwerk.cell.record import is_recording
    from armwerk.cli.run.overrides import changed_processors, changed_robots, robot_changes
    from armwerk.pictures.cell import Flags
    from armwerk.scene.files import read_scene
    from armwerk.studio import StudioFolder, StudioServer, StudioSession
    from armwerk.studio.session import is_arm, is_arm_file

    ratio = options.pace_ratio(pace, sim_time)
    speed = 1.0 if pace is None and sim_time is None else ratio or 0.0
    options.checked("--render-ms", render_ms, 1, 10_000)
    options.checked("--dt", dt, 0.01, 5.0)
    changes = robot_changes(
        manipulator or (), gripper or (), controller or (), config or (), robot or ()
    )
    what: str | Scene = cell
    with located():
        if not (is_arm(cell) or is_arm_file(cell) or is_recording(cell)):
            scene = read_scene(cell)
            changed = changed_processors(
                changed_robots(scene, changes),
                trigger_processor or (),
                trigger_processor_config or (),
            )
            what = cell if changed == scene else changed  # as it was written, where it can be
        with working(f"building {cell} (the first run on a machine compiles kernels, once)"):
            session = StudioSession(
                what,
                StudioFolder(_folder(cell)),
                Flags(*options.render_flags(render_flags)),
                settings=simulation_settings(dt, seed, drives),
                ik=options.ik_method(ik),
                skills=skills,
            )
    try:
        period = 1.0 / 60.0 if render_ms is None else render_ms / 1000.0
        server = StudioServer(session, address, port, token, period=period)
    except BaseException:
        session.close()
        raise
    try:
        session.shown.clock.set_speed(speed)
        if not paused:
            session.shown.clock.run()
        put(f"The studio is at {server.url}\nCtrl-C ends it.")
        if "SSH_CONNECTION" in os.environ and not server.doors.is_open:
            number = server.doors.port
            put(f"From the machine you sit at: ssh -L {number}:127.0.0.1:{number} … first.")
        if browser and _has_screen():
            import webbrowser

            webbrowser.open(server.url)
        server.serve()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


def _folder(cell: str) -> Path:
    """Return the folder below which files are opened: this one, or that of an arm's file."""
    path = Path(cell).resolve()
    inside = path.is_relative_to(Path.cwd()) or path.suffix == ".env" or not path.is_file()
    return Path.cwd() if inside else path.parent


def _has_screen() -> bool:
    """Say whether a browser could show itself."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
