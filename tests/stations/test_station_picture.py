"""Pictures of stations: arm and table stand where they are in the world."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from station_cases import station

from armwerk.errors import DescriptionError, ShapeError
from armwerk.stations import draw_station
from armwerk.stations.picture import station_skeleton


@pytest.mark.parametrize("tilt", [0.0, 90.0])
def test_the_plate_lies_under_the_work_piece(tilt: float) -> None:
    model = station("rail_station")
    q = np.array([0.3, np.deg2rad(tilt), 1.0, 0, -1.2, 1.4, 0, 0.5, 0])
    skeleton = station_skeleton(model, q)
    poses = model.world(q)
    np.testing.assert_allclose(skeleton.tools[0], poses.tool, atol=1e-9)
    np.testing.assert_allclose(skeleton.tools[1], poses.piece, atol=1e-9)
    (plate,) = skeleton.plates
    across = (plate - poses.piece[:3, 3]) @ poses.piece[:3, 2]
    assert np.abs(across).max() < 1e-9
    assert {joint.name for joint in skeleton.joints} == set(model.names)


def test_one_and_several_moments(tmp_path: Path) -> None:
    model = station("rail_station")
    q = np.array([0.3, 0.5, 1.0, 0, -1.2, 1.4, 0, 0.5, 0])
    for name, rows in (("one.png", q), ("two.png", np.array([q, -0.1 * q]))):
        with Image.open(draw_station(model, rows, tmp_path / name)) as image:
            pixels = np.asarray(image.convert("RGB"))
        assert min(pixels.shape[:2]) > 400
        assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 100
    text = draw_station(model, q, tmp_path / "one.svg").read_text()
    assert "linear unit" in text or "svg" in text
    with pytest.raises(DescriptionError, match="png"):
        draw_station(model, q, tmp_path / "one.bmp")
    with pytest.raises(ShapeError):
        draw_station(model, q[:3], tmp_path / "one.png")
    with pytest.raises(ShapeError, match="1 to 32"):
        draw_station(model, np.tile(q, (40, 1)), tmp_path / "one.png")
