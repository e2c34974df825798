"""The page of the studio in Firefox, where it is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from browser import PICTURES
from firefox import firefox, opened_firefox
from PIL import Image
from viewer import studio

pytestmark = pytest.mark.skipif(firefox() is None, reason="Firefox is not installed")


def test_a_cell_is_seen_run_edited_and_recorded_in_firefox(tmp_path: Path) -> None:
    with studio(tmp_path) as server, opened_firefox(tmp_path / "profile") as visitor:
        visitor.open(server.url)
        visitor.until("window.armwerk && armwerk.frames > 0 && armwerk.status")
        visitor.evaluate("document.querySelector('#run').click()")
        visitor.until("armwerk.poses.time > 0.1")
        visitor.evaluate("document.querySelector('#record').click()")
        visitor.until("armwerk.status.recording !== ''")
        visitor.until("armwerk.poses.time > 0.5")
        visitor.evaluate("document.querySelector('#record').click()")
        visitor.until("armwerk.status.recording === ''")
        visitor.evaluate("document.querySelector('[data-add=Ball]').click()")
        visitor.until("armwerk.geometry.bodies.length === 4")
        visitor.until("armwerk.drawn > 3")  # by polygons, where it has no WebGL
        picture = visitor.picture(PICTURES / "firefox.png")
        pixels = np.asarray(Image.open(picture).convert("RGB"))[60:560:4, 20:650:4] // 16
        assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 12
        assert visitor.complaints == []
    assert list(tmp_path.glob("*.jsonl.gz"))
