"""``armwerk studio``: a cell in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from armwerk.cli.console import put, working

CELL = "pick_and_place"
PORT = 8421


def studio(
    cell: Annotated[
        str,
        typer.Argument(
            metavar="[CELL|ARM]", help="A cell by name or file, or an arm of the library."
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
    speed: Annotated[
        float, typer.Option("--speed", metavar="X", help="Simulated per real time.")
    ] = 1.0,
    paused: Annotated[bool, typer.Option("--paused", help="Begin with time at a halt.")] = False,
) -> None:
    """Open a cell in the browser: see it run, steer it, edit it.

    Only this machine can reach it, unless an address is given, and then only who knows the token.
    Files are opened and saved below the folder it is started in. Lengths are shown in metres and
    angles in degrees. Ctrl-C ends it.

    \b
    Examples:
      armwerk studio
      armwerk studio sorting --port 9000 --no-browser
      armwerk studio ur5e
    """
    from armwerk.studio import StudioFolder, StudioServer, StudioSession

    with working(f"building {cell}"):
        session = StudioSession(cell, StudioFolder(Path.cwd()))
    try:
        server = StudioServer(session, address, port, token)
        session.cell.clock.set_speed(speed)
    except BaseException:
        session.close()
        raise
    try:
        if not paused:
            session.cell.clock.run()
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


def _has_screen() -> bool:
    """Say whether a browser could show itself."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
