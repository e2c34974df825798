"""Configuration spaces and ways through them: an arm and bodies come in, maps and paths go out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armwerk.planning.cspace_result import ConfigurationSpace
    from armwerk.planning.known_problems import Problem, problem, problems
    from armwerk.planning.mapping import cspace
    from armwerk.planning.path_finding import find_path
    from armwerk.planning.planned_path import PlannedPath
    from armwerk.planning.reach_result import Reach
    from armwerk.planning.reaching import reach

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
    "Problem": "known_problems",
    "Reach": "reach_result",
    "cspace": "mapping",
    "find_path": "path_finding",
    "problem": "known_problems",
    "problems": "known_problems",
    "reach": "reaching",
}


def __getattr__(name: str) -> Any:
    # loaded when first used: the kernels for accelerators need numpy and triton alone
    if name in _HOMES:
        return getattr(import_module(f"armwerk.planning.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'armwerk.planning' has no attribute '{name}'")
