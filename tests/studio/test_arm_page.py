"""The arm view in a real browser: what a person does, and what the page then shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Visitor
from playwright.sync_api import Browser

import armwerk as aw
from armwerk.studio import StudioFolder, StudioServer, StudioSession

READY = "window.armwerkArm && armwerkArm.posed() && armwerkArm.drawn() > 1 && !armwerkArm.busy()"
CLOSED = f"{READY} && armwerkArm.posed().method === 'closed'"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arms")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[StudioServer]:
    """A studio that was started with an arm."""
    session = StudioSession("puma560", StudioFolder(folder))
    with StudioServer(session) as server:
        yield server


@pytest.fixture
def visitor(browser: Browser, server: StudioServer) -> Iterator[Visitor]:
    """Somebody who sees the arm; whatever the browser complains of fails the test."""
    visitor = Visitor(browser, server.url, (1200, 800))
    visitor.until(CLOSED, 90)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def joints(visitor: Visitor) -> list[float]:
    values = visitor.page.evaluate("armwerkArm.posed().joints")
    assert isinstance(values, list)
    return values


def only(visitor: Visitor, *panels: str) -> None:
    """Open some panels and close the others."""
    visitor.page.evaluate(
        "names => document.querySelectorAll('#view-arm .arm-side > details').forEach("
        "one => one.open = names.includes(one.id.replace('arm-panel-', '')))",
        list(panels),
    )


def drag(visitor: Visitor, way: tuple[int, int]) -> None:
    """Drag the tool by the middle of its handles."""
    page = visitor.page
    x, y = page.evaluate("armwerkArm.seenAt(...armwerkArm.posed().tool.slice(0, 3))")
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(x + way[0] * step / 8, y + way[1] * step / 8)
        page.wait_for_timeout(20)
    page.mouse.up()
    visitor.until(READY)


def test_the_arm_it_was_started_with_is_seen_and_its_sliders_move_it(visitor: Visitor) -> None:
    page = visitor.page
    assert page.text_content("#view-arm h2") == "Unimation Puma 560"
    assert page.get_attribute("#tab-arm", "aria-selected") == "true"
    visitor.picture("arm_puma")
    page.fill("input[aria-label='waist as a number [°]']", "30")
    visitor.until(f"{READY} && Math.abs(armwerkArm.posed().joints[0] - Math.PI / 6) < 1e-9")
    slider = page.locator("#arm-joint-2")
    slider.evaluate("one => { one.value = -1; one.dispatchEvent(new Event('input')); }")
    visitor.until(f"{READY} && Math.abs(armwerkArm.posed().joints[2] + 1) < 1e-9")
    place = aw.model("puma560").fk(joints(visitor))[:3, 3]
    shown = [float(page.input_value(f"input[aria-label='tool {axis} [m]']")) for axis in "xyz"]
    np.testing.assert_allclose(shown, place, atol=1e-4)


def test_the_tool_is_dragged_and_all_solutions_are_seen(visitor: Visitor) -> None:
    page = visitor.page
    before = page.evaluate("armwerkArm.posed().tool")
    drag(visitor, (30, 25))
    after = page.evaluate("armwerkArm.posed().tool")
    assert np.linalg.norm(np.subtract(after[:3], before[:3])) > 0.02
    np.testing.assert_allclose(np.abs(np.dot(after[3:], before[3:])), 1.0, atol=1e-9)
    np.testing.assert_allclose(aw.model("puma560").fk(joints(visitor))[:3, 3], after[:3], atol=1e-8)
    rows = page.locator(".arm-solutions tbody tr")
    assert rows.count() == 8
    names = {row.text_content() for row in page.locator(".arm-take").all()}
    assert "right up unflipped" in names
    assert len(names) == 8
    assert page.evaluate("armwerkArm.ghosts()") == 7
    assert page.locator(".arm-solutions tr[aria-selected=true]").count() == 1
    visitor.picture("arm_dragged")


def test_the_handles_turn_the_tool(visitor: Visitor) -> None:
    page = visitor.page
    page.click(".arm-bar button:has-text('Turn')")
    before = page.evaluate("armwerkArm.posed().tool")
    drag(visitor, (60, 10))
    after = page.evaluate("armwerkArm.posed().tool")
    np.testing.assert_allclose(after[:3], before[:3], atol=1e-9)
    assert abs(np.dot(after[3:], before[3:])) < 0.9999


def test_a_solution_is_taken_from_the_table_and_from_the_picture(visitor: Visitor) -> None:
    page = visitor.page
    tool = page.evaluate("armwerkArm.posed().tool")
    page.click(".arm-take:text-is('left down unflipped')")
    visitor.until(
        f"{READY} && armwerkArm.posed().solutions.find(one => one.current)?.name"
        " === 'left down unflipped'"
    )
    np.testing.assert_allclose(page.evaluate("armwerkArm.posed().tool"), tool, atol=1e-9)
    taken = joints(visitor)
    box = page.locator("#arm-canvas").bounding_box()
    assert box is not None
    for x in np.linspace(0.3, 0.7, 14):
        for y in np.linspace(0.25, 0.75, 10):
            page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
            visitor.until(READY)
            if np.abs(np.subtract(joints(visitor), taken)).max() > 0.1:
                np.testing.assert_allclose(
                    page.evaluate("armwerkArm.posed().tool"), tool, atol=1e-9
                )
                return
    pytest.fail("no ghost could be clicked")


def test_a_pose_out_of_reach_is_said_at_once(visitor: Visitor) -> None:
    before = joints(visitor)
    visitor.page.fill("input[aria-label='tool x [m]']", "3")
    visitor.until("document.querySelector('.arm-status').textContent.includes('out of reach')")
    assert joints(visitor) == before
    assert visitor.page.evaluate("armwerkArm.ghosts()") == 0
    visitor.picture("arm_out_of_reach")


def test_the_form_complains_at_the_field_and_edits_are_taken_back(visitor: Visitor) -> None:
    page = visitor.page
    only(visitor, "form", "text")
    size = page.evaluate("armwerkArm.seen().size")
    page.fill("[data-place='joint/1/a']", "400 mm")
    visitor.until(f"armwerkArm.seen().size !== {size}")
    assert 'a = "400 mm"' in page.input_value("#arm-text")
    page.fill("[data-place='joint/1/a']", "400 mmm")
    visitor.until("document.querySelector(\"[data-place='joint/1/a']\").ariaInvalid === 'true'")
    assert "mmm" in (page.text_content(".arm-rows") or "")
    visitor.picture("arm_complaint")
    page.fill("[data-place='joint/1/a']", "0.5")
    visitor.until("document.querySelector(\"[data-place='joint/1/a']\").ariaInvalid !== 'true'")
    page.click("#arm-panel-form [role=tab]:has-text('Limits')")
    page.fill("[data-place='joint/0/limits']", "90 deg, -90 deg")
    visitor.until("document.querySelector('.arm-rows').textContent.includes('minimum < maximum')")
    page.click("#arm-undo")
    visitor.until(
        f"{READY} && !document.querySelector('.arm-rows').textContent.includes('minimum')"
    )
    while page.is_enabled("#arm-undo"):
        page.click("#arm-undo")
    visitor.until(f"armwerkArm.seen().size === {size}")
    page.click("#arm-redo")
    while "400 mmm" in page.input_value("#arm-text"):  # a slow hand makes it a step of its own
        page.click("#arm-redo")
    visitor.until(f"armwerkArm.seen().size !== {size}")


def test_joints_are_added_and_removed(visitor: Visitor) -> None:
    page = visitor.page
    page.select_option("#arm-open", "blank")
    visitor.until(f"{READY} && armwerkArm.seen().motors.length === 3")
    only(visitor, "form", "joints")
    page.click("[data-add-joint=prismatic]")
    visitor.until(f"{READY} && armwerkArm.seen().motors.length === 4")
    page.click("[data-add-joint=fixed]")
    visitor.until(f"{READY} && armwerkArm.seen().frames.length === 7")
    assert "1 passive joint" in (page.text_content(".arm-head p") or "")
    page.locator("[aria-label^='Remove this joint (joint 1)']").click()
    visitor.until(f"{READY} && armwerkArm.seen().motors.length === 3")
    page.select_option("[data-place='joint/2/kind']", "revolute")
    visitor.until(f"{READY} && armwerkArm.seen().motors[2].unit === 'rad'")
    page.select_option("[data-place='joint/0/kind']", "prismatic")  # its limits are angles
    visitor.until("document.querySelector('.arm-rows').textContent.includes(\"wrong unit 'deg'\")")
    visitor.picture("arm_blank")


def test_a_broken_text_leads_to_its_line_and_survives_a_reload(visitor: Visitor) -> None:
    page = visitor.page
    only(visitor, "text")
    good = page.input_value("#arm-text")
    page.fill("#arm-text", good.replace('name = "puma560"', 'name = = "mine"'))
    visitor.until("document.querySelector('.arm-text .problems').textContent.includes('line')")
    page.click(".arm-text .problems button")
    assert page.evaluate(
        "(area => area.value.slice(area.selectionStart, area.selectionEnd))"
        "(document.querySelector('#arm-text'))"
    ).startswith("name = =")
    page.reload()
    visitor.until("document.querySelector('#arm-text')?.value.includes('name = = \"mine\"')")
    only(visitor, "text")
    page.fill("#arm-text", good.replace('name = "puma560"', 'name = "mine"'))
    visitor.until(CLOSED, 60)
    assert page.text_content("#arm-state") == "unsaved"


def test_an_arm_is_saved_in_every_format_and_opened_again(visitor: Visitor, folder: Path) -> None:
    page = visitor.page
    for name in ("mine.xml", "mine.urdf", "mine.toml"):
        page.fill("#arm-file", name)
        page.click("#arm-save")
        visitor.until(f"document.querySelector('#messages').textContent.includes('{name}')")
        assert aw.load_arm(folder / name).dof == 6
    page.fill("#arm-file", "../mine.toml")
    page.click("#arm-save")
    visitor.until("document.querySelector('#messages').textContent.includes('below the folder')")
    page.reload()
    visitor.until("document.querySelector('#arm-open option[value=\"mine.urdf\"]')")
    page.select_option("#arm-open", "mine.urdf")
    visitor.until(f"{READY} && document.querySelector('#messages').textContent.includes('URDF')")
    visitor.until("document.querySelector('#arm-file').value === 'mine.urdf'")


def test_the_derivation_is_typeset_and_downloaded(visitor: Visitor) -> None:
    page = visitor.page
    only(visitor, "derive")
    page.click("#arm-derive")
    visitor.until("document.querySelectorAll('.arm-sheet').length === 6", 90)
    assert page.locator(".arm-sheet[data-stage=inverse] math").count() > 10
    assert page.locator(".arm-sheet .katex-error").count() == 0
    assert page.locator(".arm-tree circle").count() > 15
    page.locator(".arm-tree").scroll_into_view_if_needed()
    visitor.picture("arm_derivation")
    page.click(".arm-sheet[data-stage=operations] summary")
    assert "inverse" in (page.text_content(".arm-sheet[data-stage=operations] table") or "")
    page.click(".arm-sheet[data-stage=velocity] summary")
    page.locator(".arm-singular").first.click()
    visitor.until(f"{READY} && armwerkArm.posed().dexterity < 1e-6")
    with page.expect_download() as download:
        page.click("[data-format=python]")
    assert download.value.suggested_filename == "puma560.py"
    assert "def direct_kinematics" in Path(download.value.path()).read_text(encoding="utf-8")


def test_reach_and_frames_are_shown(visitor: Visitor) -> None:
    page = visitor.page
    only(visitor, "reach")
    page.click("[data-reach=half]")
    visitor.until("document.querySelector('.arm-reach p').textContent.includes('m³')", 60)
    page.click(".arm-bar button:has-text('Frames')")
    page.wait_for_timeout(400)
    visitor.picture("arm_reach")
    page.click("[data-reach=none]")
    assert page.get_attribute("[data-reach=none]", "aria-pressed") == "true"


def test_the_arm_goes_into_a_cell(visitor: Visitor) -> None:
    visitor.page.click("#arm-cell")
    visitor.until("document.documentElement.dataset.view === 'cell'")
    visitor.until("armwerk.geometry.motors.length === 6")


@pytest.mark.parametrize(
    ("theme", "size"),
    [("light", (1400, 900)), ("dark", (1400, 900)), ("light", (390, 800)), ("dark", (390, 800))],
)
def test_large_and_small_dark_and_light(
    browser: Browser, server: StudioServer, theme: str, size: tuple[int, int]
) -> None:
    visitor = Visitor(browser, server.url, size, theme)
    visitor.until(CLOSED, 90)
    visitor.page.wait_for_timeout(300)
    visitor.picture(f"arm_{theme}_{size[0]}")
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.close()
    assert visitor.complaints == []


def test_an_arm_is_described_by_its_axes(visitor: Visitor) -> None:
    page = visitor.page
    page.select_option("#arm-open", "scara")
    visitor.until(f"{READY} && armwerkArm.seen().title.includes('SCARA')")
    only(visitor, "axes")
    visitor.until("document.querySelectorAll('.arm-axes tbody tr').length === 4")
    assert page.input_value("[data-axis='0/direction']") == "0, 0, 1"
    page.fill("[data-axis='1/place']", "0.6, 0, 0.877")
    page.click("#arm-axes-apply")
    visitor.until(f"{READY} && armwerkArm.text().includes('a = 0.6')")
    visitor.until("document.querySelector('.arm-axes').dataset.fills === '2'")
    page.fill("[data-axis='1/direction']", "0, 0, 0")
    page.click("#arm-axes-apply")
    visitor.until("document.querySelector('.arm-axes .bad').textContent.includes('direction')")
    page.click("#arm-undo")
    visitor.until(f"{READY} && !armwerkArm.text().includes('a = 0.6')")


def test_every_formula_of_other_arms_is_typeset(visitor: Visitor) -> None:
    page = visitor.page
    for name in ("iiwa7", "stanford", "xarm6"):
        page.select_option("#arm-open", name)
        visitor.until(
            f"armwerkArm.seen().geometry.title && armwerkArm.text().includes('\"{name}\"')"
        )
        only(visitor, "derive")
        page.click("#arm-derive")
        visitor.until("document.querySelectorAll('.arm-sheet').length === 6", 90)
        page.evaluate("document.querySelectorAll('.arm-sheet').forEach(one => one.open = true)")
        visitor.until(
            "document.querySelectorAll('.arm-sheet[data-stage=dynamics] math').length > 2"
        )
        assert page.locator(".arm-sheet math").count() > 30
        assert page.locator(".katex-error").count() == 0


def test_an_assembly_is_edited_in_its_form(visitor: Visitor) -> None:
    page = visitor.page
    page.select_option("#arm-open", "tripod")
    visitor.until("armwerkArm.seen().summary.includes('TRIPOD')")
    only(visitor, "form")
    page.fill('[data-place="part/2/name"]', "strut")
    page.keyboard.press("Tab")
    visitor.until("armwerkArm.seen().motors[0].name === 'strut'")
    page.get_by_role("tab", name="Motors", exact=True).click()
    page.fill('[data-place="part/2/limits"]', "0.6, 0.4")
    page.keyboard.press("Tab")
    visitor.until("document.querySelector('#arm-panel-form').innerText.includes('minimum')")
    assert page.get_attribute('[data-place="part/2/limits"]', "aria-invalid") == "true"
    visitor.picture("arm_parts_wrong")
    page.fill('[data-place="part/2/limits"]', "0.4, 0.6")
    page.keyboard.press("Tab")
    visitor.until("Math.abs(armwerkArm.seen().motors[0].low - 0.4) < 1e-9")
    page.get_by_role("tab", name="Closed chains").click()
    assert page.input_value('[data-place="union/0/points"]') == "tool, end2, end3"
    page.get_by_role("tab", name="Parts", exact=True).click()
    visitor.picture("arm_parts")


def test_an_arm_is_built_from_parts(visitor: Visitor) -> None:
    page = visitor.page
    page.select_option("#arm-open", "blank parts")
    visitor.until("armwerkArm.seen().motors.length === 2 && !armwerkArm.busy()")
    only(visitor, "form")
    page.get_by_label("behind which part").select_option(label="upper")
    page.click('[data-add-part="servo"]')
    visitor.until("armwerkArm.seen().motors.length === 3")
    page.fill('[data-place="part/3/turn"]', "90 deg, 0, 0")
    page.keyboard.press("Tab")
    visitor.until("armwerkArm.text().includes('turn = [\"90 deg\", 0, 0]')")
    page.get_by_label("Remove this part (part 4)").click()
    visitor.until("armwerkArm.seen().motors.length === 2")
