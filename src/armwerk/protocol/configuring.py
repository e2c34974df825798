"""Arms that are configured: what a viewer may ask of a description, and gets.

A description comes whole, as TOML text, with every command: the page holds what is edited. Numbers
for its symbols come beside it, as in "a1 = 0.3, a2 = 0.25". Lengths are in metres, angles in rad.
Long rows of numbers are the bytes of 32-bit floats in base 64; a place is x, y, z and a quaternion
w, x, y, z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from armwerk.protocol.deriving import DeriveArm, DerivedFiles, DerivedModel, WriteDerivation
from armwerk.protocol.forming import ArmForm, ArmProblem, ArmText, ConvertArm, EditArm
from armwerk.protocol.viewing import ViewedGeometry


@dataclass(frozen=True, slots=True)
class ListArms:
    """Ask what one can start from."""


@dataclass(frozen=True, slots=True)
class ArmChoice:
    """An arm to start from.

    Args:
        name: By which it is opened.
        title: For people.
        group: "Construction types", "Library", "Files" or "Package" with the name of one.
    """

    name: str
    title: str
    group: str


@dataclass(frozen=True, slots=True)
class ArmChoices:
    """What one can start from."""

    choices: tuple[ArmChoice, ...]


@dataclass(frozen=True, slots=True)
class OpenArm:
    """Ask for the description of an arm as the command line names it; all becomes TOML."""

    name: str


@dataclass(frozen=True, slots=True)
class OpenedArm:
    """The description of an arm.

    Args:
        name: By which it was opened.
        text: As TOML.
        file: Where it is from, "robot.urdf#tool0", "rtb-data:irb140"; empty: from the library.
        note: What is worth knowing about it; empty: nothing.
    """

    name: str
    text: str
    file: str
    note: str


@dataclass(frozen=True, slots=True)
class LookAtArm:
    """Ask what a description looks like, and what is wrong with it.

    Args:
        text: The description.
        symbols: Numbers for its symbols.
        file: What it was opened by, for the meshes of its links; empty: it has none.
    """

    text: str
    symbols: str
    file: str


@dataclass(frozen=True, slots=True)
class ArmMotor:
    """A joint variable.

    Args:
        name: Of the joint.
        unit: "rad" or "m".
        low: Smallest value; None: no limit.
        high: Largest value; None: no limit.
        start: A value to begin with.
    """

    name: str
    unit: str
    low: float | None
    high: float | None
    start: float


@dataclass(frozen=True, slots=True)
class SeenArm:
    """What a description looks like.

    Args:
        problems: What is wrong; empty: nothing.
        form: Its fields; None: the text cannot be read.
        geometry: What is seen; None: something is wrong.
        motors: Its joint variables.
        frames: Names of the frames along it, from base to tool.
        symbols: Names of dimensions that have no number in the description.
        title: Name for people.
        summary: A sentence about its structure.
        size: About how large it is [m].
        note: Why the links of its file are not shown; empty: they are, or it has none.
        is_serial: Whether it is one chain of joints, and no assembly of parts.
    """

    problems: tuple[ArmProblem, ...]
    form: ArmForm | None
    geometry: ViewedGeometry | None = None
    motors: tuple[ArmMotor, ...] = ()
    frames: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    title: str = ""
    summary: str = ""
    size: float = 1.0
    note: str = ""
    is_serial: bool = True


@dataclass(frozen=True, slots=True)
class PoseArm:
    """Ask where an arm is, or how it gets its tool somewhere.

    Args:
        text: The description.
        symbols: Numbers for its symbols.
        joints: Where its joints are [rad or m].
        goal: Place that the tool is to have; empty: the one it has.
        solutions: Whether all ways to reach it are wanted.
    """

    text: str
    symbols: str
    joints: tuple[float, ...]
    goal: tuple[float, ...]
    solutions: bool


@dataclass(frozen=True, slots=True)
class ArmSolution:
    """A way to reach a pose.

    Args:
        name: As the arm's geometry gives it: "left up flipped".
        joints: Values [rad or m].
        outside: Joints, counted from 0, that are beyond their limits.
        current: Whether the arm takes it.
    """

    name: str
    joints: tuple[float, ...]
    outside: tuple[int, ...]
    current: bool


@dataclass(frozen=True, slots=True)
class PosedArm:
    """Where an arm is.

    Args:
        joints: Values [rad or m]; as they were when the goal cannot be reached.
        tool: Place of the tool.
        bodies: Places of all bodies, in the order of the geometry.
        frames: Places of the frames along it, from base to tool.
        reached: Whether the tool has got where it was to go.
        message: Why not, or what is worth knowing; empty: nothing.
        solutions: All ways to reach the pose.
        ghosts: Places of all bodies for each of them.
        method: How they were found: "closed", "numeric", or what prepares the former.
        preparing: Whether the closed form is still being derived; ask again.
        dexterity: Smallest by largest singular value of the Jacobian, 0 at a singularity.
    """

    joints: tuple[float, ...]
    tool: tuple[float, ...]
    bodies: str
    frames: str
    reached: bool
    message: str
    solutions: tuple[ArmSolution, ...]
    ghosts: str
    method: str
    preparing: bool
    dexterity: float


@dataclass(frozen=True, slots=True)
class SweepArm:
    """Ask which places an arm reaches.

    Args:
        text: The description.
        symbols: Numbers for its symbols.
    """

    text: str
    symbols: str


@dataclass(frozen=True, slots=True)
class SweptArm:
    """Places that an arm reaches.

    Args:
        points: Middles of the voxels, x y z [m] each.
        values: How well the tool moves there, 0 to 1 each.
        cell: Edge of a voxel [m].
        volume: Of all of them [m³].
        reach: How far from the base the tool gets [m].
        message: How they were found.
    """

    points: str
    values: str
    cell: float
    volume: float
    reach: float
    message: str


@dataclass(frozen=True, slots=True)
class ReadAxes:
    """Ask for the axes of an arm's joints, with all joints at zero.

    Args:
        text: The description.
        symbols: Numbers for its symbols.
    """

    text: str
    symbols: str


@dataclass(frozen=True, slots=True)
class AxisRow:
    """The axis of a joint in the world.

    Args:
        name: Of the joint.
        kind: "revolute", "prismatic" or "fixed".
        direction: "x, y, z" along the axis.
        place: "x, y, z" of a point on it [m].
    """

    name: str
    kind: str
    direction: str
    place: str


@dataclass(frozen=True, slots=True)
class ArmAxes:
    """The axes of an arm's joints, from the base outwards."""

    rows: tuple[AxisRow, ...]


@dataclass(frozen=True, slots=True)
class WriteAxes:
    """Ask for the description of an arm with other axes; frames and rows are placed anew.

    Args:
        text: The description; tool, limits and masses stay where they are.
        symbols: Numbers for its symbols.
        axes: A line for each joint: kind; direction; place, as in "revolute; 0, 0, 1; 0, 0, 0.4".
    """

    text: str
    symbols: str
    axes: str


ArmCommand: TypeAlias = (
    ListArms
    | OpenArm
    | LookAtArm
    | PoseArm
    | EditArm
    | ConvertArm
    | DeriveArm
    | WriteDerivation
    | SweepArm
    | ReadAxes
    | WriteAxes
)
"""Anything a viewer may ask of descriptions of arms."""
ArmResult: TypeAlias = (
    ArmChoices
    | OpenedArm
    | SeenArm
    | PosedArm
    | ArmText
    | DerivedModel
    | DerivedFiles
    | SweptArm
    | ArmAxes
)
"""Anything it gets of them."""
