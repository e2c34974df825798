"""``armwerk debug-adapter``: robot programs step by step in an editor."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

from armwerk.cli.console import put
from armwerk.cli.pipes import own_pipes


def debug_adapter(
    tcp: Annotated[
        int | None,
        typer.Option(
            "--tcp",
            metavar="PORT",
            min=0,
            max=65535,
            help="Listen on 127.0.0.1, for one editor after the other, instead of talking through "
            "standard input and output. 0: any that is free.",
        ),
    ] = None,
) -> None:
    """Let an editor run a robot program step by step, forwards and back.

    Speaks the Debug Adapter Protocol: breakpoints with conditions, hit counts and messages, steps
    into, over and out of routines, steps back, values read and set, in millimetres and degrees. The
    editor's launch settings name the program and its arms; docs/editors.md has them.

    \b
    Examples:
      armwerk debug-adapter
      armwerk debug-adapter --tcp 5008
    """
    from armwerk.editors.adapter.session import serve

    if tcp is None:
        serve(*own_pipes())
        return
    import socket

    with socket.create_server(("127.0.0.1", tcp)) as server:
        put(f"listening on 127.0.0.1:{server.getsockname()[1]}")
        while True:
            connection, _ = server.accept()
            with contextlib.ExitStack() as held:
                held.enter_context(contextlib.suppress(OSError))  # whoever goes without a word
                held.enter_context(connection)
                given = held.enter_context(connection.makefile("rb"))
                serve(given, held.enter_context(connection.makefile("wb")))
