"""A scene from its files: a mesh file, a TOML file of attributes, settings chosen among several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.mobile.files.attributes import ObjectAttributes
from armwerk.mobile.files.description import SceneDescription, read_description
from armwerk.mobile.files.digest import digest_of
from armwerk.mobile.files.group import MeshGroup
from armwerk.mobile.files.making import made_body, made_robot
from armwerk.mobile.files.overlaps import overlapping_robots
from armwerk.mobile.files.reading import read_groups, upwards
from armwerk.mobile.files.recognise import FoundObject, found_object, unique
from armwerk.mobile.files.settings import SceneSettings
from armwerk.mobile.scene import MobileBody, MobileRobot, MobileScene


@dataclass(frozen=True, eq=False)
class SceneFile:
    """The files of a scene, read: what its objects are made of, and what is said about them.

    Args:
        description: From its TOML file.
        groups: From its mesh file, each with the name it has in the scene.
        problems: What is doubtful about the file as such.
    """

    description: SceneDescription
    groups: Mapping[str, MeshGroup]
    problems: tuple[str, ...] = ()
    _found: dict[tuple[str, str | None], FoundObject] = field(default_factory=dict, repr=False)

    @cached_property
    def digest(self) -> str:
        """What settings of this scene are bound to."""
        return digest_of(tuple(self.groups.values()), self.description.unit)

    def scene(self, objects: Mapping[str, ObjectAttributes] | None = None) -> MobileScene:
        """Return the scene.

        Args:
            objects: What is said beyond the TOML file, as by settings; it wins.

        Raises:
            DescriptionError: When objects cannot be as they are said to be, or robots stand in
                one another.
            UnknownNameError: When an attribute is of no object.
        """
        own, more = self.description.objects, objects or {}
        for name in (*own, *more):
            if name not in self.groups:
                raise UnknownNameError(
                    f"object of the scene '{self.description.name}'", name, self.groups
                )
        bodies: list[MobileBody] = []
        robots: list[MobileRobot] = []
        problems = list(self.problems)
        for name, group in self.groups.items():
            said = more.get(name, ObjectAttributes()).over(own.get(name, ObjectAttributes()))
            found = self._object(name, group, said)
            problems += found.problems
            if found.type in {"robot", "robot with gripper"}:
                robot, doubts = made_robot(found, said)
                robots.append(robot)
                problems += doubts
            else:
                bodies.append(made_body(found, said))
        overlapping_robots(robots)
        return self._whole(bodies, robots, problems)

    def volume(self, name: str) -> float:
        """Return how large an object is [m³].

        Raises:
            UnknownNameError: When there is none of this name.
        """
        if name not in self.groups:
            raise UnknownNameError(
                f"object of the scene '{self.description.name}'", name, self.groups
            )
        said = self.description.objects.get(name, ObjectAttributes())
        return self._object(name, self.groups[name], said).volume

    def with_settings(self, settings: SceneSettings) -> MobileScene:
        """Return the scene under some settings.

        Raises:
            DescriptionError: When the settings belong to another scene.
        """
        settings.check(self.digest, self.description.name)
        return self.scene(settings.objects)

    def _object(self, name: str, group: MeshGroup, said: ObjectAttributes) -> FoundObject:
        key = (name, said.type)
        if key not in self._found:
            scale = np.diag([self.description.unit] * 3 + [1.0])
            to_world: Array = scale @ upwards(self.description.up)
            self._found[key] = found_object(group, name, to_world, said.type)
        return self._found[key]

    def _whole(
        self, bodies: Sequence[MobileBody], robots: Sequence[MobileRobot], problems: Sequence[str]
    ) -> MobileScene:
        about = self.description
        names = {body.name for body in bodies}
        for goal in about.goals:
            for name in goal.bodies:
                if name not in names:
                    raise UnknownNameError(f"body (goal '{goal.name}')", name, names)
        return MobileScene(
            name=about.name,
            bodies=tuple(bodies),
            robots=tuple(robots),
            goals=about.goals,
            gravity=about.gravity,
            floor=about.floor,
            floor_friction=about.floor_friction,
            impact=about.impact,
            step=about.step,
            unit=about.unit,
            problems=tuple(problems),
            origin=self.digest,
        )


def open_scene(path: str | Path) -> SceneFile:
    """Return the files of a scene, read and checked.

    Args:
        path: A mesh file (.glb, .gltf, .obj), beside which a TOML file of the same name may lie,
            or the TOML file.

    Raises:
        DescriptionError: Saying what is wrong, where, and what would be right.
    """
    description = read_description(path)
    named: dict[str, MeshGroup] = {}
    problems: list[str] = []
    for place, group in enumerate(read_groups(description.file), start=1):
        label = "".join(letter for letter in group.name if letter.isprintable()).strip()
        name = unique(label or f"object {place}", set(named))
        if not label:
            problems.append(f"object {place} of the file has no name; it is called '{name}'")
        elif name != label:
            problems.append(f"several objects are called '{label}'; one is called '{name}'")
        if any(part.mesh is not None for part, _ in group.walk()):
            named[name] = group
        else:
            problems.append(f"'{name}' holds no triangles and is left out")
    return SceneFile(description, named, tuple(problems))


def read_mobile_scene(path: str | Path) -> MobileScene:
    """Return the scene of a mesh file or of the TOML file beside it; see `open_scene`."""
    file = open_scene(path)
    try:
        return file.scene()
    except UnknownNameError as error:
        raise DescriptionError(str(error), file=path) from None
    except DescriptionError as error:
        raise error.at(path) from None
