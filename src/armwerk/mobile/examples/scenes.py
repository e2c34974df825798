"""The example scenes, made anew: mesh files, what is said about them, and their settings.

Metres in all of them, but for the first, whose unit is 10 cm as in the old simulator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from armwerk.mobile.examples.arena import boards, hill, sharp_prisms
from armwerk.mobile.examples.footballers import ELEVEN, FOUR, field_description, field_groups
from armwerk.mobile.examples.khepera import khepera
from armwerk.mobile.examples.shapes import Colour, body, cylinder
from armwerk.mobile.files.attributes import ObjectAttributes
from armwerk.mobile.files.group import MeshGroup

SLOPES = (8.0, 18.0, 32.0, 44.0)  # of the hill [deg]
FRICTIONS = (0.2, 0.5, 0.8)
RED: Colour = (0.8, 0.25, 0.2)
GREEN: Colour = (0.25, 0.6, 0.3)
_OMNI = '{ kind = "omni", wheel_radius = 0.027, distance = 0.075, top_speed = 2.5 }'
_TWO = (
    '{ kind = "differential", wheel_radius = 0.025, track = 0.14, casters = [0.045, -0.06], '
    "top_speed = 1.5 }"
)


@dataclass(frozen=True, slots=True, eq=False)
class ExampleScene:
    """An example as its files hold it.

    Args:
        groups: Of its mesh file, z up.
        description: Its TOML file.
        settings: By name, what they say about objects.
    """

    groups: tuple[MeshGroup, ...]
    description: str
    settings: Mapping[str, Mapping[str, ObjectAttributes]] = field(default_factory=dict)


def collision() -> ExampleScene:
    """Sharp prisms that the sensors miss: with physics the robot stops there."""
    groups = [
        *boards(1.2, 0.8, 0.05),
        sharp_prisms("prisms 1", 0.1, 0.0),
        sharp_prisms("prisms 2", 0.35, 0.25),
        sharp_prisms("prisms 3", 0.35, -0.25),
        khepera("robot1", -0.3, 0.0),
        khepera("robot2", -0.3, 0.25, colour=GREEN),
    ]
    scale = np.diag([10.0, 10.0, 10.0, 1.0])  # to units of 10 cm
    scaled = tuple(MeshGroup(g.name, scale @ g.matrix, g.mesh, g.children) for g in groups)
    description = """[scene]
name = "collision"
unit = 0.1            # one unit of the mesh file is 10 cm

[objects.robot1]
program = "braitenberg speed=0.15"
mass = "80 g"

[objects.robot2]
program = "braitenberg speed=0.15"
mass = "80 g"
"""
    for number in (1, 2, 3):
        description += f'\n[objects."prisms {number}"]\nfriction = 0.1       # polished metal\n'
    return ExampleScene(scaled, description)


def slope() -> ExampleScene:
    """A hill that gets steeper, with three frictions kept as settings."""
    parts = hill(SLOPES, 0.3, 0.6)
    names = [part.name for part in parts]
    groups = [
        *parts,
        khepera("climber", -0.25, 0.0),
        khepera("parked", 0.45, 0.2, colour=GREEN, z=_height(0.45)),
    ]
    said = "".join(f'\n[objects."{name}"]\nfriction = 0.5\n' for name in names)
    description = f"""[scene]
name = "slope"

[objects.climber]
program = "straight speed=0.15"
mass = "80 g"

[objects.parked]
mass = "80 g"
{said}"""
    settings = {
        f"friction {friction:g}": {name: ObjectAttributes(friction=friction) for name in names}
        for friction in FRICTIONS
    }
    return ExampleScene(tuple(groups), description, settings)


def _height(x: float) -> float:
    """Return the height of the hill at a place [m]."""
    height, start = 0.0, 0.0
    for degrees in SLOPES:
        here = min(max(x - start, 0.0), 0.3)
        height += here * math.tan(math.radians(degrees))
        start += 0.3
    return height


def gripping() -> ExampleScene:
    """Cylinders, and four robots with grippers that collect them in the middle."""
    groups = [*boards(1.6, 1.2, 0.05), *_cylinders(8, 0.48), *_collectors()]
    return ExampleScene(tuple(groups), _collecting("gripping", 8))


def together() -> ExampleScene:
    """Prisms, a slope, cylinders, and robots of every kind."""
    groups = [
        *boards(2.4, 1.6, 0.05),
        sharp_prisms("prisms 1", 0.75, 0.5),
        sharp_prisms("prisms 2", 0.75, -0.5),
        *hill((8.0,), 0.3, 0.3, x=-1.0, y=0.55),
        *_cylinders(6, 0.4),
        *_collectors(),
        khepera("wanderer", 0.55, 0.6, colour=GREEN),
        khepera("follower", 0.9, -0.7, math.pi, colour=(0.5, 0.3, 0.6)),
    ]
    description = (
        _collecting("together", 6)
        + """
[objects.wanderer]
program = "braitenberg"
mass = "80 g"

[objects.follower]
program = "wall follower side=left"
mass = "80 g"
"""
    )
    return ExampleScene(tuple(groups), description)


def football() -> ExampleScene:
    """Football, four robots on two wheels a side."""
    return ExampleScene(tuple(field_groups(FOUR)), field_description("football", FOUR, _TWO))


def football11() -> ExampleScene:
    """Football, eleven omnidirectional robots a side."""
    return ExampleScene(tuple(field_groups(ELEVEN)), field_description("football11", ELEVEN, _OMNI))


def _cylinders(count: int, radius: float) -> list[MeshGroup]:
    can = cylinder(0.012, 0.03, RED)
    found = []
    for number in range(count):
        angle = 2 * math.pi * (number + 0.35) / count
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        found.append(body(f"cylinder {number + 1}", can, x, y))
    return found


def _collectors() -> list[MeshGroup]:
    corners = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return [
        khepera(
            f"collector {number}",
            0.22 * x,
            0.22 * y,
            math.atan2(y, x),
            gripper=True,
        )
        for number, (x, y) in enumerate(corners, start=1)
    ]


def _collecting(name: str, count: int) -> str:
    lines = ["[scene]", f'name = "{name}"']
    for number in range(1, count + 1):
        lines += [
            "",
            f'[objects."cylinder {number}"]',
            'type = "movable"',
            'mass = "10 g"',
            "friction = 0.7",
        ]
    for number, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1)), start=1):
        lines += [
            "",
            f'[objects."collector {number}"]',
            f'program = "collector things=cylinder x={0.07 * x:g} y={0.07 * y:g} radius=0.2"',
            'mass = "150 g"',
            "gripper = { lift = 0.02 }",
            "reports = { seen = true }",
        ]
    return "\n".join(lines) + "\n"


SCENES: dict[str, Callable[[], ExampleScene]] = {
    "collision": collision,
    "slope": slope,
    "gripping": gripping,
    "together": together,
    "football": football,
    "football11": football11,
}
