"""Arms named in a real browser as on the command line: a file with its tip, a package's robot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Visitor
from playwright.sync_api import Browser

import armwerk as aw
from armwerk.studio import StudioFolder, StudioServer, StudioSession

READY = "window.armwerkArm && armwerkArm.posed() && armwerkArm.drawn() > 1 && !armwerkArm.busy()"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a robot that has two ends."""
    pytest.importorskip("rtbdata")
    pytest.importorskip("xacro")
    made = tmp_path_factory.mktemp("names")
    links = "".join(
        f'<link name="{name}"><visual><geometry><cylinder radius="0.03" length="0.3"/></geometry>'
        "</visual></link>"
        for name in ("base", "left", "right")
    )
    joints = "".join(
        f'<joint name="to_{name}" type="revolute"><parent link="base"/><child link="{name}"/>'
        f'<origin xyz="0 {y} 0.3"/><axis xyz="1 0 0"/>'
        '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>'
        for name, y in (("left", 0.2), ("right", -0.2))
    )
    (made / "two.urdf").write_text(f'<robot name="two">{links}{joints}</robot>', encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[StudioServer]:
    """A studio that was started with a robot of a package."""
    session = StudioSession("rtb-data:panda_arm", StudioFolder(folder))
    with StudioServer(session) as server:
        yield server


@pytest.fixture
def visitor(browser: Browser, server: StudioServer) -> Iterator[Visitor]:
    """Somebody who sees it; whatever the browser complains of fails the test."""
    visitor = Visitor(browser, server.url, (1200, 800))
    visitor.until(READY, 90)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def test_a_robot_of_a_package_is_seen_with_its_meshes(visitor: Visitor) -> None:
    page = visitor.page
    kinds = page.evaluate("armwerkArm.seen().geometry.solids.map(one => one.kind)")
    assert kinds.count("mesh") >= 8
    assert page.input_value("#arm-file") == "panda_arm.toml"  # never into the package
    assert page.locator("#arm-open option[value='rtb-data:irb140']").count() == 1
    visitor.picture("arm_package")


def test_an_arm_is_named_by_file_and_tip(visitor: Visitor, folder: Path) -> None:
    page = visitor.page
    page.select_option("#arm-open", "two.urdf")
    visitor.until("document.querySelector('#messages').textContent.includes('left (1 joint)')")
    page.fill("#arm-name", "two.urdf#right")
    page.press("#arm-name", "Enter")
    visitor.until(f"{READY} && armwerkArm.seen().motors[0].name === 'to_right'")
    assert page.input_value("#arm-file") == "two.toml"
    page.click("#arm-save")
    visitor.until("document.querySelector('#messages').textContent.includes('saved as two.toml')")
    assert [joint.name for joint in aw.load_arm(folder / "two.toml").joints] == ["to_right"]
    page.fill("#arm-name", "../two.urdf#right")
    page.press("#arm-name", "Enter")
    visitor.until("document.querySelector('#messages').textContent.includes('below the folder')")
    visitor.picture("arm_tip")


def test_motions_take_the_same_names(visitor: Visitor) -> None:
    page = visitor.page
    page.click("#tab-motion")
    visitor.until("window.armwerkMotion && document.querySelector('#motion-arm').value !== ''")
    page.fill("#motion-arm-name", "rtb-data:irb140")
    page.press("#motion-arm-name", "Enter")
    visitor.until("document.querySelector('#motion-arm').value === 'rtb-data:irb140'")
    visitor.until("document.querySelectorAll('#view-motion input[type=range]').length >= 6", 60)
    page.wait_for_timeout(300)
    visitor.picture("motion_package")
