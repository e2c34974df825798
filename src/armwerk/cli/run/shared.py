"""The options that ``armwerk run`` and ``armwerk studio`` have in common, written down once.

A command takes them as one argument, a `CellOptions`, and `with_cell_options` spreads it over the
command line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from armwerk.cli.run import options

if TYPE_CHECKING:
    from armwerk.cell.world import WorldOptions
    from armwerk.physics.settings import SimulationSettings
    from armwerk.protocol import TimedMessage
    from armwerk.scene.scene import Scene


@dataclass(frozen=True, slots=True)
class CellOptions:
    """What the command line says about a cell and what is written of it; see `options`."""

    environment: options.Environment = None
    manipulator: options.Manipulators = None
    gripper: options.Grippers = None
    controller: options.Controllers = None
    config: options.Configs = None
    robot: options.Places = None
    ik: options.Ik = "pref"
    skills: options.SkillsText = None
    trigger_processor: options.Processors = None
    trigger_processor_config: options.ProcessorConfigs = None
    seconds: options.Seconds = None
    pace: options.PaceText = None
    sim_time: options.SimTime = None
    dt: options.Dt = None
    drives: options.Drives = "limited"
    seed: options.Seed = 0
    send: options.Sends = None
    line: options.Lines = None
    log_debug: options.LogDebug = False
    log_state: options.LogState = False
    log_system: options.LogSystem = False
    log_messages: options.LogMessages = False
    log_threads: options.LogThreads = False
    contacts: options.LogContacts = False
    log_all: options.LogAll = False
    log_dir: options.LogDir = Path()
    log_names: options.LogNames = ""
    record: options.Record = None
    record_rate: options.RecordRate = 50.0
    render: options.Render = ""
    render_ms: options.RenderMs = None
    render_flags: options.RenderFlags = ""

    def check(self) -> None:
        """Refuse numbers that are out of range."""
        options.checked("--seconds", self.seconds, 0.0, 1e6)
        options.checked("--dt", self.dt, 0.01, 5.0)
        options.checked("--record-rate", self.record_rate, 0.1, 1000.0)
        options.renderer(self.render or "native")

    @property
    def ratio(self) -> float | None:
        """Simulated per real time; None: as fast as possible."""
        return options.pace_ratio(self.pace, self.sim_time)

    @property
    def schedule(self) -> list[TimedMessage]:
        """Triggers and lines to send."""
        return list(options.schedule(self.send, self.line))

    @property
    def logs(self) -> frozenset[str]:
        """Which logs are written."""
        kept = {
            "debug": self.log_debug or self.log_all,
            "state": self.log_state or self.log_all,
            "system": self.log_system or self.log_all,
            "messages": self.log_messages or self.log_all,
            "threads": self.log_threads or self.log_all,
            "contacts": self.contacts,
        }
        return frozenset(name for name, wanted in kept.items() if wanted)

    @property
    def recording(self) -> Path | None:
        """Where the recording goes; None: there is none."""
        if self.record is None:
            return None
        from armwerk.cell.record import recording_path

        return recording_path(self.record)

    def flags(self, default: str) -> tuple[bool, bool, bool]:
        """Return what stands out in pictures."""
        return options.render_flags(self.render_flags or default)

    def scene(self, name: str) -> tuple[Scene, bool]:
        """Return a cell with what is said about it, and whether that changes it.

        What the command line says wins over the file.
        """
        from armwerk.cli.run.overrides import changed_processors, changed_robots, robot_changes
        from armwerk.scene.files import read_scene

        changes = robot_changes(
            *(self.manipulator or (), self.gripper or (), self.controller or ()),
            *(self.config or (), self.robot or ()),
        )
        scene = read_scene(name)
        changed = changed_processors(
            changed_robots(scene, changes),
            self.trigger_processor or (),
            self.trigger_processor_config or (),
        )
        return changed, changed != scene

    def settings(self) -> SimulationSettings:
        """Return the settings of the physics."""
        from armwerk.physics.settings import DRIVES, SimulationSettings

        kind = next((one for one in DRIVES if one == self.drives), None)
        if kind is None:
            allowed = ", ".join(DRIVES)
            raise typer.BadParameter(f"--drives: '{self.drives}' is neither of {allowed}")
        step = None if self.dt is None else self.dt / 1000
        return SimulationSettings(dt=step, seed=self.seed, drives=kind)

    def world(self) -> WorldOptions:
        """Return what a world takes beside its scene."""
        return {
            "settings": self.settings(),
            "ik": options.ik_method(self.ik),
            "skills": self.skills,
        }


def with_cell_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose argument of type `CellOptions` has become options of its own."""
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    (whole,) = (name for name, hint in hints.items() if hint is CellOptions)
    inner = get_type_hints(CellOptions, include_extras=True)
    spread: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name != whole:
            own = parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
            spread.append(own)
            continue
        spread += [
            Parameter(
                one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=inner[one.name]
            )
            for one in fields(CellOptions)
        ]

    @wraps(command)
    def spread_out(**given: Any) -> None:
        shared = CellOptions(**{one.name: given.pop(one.name) for one in fields(CellOptions)})
        command(**given, **{whole: shared})

    del spread_out.__wrapped__
    spread_out.__annotations__ = {one.name: one.annotation for one in spread}
    spread_out.__signature__ = Signature(spread)  # type: ignore[attr-defined]
    return spread_out
