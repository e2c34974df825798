"""Films and sheets of motions: what moves is seen to move, what is said is what was checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import armwerk as aw
from armwerk.collision import (
    BodiesAround,
    Checker,
    ConstantVelocity,
    MotionPicture,
    MovingArm,
    MovingBody,
)
from armwerk.errors import DescriptionError

Pixels = NDArray[np.float64]
TABLE = aw.Box((2.4, 1.6, 0.04), (-0.5, 0.0, -0.06), name="table")
LEFT, RIGHT = (np.deg2rad([turn, -80.0, 110.0, -120.0, -90.0, 0.0]) for turn in (-50, 50))


def crate(speed: float, aside: float = 0.0) -> MovingBody:
    """A crate that passes upwards where the tool is in the middle of its way, after 0.5 s."""
    middle = aw.model("ur5e").fk((LEFT + RIGHT) / 2)
    middle[0, 3] -= aside
    upwards = ConstantVelocity((0.0, 0.0, speed), pose=middle, at=0.5)
    return MovingBody(aw.Box((0.12, 0.12, 0.3), name="crate"), upwards)


def across(*moving: MovingBody, begin: float = 0.0) -> MotionPicture:
    arm = aw.load("ur5e")
    own = MovingArm(arm, aw.ptp(arm, LEFT, RIGHT, "full"), begin)
    return MotionPicture([own], [TABLE], moving)


def tinted(pixels: Pixels, low: float, high: float) -> NDArray[np.bool_]:
    """Where a picture is red with so much green in it: orange, or plain red, in light and shade."""
    red, green, blue = np.moveaxis(pixels, 2, 0)
    return np.asarray((red > 0.2) & (green > low * red) & (green < high * red) & (blue < 0.5 * red))


def orange(pixels: Pixels) -> NDArray[np.bool_]:
    return tinted(pixels, 0.5, 0.8)


def frames(path: Path) -> tuple[list[Pixels], float]:
    """The pictures of a film, and how long it lasts [s]; what stands still is one picture."""
    found, lasts = [], 0.0
    with Image.open(path) as film:
        for number in range(film.n_frames):  # type: ignore[attr-defined]
            film.seek(number)
            found.append(np.asarray(film.convert("RGB"), dtype=np.float64) / 255.0)
            lasts += film.info["duration"] / 1000.0
    return found, lasts


def test_a_film_lasts_as_long_as_the_motion_and_shows_what_moves(tmp_path: Path) -> None:
    picture = across(crate(0.3))
    seen, lasts = frames(picture.film(tmp_path / "crate.webp", rate=10.0, size=(320, 240)))
    assert lasts == pytest.approx(picture.end - picture.begin + 0.65, abs=0.15)
    rows = [np.nonzero(orange(one))[0] for one in (seen[0], seen[-1])]
    assert min(len(one) for one in rows) > 200
    assert rows[1].mean() < rows[0].mean() - 20  # upwards


def test_the_sheet_marks_the_first_contact(tmp_path: Path) -> None:
    touching, passing = across(crate(0.5)), across(crate(0.5, aside=0.4))
    assert not touching.verdicts[0].free
    assert passing.verdicts[0].free
    sheets = [one.moments(tmp_path / f"{k}.png") for k, one in enumerate((touching, passing))]
    red = []
    for sheet in sheets:
        with Image.open(sheet) as image:
            pixels = np.asarray(image.convert("RGB"), dtype=np.float64) / 255.0
        red.append(np.count_nonzero(tinted(pixels[: len(pixels) * 2 // 3], 0.0, 0.4)))
    assert red[0] > 500
    assert red[1] < 100
    contact = touching.verdicts[0].time
    assert min(abs(time - contact) for time in touching._moments()) < 1e-12


def test_distances_are_those_of_the_arm_among_bodies_placed_at_each_moment() -> None:
    body = crate(0.5)
    picture = across(body, begin=0.2)
    found = picture.clearance()
    motion = picture.motions[0].trajectory
    for k in (0, 57, 101, 239):
        q = motion.sample(found.times[k] - 0.2)[0]
        there = Checker("ur5e", body.at(float(found.times[k])))
        assert found.moving[k] == pytest.approx(there.distance(q, self_too=False).value, abs=1e-9)
        alone = Checker("ur5e", [TABLE]).distance(q, self_too=False).value
        assert found.standing[k] == pytest.approx(alone, abs=1e-9)


def test_nothing_around_and_two_arms_are_drawn_too(tmp_path: Path) -> None:
    arm = aw.load("ur5e")
    alone = MotionPicture([MovingArm(arm, aw.ptp(arm, LEFT, RIGHT))])
    assert alone.moments(tmp_path / "alone.svg").stat().st_size > 10_000
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = np.diag([-1.0, -1.0, 1.0]), (-1.4, 0.0, 0.0)
    other = aw.Arm.from_dh(arm.joints, "other", base)
    motions = [MovingArm(one, aw.ptp(one, LEFT, RIGHT)) for one in (arm, other)]
    two = MotionPicture(motions, [aw.HalfSpace((0, 0, 1), (0, 0, -0.2), "floor"), TABLE])
    assert two.beside[0].distance.body.startswith("other.")
    assert two.moments(tmp_path / "two.png").exists()


def test_wrong_pictures_are_refused_before_anything_is_computed(tmp_path: Path) -> None:
    picture = across(crate(0.5))
    with pytest.raises(DescriptionError, match="unknown film format"):
        picture.film(tmp_path / "film.txt")
    with pytest.raises(DescriptionError, match="rate: out of range"):
        picture.film(tmp_path / "film.gif", rate=0.0)
    with pytest.raises(DescriptionError, match="no arms"):
        MotionPicture([])
    with pytest.raises(DescriptionError, match="no time"):
        MovingArm("ur5e", aw.ptp("ur5e", LEFT, RIGHT), float("nan"))
    with pytest.raises(DescriptionError, match="used twice"):
        BodiesAround([aw.Sphere(0.1, name="crate")], [crate(0.1)])
