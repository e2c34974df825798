"""The space view in a real browser: maps, the arm under the mouse, paths, reach, bodies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Visitor
from playwright.sync_api import Browser
from viewer import studio

from armwerk.studio import StudioServer

READY = "window.armwerk && armwerk.greeted"
MAPPED = "window.armwerkSpace && armwerkSpace.map"
FREE = "document.querySelector('#space-contact').textContent.startsWith('free')"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StudioServer]:
    """A cell in the background."""
    with studio(tmp_path) as server:
        yield server


@pytest.fixture
def visitor(browser: Browser, server: StudioServer) -> Iterator[Visitor]:
    """Somebody who has opened the space view."""
    visitor = visit(browser, server)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def visit(
    browser: Browser,
    server: StudioServer,
    size: tuple[int, int] = (1100, 750),
    theme: str = "light",
) -> Visitor:
    visitor = Visitor(browser, server.url, size, theme)
    visitor.until(READY)
    visitor.page.click("#tab-space")
    visitor.until(MAPPED, 120)
    return visitor


def click(visitor: Visitor, *place: float) -> None:
    """Click a place of the map [rad]."""
    x, y = visitor.page.evaluate(f"armwerkSpace.dotOf({list(place)})")
    visitor.page.locator("#space-map").click(position={"x": x, "y": y})


def hover(visitor: Visitor, *place: float) -> None:
    x, y = visitor.page.evaluate(f"armwerkSpace.dotOf({list(place)})")
    visitor.page.locator("#space-map").hover(position={"x": x, "y": y})


def text(visitor: Visitor, selector: str) -> str:
    return visitor.page.text_content(selector) or ""


def test_the_first_look_is_a_map_with_a_legend(visitor: Visitor) -> None:
    assert "49.9 % free" in text(visitor, "#space-status")
    entries = visitor.page.locator("#space-legend li").all_text_contents()
    assert len(entries) == 6
    assert entries[0].startswith("obstacle 1 22.5 %")
    assert visitor.page.get_attribute("#tab-space", "aria-selected") == "true"


def test_the_arm_follows_the_mouse_and_contacts_are_named(visitor: Visitor) -> None:
    hover(visitor, 0.2, 0.3)
    visitor.until(FREE)
    free = visitor.page.evaluate("armwerkSpace.q")
    np.testing.assert_allclose(free, [0.2, 0.3], atol=0.04)
    visitor.until(
        "parseFloat(document.querySelector('#space-tool').textContent.split(' ')[1]) < 409"
    )
    links = np.array([0.18, 0.23])
    angles = np.cumsum(free)
    tool = 1000 * np.array([links @ np.cos(angles), links @ np.sin(angles)])
    shown = text(visitor, "#space-tool").split()[1:3]
    np.testing.assert_allclose([float(one.rstrip(",")) for one in shown], tool, atol=0.11)
    hover(visitor, -1.0, 0.0)
    visitor.until("document.querySelector('#space-contact').textContent.includes('obstacle 2')")
    visitor.picture("space_contact")


def test_a_path_is_clicked_found_and_played(visitor: Visitor) -> None:
    click(visitor, 0.2, 0.3)
    assert "goal" in text(visitor, "#space-route")
    click(visitor, 1.6, -1.5)
    visitor.until("armwerkSpace.path > 30")
    assert "corners" in text(visitor, "#space-route")
    visitor.until("!armwerkSpace.plays && Math.abs(armwerkSpace.q[0] - 1.6) < 0.04")
    visitor.picture("space_path")
    visitor.page.click("#space-play")
    visitor.until("armwerkSpace.plays")
    visitor.page.click("#space-clear")
    assert visitor.page.evaluate("armwerkSpace.path") == 0
    assert visitor.page.is_disabled("#space-play")


def test_a_goal_that_is_blocked_is_said_beside_it(visitor: Visitor) -> None:
    click(visitor, 0.2, 0.3)
    click(visitor, -1.0, 0.0)
    visitor.until("document.querySelector('#space-route-problem').textContent !== ''")
    assert "the goal is in contact" in text(visitor, "#space-route-problem")
    assert "obstacle 2" in text(visitor, "#space-route-problem")


def test_the_map_is_walked_by_keys(visitor: Visitor) -> None:
    visitor.page.focus("#space-map")
    hover(visitor, 0.2, 0.3)
    before = visitor.page.evaluate("armwerkSpace.q")
    visitor.page.keyboard.press("Shift+ArrowRight")
    visitor.page.keyboard.press("ArrowDown")
    visitor.until(f"armwerkSpace.q[0] > {before[0]} + 0.3")
    after = visitor.page.evaluate("armwerkSpace.q")
    np.testing.assert_allclose(np.subtract(after, before), np.deg2rad([20, -2]), atol=1e-6)
    visitor.page.keyboard.press("Enter")
    assert "goal" in text(visitor, "#space-route")


def test_bodies_are_edited_with_complaints_and_survive_a_reload(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor.page
    page.fill("#space-bodies", 'kind = "bodies"\n\n[[body]]\nkind = "bix"\n')
    visitor.until("document.querySelector('#space-complaint').textContent.includes('bix')")
    assert "half_space" in text(visitor, "#space-complaint")
    good = (
        'kind = "bodies"\n[[body]]\nkind = "sphere"\nname = "moon"\nradius = "50 mm"\n'
        "position = [0.3, 0.0, 0.0]\n"
    )
    page.fill("#space-bodies", good)
    visitor.until("document.querySelector('#space-legend').textContent.includes('moon')")
    assert text(visitor, "#space-complaint") == ""
    page.fill("input[aria-label='File to save bodies to']", "moon")
    page.press("input[aria-label='File to save bodies to']", "Enter")
    visitor.until("document.querySelector('#messages').textContent.includes('moon.toml')")
    assert (tmp_path / "moon.toml").read_text() == good
    page.reload()
    visitor.until(MAPPED, 60)
    visitor.until("document.querySelector('#space-legend').textContent.includes('moon')")
    page.click("#space-none")
    visitor.until("document.querySelector('#space-status').textContent.includes('100.0 % free')")


def test_another_arm_other_axes_and_its_reach(visitor: Visitor) -> None:
    page = visitor.page
    page.select_option("#space-arm", "scara")
    visitor.until("armwerkSpace.q.length === 4")
    visitor.until("armwerkSpace.map.axes[1].joint === 1")
    page.select_option("#space-second", "2")
    visitor.until("armwerkSpace.map.axes[1].unit === 'm'", 60)
    assert page.locator("#view-space .joint:visible").count() == 2
    page.click("#space-sweep")
    visitor.until("document.querySelector('#space-reach').textContent.includes('m³')", 60)
    page.wait_for_timeout(300)
    visitor.picture("space_reach")


@pytest.mark.parametrize(("theme", "size"), [("dark", (1400, 900)), ("light", (390, 800))])
def test_dark_and_light_wide_and_narrow(
    browser: Browser, server: StudioServer, theme: str, size: tuple[int, int]
) -> None:
    visitor = visit(browser, server, size, theme)
    hover(visitor, 0.2, 0.3)
    visitor.until(FREE)
    visitor.page.wait_for_timeout(300)
    visitor.picture(f"space_{theme}_{size[0]}")
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.close()
    assert visitor.complaints == []
