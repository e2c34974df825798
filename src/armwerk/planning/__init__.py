"""Configuration spaces and ways through them: an arm and bodies come in, maps and paths go out."""

from __future__ import annotations

from armwerk.planning.cspace import cspace
from armwerk.planning.cspace_result import ConfigurationSpace
from armwerk.planning.problems import Problem, problem, problems

__all__ = ["ConfigurationSpace", "Problem", "cspace", "problem", "problems"]
