"""A scene of mobile robots that is open: its files, what was changed, its world at work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.mobile.files.attributes import ObjectAttributes, object_attributes
from armwerk.mobile.files.scene_file import SceneFile
from armwerk.mobile.files.settings import (
    SceneSettings,
    list_settings,
    read_settings,
    save_settings,
)
from armwerk.mobile.program import MobileProgram
from armwerk.mobile.programs.finding import PROGRAMS, find_program
from armwerk.mobile.scene import MobileScene
from armwerk.mobile.world import MobileWorld
from armwerk.protocol.roaming import MobileAttribute, MobileObject

_LONGEST_NAME = 60  # characters of a name of settings


@dataclass(frozen=True, eq=False)
class MobileSetup:
    """How a scene is set up.

    Args:
        name: By which it was opened: shipped, or a file below the folder.
        path: Its file.
        file: What is in it.
        places: Folders of its settings; new ones are kept in the first.
        objects: What is said beyond the file, by name.
        physics: Whether physics is on.
        follow_landscape: Whether robots keep to the surface below them when it is off.
        chosen: Name of the settings it was opened with; empty: none.
    """

    name: str
    path: Path
    file: SceneFile
    places: tuple[Path, ...]
    objects: Mapping[str, ObjectAttributes] = field(default_factory=dict)
    physics: bool = True
    follow_landscape: bool = True
    chosen: str = ""

    def settings(self) -> dict[str, Path]:
        """Return the files of all its settings by their names."""
        found: dict[str, Path] = {}
        for place in reversed(self.places):
            found |= list_settings(place, self.file.digest)
        return dict(sorted(found.items()))

    def with_settings(self, name: str) -> MobileSetup:
        """Return it under other settings; empty: as the file says.

        Raises:
            UnknownNameError: When there are none of this name.
        """
        if not name:
            return replace(self, objects={}, physics=True, follow_landscape=True, chosen="")
        listed = self.settings()
        if name not in listed:
            raise UnknownNameError(f"settings (scene '{self.name}')", name, listed)
        read = read_settings(listed[name])
        read.check(self.file.digest, self.name)
        return replace(
            self,
            objects=read.objects,
            physics=read.physics,
            follow_landscape=read.follow_landscape,
            chosen=name,
        )

    def save(self, name: str) -> Path:
        """Keep what is said beyond the file under a name; return the settings' file.

        Raises:
            DescriptionError: For a name that cannot be, or when it cannot be written.
        """
        wanted = name.strip()
        if not wanted or not wanted.isprintable() or len(wanted) > _LONGEST_NAME:
            raise DescriptionError(
                "no name",
                element="settings",
                value=ascii(name[:80]),
                allowed=f"1 to {_LONGEST_NAME} characters that can be written",
            )
        own = list_settings(self.places[0], self.file.digest)
        path = own.get(wanted) or _free_file(self.places[0], wanted)
        head = (self.file.digest, self.file.description.name)
        kept = SceneSettings(wanted, *head, self.objects, self.physics, self.follow_landscape)
        return save_settings(kept, path)

    def edited(self, name: str, attribute: MobileAttribute, value: str) -> MobileSetup:
        """Return it with something else said of an object.

        Args:
            name: Of the object.
            attribute: What is said.
            value: As one writes it; empty: as the file says.

        Raises:
            DescriptionError: When it cannot be so.
        """
        if name not in self.file.groups:
            raise UnknownNameError("body or robot", name, self.file.groups)
        before = self.objects.get(name, ObjectAttributes())
        if value.strip() or attribute == "program":
            read = _value(attribute, value.strip(), f"'{name}'")
            said = object_attributes({attribute: read}, f"'{name}'").over(before)
        elif attribute == "type":
            said = replace(before, type=None)
        elif attribute in {"mass", "density"}:
            said = replace(before, mass=None, density=None)
        elif attribute == "friction":
            said = replace(before, friction=None)
        else:
            said = replace(before, active=None)
        return replace(self, objects={**self.objects, name: said})

    def scene(self) -> MobileScene:
        """Return the scene so set up."""
        return self.file.scene(self.objects)

    def program(self, text: str) -> MobileProgram | None:
        """Return a program by its name; None for an empty one.

        A page must not choose what is run on this machine: own classes are taken only from files
        beside the scene.

        Raises:
            DescriptionError: When there is none.
        """
        if not text.strip():
            return None
        module, colon, _ = text.split("=", 1)[0].partition(":")
        beside = self.path.parent / f"{module.strip().replace('.', '/')}.py"
        if colon and not beside.is_file():
            raise DescriptionError(
                "is no file beside the scene",
                element=f"program '{text[:80]}'",
                allowed=f"{', '.join(PROGRAMS)}, or module:Class of a file there",
            )
        return find_program(text, self.path.parent)

    def world(self) -> MobileWorld:
        """Return the world at its beginning.

        Raises:
            DescriptionError: When it cannot be as it is set up.
        """
        from armwerk.mobile.kinematic.engine import KinematicEngine

        scene = self.scene()
        programs = {
            robot.name: program
            for robot in scene.robots
            if (program := self.program(robot.program)) is not None
        }
        follow = self.follow_landscape
        engine = None if self.physics else KinematicEngine(scene, follow_landscape=follow)
        return MobileWorld(scene, programs, engine=engine)

    def listed(self, scene: MobileScene) -> tuple[MobileObject, ...]:
        """Return its bodies and robots for the list of objects."""
        found: list[MobileObject] = []
        for robot in scene.robots:
            kind = "robot" if robot.gripper is None else "robot with gripper"
            mass, density = self._weight(robot.name, robot.mass)
            found.append(
                MobileObject(
                    *(robot.name, kind, mass, density, robot.friction),
                    *(robot.active, robot.program, self._changed(robot.name)),
                )
            )
        for body in sorted(scene.bodies, key=lambda one: one.kind == "immovable"):
            mass, density = self._weight(body.name, body.mass)
            changed = self._changed(body.name)
            found.append(
                MobileObject(body.name, body.kind, mass, density, body.friction, True, "", changed)
            )
        return tuple(found)

    def _weight(self, name: str, mass: float | None) -> tuple[float, float]:
        volume = self.file.volume(name)
        return (0.0, 0.0) if mass is None else (mass, mass / volume if volume > 0.0 else 0.0)

    def _changed(self, name: str) -> tuple[str, ...]:
        said = self.objects.get(name, ObjectAttributes())
        keys = ("type", "mass", "density", "friction", "active", "program")
        return tuple(key for key in keys if getattr(said, key) is not None)


def _value(attribute: MobileAttribute, text: str, element: str) -> object:
    """Return what was written as a settings file would hold it."""
    if attribute == "active":
        if text not in {"true", "false"}:
            raise DescriptionError(
                "neither true nor false", element=f"{element}, active", value=text[:80]
            )
        return text == "true"
    if attribute in {"mass", "density", "friction"}:
        try:
            return float(text)
        except ValueError:
            return text
    return text


def _free_file(folder: Path, name: str) -> Path:
    """Return a file for settings that is not there yet."""
    letters = "".join(one if one.isalnum() or one in "-." else "_" for one in name).strip(".")
    stem, number = letters or "settings", 1
    path = folder / f"{stem}.toml"
    while path.exists():
        number += 1
        path = folder / f"{stem}_{number}.toml"
    return path
