"""Robots, ball and field of football."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from armwerk.mobile.examples.arena import WOOD, boards, corners
from armwerk.mobile.examples.shapes import Colour, at, block, body, eye, prism, sphere
from armwerk.mobile.files.group import MeshGroup, Triangulation

RADIUS, FRONT, HEIGHT = 0.085, 0.055, 0.12  # of a player: across, to its flat front, high [m]
BALL_RADIUS, BALL_MASS = 0.0215, 0.046  # of a golf ball [m], [kg]
TEAMS: dict[str, tuple[str, Colour]] = {
    "blue": ("left", (0.15, 0.35, 0.8)),
    "yellow": ("right", (0.9, 0.75, 0.1)),
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of football.

    Args:
        length: Along x [m].
        width: Along y [m].
        goal: Width of the goals [m].
        depth: Of the goals [m].
        speed: Of the players [m/s].
        players: Of each team: role, place along x towards the own goal as a share of half the
            length, and lane as a share of half the width.
    """

    length: float
    width: float
    goal: float
    depth: float
    speed: float
    players: tuple[tuple[str, float, float], ...]


FOUR = Field(
    *(3.0, 2.0, 0.8, 0.15, 0.6),
    (
        ("keeper", 0.92, 0.0),
        ("defender", 0.6, 0.3),
        ("supporter", 0.35, -0.5),
        ("striker", 0.2, 0.1),
    ),
)
ELEVEN = Field(
    *(9.0, 6.0, 1.2, 0.2, 1.2),
    (
        ("keeper", 0.95, 0.0),
        *(("defender", 0.7, lane) for lane in (-0.7, -0.25, 0.25, 0.7)),
        *(("supporter", 0.4, lane) for lane in (-0.8, -0.3, 0.3, 0.8)),
        *(("striker", 0.15, lane) for lane in (-0.35, 0.35)),
    ),
)


@cache
def _hull(colour: Colour) -> Triangulation:
    angles = 2 * math.pi * (np.arange(24) + 0.5) / 24
    outline = RADIUS * np.column_stack([np.cos(angles), np.sin(angles)])
    outline[:, 0] = np.minimum(outline[:, 0], FRONT)
    keep = [
        i
        for i in range(len(outline))
        if not (outline[i - 1, 0] == outline[i, 0] == outline[(i + 1) % 24, 0])
    ]
    return prism(outline[keep], 0.008, HEIGHT, colour)


def player(name: str, x: float, y: float, turn: float, colour: Colour) -> MeshGroup:
    """Return a player: round, with a flat front that pushes, and a sensor in it."""
    parts = (
        MeshGroup("body", np.eye(4), _hull(colour)),
        MeshGroup("sensor_front", at(FRONT + 0.0005, 0.0, 0.02), eye(0.006, (0.1, 0.1, 0.1))),
    )
    return MeshGroup(name, at(x, y, 0.0, turn), None, parts)


def field_groups(field: Field) -> list[MeshGroup]:
    """Return boards, goals, ball and players."""
    found = boards(field.length, field.width, 0.08, gap=field.goal)
    found += corners(field.length, field.width, 0.08, 3 * RADIUS)
    for name, sign in (("west", -1.0), ("east", 1.0)):
        thick = 0.02
        side = block(field.depth, thick, 0.08, WOOD)
        middle = sign * (field.length / 2 + thick + field.depth / 2)
        back = sign * (field.length / 2 + 1.5 * thick + field.depth)
        for label, way in (("left", 1.0), ("right", -1.0)):
            found.append(body(f"goal {name} {label}", side, middle, way * (field.goal + thick) / 2))
        wide = block(thick, field.goal + 2 * thick, 0.08, WOOD)
        found.append(body(f"goal {name} back", wide, back, 0.0))
    found.append(body("ball", sphere(BALL_RADIUS, (0.95, 0.45, 0.1)), 0.0, 0.0, BALL_RADIUS))
    for team, (side_name, colour) in TEAMS.items():
        sign = -1.0 if side_name == "left" else 1.0
        for number, (role, share, lane) in enumerate(field.players, start=1):
            x, y = sign * share * field.length / 2, lane * field.width / 2
            turn = 0.0 if sign < 0 else math.pi
            found.append(player(player_name(team, role, number), x, y, turn, colour))
    return found


def player_name(team: str, role: str, number: int) -> str:
    """Return what a player is called: the team first, a keeper by its role."""
    return f"{team} keeper" if role == "keeper" else f"{team} {number}"


def field_description(name: str, field: Field, base: str) -> str:
    """Return the TOML of a field.

    Args:
        name: Of the scene.
        field: Which one.
        base: Of the players, as TOML.
    """
    half, goal = field.length / 2, field.goal / 2
    depth = field.depth + 0.02
    lines = [
        "[scene]",
        f'name = "{name}"',
        "floor_friction = 0.8",
        "",
        "[objects.ball]",
        'type = "movable"',
        f"mass = {BALL_MASS}",
        "friction = 0.88       # slides with 6.9 m/s² on this floor",
        "rolling = 0.5         # [m/s²]",
        "bounce = 0.8",
    ]
    for goal_name, sign in (("west", -1.0), ("east", 1.0)):
        inner = BALL_RADIUS + 0.005
        xs = sorted((sign * (half + inner), sign * (half + depth + 0.05)))
        lines += [
            "",
            "[[goals]]",
            f'name = "{goal_name}"',
            f"low = [{xs[0]:.4f}, {-goal:.4f}, -0.1]",
            f"high = [{xs[1]:.4f}, {goal:.4f}, 0.5]",
            'bodies = ["ball"]',
            f"back_to = [0.0, 0.0, {BALL_RADIUS}]",
        ]
    for team, (side, _) in TEAMS.items():
        for number, (role, _, lane) in enumerate(field.players, start=1):
            lines += [
                "",
                f'[objects."{player_name(team, role, number)}"]',
                f'program = "football role={role} side={side} lane={lane:g} '
                f"length={field.length:g} width={field.width:g} goal={field.goal:g} "
                f'speed={field.speed:g}"',
                "mass = 2.0",
                f"base = {base}",
                "reports = { seen = true }",
            ]
    return "\n".join(lines) + "\n"
