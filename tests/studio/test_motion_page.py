"""The motion view in a real browser: driving, tables, bodies, curves, teaching."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Visitor
from playwright.sync_api import Browser
from viewer import studio

from armwerk.collision import Bodies
from armwerk.motion.table import Table
from armwerk.studio import StudioServer

READY = "window.armwerk && armwerk.greeted"
STAGED = "window.armwerkMotion && armwerkMotion.staged"
PLANNED = f"{STAGED} && armwerkMotion.planned"
STANDS = "armwerkMotion.state === 'ready'"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StudioServer]:
    """A cell in the background."""
    with studio(tmp_path) as server:
        yield server


@pytest.fixture
def visitor(browser: Browser, server: StudioServer) -> Iterator[Visitor]:
    """Somebody who has opened the motion view."""
    visitor = visit(browser, server)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def visit(
    browser: Browser,
    server: StudioServer,
    size: tuple[int, int] = (1200, 800),
    theme: str = "light",
) -> Visitor:
    visitor = Visitor(browser, server.url, size, theme)
    visitor.until(READY)
    visitor.page.click("#tab-motion")
    visitor.until(PLANNED, 120)
    return visitor


def values(visitor: Visitor) -> np.ndarray:
    return np.array(visitor.page.evaluate("armwerkMotion.q"))


def log(visitor: Visitor) -> str:
    return visitor.page.text_content("#motion-log") or ""


def said(words: str) -> str:
    return f"document.querySelector('#motion-log').textContent.includes({words!r})"


def tab(visitor: Visitor, name: str) -> None:
    visitor.page.click(f"#motion-tab-{name}")
    assert visitor.page.is_visible(f"#motion-{name}")


def test_joints_are_jogged_by_the_step_that_is_set(visitor: Visitor) -> None:
    page = visitor.page
    before = values(visitor)
    page.fill("#motion-step-angle", "12")
    page.click("#motion-jogs [aria-label='base up']")
    visitor.until("armwerkMotion.q[0] > 0.2")
    visitor.until(STANDS)
    np.testing.assert_allclose(values(visitor) - before, [np.deg2rad(12), 0, 0, 0, 0], atol=1e-5)
    visitor.until("document.querySelector('#motion-jogs output').textContent === '12.00°'")
    page.click("#motion-jogs [aria-label='base down']")
    page.click("#motion-jogs [aria-label='base down']")
    visitor.until("armwerkMotion.q[0] < -0.2 && armwerkMotion.state === 'ready'")


def test_the_tool_is_jogged_in_world_and_cylindrical_coordinates(visitor: Visitor) -> None:
    page = visitor.page
    page.click("#motion-send-row")
    page.click("#motion-send")
    visitor.until("armwerkMotion.waiting === 1")
    page.click("#motion-start")
    visitor.until(f"Math.abs(armwerkMotion.tool[2] - 0.3) < 1e-4 && {STANDS}", 60)
    page.click("[data-frame=world]")
    page.fill("#motion-step-length", "25")
    page.click("#motion-jogs [aria-label='z down']")
    visitor.until(f"Math.abs(armwerkMotion.tool[2] - 0.275) < 1e-4 && {STANDS}")
    tool = page.evaluate("armwerkMotion.tool")
    np.testing.assert_allclose(tool[:3], [0.4, 0.0, 0.275], atol=1e-4)
    page.click("[data-frame=cylindrical]")
    page.click("#motion-jogs [aria-label='r down']")
    visitor.until(f"Math.abs(armwerkMotion.tool[0] - 0.375) < 1e-4 && {STANDS}")
    visitor.picture("motion_jogged")


def test_halt_needs_reset_and_stop_goes_on(visitor: Visitor) -> None:
    page = visitor.page
    page.click("#motion-send-all")
    visitor.until("armwerkMotion.waiting === 1")
    page.click("#motion-start")
    visitor.until("armwerkMotion.q[2] > 0.2")
    page.click("#motion-stop")
    visitor.until("armwerkMotion.state === 'stopped'")
    stopped = values(visitor)
    assert page.is_disabled("#motion-exec")
    page.click("#motion-start")
    visitor.until(f"armwerkMotion.q[2] > {stopped[2]} + 0.1")
    page.keyboard.press("Escape")
    assert page.evaluate("armwerkMotion.state") == "halted"
    assert "needs Reset" in (page.text_content("#motion-queue") or "")
    halted = values(visitor)
    assert page.is_disabled("#motion-start")
    assert page.is_disabled("#motion-reference")
    page.click("#motion-send-all")
    visitor.until(said("Reset first"))
    page.wait_for_timeout(300)
    np.testing.assert_array_equal(values(visitor), halted)
    page.click("#motion-reset")
    assert page.evaluate("[armwerkMotion.state, armwerkMotion.waiting]") == ["ready", 0]
    page.click("#motion-reference")
    visitor.until(f"armwerkMotion.q.every((x) => Math.abs(x) < 1e-4) && {STANDS}", 60)


def test_a_motion_is_restarted_from_where_it_began(visitor: Visitor) -> None:
    page = visitor.page
    page.fill("#motion-joint-values input, .control input[aria-label='base [°], exactly']", "20")
    page.press(".control input[aria-label='base [°], exactly']", "Enter")
    visitor.until("armwerkMotion.ghosts === 1")
    page.click("#motion-exec")
    visitor.until(f"armwerkMotion.q[0] > 0.34 && {STANDS}")
    page.click("#motion-restart")
    visitor.until("armwerkMotion.q[0] < 0.1")
    visitor.until(f"armwerkMotion.q[0] > 0.34 && {STANDS}")


def test_positions_are_saved_as_trajectories(visitor: Visitor) -> None:
    page = visitor.page
    page.fill(".control input[aria-label='elbow [°], exactly']", "60")
    page.press(".control input[aria-label='elbow [°], exactly']", "Enter")
    page.select_option("#motion-save-kind", "ptp")
    page.click("#motion-save-position")
    visitor.until("armwerkMotion.rows.length === 4")
    row = page.evaluate("armwerkMotion.rows[3]")
    assert row["kind"] == "ptp"
    assert float(row["x"]) > 100
    assert float(row["inclination"]) == pytest.approx(30.0, abs=0.01)
    page.click("#motion-save-current")
    visitor.until("armwerkMotion.rows.length === 5")
    assert float(page.evaluate("armwerkMotion.rows[4].z")) == pytest.approx(935.0)


def test_joint_values_are_saved_as_a_trajectory_edited_and_kept(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor.page
    page.fill(".control input[aria-label='elbow [°], exactly']", "60")
    page.press(".control input[aria-label='elbow [°], exactly']", "Enter")
    page.select_option("#motion-save-kind", "ptp, joint values")
    page.click("#motion-save-position")
    visitor.until("armwerkMotion.rows.length === 4")
    visitor.until("document.querySelector('#motion-table-problem').textContent === ''")
    tab(visitor, "trajectories")
    cell = "[aria-label='joints [°, mm], row 4']"
    typed = page.input_value(cell)
    assert typed.split(", ")[2] == "60"
    page.fill(cell, typed.replace("60", "0.5 rad"))
    page.fill("[aria-label='x [mm], row 4']", "300")
    visitor.until("document.querySelector('#motion-table-problem').textContent.includes('both')")
    visitor.until("document.querySelector('tr.wrong td')?.textContent === '4'")
    page.fill("[aria-label='x [mm], row 4']", "")
    visitor.until("document.querySelector('#motion-table-problem').textContent === ''")
    visitor.picture("motion_joint_row")
    page.fill("[aria-label='File to save table to']", "joints.csv")
    page.press("[aria-label='File to save table to']", "Enter")
    visitor.until("document.querySelector('#messages').textContent.includes('joints.csv')")
    row = Table.load(tmp_path / "joints.csv").rows[3]
    assert row.kind == "ptp"
    assert row.joints is not None
    assert row.joints[2] == pytest.approx(0.5)
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#motion-trajectories [data-do=clear]")
    page.focus("#motion-trajectories [aria-label='Open table']")
    visitor.until("document.querySelector('#motion-trajectories option[value=\"joints.csv\"]')")
    page.select_option("#motion-trajectories [aria-label='Open table']", "joints.csv")
    visitor.until("armwerkMotion.rows.length === 4")
    assert float(page.input_value(cell).split(", ")[2]) == pytest.approx(np.degrees(0.5))
    assert page.input_value("[aria-label='x [mm], row 4']") == ""


def test_the_table_is_edited_complained_of_saved_and_opened(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor.page
    tab(visitor, "trajectories")
    visitor.picture("motion_trajectories")
    before = page.evaluate("armwerkMotion.planned")
    page.fill("[aria-label='z [mm], row 3']", "150")
    visitor.until(f"armwerkMotion.planned !== {before}")
    page.fill("[aria-label='help, row 2']", "H9")
    visitor.until("document.querySelector('#motion-table-problem').textContent.includes('H9')")
    assert "known: H1" in (page.text_content("#motion-table-problem") or "")
    page.fill("[aria-label='help, row 2']", "H1")
    page.fill("[aria-label='x [mm], row 3']", "5 m")
    visitor.until("document.querySelector('tr.wrong td')?.textContent === '3'")
    page.fill("[aria-label='x [mm], row 3']", "0.3 m")
    visitor.until("document.querySelector('#motion-table-problem').textContent === ''")
    page.fill("[aria-label='File to save table to']", "mine.csv")
    page.press("[aria-label='File to save table to']", "Enter")
    visitor.until("document.querySelector('#messages').textContent.includes('mine.csv')")
    table = Table.load(tmp_path / "mine.csv")
    assert [row.kind for row in table.rows] == ["start", "circle", "linear"]
    assert table.rows[2].point == pytest.approx((0.3, 0.3, 0.15))
    page.click("[aria-label='Delete row 3 of Trajectories']")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#motion-trajectories [data-do=clear]")
    assert page.evaluate("armwerkMotion.rows") == []
    page.focus("#motion-trajectories [aria-label='Open table']")
    visitor.until("document.querySelector('#motion-trajectories option[value=\"mine.csv\"]')")
    page.select_option("#motion-trajectories [aria-label='Open table']", "mine.csv")
    visitor.until("armwerkMotion.rows.length === 3")
    page.reload()
    visitor.until(PLANNED)
    assert page.evaluate("armwerkMotion.rows[2].z") == "150"


def test_bodies_stop_slow_and_are_edited_by_triangle(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    tab(visitor, "bodies")
    page.click("[data-add-body=mesh]")
    visitor.until("armwerkMotion.bodies.length === 1")
    normal = page.locator("#motion-bodies .normal").nth(3)
    assert normal.text_content() == "0.58 0.58 0.58"
    page.click("[aria-label='Flip triangle 4']")
    visitor.until("document.querySelector('#motion-bodies-problem').textContent !== ''")
    page.click("[aria-label='Flip triangle 4']")
    visitor.until("document.querySelector('#motion-bodies-problem').textContent === ''")
    page.fill("[aria-label='Corner 2 of triangle 4 [mm]']", "0 0 zero")
    visitor.until("document.querySelector('#motion-bodies-problem').textContent.includes('zero')")
    page.fill("[aria-label='Corner 2 of triangle 4 [mm]']", "0 200 0")
    page.fill("#motion-bodies [aria-label='place [mm] x']", "270")
    page.fill("#motion-bodies [aria-label='place [mm] y']", "270")
    visitor.until("armwerkMotion.touch !== null", 60)
    assert "triangle1" in page.evaluate("armwerkMotion.touch.text")
    visitor.picture("motion_contact")
    tab(visitor, "control")
    page.click("#motion-send-all")
    visitor.until(said("discarded"))
    assert re.search(r"segment \d+", log(visitor))
    assert page.evaluate("armwerkMotion.waiting") == 0
    tab(visitor, "bodies")
    page.fill("[aria-label='File to save bodies to'] >> nth=-1", "wedge")
    page.press("[aria-label='File to save bodies to'] >> nth=-1", "Enter")
    visitor.until("document.querySelector('#messages').textContent.includes('wedge.toml')")
    assert Bodies.load(tmp_path / "wedge.toml").names == ("triangle1",)
    page.click("[aria-label='Delete body triangle1']")
    visitor.until("armwerkMotion.bodies.length === 0")


def test_a_plane_through_three_points_keeps_the_origin_safe(visitor: Visitor) -> None:
    page = visitor.page
    tab(visitor, "bodies")
    page.click("#motion-bodies summary")
    for point, place in (("P1", "0 0 -50"), ("P2", "100 0 -50"), ("P3", "0 100 -50")):
        for axis, value in zip("xyz", place.split(), strict=True):
            page.fill(f"[aria-label='{point} {axis} [mm]']", value)
    page.click("[data-add-body=plane]")
    visitor.until("armwerkMotion.bodies.length === 1")
    assert page.input_value("[aria-label=' normal z']") == "1"
    visitor.until("document.querySelector('#motion-contact').textContent.includes('mm to the')")


def test_curves_have_limits_and_their_cursor_moves_the_arm(visitor: Visitor) -> None:
    page = visitor.page
    for quantity in ("position", "acceleration", "jerk", "velocity"):
        page.select_option("#motion-quantity", quantity)
        assert quantity in (page.text_content("#motion-curve-said") or "")
    page.select_option("#motion-joint", "2")
    assert "°/s" in (page.text_content("#motion-curve-said") or "")
    page.select_option("#motion-quantity", "force")
    assert page.text_content("#motion-curve-said")
    page.select_option("#motion-quantity", "position")
    before = page.evaluate("armwerkMotion.place()")
    box = page.locator("#motion-plot .u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 20)
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 20)
    visitor.until(f"Math.abs(armwerkMotion.place()[2] - {before[2]}) > 0.1")
    page.mouse.move(5, 5)
    visitor.until(f"Math.abs(armwerkMotion.place()[2] - {before[2]}) < 1e-4")


def test_positions_are_taught_recorded_and_played_back(visitor: Visitor) -> None:
    page = visitor.page
    page.click("#motion-teach")
    page.fill("#motion-step-angle", "20")
    page.click("#motion-jogs [aria-label='base up']")
    visitor.until(f"armwerkMotion.q[0] > 0.34 && {STANDS}")
    page.click("#motion-teach")
    page.click("#motion-jogs [aria-label='elbow up']")
    visitor.until(f"armwerkMotion.q[2] > 0.34 && {STANDS}")
    page.click("#motion-teach")
    assert page.evaluate("armwerkMotion.taught") == 3
    page.click("#motion-play-back")
    visitor.until("armwerkMotion.q[0] < 0.05 && armwerkMotion.q[2] < 0.05")
    visitor.until(f"armwerkMotion.q[2] > 0.34 && {STANDS}")
    page.click("#motion-record")
    page.click("#motion-jogs [aria-label='base down']")
    visitor.until(f"armwerkMotion.q[0] < 0.01 && {STANDS}")
    page.click("#motion-record")
    assert page.evaluate("armwerkMotion.taught") >= 2
    assert "recorded" in log(visitor)


def test_settings_change_the_plan_and_are_kept_in_tables(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    tab(visitor, "settings")
    visitor.picture("motion_settings")
    before = page.evaluate("armwerkMotion.planned")
    page.fill("#motion-rule-speed", "100")
    visitor.until(f"armwerkMotion.planned < {before}")
    page.fill("#motion-rule-near", "500")
    visitor.until("document.querySelector('#motion-settings-problem').textContent !== ''")
    page.fill("#motion-rule-near", "30")
    page.fill("#motion-rule-nearSpeed", "15")
    visitor.until("document.querySelector('#motion-settings-problem').textContent === ''")
    page.select_option("#motion-setting-shape", "quadratic")
    tab(visitor, "trajectories")
    page.fill("[aria-label='File to save table to']", "slow.toml")
    page.press("[aria-label='File to save table to']", "Enter")
    visitor.until("document.querySelector('#messages').textContent.includes('slow.toml')")
    kept = Table.load(tmp_path / "slow.toml").settings
    assert (kept.near, kept.near_speed, kept.far, kept.far_speed) == (0.03, 0.15, 0.1, 1.0)
    assert kept.shape == "quadratic"
    tab(visitor, "settings")
    page.select_option("#motion-setting-shape", "arc")
    page.fill("#motion-rule-nearSpeed", "40")
    tab(visitor, "trajectories")
    page.focus("#motion-trajectories [aria-label='Open table']")
    visitor.until("document.querySelector('#motion-trajectories option[value=\"slow.toml\"]')")
    page.select_option("#motion-trajectories [aria-label='Open table']", "slow.toml")
    visitor.until("document.querySelector('#motion-rule-nearSpeed').value === '15'")
    visitor.until("document.querySelector('#motion-setting-shape').value === 'quadratic'")


@pytest.mark.parametrize(
    ("theme", "size"), [("dark", (1400, 900)), ("light", (390, 800)), ("dark", (390, 800))]
)
def test_dark_and_light_wide_and_narrow(
    browser: Browser, server: StudioServer, theme: str, size: tuple[int, int]
) -> None:
    visitor = visit(browser, server, size, theme)
    visitor.page.wait_for_timeout(400)
    visitor.picture(f"motion_{theme}_{size[0]}")
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.close()
    assert visitor.complaints == []
