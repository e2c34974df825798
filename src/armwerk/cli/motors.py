"""``armwerk motors``: modules on a CAN bus: list, move, reference, monitor."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table

from armwerk.cli.arm_options import TipOption, with_tip
from armwerk.cli.console import add_column, add_row, put, put_json, table, working
from armwerk.cli.output_options import JsonOption

if TYPE_CHECKING:
    from armwerk.motors import CanPort, CycleClock, ModuleConfig, ModuleStatus, MotorModules

VIRTUAL = "virtual"
Action = Literal["list", "move", "reference", "monitor"]


def motors(
    action: Annotated[Action, typer.Argument(help="What to do.")],
    bus: Annotated[
        str,
        typer.Option(
            "--bus",
            help="Interface of python-can (socketcan, pcan, slcan, …); virtual: simulated modules.",
        ),
    ] = VIRTUAL,
    channel: Annotated[str, typer.Option("--channel", help="Of the interface.")] = "can0",
    bitrate: Annotated[
        int | None, typer.Option("--bitrate", help="[bit/s]. Without it: as the interface is set.")
    ] = None,
    arm: Annotated[
        str,
        typer.Option(
            "--arm",
            metavar="ARM",
            help="Whose joints the simulated modules move: a name from the library, a file, or a "
            "robot of an installed package.",
        ),
    ] = "puma560",
    tip: TipOption = None,
    module: Annotated[
        int | None, typer.Option("--module", min=1, help="Number of the module to move.")
    ] = None,
    to: Annotated[float | None, typer.Option("--to", help="Its goal [deg, m].")] = None,
    share: Annotated[
        float, typer.Option("--speed", help="Share of speed and acceleration, up to 0.5.")
    ] = 0.5,
    rate: Annotated[
        float, typer.Option("--rate", min=10.0, max=2000.0, help="Of SYNC [Hz].")
    ] = 1000.0,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, max=3600.0, help="To monitor for.")
    ] = 2.0,
    real_time: Annotated[
        bool,
        typer.Option("--real-time", help="Run before all ordinary programs; mostly for root."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Talk to motor modules on a CAN bus (CiA 402), or to simulated ones.

    With Ctrl-C all modules stop at once. A monitor tells how late SYNC was, and which frames were
    lost, late or doubled.

    \b
    Examples:
      armwerk motors list --bus virtual
      armwerk motors move --module 1 --to 30
      armwerk motors reference                           the gripper, to its end stop
      armwerk motors monitor --seconds 5 --rate 1000
      armwerk motors list --bus socketcan --channel can0 --real-time
    """
    if action == "move" and (module is None or to is None):
        raise typer.BadParameter("move needs --module and --to, as in --module 1 --to 30")
    from armwerk.motors import CycleClock, take_priority

    if real_time and not take_priority():
        raise typer.BadParameter("--real-time: the system does not allow it; try as root")
    paced = bus != VIRTUAL or action == "monitor"
    clock = CycleClock(1.0 / rate) if paced else None
    with _opened(bus, channel, bitrate, with_tip(arm, tip), 1.0 / rate, clock, share) as (
        modules,
        port,
    ):
        if action == "move" and module is not None and to is not None:
            config = modules.module_config(module)
            goal = math.radians(to) if config.unit == "rad" else to
            with working("moving"):
                modules.exec_motion(module, "ramp", goal)
                modules.wait()
        elif action == "reference":
            with working("referencing"):
                modules.reference()
                modules.wait()
        elif action == "monitor":
            with working("listening"):
                modules.run(seconds)
        states = [modules.status(one.number) for one in modules.modules()]
        if as_json:
            _json(modules.modules(), states, clock, port)
            return
        put(_table(modules.modules(), states))
        if clock is not None:
            put(str(clock.report()), str(port.counts))


@contextmanager
def _opened(
    bus: str,
    channel: str,
    bitrate: int | None,
    arm: str,
    period: float,
    clock: CycleClock | None,
    share: float,
) -> Iterator[tuple[MotorModules, CanPort]]:
    from armwerk.errors import UnsupportedError
    from armwerk.motors import CanPort, ModuleSimulator, MotorModules, module_configs
    from armwerk.motors.module_simulator import END_OF_CYCLE, open_bus
    from armwerk.robot import Arm, load

    with ExitStack() as stack:
        marker = None
        if bus == VIRTUAL:
            described = load(arm)
            if not isinstance(described, Arm):
                raise UnsupportedError(f"arm '{arm}' is built of parts; modules need joints")
            stack.enter_context(ModuleSimulator.of(module_configs(described), channel))
            marker = END_OF_CYCLE
        port = CanPort(
            open_bus(bus, channel, bitrate), period=period, clock=clock, end_of_cycle=marker
        )
        try:
            modules = MotorModules(port, share, share)
        except BaseException:
            port.close()
            raise
        stack.enter_context(modules)
        yield modules, port


def _table(configs: tuple[ModuleConfig, ...], states: list[ModuleStatus]) -> Table:
    shown = table("motor modules", caption="angles in degrees, lengths in metres; c in amperes")
    for heading in ("module", "name", "state", "unit u"):
        add_column(shown, heading)
    for heading in ("position [u]", "speed [u/s]", "c [A]", "from [u]", "to [u]", "top [u/s]"):
        add_column(shown, heading, number=True, wrap=True)
    for config, status in zip(configs, states, strict=True):
        scale = math.degrees(1.0) if config.unit == "rad" else 1.0
        state = f"{status.state}: {status.error}" if status.error else str(status.state)
        if not status.referenced and status.state == "ready":
            state = "ready, not referenced"
        values = (
            status.position,
            status.velocity,
            *config.limits,
            config.max_velocity,
        )
        at, speed, low, high, top = (f"{scale * value:.4g}" for value in values)
        unit = "deg" if config.unit == "rad" else "m"
        row = (str(config.number), config.name, state, unit)
        add_row(shown, *row, at, speed, f"{status.current:.3g}", low, high, top)
    return shown


def _json(
    configs: tuple[ModuleConfig, ...],
    states: list[ModuleStatus],
    clock: CycleClock | None,
    port: CanPort,
) -> None:
    from dataclasses import asdict

    rows = [
        {**asdict(config), **status._asdict()}
        for config, status in zip(configs, states, strict=True)
    ]
    put_json(
        {
            "modules": rows,
            "sync": None if clock is None else asdict(clock.report()),
            "frames": asdict(port.counts),
        }
    )
