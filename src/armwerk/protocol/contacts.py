"""Who touches whom, where and how hard: contacts of the present moment, and events."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

SideKind: TypeAlias = Literal["thing", "robot", "obstacle", "belt", "border", "floor"]
"""What takes part in a contact."""

Vector: TypeAlias = tuple[float, float, float]
"""Three numbers along the axes of the world."""


class ContactSide(NamedTuple):
    """One of the two that touch.

    Attributes:
        kind: What it is; a thing may have the name of an obstacle, or be called "floor".
        name: Of the thing, obstacle or belt as in the cell; "robot 0"; "border"; "floor".
        part: Of a robot: the joint that moves what touches, or "base"; of the border: "left",
            "right", "front" or "back"; empty: it has no parts.
    """

    kind: SideKind
    name: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.part})" if self.part else self.name


class ContactPoint(NamedTuple):
    """A point where two touch.

    Attributes:
        sides: Things come before robots, robots before what stands fast.
        point: In the world [m], midway between the two surfaces.
        normal: Unit vector, the way the first side is pushed.
        force: Along the normal [N], 0 or more.
        depth: How far the two are in each other [m]; negative: they are apart.
    """

    sides: tuple[ContactSide, ContactSide]
    point: Vector
    normal: Vector
    force: float
    depth: float
