"""Cells and programs that several tests of the cell use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import armwerk as aw
from armwerk.cell import World
from armwerk.scene import Scene, parse_scene

EMPTY = "BORDER -100 -100 100 100\n"


def robots(count: int, more: str = "") -> Scene:
    """Return a cell with some robots in a row."""
    lines = [f"MULTIROBOT {count}"] if count else []
    lines += [f"ROBOT{k} {100 * k} 0 0" for k in range(count)]
    return parse_scene("\n".join([*lines, more]) + "\n")


def program(run: Callable[[Any], None], **methods: Any) -> type[aw.RobotController]:
    """Return a controller class with that run."""
    return type("Program", (aw.RobotController,), {"run": run, **methods})


def world(*runs: Any, more: str = "", patience: float = 5.0, **options: Any) -> World:
    """Return a world whose robots run these functions or controllers."""
    controllers = {
        k: one if isinstance(one, type | aw.RobotController) else program(one)
        for k, one in enumerate(runs)
    }
    return World(robots(len(runs), more), robots=controllers, patience=patience, **options)


class Still(aw.RobotController):
    """Has nothing to do."""

    def run(self) -> None:
        """End at once."""


class Deaf(aw.TriggerProcessor):
    """Hears everything and does nothing."""

    def receive_trigger(self, text: str) -> None:
        """Do nothing."""
