"""The surroundings of arms: what comes in is an environment file, what goes out is a `Scene`.

Nothing here moves, and no class named in a file is looked up.
"""

from __future__ import annotations

from armwerk.scene.changes import with_robot
from armwerk.scene.files import cells, find_cell, read_scene, save_scene
from armwerk.scene.reader import parse_scene
from armwerk.scene.scene import (
    ALL,
    MOST_ROBOTS,
    TILE_SIZE,
    Ball,
    Barrier,
    Border,
    Circle,
    Conveyor,
    Cuboid,
    Direction,
    FixedSphere,
    Obstacle,
    Outline,
    Paint,
    Point,
    Polygon,
    Processor,
    Rectangle,
    Robot,
    Scene,
    Slice,
    Slope,
    Spot,
    Step,
    Thing,
    ThingKind,
    Tile,
    Watch,
    Wedge,
    Zone,
)
from armwerk.scene.writer import write_scene

__all__ = [
    "ALL",
    "MOST_ROBOTS",
    "TILE_SIZE",
    "Ball",
    "Barrier",
    "Border",
    "Circle",
    "Conveyor",
    "Cuboid",
    "Direction",
    "FixedSphere",
    "Obstacle",
    "Outline",
    "Paint",
    "Point",
    "Polygon",
    "Processor",
    "Rectangle",
    "Robot",
    "Scene",
    "Slice",
    "Slope",
    "Spot",
    "Step",
    "Thing",
    "ThingKind",
    "Tile",
    "Watch",
    "Wedge",
    "Zone",
    "cells",
    "find_cell",
    "parse_scene",
    "read_scene",
    "save_scene",
    "with_robot",
    "write_scene",
]
