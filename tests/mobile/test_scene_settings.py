"""Settings: several to a scene, found by its hash, refused for another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from armwerk.errors import DescriptionError
from armwerk.mobile import (
    SceneFile,
    list_settings,
    open_scene,
    read_settings,
    save_settings,
    settings_folder,
    settings_of_scene,
)
from armwerk.mobile.examples.khepera import khepera
from armwerk.mobile.examples.shapes import block, body
from armwerk.mobile.files.attributes import ObjectAttributes
from armwerk.mobile.files.settings import settings_text
from armwerk.mobile.files.writing import save_groups

GREY = (0.5, 0.5, 0.5)


def opened(folder: Path, name: str = "hall", place: float = 1.0) -> SceneFile:
    path = folder / f"{name}.glb"
    save_groups([body("wall", block(1, 0.1, 0.2, GREY), place, 0), khepera("r", 0, 0)], path)
    return open_scene(path)


def test_a_scene_comes_back_as_it_was(tmp_path: Path) -> None:
    file = opened(tmp_path)
    scene = file.scene()
    pose = np.array(scene.robots[0].pose)
    pose[:2, 3] = 0.3, -0.4
    moved = replace(
        scene,
        robots=(replace(scene.robots[0], pose=pose, active=False, program="wall follower"),),
        bodies=(replace(scene.bodies[0], kind="movable", mass=0.123, friction=0.25),),
    )
    path = save_settings(settings_of_scene(moved, "moved", physics=False), tmp_path / "s.toml")
    settings = read_settings(path)
    again = file.with_settings(settings)
    assert not settings.physics
    np.testing.assert_array_equal(again.robots[0].pose, pose)
    assert (again.robots[0].active, again.robots[0].program) == (False, "wall follower")
    body_again = again.bodies[0]
    assert (body_again.kind, body_again.mass, body_again.friction) == ("movable", 0.123, 0.25)
    assert again.digest == scene.digest
    assert settings_text(settings_of_scene(again, "moved", physics=False)) == path.read_text(
        "utf-8"
    )


def test_several_settings_are_listed_by_the_hash(tmp_path: Path) -> None:
    one, two = opened(tmp_path), opened(tmp_path, "other", 2.0)
    folder = settings_folder(tmp_path / "hall.glb")
    for name in ("ice", "tarmac", "a: b/c ü"):
        settings = settings_of_scene(one.scene(), name)
        save_settings(settings, folder / f"{len(name)}.toml")
    save_settings(settings_of_scene(two.scene(), "elsewhere"), folder / "elsewhere.toml")
    (folder / "broken.toml").write_text("[settings", encoding="utf-8")
    assert set(list_settings(folder, one.digest)) == {"ice", "tarmac", "a: b/c ü"}
    assert set(list_settings(folder, two.digest)) == {"elsewhere"}
    assert list_settings(tmp_path / "nowhere", one.digest) == {}


def test_settings_of_another_scene_are_refused(tmp_path: Path) -> None:
    one, two = opened(tmp_path), opened(tmp_path, "other", 2.0)
    path = save_settings(settings_of_scene(two.scene(), "theirs"), tmp_path / "s.toml")
    with pytest.raises(DescriptionError, match=r"'theirs' belong to another scene \('other'\)"):
        one.with_settings(read_settings(path))


def test_attributes_do_not_change_the_hash_but_geometry_and_names_do(tmp_path: Path) -> None:
    first = opened(tmp_path).digest
    (tmp_path / "hall.toml").write_text("[objects.wall]\nfriction = 0.1\n", encoding="utf-8")
    assert opened(tmp_path).digest == first
    (tmp_path / "hall.toml").write_text('[objects.wall]\ntype = "robot"\n', encoding="utf-8")
    file = opened(tmp_path)
    assert file.scene().digest == first
    assert opened(tmp_path, place=1.0001).digest != first
    save_groups(
        [body("Wall", block(1, 0.1, 0.2, GREY), 1, 0), khepera("r", 0, 0)], tmp_path / "hall.glb"
    )
    (tmp_path / "hall.toml").unlink()
    assert open_scene(tmp_path / "hall.glb").digest != first


def test_a_mass_takes_the_place_of_a_density(tmp_path: Path) -> None:
    said = ObjectAttributes(mass=2.0).over(ObjectAttributes(density=500.0, friction=0.3))
    assert (said.mass, said.density, said.friction) == (2.0, None, 0.3)
    said = ObjectAttributes(heading=1.0).over(ObjectAttributes(rotation=np.array([1.0, 0, 0, 0])))
    assert said.rotation is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no table"),
        ("[settings]\nname = 'x'\n", "which scene it belongs to"),
        ("[settings]\ndigest = 'x'\nnmae = 'x'\n", "did you mean 'name'"),
        ("[settings]\ndigest = 'x'\n[objects.a]\nmass = 0\n", "object 'a', mass"),
        ("[settings]\ndigest = 3\n", "settings, digest"),
    ],
)
def test_broken_settings_are_refused_clearly(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DescriptionError, match=words) as caught:
        read_settings(path)
    assert "s.toml" in str(caught.value)
