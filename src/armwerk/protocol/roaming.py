"""Scenes of mobile robots: what a viewer may ask, and gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.protocol.viewing import ViewedGeometry

MobileAction: TypeAlias = Literal["start", "stop", "step", "reset"]
"""What can be done with the time of a scene."""
MobileAttribute: TypeAlias = Literal["type", "mass", "density", "friction", "active", "program"]
"""What can be said of a body or robot while time stands."""


@dataclass(frozen=True, slots=True)
class ListMobileScenes:
    """Ask which scenes can be opened."""


@dataclass(frozen=True, slots=True)
class OpenMobileScene:
    """Ask for a scene; its time stands at first.

    Args:
        scene: A shipped one by name, or a file below the folder; empty: the one that is open.
        settings: Of the scene, by name; empty: none.
        anew: Whether to read it again when it is open already.
    """

    scene: str
    settings: str
    anew: bool


@dataclass(frozen=True, slots=True)
class WatchMobile:
    """Ask where everything is, and what has happened.

    Args:
        seen: Number of events that the viewer knows.
    """

    seen: int


@dataclass(frozen=True, slots=True)
class SteerMobile:
    """Let time pass or stand, make one step of the programs, or go back to the beginning."""

    action: MobileAction


@dataclass(frozen=True, slots=True)
class SetMobileSpeed:
    """Choose how fast time passes.

    Args:
        speed: Simulated per real time, 0.01 to 100; 0: as fast as possible.
    """

    speed: float


@dataclass(frozen=True, slots=True)
class SwitchPhysics:
    """Switch physics on or off; the scene goes back to its beginning.

    Args:
        physics: False: robots pass through everything.
        follow_landscape: Whether they then keep to the surface below them.
    """

    physics: bool
    follow_landscape: bool


@dataclass(frozen=True, slots=True)
class ClearMobileLog:
    """Empty the log."""


@dataclass(frozen=True, slots=True)
class SaveMobileLog:
    """Write the log to a file.

    Args:
        file: Below the folder, ending in .log.
        kinds: Of the events that are wanted; empty: all.
    """

    file: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EditMobileObject:
    """Say something of a body or robot, while time stands.

    Args:
        name: Of the body or robot.
        attribute: What is said; a program or whether a robot is active takes effect where time
            stands, for all else the scene goes back to its beginning.
        value: As one writes it, such as "50 g"; empty: as the scene's file says.
    """

    name: str
    attribute: MobileAttribute
    value: str


@dataclass(frozen=True, slots=True)
class PlaceMobileObject:
    """Put a movable body or a robot somewhere by hand, at rest; also while time passes.

    Args:
        name: Of the body or robot.
        position: Of its origin [m].
    """

    name: str
    position: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class SaveMobileSettings:
    """Keep the scene as it is set up, under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class MobileSceneList:
    """Scenes that can be opened.

    Args:
        shipped: Names of those that come with the project.
        files: Below the folder.
    """

    shipped: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MobileObject:
    """A body or robot of a scene.

    Args:
        name: Its name.
        kind: "immovable", "movable", "robot" or "robot with gripper".
        mass: [kg]; 0: it has none, since it does not move.
        density: [kg/m³]; 0: likewise.
        friction: 0 to 1.
        active: Whether a robot does what its program says.
        program: Of a robot; empty: none.
        changed: What was said of it beyond the scene's file.
    """

    name: str
    kind: str
    mass: float
    density: float
    friction: float
    active: bool
    program: str
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MobileOpened:
    """A scene that is open.

    Args:
        scene: By name or file.
        version: Of what is seen; another one whenever bodies and robots were made anew.
        geometry: What is seen.
        objects: Its bodies and robots.
        programs: Those that a robot can have.
        settings: Names of its settings.
        chosen: Name of the settings it was opened with; empty: none.
        physics: Whether physics is on.
        follow_landscape: Whether robots keep to the surface below them when it is off.
        kinds: Of events.
    """

    scene: str
    version: int
    geometry: ViewedGeometry
    objects: tuple[MobileObject, ...]
    programs: tuple[str, ...]
    settings: tuple[str, ...]
    chosen: str
    physics: bool
    follow_landscape: bool
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MobileLine:
    """A line of the log.

    Args:
        time: At which it happened [s].
        kind: Of the event.
        text: What happened.
    """

    time: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class MobileMoment:
    """Where everything is.

    Args:
        version: As in `MobileOpened`.
        frame: A frame of poses as `armwerk.wire.frames` packs them, in base64.
        time: Simulated [s].
        running: Whether time passes.
        speed: As chosen: simulated per real time; 0: as fast as possible.
        rate: As measured; 0 while time stands.
        problem: Why time was stopped; empty: nothing is wrong.
        log: Number of the log; another one: it was emptied, and the viewer knows nothing of it.
        known: Number of events that the viewer knows then.
        missed: Events that are not kept any more.
        lines: Those that the viewer does not know; not all of very many at once.
        rays: Of all distance sensors, where each begins, the point it measures or the end of its
            reach, and 1 where it has met something, else 0: rows of 7 numbers of 32 bits in base64.
    """

    version: int
    frame: str
    time: float
    running: bool
    speed: float
    rate: float
    problem: str
    log: int
    known: int
    missed: int
    lines: tuple[MobileLine, ...]
    rays: str


@dataclass(frozen=True, slots=True)
class MobileSettingsSaved:
    """Settings that were kept.

    Args:
        name: Of the settings.
        file: In which they are.
        settings: All of the scene.
    """

    name: str
    file: str
    settings: tuple[str, ...]


MobileCommand: TypeAlias = (
    ListMobileScenes
    | OpenMobileScene
    | WatchMobile
    | SteerMobile
    | SetMobileSpeed
    | SwitchPhysics
    | ClearMobileLog
    | SaveMobileLog
    | EditMobileObject
    | PlaceMobileObject
    | SaveMobileSettings
)
"""Anything a viewer may ask of mobile robots."""
MobileResult: TypeAlias = MobileSceneList | MobileOpened | MobileMoment | MobileSettingsSaved
"""Anything it gets of them."""
