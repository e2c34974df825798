"""The page of the studio in a real browser: what a person does, and what the page then shows."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from browser import Visitor
from PIL import Image
from playwright.sync_api import Browser
from viewer import studio

from armwerk.studio import StudioFolder, StudioServer, StudioSession
from armwerk.studio.server import bundle_folder
from armwerk.studio.typescript import typescript

ROOT = Path(__file__).parents[2]
READY = (
    "window.armwerk && armwerk.drawn > 0 && armwerk.frames > 0 && armwerk.status && armwerk.greeted"
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StudioServer]:
    """Two balls and a cuboid; time stands."""
    with studio(tmp_path) as server:
        yield server


@pytest.fixture
def visitor(browser: Browser, server: StudioServer) -> Iterator[Visitor]:
    """Somebody who has opened the page; whatever the browser complains of fails the test."""
    visitor = Visitor(browser, server.url)
    visitor.until(READY)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def colours(path: Path) -> int:
    """Return how many colours a picture has, roughly."""
    pixels = np.asarray(Image.open(path).convert("RGB"))[60:560:4, 20:650:4] // 16
    return len(np.unique(pixels.reshape(-1, 3), axis=0))


def test_the_cell_is_seen_and_nothing_comes_from_elsewhere(
    visitor: Visitor, server: StudioServer
) -> None:
    assert visitor.page.text_content("#connection") == "connected"
    assert visitor.page.text_content("#title") == "cell"
    visitor.page.wait_for_timeout(500)
    assert colours(visitor.picture("cell")) > 12
    names = [url.rsplit("/", 1)[1] for url in visitor.requests]
    kinds = {re.sub(r"-[A-Z0-9]+\.js", "", name) for name in names}
    assert kinds == {"", "main.css", "main.js", "chunk"}  # and none of the views beside the cell
    assert all(url.startswith(server.url) for url in visitor.requests)
    place = visitor.page.evaluate("armwerk.placeOf('ball0')")
    np.testing.assert_allclose(place, [0, 0, 0.5], atol=1e-5)


def test_time_runs_stands_steps_and_begins_anew(visitor: Visitor) -> None:
    page = visitor.page
    page.click("#run")
    visitor.until("armwerk.poses.time > 0.3")
    visitor.until("document.querySelector('#run').getAttribute('aria-pressed') === 'true'")
    page.click("#pause")
    visitor.until("armwerk.status.clock.state === 'paused'")
    before = visitor.page.evaluate("armwerk.poses.time")
    page.click("#step")
    visitor.until(f"armwerk.poses.time > {before}")
    assert page.evaluate("armwerk.poses.time") < before + 0.01
    page.click("#reset")
    visitor.until("armwerk.poses.time === 0")
    visitor.until("document.querySelector('#time').textContent === '0.00 s'")


def test_the_speed_of_time_is_chosen(visitor: Visitor, server: StudioServer) -> None:
    visitor.page.select_option("#speed", "0.1")
    visitor.until("armwerk.status.clock.speed === 0.1")
    assert server.session.cell.clock.status.speed == 0.1


def test_the_space_bar_runs_and_halts(visitor: Visitor) -> None:
    visitor.page.focus("#canvas")
    visitor.page.keyboard.press("Space")
    visitor.until("armwerk.status.clock.state === 'running'")
    visitor.page.keyboard.press("Space")
    visitor.until("armwerk.status.clock.state === 'paused'")


def test_a_trigger_is_sent_and_seen(visitor: Visitor, server: StudioServer) -> None:
    visitor.page.fill("#trigger-instance", "5")
    visitor.page.fill("#trigger-text", "HELLO")
    visitor.page.press("#trigger-text", "Enter")
    visitor.page.click("#step")
    visitor.page.click("#step")
    visitor.until("document.querySelector('#triggers').textContent.includes('5: HELLO')")
    visitor.until("document.querySelector('#log').textContent.includes('trigger 5: HELLO')")
    assert [trigger.text for trigger in server.session.cell.world.triggers] == ["HELLO"]


def test_events_are_filtered(visitor: Visitor) -> None:
    visitor.page.fill("#trigger-text", "SEEN")
    visitor.page.press("#trigger-text", "Enter")
    visitor.page.click("#step")
    line = "document.querySelector('#log li[data-kind=trigger]')"
    visitor.until(f"{line} !== null")
    visitor.page.click("#filters button:has-text('trigger')")
    assert visitor.page.evaluate(f"{line} === null")
    visitor.page.click("#filters button:has-text('trigger')")
    assert visitor.page.evaluate(f"{line} !== null")
    visitor.page.fill("#event-filter", "nothing like it")
    assert visitor.page.evaluate(f"{line} === null")


def test_a_thing_is_chosen_moved_and_moved_back(visitor: Visitor) -> None:
    page = visitor.page
    page.click("tr[data-name=cuboid0]")
    assert page.get_attribute("tr[data-name=cuboid0]", "aria-selected") == "true"
    page.fill("input[aria-label='x [m]']", "0.6")
    page.fill("input[aria-label='y [m]']", "-0.5")
    page.fill("input[aria-label='z [m]']", "0.05")
    page.click("#move")
    visitor.until("Math.abs(armwerk.placeOf('cuboid0')?.[0] - 0.6) < 1e-4")
    visitor.picture("moved")
    page.click("#panel-text summary")
    assert "CUBOID 60 -50 5 10 10 10 0000FF" in page.input_value("#text")
    page.click("#undo")
    visitor.until("Math.abs(armwerk.placeOf('cuboid0')?.[0]) < 1e-4")


def test_things_come_and_go(visitor: Visitor) -> None:
    page = visitor.page
    page.click("button[data-add=Ball]")
    visitor.until("armwerk.geometry.bodies.length === 4")
    page.click("tr[data-name=ball2]")
    page.click("#remove")
    visitor.until("armwerk.geometry.bodies.length === 3")


def test_errors_of_a_text_are_marked_at_their_place(visitor: Visitor) -> None:
    page = visitor.page
    page.click("#panel-text summary")
    good = page.input_value("#text")
    page.fill("#text", good.replace("BALL 40 0 50", "BALL 40 zero 50"))
    page.click("#apply")
    visitor.until("document.querySelector('#problems').textContent.includes('line 4')")
    visitor.until(  # the mistake is told while it is typed; Apply goes to it
        "document.querySelector('#text').value.slice("
        "document.querySelector('#text').selectionStart).startsWith('zero')"
    )
    page.fill("#text", good.replace("BALL 40 0 50", "BALL 40 20 50"))
    page.click("#apply")
    visitor.until("Math.abs(armwerk.placeOf('ball1')?.[1] - 0.2) < 1e-4")
    assert page.text_content("#problems") == ""


def test_text_that_was_not_applied_survives_a_reload(visitor: Visitor) -> None:
    page = visitor.page
    page.click("#panel-text summary")
    text = page.input_value("#text") + "// mine\n"
    page.fill("#text", text)
    page.reload()
    visitor.until(READY)
    visitor.until("document.querySelector('#text').value.endsWith('// mine\\n')")


def test_a_cell_is_saved_below_the_folder(visitor: Visitor, tmp_path: Path) -> None:
    visitor.page.click("#panel-text summary")
    visitor.page.fill("#file", "mine")
    visitor.page.click("#save")
    visitor.until("document.querySelector('#messages').textContent.includes('mine.env')")
    assert "// two balls" in (tmp_path / "mine.env").read_text()
    visitor.page.fill("#file", "../mine")
    visitor.page.click("#save")
    visitor.until("document.querySelector('#messages').textContent.includes('below the folder')")
    assert not (tmp_path.parent / "mine.env").exists()


def test_the_camera_turns_moves_and_zooms(visitor: Visitor) -> None:
    page = visitor.page
    seen = [page.evaluate("armwerk.camera()")]

    def drag(dx: int, dy: int, button: str = "left") -> None:
        page.mouse.move(300, 300)
        page.mouse.down(button="right" if button == "right" else "left")
        page.mouse.move(300 + dx, 300 + dy, steps=4)
        page.mouse.up(button="right" if button == "right" else "left")
        seen.append(page.evaluate("armwerk.camera()"))

    drag(80, 0)
    page.keyboard.down("Shift")
    drag(0, 60)
    page.keyboard.up("Shift")
    drag(0, -80, "right")
    for one, other in pairwise(seen):
        assert np.linalg.norm(np.subtract(one, other)) > 0.05


def test_what_stands_out_is_switched(browser: Browser, tmp_path: Path) -> None:
    text = "BORDER -50 -50 50 50\nTRIGGER BALLENTERS 3 IN 0 0 20 30 00AAFF\n"
    with studio(tmp_path, text) as server:
        visitor = Visitor(browser, server.url)
        visitor.until(READY)
        page = visitor.page
        page.wait_for_timeout(300)
        with_zone = colours(visitor.picture("zone"))
        for name in ("mark-moving", "mark-fast", "show-zones"):
            assert page.get_attribute(f"#{name}", "aria-pressed") == "true"
            page.click(f"#{name}")
            assert page.get_attribute(f"#{name}", "aria-pressed") == "false"
        page.wait_for_timeout(300)
        assert colours(visitor.picture("no_zone")) < with_zone
        visitor.close()
        assert visitor.complaints == []


def test_a_click_into_the_view_chooses_a_thing(visitor: Visitor) -> None:
    chosen = "document.querySelector('tr[aria-selected=true]')?.dataset.name"
    box = visitor.page.locator("#canvas").bounding_box()
    assert box is not None
    for share in np.linspace(0.2, 0.8, 25):
        for height in np.linspace(0.25, 0.7, 12):
            x, y = box["x"] + share * box["width"], box["y"] + height * box["height"]
            visitor.page.mouse.click(x, y)
            if visitor.page.evaluate(chosen):
                assert visitor.page.evaluate(chosen) in {"ball0", "ball1", "cuboid0"}
                return
    pytest.fail("nothing could be clicked")


def test_a_server_that_goes_is_told_and_comes_back_by_itself(
    browser: Browser, tmp_path: Path
) -> None:
    with studio(tmp_path) as server:
        port = server.doors.port
        visitor = Visitor(browser, server.url)
        visitor.until(READY)
    visitor.until("document.querySelector('#connection').textContent.includes('away')")
    session = StudioSession(tmp_path / "cell.env", StudioFolder(tmp_path))
    with StudioServer(session, port=port):
        visitor.until("document.querySelector('#connection').textContent === 'connected'")
        visitor.page.click("#run")
        visitor.until("armwerk.poses.time > 0.1")
        visitor.close()


@pytest.mark.parametrize(
    ("theme", "size"), [("dark", (1100, 700)), ("light", (390, 780)), ("dark", (390, 780))]
)
def test_dark_and_light_large_and_small(
    browser: Browser, server: StudioServer, theme: str, size: tuple[int, int]
) -> None:
    visitor = Visitor(browser, server.url, size, theme)
    visitor.until(READY)
    page = visitor.page
    visitor.page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    visitor.picture(f"{theme}_{size[0]}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") != theme
    page.click("#run")
    visitor.until("armwerk.poses.time > 0.1")
    visitor.close()
    assert visitor.complaints == []


def test_an_arm_is_jogged_by_its_sliders(browser: Browser, tmp_path: Path) -> None:
    session = StudioSession("planar_rr", StudioFolder(tmp_path))
    with StudioServer(session) as server:
        session.cell.clock.set_speed(0)
        session.cell.clock.run()
        visitor = Visitor(browser, server.url)
        visitor.until(READY)
        slider = visitor.page.locator(".motor input").first
        slider.evaluate("one => { one.value = 1; one.dispatchEvent(new Event('input')); }")
        visitor.until("Math.abs(armwerk.status.values[0] - 1) < 0.01")
        visitor.page.wait_for_timeout(300)
        visitor.picture("arm")
        visitor.close()
        assert visitor.complaints == []


def test_the_page_is_small_and_comes_quickly() -> None:
    first = [*bundle_folder().glob("main.*"), *bundle_folder().glob("chunk-*")]
    sizes = [len(gzip.compress(path.read_bytes(), 9)) for path in first]
    assert sum(sizes) < 600_000


def test_page_and_server_speak_the_same_language() -> None:
    assert (ROOT / "studio/src/messages.ts").read_text() == typescript(), "type: make page"


def test_the_lock_file_names_no_address() -> None:
    text = (ROOT / "studio/package-lock.json").read_text()
    assert "resolved" not in text
    assert "://" not in text.replace("https://opencollective", "").replace("https://github.com", "")
