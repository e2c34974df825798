"""The example scenes on disk: written by a script, found by name."""

from __future__ import annotations

from pathlib import Path

from armwerk.errors import UnknownNameError
from armwerk.files import write_bytes, write_text
from armwerk.mobile.examples.scenes import SCENES
from armwerk.mobile.files.scene_file import open_scene
from armwerk.mobile.files.settings import SceneSettings, settings_folder, settings_text
from armwerk.mobile.files.writing import glb_bytes

FOLDER = Path(__file__).parent / "files"


def mobile_scenes() -> list[str]:
    """Return the names of the scenes that come with the project, such as ``mobile/football``."""
    return [f"mobile/{path.stem}" for path in sorted(FOLDER.glob("*.toml"))]


def find_mobile_scene(name: str) -> Path:
    """Return the TOML file of a scene that comes with the project.

    Raises:
        UnknownNameError: When there is none; lists all.
    """
    path = FOLDER / f"{name.removeprefix('mobile/')}.toml"
    if f"mobile/{path.stem}" not in mobile_scenes():
        raise UnknownNameError("mobile scene", name, mobile_scenes())
    return path


def scene_summary(name: str) -> str:
    """Return what a scene that comes with the project shows, in a line."""
    make = SCENES[find_mobile_scene(name).stem]
    return (make.__doc__ or "").splitlines()[0].rstrip(".")


def write_scenes(folder: Path) -> list[Path]:
    """Write all example scenes to a folder and return their files."""
    written = []
    for name, make in SCENES.items():
        scene = make()
        description = folder / f"{name}.toml"
        written.append(write_bytes(folder / f"{name}.glb", glb_bytes(scene.groups), "scene"))
        written.append(write_text(description, scene.description, "scene"))
        digest = open_scene(description).digest
        for label, objects in scene.settings.items():
            settings = SceneSettings(label, digest, name, objects)
            place = settings_folder(description) / f"{label.replace(' ', '_')}.toml"
            text = settings_text(settings)
            written.append(write_text(place, text, "settings", make_folder=True))
    return written
