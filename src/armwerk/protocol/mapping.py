"""Configuration spaces, paths and reach: what a viewer may ask, and gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.protocol.moving import SampledMotion

PlannerChoice: TypeAlias = Literal["a-star", "rrt-connect", "prm"]
"""How a path is looked for."""


@dataclass(frozen=True, slots=True)
class MapSpace:
    """Ask for the map of two joints.

    Args:
        arm: A name of the library, or a file below the folder.
        bodies: TOML; empty: none.
        axes: The two joints, counted from 0.
        cells: Along each of them.
        q: Joint values, of which those of the axes do not count [rad or m].
    """

    arm: str
    bodies: str
    axes: tuple[int, int]
    cells: tuple[int, int]
    q: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class FindRoute:
    """Ask for a free path.

    Args:
        arm: As in `MapSpace`.
        bodies: Likewise.
        axes: The two joints that move, of "a-star".
        start: Joint values [rad or m].
        goal: Likewise.
        planner: By which.
        margin: Distance to keep from bodies [m].
    """

    arm: str
    bodies: str
    axes: tuple[int, int]
    start: tuple[float, ...]
    goal: tuple[float, ...]
    planner: PlannerChoice
    margin: float


@dataclass(frozen=True, slots=True)
class SweepReach:
    """Ask which places an arm reaches.

    Args:
        arm: As in `MapSpace`.
        bodies: Likewise.
        samples: Configurations to be tried.
        cell: Edge of a voxel [m]; 0: as suits the arm.
    """

    arm: str
    bodies: str
    samples: int
    cell: float


@dataclass(frozen=True, slots=True)
class SpaceAxis:
    """An axis of a map.

    Args:
        joint: Its number, from 0.
        name: Its name.
        unit: "rad" or "m".
        low: Of the first cell [unit].
        high: One step beyond the last cell [unit].
        cells: How many.
        is_turn: Whether its ends meet.
    """

    joint: int
    name: str
    unit: str
    low: float
    high: float
    cells: int
    is_turn: bool


@dataclass(frozen=True, slots=True)
class SpaceMap:
    """The map of two joints.

    Args:
        axes: To the right, and upwards.
        picture: PNG in base64, a dot for each cell; free ones are white.
        tests: Parts against bodies, over all cells.
        hits: Of them.
        free: Free cells per cell, 0 to 1.
        fractions: Cells in which each body is hit, per cell, 0 to 1.
        several: Cells in which more than one is.
        seconds: That filling the cells took [s].
        method: How they were filled.
    """

    axes: tuple[SpaceAxis, SpaceAxis]
    picture: str
    tests: int
    hits: int
    free: float
    fractions: tuple[float, ...]
    several: float
    seconds: float
    method: str


@dataclass(frozen=True, slots=True)
class FoundRoute:
    """A free path.

    Args:
        motion: Along it.
        waypoints: Rows of joint values, as base64 [rad or m].
        corners: How many waypoints.
        length: In joint space [rad, m for sliding joints].
        seconds: That finding it took [s].
        planner: Which found it.
    """

    motion: SampledMotion
    waypoints: str
    corners: int
    length: float
    seconds: float
    planner: str


@dataclass(frozen=True, slots=True)
class ReachCloud:
    """Places that an arm reaches.

    Args:
        points: Middles of voxels, rows x y z as base64 [m].
        values: How well the tool moves there, 0 to 1 of the best, as base64.
        count: How many.
        cell: Edge of a voxel [m].
        volume: Of all of them [m³].
        tried: Configurations.
        free: Those that touch nothing, per configuration, 0 to 1.
        seconds: That it took [s].
    """

    points: str
    values: str
    count: int
    cell: float
    volume: float
    tried: int
    free: float
    seconds: float


MapCommand: TypeAlias = MapSpace | FindRoute | SweepReach
"""Anything a viewer may ask of configuration spaces."""
MapResult: TypeAlias = SpaceMap | FoundRoute | ReachCloud
"""Anything it gets of them."""
