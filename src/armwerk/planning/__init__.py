"""Configuration spaces and ways through them: an arm and bodies come in, maps and paths go out."""

from __future__ import annotations

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
