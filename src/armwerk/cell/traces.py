"""What to tell a user about an exception or a program that does not come back."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import TracebackType

_OWN = Path(__file__).parent.parent  # frames of armwerk's machinery say nothing to a user
_PROGRAMS = _OWN / "cells"


def error_text(error: BaseException) -> str:
    """Return the traceback of an exception from the program's own first line on."""
    trace = error.__traceback__
    while trace is not None and _is_own(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    kept: TracebackType | None = trace if trace is not None else error.__traceback__
    lines = traceback.format_exception(type(error), error, kept)
    return "".join(lines).rstrip()


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
    """Return the last line of a traceback: what was raised, in one sentence."""
    lines = [line for line in error.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def _is_own(filename: str) -> bool:
    path = Path(filename)
    return path.is_relative_to(_OWN) and not path.is_relative_to(_PROGRAMS)
