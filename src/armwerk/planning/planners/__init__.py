"""Ways to look for a way: each takes a `Terrain` and returns waypoints, or None.

A planner is one row of `PLANNERS`. All of them prove every straight line they use with
`Terrain.way`, so that what they return is free from end to end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from armwerk.arrays import Array
from armwerk.planning.planners.terrain import Terrain

Planner: TypeAlias = Callable[[Terrain], Array | None]


def _rrt_connect(terrain: Terrain) -> Array | None:
    from armwerk.planning.planners.trees import rrt_connect

    return rrt_connect(terrain)


def _prm(terrain: Terrain) -> Array | None:
    from armwerk.planning.planners.roadmap import prm

    return prm(terrain)


def _a_star(terrain: Terrain) -> Array | None:
    from armwerk.planning.map_search import a_star

    return a_star(terrain)


PLANNERS: dict[str, Planner] = {"rrt-connect": _rrt_connect, "prm": _prm, "a-star": _a_star}

__all__ = ["PLANNERS", "Planner", "Terrain"]
