"""What stands in a cell: floor, obstacles, belts, things that move, trigger zones, robots.

Plain frozen data in SI units; the environment file (cm, degrees) is read and written by
`armwerk.scene.reader` and `armwerk.scene.writer`. Nothing here is computed or simulated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias, TypedDict, TypeVar

from armwerk.geometry.shape import Shape

Direction: TypeAlias = Literal["x", "y"]
Point: TypeAlias = tuple[float, float]
MOST_ROBOTS = 100
TILE_SIZE = 0.5  # [m]
ALL = -1  # the instance number that means every robot


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An upright rectangle on the floor: centre and full sizes along x and y [m]."""

    centre: Point
    size: Point


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle on the floor [m]."""

    centre: Point
    radius: float


@dataclass(frozen=True, slots=True)
class Polygon:
    """A simple polygon on the floor, convex or not, corners in either sense [m]."""

    corners: tuple[Point, ...]


Outline: TypeAlias = Rectangle | Circle | Polygon


@dataclass(frozen=True, slots=True)
class Paint:
    """A painted patch of floor; only seen. ``alpha`` is 0 (clear) to 1 (opaque)."""

    outline: Outline
    colour: str
    alpha: float
    name: str = ""

    kind: ClassVar[str] = "paint"


@dataclass(frozen=True, slots=True)
class Step:
    """A block standing on the floor, ``height`` high [m]."""

    outline: Outline
    height: float
    colour: str
    name: str = ""
    friction: float | None = None

    kind: ClassVar[str] = "step"


@dataclass(frozen=True, slots=True)
class Slope:
    """A block with a slanting top.

    ``heights`` belong to the sides of smaller and of larger coordinate along ``direction`` [m].
    """

    outline: Rectangle
    heights: tuple[float, float]
    direction: Direction
    colour: str
    name: str = ""
    friction: float | None = None

    kind: ClassVar[str] = "slope"


@dataclass(frozen=True, slots=True)
class Slice:
    """A plate between two heights ``bottom`` < ``top`` [m]."""

    outline: Outline
    bottom: float
    top: float
    colour: str
    name: str = ""
    friction: float | None = None

    kind: ClassVar[str] = "slice"


@dataclass(frozen=True, slots=True)
class Wedge:
    """A plate whose top and bottom slant; heights as in `Slope` [m]."""

    outline: Rectangle
    upper: tuple[float, float]
    lower: tuple[float, float]
    direction: Direction
    colour: str
    name: str = ""
    friction: float | None = None

    kind: ClassVar[str] = "wedge"


@dataclass(frozen=True, slots=True)
class Conveyor:
    """A belt: a `Slope` whose top moves.

    Args:
        instance: Receives the triggers RUN and STOP; -1: receives none.
        running: Whether it runs at the start.
        speed: Along ``direction``, up or down the slope [m/s]; negative: backwards.
        to_middle: Speed of the drift towards the middle line of the belt [m/s].
    """

    outline: Rectangle
    heights: tuple[float, float]
    direction: Direction
    colour: str
    instance: int = ALL
    running: bool = True
    speed: float = 0.0
    to_middle: float = 0.0
    name: str = ""
    friction: float | None = None

    kind: ClassVar[str] = "conveyor"


@dataclass(frozen=True, slots=True)
class FixedSphere:
    """A sphere that hangs where it is put [m]."""

    centre: tuple[float, float, float]
    radius: float
    colour: str
    name: str = ""
    friction: float | None = None

    kind: ClassVar[str] = "sphere"


Obstacle: TypeAlias = Step | Slope | Slice | Wedge | Conveyor | FixedSphere


@dataclass(frozen=True, slots=True)
class Ball:
    """A ball that moves.

    Args:
        centre: At the start [m].
        radius: [m].
        resistance: Share of its rolling speed lost in a second, 0 to 1.
        bounce: Share of its normal speed kept at a rebound, 0 to 1.
        mass: [kg]; None: by its density.
        density: [kg/m³]; None: that of the simulation's settings.
        friction: Of its surface, see `Scene`; None: that of the simulation's settings.
        magnetic: Whether magnets pull it; None: they do.
    """

    centre: tuple[float, float, float]
    radius: float
    resistance: float
    bounce: float
    colour: str
    name: str = ""
    mass: float | None = None
    density: float | None = None
    friction: float | None = None
    magnetic: bool | None = None

    kind: ClassVar[str] = "ball"


@dataclass(frozen=True, slots=True)
class Cuboid:
    """A cuboid that moves.

    Args:
        centre: At the start [m].
        size: Full sizes along x, y, z at the start [m].
        mass: [kg]; None: by its density.
        density: [kg/m³]; None: that of the simulation's settings.
        friction: Of its surface, see `Scene`; None: that of the simulation's settings.
        bounce: Share of its normal speed kept at a rebound, 0 to 1.
        magnetic: Whether magnets pull it; None: they do.
    """

    centre: tuple[float, float, float]
    size: tuple[float, float, float]
    colour: str
    name: str = ""
    mass: float | None = None
    density: float | None = None
    friction: float | None = None
    bounce: float = 0.0
    magnetic: bool | None = None

    kind: ClassVar[str] = "cuboid"


@dataclass(frozen=True, slots=True, eq=False)
class Compound(Cuboid):
    """A body of any shape that moves; no file has it, and where only its box counts it is one.

    Args:
        size: Of the box around it, along its own axes [m].
        solids: What it is made of, in its own frame: at its centre of mass, along its main axes.
        turn: Its rotation at the start, as a quaternion w x y z.
        inertia: About its own axes [kg m²].
    """

    solids: tuple[Shape, ...] = ()
    turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    inertia: tuple[float, float, float] = (1.0, 1.0, 1.0)


Thing: TypeAlias = Ball | Cuboid
ThingKind: TypeAlias = Literal["ball", "cuboid"]


@dataclass(frozen=True, slots=True)
class Zone:
    """Sends a trigger when the centre of a thing enters or leaves a circle on the floor.

    Args:
        watched: Which things count.
        event: What has to happen.
        instance: Who gets the trigger; -1: all robots.
        text: The trigger.
        centre: [m].
        radius: [m].
        height: Only drawn [m].
        colour: Only things of this colour, within 10 of 255 per channel; None: all.
    """

    watched: ThingKind
    event: Literal["enters", "leaves"]
    instance: int
    text: str
    centre: Point
    radius: float
    height: float
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Barrier:
    """Sends a trigger when a centre crosses the segment from left to right, seen from ``start``."""

    watched: ThingKind
    instance: int
    text: str
    start: Point
    end: Point
    height: float
    colour: str | None = None


Watch: TypeAlias = Zone | Barrier
_Item = TypeVar("_Item", Thing, Obstacle)


@dataclass(frozen=True, slots=True)
class Border:
    """The rectangle nothing rolls out of [m]."""

    low: Point
    high: Point


@dataclass(frozen=True, slots=True)
class Tile:
    """Coloured floor tiles, counted from the front left corner of the border.

    ``columns`` (along x) and ``rows`` (along y) are first and last number.
    """

    columns: tuple[int, int]
    rows: tuple[int, int]
    colour: str


@dataclass(frozen=True, slots=True)
class Robot:
    """One robot: where it stands and by which names its parts and its program are found.

    Args:
        number: 0 to 99; also the instance number of its triggers.
        position: On the floor [m].
        angle: 0 looks along +y, counter-clockwise positive [rad].
        manipulator: Library name, file, or class of the arm; None: the default arm.
        gripper: The same of the gripper; None: no gripper.
        controller: Class of the controller; None: nobody steers.
        config: Text for the controller; None: none given.
    """

    number: int
    position: Point = (0.0, 0.0)
    angle: float = 0.0
    manipulator: str | None = None
    gripper: str | None = None
    controller: str | None = None
    config: str | None = None


class BodyProperties(TypedDict, total=False):
    """What a body may state of itself beyond its shape; all may be left out.

    Attributes:
        mass: [kg].
        density: [kg/m³]; not beside a mass.
        friction: Of its surface.
        bounce: Share of its normal speed kept at a rebound, 0 to 1.
        magnetic: Whether magnets pull it.
    """

    mass: float
    density: float
    friction: float
    bounce: float
    magnetic: bool


class RobotChanges(TypedDict, total=False):
    """Fields of a `Robot` other than its number; all may be left out."""

    position: Point
    angle: float
    manipulator: str | None
    gripper: str | None
    controller: str | None
    config: str | None


@dataclass(frozen=True, slots=True)
class Processor:
    """A trigger processor: listens under ``instance``, made of the class of that name."""

    instance: int
    name: str
    config: str | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in its file a name or text stands, for problems that show only when the cell is built.

    Args:
        line: Counted from 1.
        column: In characters, counted from 1.
        source: The line itself.
        length: How many characters are meant.
        said: The name or text; a spot counts only as long as the scene still says so.
    """

    line: int
    column: int
    source: str
    length: int
    said: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole cell as its environment file describes it.

    A body that states its friction has it with everything that states none, gripper pads included;
    where two bodies that touch both state it, the smaller one holds.

    Args:
        robots: By ascending number.
        obstacles: Fixed bodies and belts, in file order.
        things: Balls and cuboids, in file order.
        watches: Trigger zones and light barriers, in file order.
        multirobot: What MULTIROBOT said; None: it was not given and one robot is allowed.
        file: Where it was read from, to find classes and files beside it.
        spots: Where names and texts stand in it, by what they are ("manipulator", "gripper",
            "controller", "config", "processor", "processor config") and robot or instance number.
    """

    robots: tuple[Robot, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    things: tuple[Thing, ...] = ()
    watches: tuple[Watch, ...] = ()
    processors: tuple[Processor, ...] = ()
    paints: tuple[Paint, ...] = ()
    tiles: tuple[Tile, ...] = ()
    border: Border | None = None
    multirobot: int | None = None
    file: Path | None = field(default=None, compare=False)
    spots: Mapping[tuple[str, int], Spot] = field(default_factory=dict, compare=False, repr=False)

    @property
    def robot_count(self) -> int:
        """How many robots the cell may have: their numbers are below."""
        return self.multirobot or 1

    def names(self) -> dict[str, Thing]:
        """Return the moving things by name: DEBUGNAME, else ``ball0``, ``cuboid0``, …

        The number is the place among the things of that kind, named ones included.
        """
        return dict(_named(self.things))

    def obstacle_names(self) -> dict[str, Obstacle]:
        """Return the fixed bodies by name: DEBUGNAME, else ``step0``, ``conveyor0``, …"""
        return dict(_named(self.obstacles))


def _named(items: tuple[_Item, ...]) -> Iterator[tuple[str, _Item]]:
    counts: dict[str, int] = {}
    taken = {item.name for item in items if item.name}
    for item in items:
        number = counts.get(item.kind, 0)
        counts[item.kind] = number + 1
        name = item.name or f"{item.kind}{number}"
        while not item.name and name in taken:
            name += "_"
        yield name, item
