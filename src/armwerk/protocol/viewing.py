"""What a viewer is sent: the geometry of a cell or an arm, once and whenever it changes.

Frames of poses come often and are packed, see `armwerk.wire.frames`; they are rows of numbers for
the bodies that stand here, in this order. Lengths are in metres, angles in radians, quaternions are
w x y z, colours are "#rrggbb".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.protocol.contacts import Vector

Quaternion: TypeAlias = tuple[float, float, float, float]
"""A turn, w x y z."""

ShapeName: TypeAlias = Literal["box", "sphere", "ball", "cylinder", "mesh"]
"""How a solid looks; a ball is a sphere with sectors, by which its rolling is seen."""

SolidRole: TypeAlias = Literal["obstacle", "belt", "border", "zone", "barrier", "thing", "robot"]
"""What a solid is part of."""

EventKind: TypeAlias = Literal["note", "trigger", "problem", "contact", "state", "clock"]
"""What an event tells of."""

ClockState: TypeAlias = Literal["running", "paused", "failed"]
"""Of time in a world: "failed" when physics gave up, until it is reset."""

FIXED = -1
"""Number of the body that never moves, and of a motor that is none."""


@dataclass(frozen=True, slots=True)
class ViewedBody:
    """Something that moves as one piece; its frame is what frames of poses place.

    Args:
        name: Of a thing, or of the joint that moves a link.
        owner: The thing itself, or whose link it is, such as "robot 0".
        parent: Number of the body that carries it; -1: the world does.
    """

    name: str
    owner: str
    parent: int


@dataclass(frozen=True, slots=True)
class ViewedStretch:
    """The other end of a solid that becomes longer and shorter, between two bodies.

    The solid runs along its own z axis from ``start`` to ``end``.

    Args:
        body: The body that carries the end; -1: the world does.
        start: In the frame of the solid's own body [m].
        end: In the frame of ``body`` [m].
    """

    body: int
    start: Vector
    end: Vector


@dataclass(frozen=True, slots=True)
class ViewedSolid:
    """A coloured solid that hangs rigidly on a body.

    Args:
        kind: Box, sphere, ball, cylinder along its own z, or mesh.
        role: What it is part of.
        name: Of the thing, fixed body, zone or robot it is part of.
        body: What carries it; -1: it never moves.
        position: Of its middle in the body's frame [m].
        quaternion: Of its frame in the body's.
        size: Full edges of a box, three times the radius of a sphere, radius, radius and length
            of a cylinder [m].
        colour: Of all of it.
        alpha: 1: opaque.
        motor: Number of the motor whose joint it shows; -1: of none.
        triangles: Corners of a mesh, nine numbers each, counter-clockwise from outside, in the
            body's frame [m]; empty for other kinds.
        stretch: Its other end, when its length changes; None: it is rigid.
    """

    kind: ShapeName
    role: SolidRole
    name: str
    body: int
    position: Vector
    quaternion: Quaternion
    size: Vector
    colour: str
    alpha: float = 1.0
    motor: int = FIXED
    triangles: tuple[float, ...] = ()
    stretch: ViewedStretch | None = None


@dataclass(frozen=True, slots=True)
class ViewedBelt:
    """The marks on a belt, by which its motion is seen.

    Mark k stands ``place`` = (travel mod pitch) + (k - 1) pitch along the belt, k = 0, 1, …; it is
    shown while it lies on the belt. The travel comes with every frame of poses.

    Args:
        name: Of the belt.
        triangles: Of the mark in the belt's middle, in the world [m].
        colour: Of the marks.
        middle: ``place`` of that mark: half the length of the belt [m].
        half: Half the length of a mark [m].
        pitch: From mark to mark [m].
        way: Where a mark goes when its place grows by 1 m.
    """

    name: str
    triangles: tuple[float, ...]
    colour: str
    middle: float
    half: float
    pitch: float
    way: Vector


@dataclass(frozen=True, slots=True)
class ViewedMotor:
    """A motor; how it moves comes with every frame of poses.

    Args:
        name: Of its joint.
        owner: Whose it is, such as "robot 0".
        unit: Of its value: "rad" or "m".
        low: Smallest value; None: no limit.
        high: Largest value; None: no limit.
    """

    name: str
    owner: str
    unit: str
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ViewedFloor:
    """A floor with its tiles and paint.

    Args:
        low: Smallest x and y [m].
        high: Largest x and y [m].
        picture: A PNG in base 64, its first row at the largest y; empty: it has no picture.
    """

    low: tuple[float, float]
    high: tuple[float, float]
    picture: str = ""


@dataclass(frozen=True, slots=True)
class ViewedCamera:
    """Who sees everything from the front.

    Args:
        target: What it looks at [m].
        distance: From the eye to it [m].
        azimuth: Of the eye about z from the x axis [rad].
        elevation: Of the eye above the floor [rad].
    """

    target: Vector
    distance: float
    azimuth: float
    elevation: float


@dataclass(frozen=True, slots=True)
class ViewedGeometry:
    """Everything there is to see.

    Args:
        version: Grows with every change; frames of poses name the version they belong to.
        title: Of the cell or arm.
        bodies: What moves, in the order of the frames' rows.
        solids: What is seen.
        motors: In the order of the frames' marks.
        belts: In the order of the frames' travels.
        floor: What everything stands on; None: nothing is drawn below.
        camera: Where to look from at first.
        missing: A sentence for each robot that cannot be shown.
    """

    version: int
    title: str
    bodies: tuple[ViewedBody, ...]
    solids: tuple[ViewedSolid, ...]
    motors: tuple[ViewedMotor, ...]
    belts: tuple[ViewedBelt, ...]
    floor: ViewedFloor | None
    camera: ViewedCamera
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewedEvent:
    """Something that happened.

    Args:
        number: Grows by one from event to event, of whatever kind.
        kind: What it tells of: a line of debug-out, a trigger, something that went wrong, a
            contact, the state of a robot's program, or the clock.
        time: Simulated [s].
        instance: Whom it concerns: robot, belt or processor; -1: the world, or all.
        text: What happened; of a "state" the name of the state.
        point: Where, of a contact [m].
        force: Of a contact that begins [N].
    """

    number: int
    kind: EventKind
    time: float
    instance: int
    text: str
    point: Vector | None = None
    force: float | None = None


@dataclass(frozen=True, slots=True)
class ViewedRecording:
    """What is shown is a recording; sent behind its geometry.

    Args:
        file: Its name.
        begin: Time of its first state [s].
        end: Time of its last state [s].
        states: How many it has.
        rate: States per second.
        whole: Whether it was ended; else it was cut off.
        events: What happened, in order of time.
        left_out: How many events more there are.
    """

    file: str
    begin: float
    end: float
    states: int
    rate: float
    whole: bool
    events: tuple[ViewedEvent, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ViewedContacts:
    """What touches now; sent to those who have asked with `ShowContacts`.

    Args:
        time: Simulated [s].
        points: Where, x y z for each [m].
        forces: What pushes the first of the two, x y z for each [N].
    """

    time: float
    points: tuple[float, ...]
    forces: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ClockStatus:
    """How time goes.

    Args:
        state: Whether it passes.
        time: Simulated [s].
        speed: Simulated per real time that is wished; 0: as fast as possible.
        rate: Simulated per real time of late, as measured; 0 at a halt.
        lag: How far the world is behind its speed since it last began to run, in real time [s].
        problem: Why it failed; empty: it did not.
    """

    state: ClockState
    time: float
    speed: float
    rate: float
    lag: float
    problem: str = ""
