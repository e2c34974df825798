"""The planners: each takes a `PlanningProblem` and returns waypoints, or None.

A planner is one row of `PLANNERS`. All of them prove every straight line they use with
`PlanningProblem.segments_free`, so that what they return is free from end to end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from armwerk.arrays import Array
from armwerk.planning.options import PlannerName
from armwerk.planning.paths.map_search import a_star
from armwerk.planning.paths.problem import PlanningProblem
from armwerk.planning.paths.roadmap import prm
from armwerk.planning.paths.rrt_connect import rrt_connect

Planner: TypeAlias = Callable[[PlanningProblem], Array | None]

PLANNERS: dict[PlannerName, Planner] = {"rrt-connect": rrt_connect, "prm": prm, "a-star": a_star}
