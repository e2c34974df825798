"""The cell: physics, programs and triggers wired together, and the clock."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armwerk.cell.pace import Pace
    from armwerk.cell.report import Report, RobotReport
    from armwerk.cell.saving import WorldState
    from armwerk.cell.world import World

__all__ = ["Pace", "Report", "RobotReport", "World", "WorldState"]

_HOMES = {
    "Pace": "pace",
    "Report": "report",
    "RobotReport": "report",
    "World": "world",
    "WorldState": "saving",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"armwerk.cell.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'armwerk.cell' has no attribute '{name}'")
