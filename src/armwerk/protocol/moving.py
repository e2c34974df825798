"""Motions of an arm that a view plans and plays: what a viewer may ask, and gets.

Plans come back as samples; playing them, halting and going on is done by the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

JogFrame: TypeAlias = Literal["joint", "world", "tool", "cylindrical"]
"""In which coordinates a step is taken."""
TableEnding: TypeAlias = Literal[".toml", ".csv"]
"""Of files of tables."""


@dataclass(frozen=True, slots=True)
class MotionRemark:
    """Something to be said about a motion.

    Args:
        text: With numbers and units.
        begin: From when it holds [s]; None: not at a time.
        end: Until when [s].
    """

    text: str
    begin: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class MotionTouch:
    """The first contact of a motion, with which it would be refused.

    Args:
        text: Segment, part, body and place.
        time: When [s].
        point: Where [m].
    """

    text: str
    time: float
    point: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class SampledMotion:
    """A motion in m samples, evenly spread over its duration; rows as base64, see `staging`.

    Args:
        duration: [s].
        samples: m.
        position: [rad or m]. m rows of n.
        velocity: [rad/s or m/s].
        acceleration: [rad/s² or m/s²].
        jerk: [rad/s³ or m/s³].
        force: [N m or N]; empty: no masses are known.
        tool: x y z of the tool [m]. m rows of 3.
        poses: Of all bodies of the geometry. m rows of 7 each.
        marks: One number each: 0 as planned, 1 in a blend, 2 slowed by a joint, 3 slowed near a
            body.
        remarks: What the planner did that was not asked for.
        touch: Its first contact; None: it is free.
        clearance: Smallest distance to a body [m]; None: there is none, or it touches.
    """

    duration: float
    samples: int
    position: str
    velocity: str
    acceleration: str
    jerk: str
    force: str
    tool: str
    poses: str
    marks: str
    remarks: tuple[MotionRemark, ...] = ()
    touch: MotionTouch | None = None
    clearance: float | None = None


@dataclass(frozen=True, slots=True)
class MotionRules:
    """What every plan keeps to.

    Args:
        speed: Share of the joints' speed, above 0, at most 1, of motions in joint space.
        margin: Distance to keep from bodies [m].
        self_check: Whether the arm must keep clear of itself.
        slow: Whether to drive slower near bodies.
        near: Distance [m] up to which the speed has the share ``near_speed``.
        near_speed: Above 0, at most 1.
        far: Distance [m] from which the speed has the share ``far_speed``.
        far_speed: Above 0, at most 1.
    """

    speed: float
    margin: float
    self_check: bool
    slow: bool
    near: float
    near_speed: float
    far: float
    far_speed: float


@dataclass(frozen=True, slots=True)
class PlanTable:
    """Plan the motion of a table of trajectories, from where the arm stands.

    Args:
        arm: A name of the library, or a file below the folder.
        bodies: TOML; empty: none.
        rules: What it keeps to.
        table: TOML, as files of tables have it.
        q: Where the arm stands [rad or m].
    """

    arm: str
    bodies: str
    rules: MotionRules
    table: str
    q: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PlanMove:
    """Plan a motion to joint values.

    Args:
        arm: As in `PlanTable`.
        bodies: Likewise.
        rules: Likewise.
        q: Where the arm stands [rad or m].
        goal: Where it is to go [rad or m].
    """

    arm: str
    bodies: str
    rules: MotionRules
    q: tuple[float, ...]
    goal: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PlanJog:
    """Plan a step of one coordinate.

    Args:
        arm: As in `PlanTable`.
        bodies: Likewise.
        rules: Likewise.
        q: Where the arm stands [rad or m].
        frame: Joints; tool along and about the axes of the world or of the tool; or of the tool
            r, h, phi, inclination, roll.
        axis: Which of them, from 0.
        step: [rad or m].
    """

    arm: str
    bodies: str
    rules: MotionRules
    q: tuple[float, ...]
    frame: JogFrame
    axis: int
    step: float


@dataclass(frozen=True, slots=True)
class PlanTaught:
    """Plan a motion through positions that were taught or recorded.

    Args:
        arm: As in `PlanTable`.
        bodies: Likewise.
        rules: Likewise.
        q: Where the arm stands [rad or m].
        positions: A line of joint values for each [rad or m].
        blend: Radius about a position within which the tool may leave the way [m].
    """

    arm: str
    bodies: str
    rules: MotionRules
    q: tuple[float, ...]
    positions: str
    blend: float


@dataclass(frozen=True, slots=True)
class ReadTable:
    """Ask what a table of trajectories holds.

    Args:
        text: Of its file.
        ending: Of its file.
    """

    text: str
    ending: TableEnding


@dataclass(frozen=True, slots=True)
class WriteTable:
    """Ask for a table as a file with another ending has it.

    Args:
        text: TOML.
        ending: Of the file.
    """

    text: str
    ending: TableEnding


@dataclass(frozen=True, slots=True)
class ReadBodies:
    """Ask what a text of bodies holds."""

    text: str


@dataclass(frozen=True, slots=True)
class TrajectoryRow:
    """A row of a table; angles in rad, lengths in m; None: as in the settings.

    Args:
        kind: "start", "linear", "circle", "bezier", "spline" or "ptp".
        name: Of the goal.
        point: Goal x y z [m]; None: the goal is ``joints``.
        inclination: Of the tool above the horizon [rad]; None: not by inclination.
        roll: About the tool's own axis [rad].
        angles: a b c [rad]; None: kept.
        phi: Direction of a goal on the upright axis [rad].
        points: Wished number of points.
        help: Name of its help points.
        speed: [m/s].
        blend: [m].
        joints: Goal as joint values [rad or m]; None: the goal is a point.
    """

    kind: str
    name: str
    point: tuple[float, float, float] | None
    inclination: float | None
    roll: float
    angles: tuple[float, float, float] | None
    phi: float | None
    points: int | None
    help: str
    speed: float | None
    blend: float | None
    joints: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """A help point [m]."""

    name: str
    point: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class TableDefaults:
    """What rows take over when they do not say it themselves.

    Args:
        speed: [m/s].
        blend: [m].
        points: Of a trajectory.
        acceleration: [m/s²].
        jerk: [m/s³].
        profile: "trapezoid", "sine" or "quintic".
        near: Distance to a body [m] up to which the speed is reduced most; None: not said, as for
            the next three.
        near_speed: Share of the speed there.
        far: Distance [m] from which the share is ``far_speed``.
        far_speed: Share of the speed there.
        shape: Of blends: "smooth", "arc", "quadratic" or "cubic".
    """

    speed: float
    blend: float
    points: int
    acceleration: float
    jerk: float
    profile: str
    near: float | None = None
    near_speed: float | None = None
    far: float | None = None
    far_speed: float | None = None
    shape: str = "smooth"


@dataclass(frozen=True, slots=True)
class TableContents:
    """A table of trajectories."""

    rows: tuple[TrajectoryRow, ...]
    help_points: tuple[NamedPoint, ...]
    settings: TableDefaults


@dataclass(frozen=True, slots=True)
class TableText:
    """A table as its file has it."""

    text: str


@dataclass(frozen=True, slots=True)
class BodyRow:
    """A body as it is edited.

    Args:
        kind: As files call it, such as "box" or "half_space".
        name: Of it.
        region: Whether the arm must stay inside.
        position: x y z [m].
        turn: a b c: about z, then y, then x [rad].
        sizes: Of a box its edges, of others radius, length, top radius as far as they have them
            [m]; of a half-space its normal.
        corners: Of a mesh: nine numbers for each triangle, in its own frame [m].
        normals: Of a mesh: three numbers for each triangle, outwards.
    """

    kind: str
    name: str
    region: bool
    position: tuple[float, float, float]
    turn: tuple[float, float, float]
    sizes: tuple[float, ...]
    corners: tuple[float, ...]
    normals: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BodiesContents:
    """Bodies as they are edited."""

    bodies: tuple[BodyRow, ...]


MotionCommand: TypeAlias = (
    PlanTable | PlanMove | PlanJog | PlanTaught | ReadTable | WriteTable | ReadBodies
)
"""Anything a viewer may ask of motions."""
MotionResult: TypeAlias = SampledMotion | TableContents | TableText | BodiesContents
"""Anything it gets of them."""
