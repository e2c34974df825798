"""Picture files: valid, not blank, the same every time, or one clear error."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from armwerk.errors import DescriptionError, ShapeError
from armwerk.pictures import draw_arm, draw_motion, good_configuration
from armwerk.pictures.motion import _curve
from armwerk.pictures.palette import REVOLUTE, solution_colour
from armwerk.robot import Arm, Joint, load
from seen import mask, shapes

PUMA = load("puma560")
PLANAR = Arm.from_dh([Joint("revolute", a=0.4, limits=(-2, 2)), Joint("prismatic", d=0.1)])


def colours(path: Path) -> int:
    """Return the number of different colours in a picture."""
    with Image.open(path) as image:
        return len(image.convert("RGB").getcolors(maxcolors=1 << 24) or [])


def test_png_of_one_configuration(tmp_path: Path) -> None:
    path = draw_arm(PUMA, good_configuration(PUMA), tmp_path / "new" / "folder" / "puma.png")
    with Image.open(path) as image:
        assert image.format == "PNG"
        assert image.width > 700
        assert image.height > 500
    assert colours(path) > 500
    assert sorted(os.listdir(path.parent)) == ["puma.png"]  # nothing half-written stays


def test_several_configurations_use_their_colours(tmp_path: Path) -> None:
    q = good_configuration(PUMA)
    rows = q + np.linspace(0.0, 0.9, 4)[:, None] * [1, 0.3, 0.4, 0, 0, 0]
    path = draw_arm(PUMA, rows, tmp_path / "many.png")
    with Image.open(path) as image:
        seen = set(
            np.asarray(image.convert("RGB")).reshape(-1, 3).view([("", "u1")] * 3).ravel().tolist()
        )
    for index in range(4):
        wanted = tuple(round(255 * part) for part in solution_colour(index))
        assert wanted in seen, f"the legend's colour of solution {index + 1} is missing"


def test_svg_is_well_formed_and_holds_no_date(tmp_path: Path) -> None:
    path = draw_arm(PLANAR, [0.4, 0.2], tmp_path / "arm.svg", title="Turn & slide")
    root = ElementTree.parse(path).getroot()
    assert root.tag.endswith("svg")
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 100
    assert "<dc:date>" not in path.read_text()


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_same_input_same_bytes(tmp_path: Path, ending: str) -> None:
    one = draw_arm(PLANAR, [0.4, 0.2], tmp_path / f"one.{ending}")
    two = draw_arm(PLANAR, [0.4, 0.2], tmp_path / f"two.{ending}")
    other = draw_arm(PLANAR, [0.9, 0.2], tmp_path / f"other.{ending}")
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes() != other.read_bytes()


def test_motion_picture(tmp_path: Path) -> None:
    q = good_configuration(PUMA)
    s = np.linspace(0, 1, 40)
    path = draw_motion(PUMA, 2 * s, q + s[:, None] * 0.4, tmp_path / "motion.png")
    with Image.open(path) as image:
        assert image.width > image.height
    assert colours(path) > 500


def test_motion_that_stands_still(tmp_path: Path) -> None:
    q = np.tile(good_configuration(PUMA), (2, 1))
    path = draw_motion(PUMA, [0.0, 1.0], q, tmp_path / "still.png")
    curves = mask(path, REVOLUTE)[:, 900:]  # right of the arm
    level = [box for box in shapes(curves, least=300) if box[0].stop - box[0].start < 8]
    assert len(level) == 6  # every joint keeps its value


def test_unknown_ending_and_folder(tmp_path: Path) -> None:
    with pytest.raises(
        DescriptionError, match=r"unknown picture format, got '.gif' .*\.png or \.svg"
    ):
        draw_arm(PLANAR, [0, 0], tmp_path / "x.gif")
    with pytest.raises(DescriptionError, match="unknown picture format"):
        draw_arm(PLANAR, [0, 0], tmp_path / "no_ending")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(DescriptionError, match="is a folder"):
        draw_arm(PLANAR, [0, 0], tmp_path / "folder.png")


def test_unwritable_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DescriptionError, match="cannot be written"):
        draw_arm(PLANAR, [0, 0], tmp_path / "file" / "x.png")


def test_failed_drawing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = draw_arm(PLANAR, [0.4, 0.2], tmp_path / "arm.png")
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("armwerk.files.os.replace", full)
    with pytest.raises(DescriptionError, match="No space left"):
        draw_arm(PLANAR, [0.9, 0.2], path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["arm.png"]


def test_wrong_shapes() -> None:
    with pytest.raises(ShapeError, match=r"\(k, 6\)"):
        draw_arm(PUMA, np.zeros(5), "never.png")
    with pytest.raises(ShapeError, match="1 to 32"):
        draw_arm(PUMA, np.zeros((33, 6)), "never.png")
    with pytest.raises(ShapeError, match="labels"):
        draw_arm(PUMA, np.zeros((2, 6)), "never.png", labels=["one"])
    with pytest.raises(ShapeError, match="an arm or a model"):
        draw_arm("puma560", np.zeros(6), "never.png")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="must rise"):
        draw_motion(PUMA, [0.0, 0.0], np.zeros((2, 6)), "never.png")
    with pytest.raises(ShapeError, match="m at least 2"):
        draw_motion(PUMA, [0.0], np.zeros((1, 6)), "never.png")


def test_no_state_of_matplotlib_is_left_changed(tmp_path: Path) -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    draw_arm(PLANAR, [0, 0], tmp_path / "x.png")
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize(
    ("joint", "scale", "unit"),
    [
        (Joint("revolute", limits=(-1.0, 2.0), name="turn"), 180 / np.pi, "°"),
        (Joint("prismatic", limits=(0.0, 0.5), name="slide"), 1000.0, "mm"),
    ],
)
def test_curves_and_limits_are_in_the_unit_of_their_title(
    joint: Joint, scale: float, unit: str
) -> None:
    axes = Figure().add_subplot()
    values = np.array([0.1, 0.2, 0.4])
    _curve(axes, joint, np.array([0.0, 0.5, 1.0]), values)
    *limits, curve = axes.lines
    assert axes.get_title(loc="left") == f"{joint.name} [{unit}]"
    assert curve.get_ydata() == pytest.approx(values * scale)
    assert joint.limits is not None
    drawn = [np.asarray(line.get_ydata())[0] for line in limits]
    assert drawn == pytest.approx([limit * scale for limit in joint.limits])


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_others_may_read_a_picture_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = draw_arm(PLANAR, [0.3, 0.2], tmp_path / "planar.png")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640
