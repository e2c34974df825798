"""Settings of a scene: what its user has changed, under a name, bound to the scene's hash.

A settings file is a TOML file with the name, the hash and a table for each object; a scene may have
any number of them, by default in a folder beside it called as the scene with ``.settings`` behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.files import write_text
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.mobile.files.attributes import ObjectAttributes, flag, object_attributes, text
from armwerk.mobile.files.description import read_toml
from armwerk.mobile.scene import MobileScene

_HEAD = ("name", "scene", "digest", "physics", "follow_landscape")


@dataclass(frozen=True, slots=True, eq=False)
class SceneSettings:
    """Named settings of one scene.

    Args:
        name: Under which they are listed.
        digest: Of the scene they belong to.
        scene: Its name, for people.
        objects: What is said about objects, by name.
        physics: Whether physics is on.
        follow_landscape: Whether robots keep to the surface below them when it is off.
    """

    name: str
    digest: str
    scene: str = ""
    objects: Mapping[str, ObjectAttributes] = field(default_factory=dict)
    physics: bool = True
    follow_landscape: bool = True

    def check(self, digest: str, scene: str) -> None:
        """Refuse another scene.

        Raises:
            DescriptionError: Naming both.
        """
        if self.digest != digest:
            raise DescriptionError(
                f"settings '{self.name}' belong to another scene"
                + (f" ('{self.scene}')" if self.scene else ""),
                element=f"scene '{scene}'",
                value=f"hash {self.digest[:12]}…",
                allowed=f"settings with the hash {digest[:12]}…",
            )


def settings_of_scene(
    scene: MobileScene, name: str, *, physics: bool = True, follow_landscape: bool = True
) -> SceneSettings:
    """Return a scene as settings: place, type, mass, friction and program of every object."""
    objects: dict[str, ObjectAttributes] = {}
    for body in scene.bodies:
        objects[body.name] = ObjectAttributes(
            type=body.kind,
            mass=body.mass,
            density=body.density,
            friction=body.friction,
            bounce=body.bounce,
            rolling=body.rolling or None,
            position=body.pose[:3, 3],
            rotation=quaternion_from_rotation(body.pose[:3, :3]),
        )
    for robot in scene.robots:
        objects[robot.name] = ObjectAttributes(
            type="robot" if robot.gripper is None else "robot with gripper",
            mass=robot.mass,
            density=robot.density,
            friction=robot.friction,
            active=robot.active,
            program=robot.program,
            position=robot.pose[:3, 3],
            rotation=quaternion_from_rotation(robot.pose[:3, :3]),
        )
    return SceneSettings(name, scene.digest, scene.name, objects, physics, follow_landscape)


def save_settings(settings: SceneSettings, path: str | Path) -> Path:
    """Write settings to a TOML file, which is complete or untouched.

    Raises:
        DescriptionError: When the place cannot be written to.
    """
    return write_text(path, settings_text(settings), "settings", make_folder=True)


def settings_text(settings: SceneSettings) -> str:
    """Return settings as TOML."""
    lines = [
        "[settings]",
        f"name = {_quoted(settings.name)}",
        f"scene = {_quoted(settings.scene)}",
        f"digest = {_quoted(settings.digest)}",
        f"physics = {_bare(settings.physics)}",
        f"follow_landscape = {_bare(settings.follow_landscape)}",
    ]
    for name, said in settings.objects.items():
        lines += ["", f"[objects.{_quoted(name)}]", *_object_lines(said)]
    return "\n".join(lines) + "\n"


def _object_lines(said: ObjectAttributes) -> list[str]:
    heading = None if said.heading is None else float(np.rad2deg(said.heading))
    rows: list[tuple[str, str | float | bool | Array | None]] = [
        ("type", said.type),
        ("mass", said.mass),
        ("density", said.density),
        ("friction", said.friction),
        ("bounce", said.bounce),
        ("rolling", said.rolling),
        ("active", said.active),
        ("program", said.program),
        ("position", said.position),
        ("rotation", said.rotation),
        ("heading", heading),
        ("colour", said.colour),
    ]
    lines = [f"{key} = {_bare(value)}" for key, value in rows if value is not None]
    for key in ("base", "sensors", "gripper", "reports"):
        table: Mapping[str, object] = getattr(said, key)
        if table:
            inner = ", ".join(f"{name} = {_bare(value)}" for name, value in table.items())
            lines.append(f"{key} = {{ {inner} }}")
    return lines


def _bare(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, np.ndarray | list | tuple):
        return "[" + ", ".join(_bare(one) for one in value) + "]"
    if isinstance(value, int):
        return str(value)
    number = float(value) if isinstance(value, float | np.floating) else 0.0
    return repr(number + 0.0)


def _quoted(value: str) -> str:
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in plain) + '"'


def read_settings(path: str | Path) -> SceneSettings:
    """Return the settings of a file; whether they fit a scene is seen when they are used.

    Raises:
        DescriptionError: Saying what is wrong with the file.
    """
    file = Path(path)
    tables = read_toml(file)
    try:
        head = tables.get("settings")
        if not isinstance(head, Mapping):
            raise DescriptionError("has no table [settings]", element="settings")
        for key in head:
            if key not in _HEAD:
                raise UnknownNameError("value (settings)", str(key), _HEAD)
        if "digest" not in head:
            raise DescriptionError(
                "does not say which scene it belongs to", element="settings, digest"
            )
        objects = tables.get("objects", {})
        if not isinstance(objects, Mapping):
            raise DescriptionError("no table", element="objects", value=objects)
        return SceneSettings(
            text(head.get("name", file.stem), "settings, name"),
            text(head["digest"], "settings, digest"),
            text(head.get("scene", ""), "settings, scene"),
            {str(k): object_attributes(v, f"object '{k}'") for k, v in objects.items()},
            flag(head.get("physics", True), "settings, physics"),
            flag(head.get("follow_landscape", True), "settings, follow_landscape"),
        )
    except UnknownNameError as error:
        raise DescriptionError(str(error), file=file) from None
    except DescriptionError as error:
        raise error.at(file) from None


def settings_folder(scene: str | Path) -> Path:
    """Return the folder in which the settings of a scene file lie."""
    file = Path(scene)
    return file.with_name(f"{file.stem}.settings")


def list_settings(folder: str | Path, digest: str) -> dict[str, Path]:
    """Return the files of all settings in a folder that belong to a scene, by their names.

    Files of other scenes and files that are no settings are passed over.
    """
    found: dict[str, Path] = {}
    place = Path(folder)
    for path in sorted(place.glob("*.toml")) if place.is_dir() else ():
        try:
            settings = read_settings(path)
        except DescriptionError:
            continue
        if settings.digest == digest:
            found[settings.name] = path
    return found
