"""Who touches whom, where and how hard: contacts of the present moment, and events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

SideKind: TypeAlias = Literal["thing", "robot", "obstacle", "belt", "border", "floor"]
"""What takes part in a contact."""

ContactChange: TypeAlias = Literal["started", "ended"]
"""What happens to a contact."""

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


class PairContact(NamedTuple):
    """Two that touch now, at however many points.

    Attributes:
        sides: Things come before robots, robots before what stands fast.
        since: When they began to touch, simulated [s].
        point: The middle of the forces, in the world [m].
        normal: Unit vector, the way the first side is pushed.
        force: Resultant of the normal forces in the step last made [N]; 0: they hover.
        depth: Of the deepest point [m].
    """

    sides: tuple[ContactSide, ContactSide]
    since: float
    point: Vector
    normal: Vector
    force: float
    depth: float

    @property
    def names(self) -> tuple[str, str]:
        """The names of both sides."""
        return self.sides[0].name, self.sides[1].name


class ContactEvent(NamedTuple):
    """Two have begun to touch, or touch no longer.

    Attributes:
        time: When, simulated [s]: the beginning of the first step with a force, or of the last in
            which they touched; an end is told 20 ms later, when it is sure.
        change: What happened.
        sides: Things come before robots, robots before what stands fast.
        point: The middle of the forces, in the world [m].
        normal: Unit vector, the way the first side is pushed.
        force: Resultant of the normal forces, mean over that step [N]: times the step it is the
            impulse of a blow; 0 at the end.
    """

    time: float
    change: ContactChange
    sides: tuple[ContactSide, ContactSide]
    point: Vector
    normal: Vector
    force: float

    @property
    def names(self) -> tuple[str, str]:
        """The names of both sides."""
        return self.sides[0].name, self.sides[1].name

    def __str__(self) -> str:
        x, y, z = self.point
        what = "touch" if self.change == "started" else "part"
        text = f"{self.sides[0]} and {self.sides[1]} {what} at ({x:.4f}, {y:.4f}, {z:.4f}) m"
        return f"{text} with {self.force:.4g} N" if self.change == "started" else text


def event_of(
    time: float,
    change: ContactChange,
    sides: Sequence[Sequence[str]],
    point: Sequence[float],
    normal: Sequence[float],
    force: float,
) -> ContactEvent:
    """Return an event from its parts as files hold them: lists in place of named tuples."""
    first, second = (ContactSide(*side) for side in sides)  # type: ignore[arg-type]
    (x, y, z), (u, v, w) = point, normal
    return ContactEvent(time, change, (first, second), (x, y, z), (u, v, w), force)
