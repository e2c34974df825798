"""The bar that long computations show on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from armwerk.cli.console import err


@contextmanager
def progress_bar(words: str, *, left: bool = True) -> Iterator[Callable[[float], None] | None]:
    """Show a bar, and give what moves it: called with the fraction done, 0 to 1.

    Gives None, and shows nothing, when stderr is not a terminal.

    Args:
        words: What is being done.
        left: Whether percent and the time that is left are shown too.
    """
    console = err()
    if not console.is_terminal:
        yield None
        return
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns: list[ProgressColumn] = [TextColumn(words), BarColumn()]
    if left:
        columns += [TaskProgressColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(words, total=1.0)
        yield lambda fraction: bar.update(task, completed=fraction)
