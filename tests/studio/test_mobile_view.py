"""The mobile view in a real browser: run a scene, change what is in it, keep settings and log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from browser import Visitor
from playwright.sync_api import Browser

from armwerk.mobile import MobileWorld, find_mobile_scene, open_scene
from armwerk.studio import StudioFolder, StudioServer, StudioSession

OPENED = "window.armwerkMobile && armwerkMobile.moment && armwerkMobile.drawn > 0"


@contextmanager
def visiting(
    browser: Browser,
    folder: Path,
    scene: str,
    size: tuple[int, int] = (1000, 700),
    theme: str = "light",
) -> Iterator[Visitor]:
    """Look at a scene, as ``armwerk studio SCENE`` opens it."""
    session = StudioSession(scene, StudioFolder(folder))
    with StudioServer(session) as server:
        visitor = Visitor(browser, server.url, size, theme)
        visitor.until(OPENED, 60)
        yield visitor
        visitor.close()
    assert visitor.complaints == []


def text(visitor: Visitor, selector: str) -> str:
    return visitor.page.text_content(selector) or ""


def said(visitor: Visitor, selector: str, wanted: str) -> None:
    """Wait until something says something."""
    visitor.until(f"document.querySelector('{selector}').textContent.includes({wanted!r})")


def test_a_match_is_started_watched_stopped_and_put_back(browser: Browser, tmp_path: Path) -> None:
    with visiting(browser, tmp_path, "mobile/football") as visitor:
        page = visitor.page
        assert page.get_attribute("#tab-mobile", "aria-selected") == "true"
        assert page.input_value("#mobile-scene") == "mobile/football"
        place = page.evaluate("armwerkMobile.at('yellow 3')")
        page.locator("#mobile-canvas").click(position={"x": place[0], "y": place[1]})
        assert page.input_value("#mobile-objects") == "yellow 3"
        before = page.evaluate("armwerkMobile.places")
        page.click("#mobile-start")
        visitor.until("armwerkMobile.moment.time > 1.5")
        visitor.picture("mobile-football")
        assert page.evaluate("armwerkMobile.places") != before
        assert page.is_disabled("#mobile-friction")
        page.click("#mobile-start")
        visitor.until("!armwerkMobile.moment.running")
        said(visitor, "#mobile-start", "Start")
        page.click("#mobile-reset")
        visitor.until("armwerkMobile.moment.time === 0")
        assert page.evaluate("armwerkMobile.places") == before
        page.fill("#mobile-speed", "-1")
        said(visitor, "#mobile-speed-said", "0.1 ×")
        visitor.until("armwerkMobile.moment.speed === 0.1")


def test_the_log_is_filtered_saved_and_cleared(browser: Browser, tmp_path: Path) -> None:
    with visiting(browser, tmp_path, "mobile/collision") as visitor:
        page = visitor.page
        page.click("#mobile-fastest")
        page.click("#mobile-start")
        visitor.until("armwerkMobile.lines > 0", 60)
        page.click("#mobile-start")
        visitor.until("!armwerkMobile.moment.running")
        visitor.until("armwerkMobile.lines > 0")
        assert "collision" in text(visitor, "#mobile-log")
        page.click("#mobile-filters >> text=collision")
        assert "collision" not in text(visitor, "#mobile-log")
        page.click("#mobile-filters >> text=collision")
        page.click("#mobile-save-log")
        visitor.until("document.querySelector('#messages').textContent.includes('collision.log')")
        assert "collision" in (tmp_path / "collision.log").read_text()
        page.click("#mobile-clear")
        visitor.until("armwerkMobile.lines === 0")
        page.click("#mobile-physics")
        visitor.until("armwerkMobile.opened.physics === false")
        assert not page.is_disabled("#mobile-follow")
        page.click("#mobile-start")
        visitor.until("armwerkMobile.moment.time > 1")


def test_objects_are_changed_and_kept_as_settings(browser: Browser, tmp_path: Path) -> None:
    with visiting(browser, tmp_path, "mobile/slope", theme="dark") as visitor:
        page = visitor.page
        robot = page.evaluate("armwerkMobile.opened.objects[0].name")
        page.select_option("#mobile-objects", robot)
        page.fill("#mobile-mass", "5 elephants")
        page.press("#mobile-mass", "Enter")
        said(visitor, "#mobile-object-problem", "kg")
        assert page.input_value("#mobile-mass") == "5 elephants"
        page.fill("#mobile-mass", "250 g")
        page.press("#mobile-mass", "Enter")
        visitor.until("armwerkMobile.opened.objects[0].mass === 0.25")
        visitor.until("document.querySelector('#mobile-mass').value === '0.25'")
        assert text(visitor, "#mobile-object-problem") == ""
        page.fill("#mobile-program", "wall follower")
        page.press("#mobile-program", "Enter")
        visitor.until("armwerkMobile.opened.objects[0].program === 'wall follower'")
        page.fill("#mobile-settings-name", "light robot")
        page.click("#mobile-save-settings")
        visitor.until("document.querySelector('#mobile-settings').value === 'light robot'")
        visitor.picture("mobile-slope-dark")
        page.select_option("#mobile-settings", "")
        visitor.until("armwerkMobile.opened.objects[0].mass !== 0.25")
        page.select_option("#mobile-settings", "light robot")
        visitor.until("armwerkMobile.opened.objects[0].mass === 0.25")
        assert list((tmp_path / "slope.settings").glob("*.toml"))


def test_on_a_phone_everything_is_below_the_picture(browser: Browser, tmp_path: Path) -> None:
    with visiting(browser, tmp_path, "mobile/gripping", (390, 800)) as visitor:
        page = visitor.page
        page.click("#mobile-rays")
        assert page.get_attribute("#mobile-rays", "aria-pressed") == "false"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        visitor.picture("mobile-phone")
        page.locator("#mobile-log").scroll_into_view_if_needed()
        visitor.picture("mobile-phone-log")


def test_a_body_is_dragged_while_time_stands_and_while_it_passes(
    browser: Browser, tmp_path: Path
) -> None:
    with visiting(browser, tmp_path, "mobile/gripping") as visitor:
        page = visitor.page
        objects = page.evaluate("armwerkMobile.opened.objects")
        name = next(one["name"] for one in objects if one["kind"] == "movable")
        number = page.evaluate(
            f"armwerkMobile.opened.geometry.bodies.map(one => one.owner).indexOf({name!r})"
        )
        here = f"armwerkMobile.places.slice({3 * number}, {3 * number + 3})"

        def drag(way: tuple[int, int]) -> tuple[list[float], list[float]]:
            box = page.locator("#mobile-canvas").bounding_box()
            at = page.evaluate(f"armwerkMobile.at({name!r})")
            assert box is not None
            assert at is not None
            x, y = box["x"] + at[0], box["y"] + at[1]
            page.mouse.click(x, y)
            assert page.input_value("#mobile-objects") == name
            before = page.evaluate(here)
            page.mouse.move(x, y)
            page.mouse.down()
            for step in range(1, 7):
                page.mouse.move(x + way[0] * step / 6, y + way[1] * step / 6)
                page.wait_for_timeout(40)
            page.mouse.up()
            page.wait_for_timeout(600)
            return before, page.evaluate(here)

        before, after = drag((40, 10))
        far = sum((one - two) ** 2 for one, two in zip(before[:2], after[:2], strict=True)) ** 0.5
        assert far > 0.005
        assert abs(after[2] - before[2]) < 2e-3  # on its level, to a millimetre
        assert page.evaluate("armwerkMobile.moment.time") == 0
        visitor.picture("mobile-dragged")
        page.click("#mobile-start")
        visitor.until("armwerkMobile.moment.time > 0.1")
        before, after = drag((-40, 10))
        assert sum((one - two) ** 2 for one, two in zip(before[:2], after[:2], strict=True)) > 2e-5
        page.click("#mobile-reset")
        page.click("#mobile-start")


def test_rays_end_where_they_measure(browser: Browser, tmp_path: Path) -> None:
    with visiting(browser, tmp_path, "mobile/collision") as visitor:
        page = visitor.page
        rays = page.evaluate("armwerkMobile.rays")
        world = MobileWorld(open_scene(find_mobile_scene("mobile/collision")).scene())
        wanted = [[*ray.start, *ray.end, float(ray.met)] for ray in world.rays()]
        np.testing.assert_allclose(rays, wanted, atol=1e-5)
        page.click("#mobile-fastest")
        page.click("#mobile-start")
        visitor.until("armwerkMobile.rays.some(row => row[6] > 0)", 60)
        page.click("#mobile-start")
        visitor.until("!armwerkMobile.moment.running")
        visitor.picture("mobile-rays")
