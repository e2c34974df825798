"""Where the commands write: tables to stdout, progress and errors to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

NO_READER = 141  # what a shell reports for a program stopped by a closed pipe


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def out() -> Console:
    """Return the console of results; plain text, as wide as COLUMNS, when not a terminal."""
    return _Console(file=sys.stdout, highlight=False, width=_width(sys.stdout))


def err() -> Console:
    """Return the console of progress and errors."""
    return _Console(file=sys.stderr, highlight=False, width=_width(sys.stderr))


def _width(stream: Any) -> int | None:
    if stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) > 0 else 100


def table(title: str = "", *, caption: str = "") -> Table:
    """Return an empty table in the house's style."""
    return Table(
        title=title or None,
        caption=caption or None,
        title_justify="left",
        caption_justify="left",
        title_style="bold",
        caption_style="dim",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        header_style="bold",
    )


def add_column(to: Table, heading: str, *, number: bool = False, wrap: bool = False) -> None:
    """Add a column; its heading may hold a unit in brackets, which is no markup."""
    to.add_column(Text(heading), justify="right" if number else "left", no_wrap=not wrap)


def put(*things: Any) -> None:
    """Write texts and tables to stdout; a table is never narrower than its longest numbers.

    Rich shortens numbers with dots when a table is wider than the console, which would make
    another number of them.
    """
    console = out()
    for thing in things:
        if isinstance(thing, str):
            console.print(thing, markup=False, soft_wrap=True)
        elif isinstance(thing, Table):
            wide = console.options.update(width=10_000)
            least = Measurement.get(console, wide, thing).minimum
            _print(console, thing, max(console.width, least))
        else:
            _print(console, thing, console.width)


def put_prose(text: str) -> None:
    """Write a text broken between words to the width of the console."""
    _print(out(), Text(text), None)


def _print(console: Console, thing: Any, width: int | None) -> None:
    if console.is_terminal:
        console.print(thing, width=width, crop=False)
        return
    with console.capture() as capture:
        console.print(thing, width=width, crop=False)
    lines = (line.rstrip() for line in capture.get().splitlines())
    console.file.write("\n".join(lines) + "\n")


def put_json(data: Mapping[str, Any]) -> None:
    """Write data to stdout as JSON that a program can read."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(text + "\n")


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on stderr what takes a while; nothing when stderr is not a terminal."""
    console = err()
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield
