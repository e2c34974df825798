"""What to tell a user about an exception or a program that does not come back."""

from __future__ import annotations

import re
import sys
import sysconfig
import traceback
from pathlib import Path

from armwerk.errors import ExecutionError

_CARETS = re.compile(r" +\| +\^+.*")
_OWN = Path(__file__).parent.parent  # frames of armwerk's machinery say nothing to a user
_PROGRAMS = _OWN / "cells"
_STANDARD = Path(sysconfig.get_path("stdlib"))


def error_text(error: BaseException) -> str:
    """Return the traceback of an exception with the frames of the program, and no others.

    Frames of armwerk, and of libraries that it calls, say nothing to the writer of a program. An
    exception that came through no line of a program at all is shown as it is. What a robot program
    cannot carry out is told with its own line, and with no line of Python.
    """
    if isinstance(error, ExecutionError):
        return str(error)
    told = traceback.TracebackException.from_exception(error)
    if not all(_is_own(frame.filename) for frame in told.stack):
        _keep_users(told)
    return "".join(told.format()).rstrip()


def _keep_users(told: traceback.TracebackException) -> None:
    """Leave only frames of the program in a traceback and in those it follows from."""
    kept: list[traceback.FrameSummary] = []
    shown = False
    for frame in told.stack:
        # what a program calls in a library is shown, what armwerk calls there is not; what armwerk
        # calls first is the program, and that may lie among the libraries
        called = (shown or not kept) and not _is_own(frame.filename)
        shown = called or _is_users(frame.filename)
        if shown:
            kept.append(frame)
    told.stack = traceback.StackSummary.from_list(kept)
    for before in (told.__cause__, told.__context__):
        if before is not None:
            _keep_users(before)


def _is_users(filename: str) -> bool:
    """Whether a file is neither armwerk's nor of a library."""
    path = Path(filename)
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    inside = path.is_relative_to(_STANDARD) or filename.startswith("<frozen")
    return not (_is_own(filename) or installed or inside)


def where_now(thread: int | None) -> str:
    """Return where in its program a thread is: ", in pick.py line 12 (run): while True: pass"."""
    frame = sys._current_frames().get(thread) if thread is not None else None
    if frame is None:
        return ""
    stack = [entry for entry in traceback.extract_stack(frame) if not _is_own(entry.filename)]
    stack = [entry for entry in stack if Path(entry.filename).name != "threading.py"]
    if not stack:
        return ""
    last = stack[-1]
    line = f": {last.line}" if last.line else ""
    return f", in {Path(last.filename).name} line {last.lineno} ({last.name}){line}"


def place_of(error: BaseException) -> str:
    """Return the last line of a user's file that an exception came through; empty: none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_own(frame.filename) and "<" not in frame.filename]
    own = [frame for frame in own if "importlib" not in Path(frame.filename).parts]
    return f"{own[-1].filename}, line {own[-1].lineno}" if own else ""


def last_line(error: str) -> str:
    """Return what was raised, in one sentence: the last line of a traceback.

    What a robot program cannot carry out is told in its first line, with carets below.
    """
    lines = [line for line in error.splitlines() if line.strip()]
    if len(lines) > 2 and _CARETS.fullmatch(lines[2]):
        return lines[0].strip()
    return lines[-1].strip() if lines else ""


def _is_own(filename: str) -> bool:
    path = Path(filename)
    return path.is_relative_to(_OWN) and not path.is_relative_to(_PROGRAMS)
