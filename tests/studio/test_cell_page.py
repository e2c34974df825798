"""The view of a cell in a real browser: recordings, contacts, programs, panels, dragging."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Visitor
from PIL import Image
from playwright.sync_api import Browser
from viewer import studio

from armwerk.studio import StudioFolder, StudioServer, StudioSession
from armwerk.wire import LiveCell

READY = (
    "window.armwerk && armwerk.drawn > 0 && armwerk.frames > 0 && armwerk.status && armwerk.greeted"
)
PROGRAMS = '''
import armwerk as aw

class Waver(aw.RobotController):
    """Says what it was told."""
    description = "waves"
    told = "nothing"

    def configure(self, text):
        self.told = text

    def run(self):
        self.debug(f"config is {self.told}")
        while self.is_running():
            self.wait(0.1)

    def receive_line(self, text):
        self.debug(f"heard {text}")

class Sleeper(aw.RobotController):
    description = "does nothing"

    def run(self):
        self.debug("good night")
'''
ROBOTS = """// two robots
BORDER -150 -150 150 150
MULTIROBOT 2
ROBOT0 -50 0 0
MANIPULATOR0 planar_rr
CONTROLLER0 programs.Waver
CONFIG0 slow
ROBOT1 50 0 0
MANIPULATOR1 planar_rr
CONTROLLER1 programs.Waver
BALL 0 80 5 5 0 0.5 FF0000
STEP 20 9AA5B1
  RECT 0 -80 40 40
ENDSTEP
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StudioServer]:
    """Two robots with programs, a ball and a step; time stands."""
    (tmp_path / "programs.py").write_text(PROGRAMS)
    with studio(tmp_path, ROBOTS) as server:
        yield server


@pytest.fixture
def visitor(browser: Browser, server: StudioServer) -> Iterator[Visitor]:
    """Somebody who has opened the page; whatever the browser complains of fails the test."""
    visitor = Visitor(browser, server.url, (1400, 900))
    visitor.until(READY)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def text_of(name: str) -> str:
    """Return the expression for the text of an element."""
    return f"document.querySelector('{name}').textContent"


def notes_of(robot: int) -> str:
    """Return the expression for what a robot has written to debug-out."""
    return f"document.querySelector('[data-notes=\"{robot}\"]').textContent"


