"""What surrounds every command: errors become one sentence and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from armwerk.cli.console import NO_READER, err
from armwerk.errors import ArmwerkError
from armwerk.robot.dimension import decimal_comma_hint

BAD_INPUT = 2
FAULT = 3
STOPPED = 130
UsageError: Any = typer.BadParameter.__mro__[1]  # typer keeps its parser's classes to itself
ClickException: Any = typer.BadParameter.__mro__[2]


class Shell(TyperGroup):
    """A group of commands that never shows a traceback unless ``--debug`` is given.

    The option is taken wherever it stands, since it is mostly added to a line that just failed.
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run and leave with an exit code; ``standalone_mode`` is always off underneath."""
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words
        _tolerant_streams()
        try:
            rest = [word for word in words if word != "--debug"]
            code = super().main(rest, prog_name, complete_var, False, windows_expand_args, **extra)
            sys.stdout.flush()
        except BrokenPipeError:
            code = _nobody_reads()
        except SystemExit as leaving:
            code = leaving.code
        except BaseException as error:
            code = _explained(error, debug)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(_nobody_reads()) from None


def _explained(error: BaseException, debug: bool) -> int:
    """Write one sentence about an error to stderr and return the exit code."""
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return STOPPED
    if debug and not isinstance(error, ClickException):
        traceback.print_exception(error)
    if isinstance(error, ClickException):
        return _say(_usage(error), BAD_INPUT)
    if isinstance(error, ArmwerkError):
        return _say(str(error), BAD_INPUT)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return _say(f"{place}{error.strerror or error}", BAD_INPUT)
    if not isinstance(error, Exception):
        raise error
    told = "" if debug else "; --debug shows where"
    return _say(f"unexpected {type(error).__name__}: {error}{told}", FAULT)


def _usage(error: Any) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "armwerk"
    message = " ".join(error.format_message().split()).rstrip(".")
    if "valid float" in message and (hint := decimal_comma_hint(message)):
        message = f"{message}; {hint}"
    for needless in ("Invalid value: ", "Value error, "):
        message = message.replace(needless, "")
    return f"{message} (see {command} --help)"


def _say(sentence: str, code: int) -> int:
    sentence = " ".join(sentence.split())
    err().print(f"armwerk: {sentence}", markup=False, highlight=False, soft_wrap=True)
    return code


def _nobody_reads() -> int:
    """Silence stdout after its reader has gone, so that closing it says nothing either."""
    try:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # stdout is no real file (in a test, say)
    return NO_READER


def _tolerant_streams() -> None:
    """Let a terminal that knows only ASCII show question marks, and closed streams swallow all."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # as after ">&-" in a shell
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
