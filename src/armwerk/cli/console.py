"""Where the commands write: tables to stdout, progress and errors to stderr, motions to files."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

from rich import box
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from armwerk.compiling import NOTICE, is_silent

if TYPE_CHECKING:
    from armwerk.motion import Trajectory

NO_READER = 141  # what a shell reports for a program stopped by a closed pipe


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def out() -> Console:
    """Return the console of results; plain text, as wide as COLUMNS, when not a terminal."""
    return _console(sys.stdout, _width(sys.stdout))


def err() -> Console:
    """Return the console of progress and errors."""
    return _console(sys.stderr, _width(sys.stderr))


def _console(stream: TextIO, width: int | None) -> _Console:
    # words of users stay as they are: ":smile:" is no picture and "[bold]" no command
    return _Console(file=stream, highlight=False, markup=False, emoji=False, width=width)


def _width(stream: TextIO) -> int | None:
    if stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) > 0 else 100


def table(title: str = "", *, caption: str = "") -> Table:
    """Return an empty table in the house's style."""
    return Table(
        title=Text(title) if title else None,
        caption=Text(caption) if caption else None,
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


def add_row(to: Table, *cells: str, style: str | None = None) -> None:
    """Add a row of plain texts; brackets in them are no markup."""
    to.add_row(*(Text(cell) for cell in cells), style=style)


def put(*things: RenderableType) -> None:
    """Write texts, trees and tables to stdout; the words and numbers of a table are never cut."""
    console = out()
    for thing in things:
        if isinstance(thing, str):
            console.print(thing, soft_wrap=True)
            continue
        if not isinstance(thing, Table):
            _print(thing, console.width)
            continue
        # below the table, and as wide as the console: rich breaks a caption at the table's width
        caption, thing.caption = thing.caption, None
        _print(thing, _fit(console, thing))
        if caption is not None:
            _print(Text(str(caption), style="dim"), console.width)


def _fit(console: Console, shown: Table) -> int:
    """Set the widths of a table's columns and return its own.

    Rich shortens what does not fit with dots, which makes another number of a number. Here a
    column is at least as wide as its longest word, even when that is more than the console has.
    """
    least, most = [], []
    for column in shown.columns:
        texts = [str(column.header), *(str(cell) for cell in column.cells)]
        longest = max(map(len, texts))
        words = max((len(word) for text in texts for word in text.split(" ")), default=1)
        least.append(longest if column.no_wrap else words)
        most.append(longest)
    wide = Measurement.get(console, console.options.update(width=10_000), shown).maximum
    frame = wide - sum(most)
    widths = list(least)
    while frame + sum(widths) < console.width and widths != most:
        wanting = max(range(len(widths)), key=lambda index: most[index] - widths[index])
        widths[wanting] += 1
    for column, width in zip(shown.columns, widths, strict=True):
        column.width = width
    return max(console.width, frame + sum(widths))


def put_prose(text: str) -> None:
    """Write a text broken between words to the width of the console."""
    _print(Text(text), out().width)


def _print(thing: RenderableType, width: int) -> None:
    # a console of its own, since rich never prints wider than the console is
    console = _console(sys.stdout, width)
    if console.is_terminal:
        console.print(thing)
        return
    with console.capture() as capture:
        console.print(thing)
    lines = (line.rstrip() for line in capture.get().splitlines())
    console.file.write("\n".join(lines) + "\n")


def put_json(data: Mapping[str, object]) -> None:
    """Write data to stdout as JSON that a program can read."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(text + "\n")


_SILENCE = 1.0  # [s] that nobody needs to hear of
_PAUSE = 10.0  # [s] between two lines where there is no terminal


class _Reporter:
    """Writes lines about one task to stderr where there is no terminal to draw on.

    Args:
        words: What is being done.
    """

    def __init__(self, words: str) -> None:
        self._words = words
        self._begin = time.monotonic()
        self._fraction: float | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._report, name="armwerk progress", daemon=True)

    def __enter__(self) -> _Reporter:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def move(self, fraction: float) -> None:
        """Hear how much is done, 0 to 1."""
        self._fraction = fraction

    def _report(self) -> None:
        pause = _SILENCE
        if is_silent():
            return
        while not self._ended.wait(pause):
            done = "" if self._fraction is None else f" {100.0 * self._fraction:.0f} %"
            past = time.monotonic() - self._begin
            seconds = f" {past:.0f} s" if pause == _PAUSE else ""
            with suppress(OSError, ValueError):  # nobody reads
                sys.stderr.write(f"{self._words} …{done}{seconds}\n")
                sys.stderr.flush()
            pause = _PAUSE


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on stderr what takes a while; lines, once it takes a second, where no terminal is."""
    console = err()
    with NOTICE.hushed():
        if console.is_terminal:
            with console.status(Text(what)):
                yield
        else:
            with _Reporter(what):
                yield


@contextmanager
def progress_bar(words: str, *, left: bool = True) -> Iterator[Callable[[float], None]]:
    """Show a bar, and give what moves it: called with the fraction done, 0 to 1.

    Where stderr is no terminal there are lines instead, once it takes a second.

    Args:
        words: What is being done.
        left: Whether percent and the time that is left are shown too.
    """
    console = err()
    if not console.is_terminal:
        with NOTICE.hushed(), _Reporter(words) as reporter:
            yield reporter.move
        return
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns: list[ProgressColumn] = [TextColumn("{task.description}", markup=False), BarColumn()]
    if left:
        columns += [TaskProgressColumn(), TimeRemainingColumn()]
    with NOTICE.hushed(), Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(words, total=1.0)
        yield lambda fraction: bar.update(task, completed=fraction)


def check_files(plot: Path | None, save: Path | None) -> None:
    """Refuse wrong endings before anything is computed."""
    if plot is not None:
        from armwerk.pictures.file import picture_path

        picture_path(plot)
    if save is not None:
        from armwerk.motion.trajectory.storage import trajectory_path

        trajectory_path(save)


def write_files(
    trajectory: Trajectory, plot: Path | None, save: Path | None, cycle: float | None, quiet: bool
) -> None:
    """Write what was asked for and, unless quiet, say where it is.

    Args:
        trajectory: The motion.
        plot: Picture; None for none.
        save: Samples; None for none.
        cycle: Time between samples [s]; None: as the trajectory chooses.
        quiet: Whether nothing is to be said.
    """
    if save is not None:
        with progress_bar("writing the trajectory") as move:
            written = trajectory.save(save, cycle, progress=move)
        if not quiet:
            put(f"trajectory: {written}")
    write_picture(trajectory.plot, plot, quiet)


def write_picture(draw: Callable[[Path], Path], path: Path | None, quiet: bool) -> None:
    """Draw a picture if one was asked for and, unless quiet, say where it is."""
    if path is None:
        return
    with working("drawing"):
        written = draw(path)
    if not quiet:
        put(f"picture: {written}")


def has_screen() -> bool:
    """Say whether a browser could show itself."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
