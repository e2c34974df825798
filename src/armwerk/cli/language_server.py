"""``armwerk language-server``: help for robot programs in an editor."""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

from armwerk.cli.arm_options import TipOption, with_tip
from armwerk.cli.console import put
from armwerk.cli.pipes import own_pipes
from armwerk.errors import UnsupportedError
from armwerk.extras import pip_line


def language_server(
    arm: Annotated[
        list[str] | None,
        typer.Option(
            "--arm",
            help="Name from the library, a file, robot.urdf#tool0 for one arm of several, or a "
            "robot of an installed package; once for each robot. Programs that name no arm "
            "themselves, as in '{ arm: puma560 }', are tried on it.",
        ),
    ] = None,
    tip: TipOption = None,
    tcp: Annotated[
        int | None,
        typer.Option(
            "--tcp",
            metavar="PORT",
            min=0,
            max=65535,
            help="Listen on 127.0.0.1, for one editor, instead of talking through standard input "
            "and output. 0: any that is free.",
        ),
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Talk through standard input and output; as without it.")
    ] = False,
) -> None:
    """Serve an editor: mistakes and dangers as you type, hover, completion, renaming, formatting.

    Speaks the Language Server Protocol, so every editor that does can use it; docs/editors.md has
    the lines for VS Code, Neovim, Emacs and Helix. Needs the package pygls.
    Values are shown as programs write them, in millimetres and degrees.

    \b
    Examples:
      armwerk language-server
      armwerk language-server --arm puma560
      armwerk language-server --tcp 5007
    """
    try:
        from armwerk.editors.server.server import make_server
    except ModuleNotFoundError as error:
        raise UnsupportedError(
            f"the language server needs {error.name}: {pip_line('editors')}"
        ) from None
    sys.setswitchinterval(0.001)  # answers do not wait for arms that are tried beside them
    named = arm or []
    if tip is not None:
        if not named:
            raise typer.BadParameter("--tip says where an arm ends, and --arm names none")
        named = [with_tip(name, tip) for name in named]
    server = make_server(named)
    gc.freeze()  # what was imported is never looked through again
    gc.set_threshold(100_000, 20, 20)  # a program has many small parts, and none in circles
    if tcp is None:
        server.start_io(*own_pipes())
        return
    import socket

    with socket.create_server(("127.0.0.1", tcp)) as listening:
        put(f"listening on 127.0.0.1:{listening.getsockname()[1]}")
        connection, _ = listening.accept()
    with connection, connection.makefile("rb") as given, connection.makefile("wb") as said:
        server.start_io(given, said)