def test_a_recording_is_made_and_played(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    page.click("#run")
    visitor.until("armwerk.poses.time > 0.05")
    page.click("#record")
    visitor.until(f"{text_of('#record')} === 'Stop recording'")
    visitor.until("armwerk.poses.time > 1.2", 60)
    page.fill("#trigger-text", "MARK")
    page.press("#trigger-text", "Enter")
    visitor.until("armwerk.poses.time > 1.6", 60)
    page.click("#record")
    page.click("#messages button")
    visitor.until("!document.querySelector('#timeline').hidden")
    (file,) = tmp_path.glob("*.jsonl.gz")
    visitor.until(f"{text_of('#recording-name')}.includes('{file.name}')")
    page.click("#pause")
    visitor.until("armwerk.status.clock.state === 'paused'")
    page.evaluate(
        "const bar = document.querySelector('#scrub'); bar.value = bar.max;"
        "bar.dispatchEvent(new Event('input'));"
    )
    visitor.until(
        "Math.abs(armwerk.poses.time - Number(document.querySelector('#scrub').max)) < 0.01"
    )
    visitor.until(f"{text_of('#triggers')}.includes('MARK')")
    visitor.picture("recording")
    page.click("#reset")
    visitor.until("armwerk.poses.time === Number(document.querySelector('#scrub').min)")
    visitor.until(f"!{text_of('#triggers')}.includes('MARK')")
    page.click("#next-event")
    visitor.until("armwerk.poses.time > Number(document.querySelector('#scrub').min)")
    before = page.evaluate("armwerk.poses.time")
    page.click("#step")
    visitor.until(f"armwerk.poses.time > {before}")
    page.click("#step-back")
    visitor.until(f"armwerk.poses.time <= {before}")
    assert not page.is_visible("#panel-execute")
    page.click("#run")
    visitor.until(f"armwerk.poses.time > {before} + 0.1")


def test_a_recording_given_at_the_start_is_played(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    with LiveCell(ROBOTS.replace("CONTROLLER", "// CONTROLLER")) as cell:
        cell.record(file, "a")
        cell.clock.step(300)
        cell.stop_recording()
    with StudioServer(StudioSession(file, StudioFolder(tmp_path))) as server:
        server.session.shown.clock.run()
        visitor = Visitor(browser, server.url)
        visitor.until(READY)
        visitor.until("armwerk.poses.time > 0.1")
        answer = visitor.page.evaluate("document.documentElement.hasAttribute('data-recording')")
        assert answer
        visitor.close()
        assert visitor.complaints == []


def test_contacts_are_seen_in_a_recording_too(
    visitor: Visitor, server: StudioServer, tmp_path: Path
) -> None:
    page = visitor.page
    page.click("#record")
    visitor.until("document.querySelector('#record').textContent === 'Stop recording'")
    page.click("#run")
    visitor.until("armwerk.poses.time > 0.5")
    page.click("#record")
    page.get_by_role("button", name="Play it").click()
    visitor.until("document.documentElement.hasAttribute('data-recording')")
    page.click("#show-contacts")
    visitor.until("armwerk.arrows > 0")
    visitor.picture("contacts_recorded")


def test_the_line_of_a_robot_program_is_seen_live(browser: Browser, tmp_path: Path) -> None:
    lines = ["program P;", "begin", *["wait 0.1 sec;"] * 30, "wait 900 sec;", "endprogram;"]
    (tmp_path / "wait.irl").write_text("\n".join(lines) + "\n")
    text = "ROBOT0 0 0 0\nMANIPULATOR0 irb120\nCONTROLLER0 wait.irl\n"
    with studio(tmp_path, text) as server:
        visitor = Visitor(browser, server.url, (1400, 900))
        visitor.until(READY)
        visitor.until("document.querySelectorAll('.listing li').length === 34")
        visitor.page.select_option("#speed", "0")
        visitor.page.click("#run")
        current = "document.querySelector('.listing [aria-current]')"
        visitor.until(f"{current} && {current}.textContent === 'wait 900 sec;'")
        assert visitor.page.inner_text(".present") == "line 33: wait 900 sec;"
        inside = (
            "(() => { const one = document.querySelector('.listing [aria-current]')"
            ".getBoundingClientRect(), all = document.querySelector('.listing')"
            ".getBoundingClientRect(); return one.top >= all.top && one.bottom <= all.bottom; })()"
        )
        assert visitor.page.evaluate(inside)
        visitor.picture("program_line")
        visitor.close()
        assert visitor.complaints == []


def test_contacts_are_shown_on_wish(visitor: Visitor, server: StudioServer) -> None:
    page = visitor.page
    page.click("#run")
    visitor.until("armwerk.poses.time > 0.3")
    assert page.evaluate("armwerk.arrows") == 0
    assert server.session.cell.feed.contact_watchers == 0
    page.click("#show-contacts")
    visitor.until("armwerk.arrows > 0")
    visitor.picture("contacts")
    page.click("#show-contacts")
    visitor.until("armwerk.arrows === 0")
    for _ in range(100):  # the page forgets them first, then the server does
        if server.session.cell.feed.contact_watchers == 0:
            break
        page.wait_for_timeout(50)
    assert server.session.cell.feed.contact_watchers == 0


def test_programs_are_executed_told_and_heard(visitor: Visitor) -> None:
    page = visitor.page
    page.select_option("#execute-robot", "1")
    page.click("[data-execute=start]")
    visitor.until("armwerk.status.robots[1].state === 'running'")
    visitor.until("document.querySelector('[data-execute=start]').ariaPressed === 'true'")
    page.fill("#commander-line", "wave left")
    page.press("#commander-line", "Enter")
    visitor.until(f"{notes_of(1)}.includes('heard wave left')")
    assert "heard" not in page.evaluate(notes_of(0))
    assert page.evaluate("armwerk.status.robots[0].state") == "idle"
    page.press("#commander-line", "ArrowUp")
    assert page.input_value("#commander-line") == "wave left"
    page.click("[data-execute=pause]")
    visitor.until("armwerk.status.robots[1].state === 'paused'")
    visitor.until("document.querySelector('[data-execute=pause]').ariaPressed === 'true'")
    visitor.picture("execute")
    page.click("[data-execute=reset]")
    visitor.until("armwerk.status.epoch > 0")
    page.select_option("#execute-robot", "")
    page.click("[data-execute=start]")
    visitor.until(f"{notes_of(0)}.includes('config is slow')")


def test_a_program_and_its_config_are_chosen_and_taken_back(
    visitor: Visitor, server: StudioServer
) -> None:
    page = visitor.page
    form = "form[data-program='0']"
    page.click(".robot summary:has-text('Program: ')")
    options = page.evaluate(f'[...document.querySelectorAll("{form} option")].map(o => o.value)')
    assert options == ["", "programs.Waver", "programs.Sleeper"]
    page.select_option(f"{form} select", "programs.Sleeper")
    page.fill(f"{form} input", "soft=1")
    page.click(f"{form} button")
    visitor.until("armwerk.status.robots[0].controller === 'Sleeper'")
    assert "CONTROLLER0 programs.Sleeper" in server.session.cell.text
    assert "CONFIG0 soft=1" in server.session.cell.text
    page.fill(f"{form} input", "a // b")
    page.click(f"{form} button")
    visitor.until(f"document.querySelector(\"{form} .error\").textContent.includes('comment')")
    page.evaluate("document.activeElement.blur()")
    page.evaluate("document.querySelector('#panel-text').open = true")
    page.click("#undo")
    visitor.until("armwerk.status.robots[0].controller === 'Waver'")
    assert server.session.cell.text == ROBOTS


def test_triggers_are_filtered(visitor: Visitor) -> None:
    page = visitor.page
    for instance, text in (("3", "open door"), ("4", "open gate"), ("4", "close gate")):
        page.fill("#trigger-instance", instance)
        page.fill("#trigger-text", text)
        page.press("#trigger-text", "Enter")
    page.click("#step")
    visitor.until("document.querySelectorAll('#triggers li').length === 3")
    page.fill("#trigger-filter", "OPEN")
    assert page.evaluate("document.querySelectorAll('#triggers li').length") == 2
    page.fill("#trigger-receiver", "4")
    assert page.evaluate("document.querySelectorAll('#triggers li').length") == 1


def test_errors_are_marked_at_their_lines_as_they_are_typed(visitor: Visitor) -> None:
    page = visitor.page
    page.click("#panel-text > summary")
    page.fill("#text", ROBOTS.replace("STEP 20 9", "STEP twenty 9"))
    visitor.until("document.querySelectorAll('.gutter .wrong').length > 0")
    lines = page.evaluate(
        "[...document.querySelectorAll('.gutter .wrong')].map(o => o.textContent)"
    )
    assert lines == ["12"]
    page.locator("#text").scroll_into_view_if_needed()
    visitor.picture("text")
    page.fill("#text", ROBOTS)
    visitor.until("document.querySelectorAll('.gutter .wrong').length === 0")


def test_panels_are_moved_hidden_and_remembered(visitor: Visitor) -> None:
    page = visitor.page
    order = "[...document.querySelectorAll('#panels > details')].map(one => one.id)"
    first = page.evaluate(order)
    page.hover("#panel-objects > summary")
    page.click("[aria-label='Move Objects up']")
    assert page.evaluate(order).index("panel-objects") == first.index("panel-objects") - 1
    page.hover("#panel-log > summary")
    page.click("[aria-label='Hide Events']")
    page.reload()
    visitor.until(READY)
    assert page.evaluate(order).index("panel-objects") == first.index("panel-objects") - 1
    assert not page.is_visible("#panel-log")
    page.click("#panel-menu summary")
    page.check("[data-panel=panel-log]")
    assert page.is_visible("#panel-log")


def drag(visitor: Visitor, name: str, dx: int, dy: int) -> None:
    """Click something, then drag it."""
    page = visitor.page
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    x, y = page.evaluate(f"armwerk.at('{name}')")
    x, y = x + box["x"], y + box["y"]
    page.mouse.click(x, y)
    visitor.until(f"armwerk.chosen === '{name}'")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=6)
    page.wait_for_timeout(100)
    page.mouse.up()


def test_a_thing_is_dragged_in_the_picture(visitor: Visitor, server: StudioServer) -> None:
    before = np.array(visitor.page.evaluate("armwerk.placeOf('ball0')"))
    camera = visitor.page.evaluate("armwerk.camera()")
    drag(visitor, "ball0", 120, 0)
    visitor.until("armwerk.status.can_undo")
    after = np.array(visitor.page.evaluate("armwerk.placeOf('ball0')"))
    assert 0.1 < np.linalg.norm(after[:2] - before[:2]) < 1.5
    assert abs(after[2] - before[2]) < 1e-3  # on a level plane
    assert visitor.page.evaluate("armwerk.camera()") == camera
    place = server.session.cell.world.scene.things[0].centre
    np.testing.assert_allclose(place, after, atol=1e-3)


def test_a_thing_is_dragged_while_time_passes(visitor: Visitor, server: StudioServer) -> None:
    visitor.page.click("#run")
    visitor.until("armwerk.status.clock.state === 'running'")
    drag(visitor, "ball0", 150, 0)
    visitor.until("Math.abs(armwerk.placeOf('ball0')?.[0]) > 0.1")
    visitor.page.wait_for_timeout(200)
    assert server.session.cell.text == ROBOTS


def test_a_fixed_body_and_a_robot_are_dragged(visitor: Visitor, server: StudioServer) -> None:
    drag(visitor, "step0", 60, -20)
    visitor.until("armwerk.status.can_undo")
    visitor.picture("dragged")
    step = server.session.cell.world.scene.obstacles[0]
    assert np.linalg.norm(np.subtract(step.outline.centre, (0.0, -0.8))) > 0.05  # type: ignore[union-attr]
    drag(visitor, "robot 1", 60, 0)
    visitor.until("armwerk.geometry.version === 3")
    x, y = server.session.cell.world.scene.robots[1].position
    assert np.hypot(x - 0.5, y) > 0.05


def test_edits_come_back_after_the_server_was_lost(browser: Browser, tmp_path: Path) -> None:
    with studio(tmp_path) as server:
        port = server.doors.port
        visitor = Visitor(browser, server.url)
        visitor.until(READY)
        page = visitor.page
        page.click("button[data-add=Ball]")  # applied, and never saved
        visitor.until("armwerk.geometry.bodies.length === 4")
        page.click("#panel-text > summary")
        assert page.text_content("#text-state") == "not saved"
        edited = page.input_value("#text")
        typed = edited + "// typed, and not applied\n"
    visitor.until("document.querySelector('#connection').textContent.includes('away')")
    page.fill("#text", typed)
    page.close()  # the browser goes as well
    session = StudioSession(tmp_path / "cell.env", StudioFolder(tmp_path))
    with StudioServer(session, port=port) as server:
        visitor.page = visitor.context.new_page()
        visitor.page.goto(server.url)
        visitor.until(READY)
        assert visitor.page.input_value("#text") == typed
        visitor.page.click("#apply")
        visitor.until("armwerk.geometry.bodies.length === 4")
        visitor.close()


@pytest.mark.parametrize("way", ["--render native", "no WebGL"])
def test_pictures_are_drawn_without_webgl(browser: Browser, tmp_path: Path, way: str) -> None:
    session = StudioSession("sorting", StudioFolder(tmp_path))
    with StudioServer(session, render="native" if way == "--render native" else "fx") as server:
        visitor = Visitor(browser, "about:blank", (900, 600))
        if way == "no WebGL":
            visitor.page.add_init_script(
                "const get = HTMLCanvasElement.prototype.getContext;"
                "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
                " return kind.startsWith('webgl') ? null : get.call(this, kind, ...more); };"
                "OffscreenCanvas.prototype.getContext = () => null;"
            )
        visitor.page.goto(server.url)
        visitor.until(READY)
        visitor.until("armwerk.drawn > 0")
        assert visitor.page.evaluate("document.querySelector('#canvas').getContext('2d') !== null")
        visitor.page.click("#run")
        visitor.until("armwerk.poses.time > 0.5")
        visitor.page.wait_for_timeout(300)
        pixels = np.asarray(Image.open(visitor.picture("flat")).convert("RGB"))[60:500:4, 20:600:4]
        assert len(np.unique(pixels.reshape(-1, 3) // 16, axis=0)) > 20
        before = pixels.copy()
        visitor.page.mouse.move(300, 200)
        visitor.page.mouse.down()
        visitor.page.mouse.move(420, 220, steps=4)
        visitor.page.mouse.up()
        visitor.page.wait_for_timeout(500)
        pixels = np.asarray(Image.open(visitor.picture("flat")).convert("RGB"))[60:500:4, 20:600:4]
        assert np.mean(np.any(pixels != before, axis=2)) > 0.1
        visitor.close()
        assert visitor.complaints == []
