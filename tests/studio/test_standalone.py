"""Pages without a server: opened as files in a real browser, and in a frame of another page."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import numpy as np
import pytest
from browser import Visitor
from playwright.sync_api import Browser

import armwerk as aw
from armwerk.errors import DescriptionError, ShapeError
from armwerk.studio import (
    arm_page,
    page_frame,
    recording_page,
    standalone_page,
    trajectory_page,
)
from armwerk.wire import ArmStage, LiveCell, RecordedCell

READY = "window.armwerk !== undefined && armwerk.drawn() > 0"
SHOWN = "[...armwerk.poses().places, ...armwerk.poses().turns]"


def visit(browser: Browser, folder: Path, page: str) -> Visitor:
    """Open a page as a file; nothing may be asked for beside it."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    visitor = Visitor(browser, path.as_uri(), (800, 500))
    visitor.until(READY)
    return visitor


def leave(visitor: Visitor) -> None:
    """Close it; it has complained of nothing, and asked for nothing but itself."""
    visitor.close()
    assert visitor.complaints == []
    assert len([url for url in visitor.requests if not url.startswith(("data:", "blob:"))]) == 1


def same(visitor: Visitor, poses: np.ndarray, tolerance: float = 2e-4) -> None:
    """Compare where bodies are in the page with where they should be. Shape (bodies, 7)."""
    found = np.array(visitor.page.evaluate(SHOWN))
    count = len(poses)
    places, turns = found[: 3 * count].reshape(-1, 3), found[3 * count :].reshape(-1, 4)
    assert places == pytest.approx(poses[:, :3], abs=tolerance)
    signs = np.sign(np.sum(turns * poses[:, 3:], axis=1, keepdims=True))
    assert turns * signs == pytest.approx(poses[:, 3:], abs=tolerance)


@pytest.mark.parametrize("name", ["stanford", "scara"])
def test_an_arm_is_moved_without_a_server(browser: Browser, tmp_path: Path, name: str) -> None:
    arm = aw.load_arm(name)
    visitor = visit(browser, tmp_path, arm_page(arm))
    stage = ArmStage(arm)
    same(visitor, stage.poses([stage.rest])[0])
    low, high = np.array([joint.limits or (-np.pi, np.pi) for joint in arm.moving]).T
    for q in (low, high, 0.3 * low + 0.7 * high):
        visitor.page.evaluate(f"armwerk.move({q.tolist()})")
        same(visitor, stage.poses([q])[0])
    first = visitor.page.locator("#joints input[type=number]").first
    first.fill("30")
    first.press("Enter")
    q = stage.rest.copy()
    q[0] = np.deg2rad(30.0)
    same(visitor, stage.poses([q])[0])
    visitor.picture(f"standalone-{name}")
    leave(visitor)


def test_a_motion_is_played_with_a_time_line(browser: Browser, tmp_path: Path) -> None:
    model = aw.model("planar_rr")
    motion = aw.ptp(model, [0.0, 0.0], [1.5, -1.0])
    visitor = visit(browser, tmp_path, trajectory_page(motion))
    stage = ArmStage(aw.load_arm("planar_rr"))
    for time in (0.0, 0.37 * motion.duration, motion.duration):
        visitor.page.evaluate(f"armwerk.seek({time})")
        # straight between two frames: 1/30 s apart, a joint's arc is left by less than 1 mm
        same(visitor, stage.poses([motion.sample(time)[0]])[0], 1e-3)
    visitor.page.get_by_role("button", name="Play").click()  # from the beginning
    visitor.until("document.querySelector('#play').textContent === 'Play'")
    visitor.until(f"document.querySelector('#time').textContent === '{motion.duration:.2f} s'")
    visitor.picture("standalone-motion")
    leave(visitor)


def test_a_recording_is_a_page(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "seen.jsonl.gz"
    with LiveCell.load("sorting") as cell:
        cell.record(file)
        cell.clock.step(400)
        cell.stop_recording()
    played = RecordedCell.load(file)
    page = recording_page(file)
    visitor = visit(browser, tmp_path, page)
    for time in (played.clock.begin, played.clock.end):
        visitor.page.evaluate(f"armwerk.seek({time})")
        frame = played.frame_at(time)
        same(visitor, np.hstack([frame.places, frame.turns / 32767.0]))
    visitor.picture("standalone-recording")
    leave(visitor)
    assert len(page) < 400_000


def test_a_page_stands_in_a_notebook(browser: Browser, tmp_path: Path) -> None:
    framed = page_frame(arm_page(aw.load("planar_rr")), 300)
    (tmp_path / "notebook.html").write_text(f"<!doctype html><title>n</title>{framed}")
    visitor = Visitor(browser, (tmp_path / "notebook.html").as_uri(), (600, 400))
    frame = visitor.page.frames[1]
    for _ in range(600):  # the page's policy forbids what wait_for_function does
        if frame.evaluate(f"Boolean({READY})"):
            break
        visitor.page.wait_for_timeout(50)
    assert frame.evaluate(f"Boolean({READY})")
    visitor.picture("standalone-notebook")
    assert visitor.page.locator("iframe").bounding_box() is not None
    visitor.close()
    assert visitor.complaints == []


def test_what_stands_in_a_page_cannot_break_out_of_it() -> None:
    arm = aw.Arm.from_dh([aw.Joint("revolute", a=0.3)], name="a", title="</title><script>alert(1)")
    page = arm_page(arm)
    assert "<script>alert" not in page
    assert page_frame(page).count("<") == 2


def test_a_page_says_what_it_lacks() -> None:
    geometry = ArmStage(aw.load("planar_rr")).geometry
    motion = aw.ptp(aw.model("planar_rr"), [0.0, 0.0], [1.0, 1.0])
    with pytest.raises(DescriptionError, match="neither frames nor joints"):
        standalone_page(geometry)
    with pytest.raises(DescriptionError, match=r"rate.*above 0 1/s"):
        trajectory_page(motion, rate=0.0)
    with pytest.raises(DescriptionError, match="beyond its limits"):
        arm_page(aw.load("puma560"), [9.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(ShapeError):
        arm_page(aw.load("planar_rr"), [0.0])
    with pytest.raises(ShapeError):
        trajectory_page(motion, aw.load("puma560"))


def test_an_arm_with_closed_chains_has_no_sliders() -> None:
    assert '"joints":[]' in _scene(arm_page(aw.load("tripod")))


def _scene(page: str) -> str:
    packed = page.split('id="scene">')[1].split("<", maxsplit=1)[0]
    return gzip.decompress(base64.b64decode(packed)).decode()
