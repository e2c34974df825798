"""Configuration spaces and ways through them: an arm and bodies come in, maps and paths go out."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armwerk.planning.cspace import cspace
    from armwerk.planning.cspace_result import ConfigurationSpace
    from armwerk.planning.find_path import find_path
    from armwerk.planning.planned_path import PlannedPath
    from armwerk.planning.problems import Problem, problem, problems
    from armwerk.planning.reach import reach
    from armwerk.planning.reach_result import Reach

__all__ = [
    "ConfigurationSpace",
    "PlannedPath",
    "Problem",
    "Reach",
    "cspace",
    "find_path",
    "problem",
    "problems",
    "reach",
]

_HOMES = {
    "ConfigurationSpace": "cspace_result",
    "PlannedPath": "planned_path",
    "Problem": "problems",
    "Reach": "reach_result",
    "cspace": "cspace",
    "find_path": "find_path",
    "problem": "problems",
    "problems": "problems",
    "reach": "reach",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"armwerk.planning.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'armwerk.planning' has no attribute '{name}'")


class _Room(ModuleType):
    """A room in which a file does not take the place of the function that is called like it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Room
