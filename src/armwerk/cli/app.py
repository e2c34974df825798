"""The table of commands, and the program made of it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from armwerk import __version__
from armwerk.cli.arms import arms
from armwerk.cli.completing import CompletingCommand
from armwerk.cli.console import out
from armwerk.cli.cspace import cspace
from armwerk.cli.debug_adapter import debug_adapter
from armwerk.cli.demo import demo
from armwerk.cli.derive import derive
from armwerk.cli.ik import ik
from armwerk.cli.language_server import language_server
from armwerk.cli.leaving import leave_with
from armwerk.cli.motors import motors
from armwerk.cli.move import move
from armwerk.cli.plan import plan
from armwerk.cli.program import program
from armwerk.cli.ptp import ptp
from armwerk.cli.reach import reach
from armwerk.cli.run.command import run
from armwerk.cli.shell import Shell
from armwerk.cli.show import show
from armwerk.cli.station import station
from armwerk.cli.studio import studio
from armwerk.cli.together import together
from armwerk.cli.warm import warm
from armwerk.errors import AssumedLimitsWarning

# A new command is one module with one function, and one row here; help lists them in this order.
COMMANDS: dict[str, Callable[..., None]] = {
    "demo": demo,
    "arms": arms,
    "show": show,
    "derive": derive,
    "ik": ik,
    "ptp": ptp,
    "move": move,
    "station": station,
    "cspace": cspace,
    "reach": reach,
    "plan": plan,
    "together": together,
    "run": run,
    "program": program,
    "motors": motors,
    "studio": studio,
    "warm": warm,
    "language-server": language_server,
    "debug-adapter": debug_adapter,
}

HELP = """Describe a robot arm once; get its models, its motion and its pictures.

\b
Examples:
  armwerk demo                                   see what it can do
  armwerk arms                                   the arms that come with it
  armwerk show puma560 --plot puma.png           table, limits, reach, picture
  armwerk derive ur5e --explain                  how its inverse kinematics is found
  armwerk ik ur5e --pose "0.4 0.2 0.3 0 90 0"    every solution of a pose [m, deg]
  armwerk ptp scara --from "0 0 0 0" --to "60 -40 0.1 90"    a motion within limits [deg, m]
  armwerk move table.toml --arm five_axis        lines, circles and curves of a table
  armwerk station welding_station                rail and table: all axes together
  armwerk program pick.irl --arm puma560         a robot program in IRL
  armwerk run pick_and_place --video pick.gif    a cell with its controllers, simulated
  armwerk motors monitor --bus virtual           motor modules on a CAN bus
  armwerk studio sorting                         a cell in the browser

Lengths are metres and angles degrees unless a header or an option says otherwise.
"""


def _version(asked: bool) -> None:
    if asked:
        out().print(f"armwerk {__version__}")
        raise typer.Exit


def _start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an unexpected fault.")
    ] = False,
) -> None:
    # commands show such words as notices, below their tables
    warnings.simplefilter("ignore", AssumedLimitsWarning)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def shell_with(names: Iterable[str]) -> typer.Typer:
    """Return the program with these commands."""
    made = typer.Typer(
        cls=Shell,
        help=HELP,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    made.callback(invoke_without_command=True)(_start)
    for name in names:
        function = COMMANDS[name]
        made.command(name, cls=getattr(function, "command_class", CompletingCommand))(function)
    return made


app = shell_with(COMMANDS)


def main() -> None:
    """Run the command line; never returns."""
    words = sys.argv[1:2]
    # typer looks through all options of every command it has, which takes as long as a short one
    is_known = bool(words) and words[0] in COMMANDS and "_ARMWERK_COMPLETE" not in os.environ
    try:
        (shell_with(words) if is_known else app)(prog_name="armwerk")
    except SystemExit as leaving:
        leave_with(leaving.code if isinstance(leaving.code, int) else 0)
        raise
