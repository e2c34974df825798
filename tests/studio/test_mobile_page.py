"""What mobile robots did as a page without a server, opened in a real browser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from browser import Visitor
from playwright.sync_api import Browser

from armwerk.errors import DescriptionError
from armwerk.mobile import KinematicEngine, MobileWorld, find_mobile_scene, find_program, open_scene
from armwerk.studio import mobile_page
from armwerk.wire.mobile_stage import MobileStage

READY = "window.armwerk !== undefined && armwerk.drawn() > 0"


def test_a_run_is_played_where_everything_was(browser: Browser, tmp_path: Path) -> None:
    scene = open_scene(find_mobile_scene("gripping")).scene()
    programs = {robot.name: find_program(robot.program) for robot in scene.robots}
    world = MobileWorld(scene, programs, engine=KinematicEngine(scene))
    moments = [(world.time, world.state.poses)]
    for _ in range(60):
        world.step()
        moments.append((world.time, world.state.poses))
    path = tmp_path / "run.html"
    path.write_text(mobile_page(scene, moments), encoding="utf-8")
    visitor = Visitor(browser, path.as_uri(), (800, 500))
    visitor.until(READY)
    names = MobileStage(scene).names
    assert names[-1] == "collector 4"
    for time, poses in (moments[0], moments[30], moments[-1]):
        visitor.page.evaluate(f"armwerk.seek({time})")
        found = np.array(visitor.page.evaluate("[...armwerk.poses().places]")).reshape(-1, 3)
        wanted = np.stack([poses[name][:3, 3] for name in names])
        assert found == pytest.approx(wanted, abs=2e-4)
    visitor.picture("mobile-page")
    visitor.close()
    assert visitor.complaints == []


def test_rays_are_seen_unless_not_wanted() -> None:
    scene = open_scene(find_mobile_scene("collision")).scene()
    rays = [solid for solid in MobileStage(scene).geometry.solids if solid.role == "zone"]
    assert len(rays) == sum(len(robot.sensors) for robot in scene.robots) == 16
    assert not any(solid.role == "zone" for solid in MobileStage(scene, rays=False).geometry.solids)


def test_a_page_without_moments_is_refused() -> None:
    scene = open_scene(find_mobile_scene("collision")).scene()
    with pytest.raises(DescriptionError, match="neither frames nor joints"):
        mobile_page(scene, [])
