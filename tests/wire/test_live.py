"""A cell that is edited while it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from armwerk.errors import SceneError, UnknownNameError, UnsupportedError
from armwerk.wire import FramePacker, FrameReader, LiveCell

TEXT = """// for tests
BORDER -100 -100 100 100
BALL 0 0 50 5 0 0.5 FF0000
CUBOID 30 0 40 10 10 10 00FF00
CONVEYOR 3 STOP 10 10 x 5 0 333333
  RECT 0 60 80 20
ENDCONVEYOR
"""


@pytest.fixture
def cell() -> Iterator[LiveCell]:
    """A ball and a cuboid that fall, and a belt; time stands."""
    with LiveCell(TEXT) as cell:
        yield cell


def done(cell: LiveCell) -> None:
    """Wait until everything that was ordered is done."""
    over = threading.Event()
    cell.clock.do(over.set)
    assert over.wait(20.0)


def height(cell: LiveCell, name: str) -> float:
    """Return how high a thing is [m]."""
    return float(cell.world.objects[name].position[2])


def test_what_is_not_edited_goes_on_as_it_was(cell: LiveCell) -> None:
    cell.clock.step(50)
    done(cell)
    before, speed = height(cell, "ball0"), cell.world.objects["ball0"].velocity[2]
    assert speed < -0.2
    cell.move("cuboid0", (0.5, 0.5, 0.05))
    assert height(cell, "ball0") == before
    assert cell.world.objects["ball0"].velocity[2] == speed
    np.testing.assert_allclose(cell.world.objects["cuboid0"].position, [0.5, 0.5, 0.05])
    assert cell.world.time == pytest.approx(50 * cell.world.dt)
    cell.clock.step(5)
    done(cell)
    assert height(cell, "ball0") < before
    assert cell.world.time == pytest.approx(55 * cell.world.dt)


def test_names_may_shift_but_things_go_on(cell: LiveCell) -> None:
    cell.add("BALL 50 50 80 5 0 0.5 0000FF")
    cell.clock.step(30)
    done(cell)
    second = height(cell, "ball1")
    cell.remove("ball0")
    assert list(cell.world.objects) == ["cuboid0", "ball0"]
    assert height(cell, "ball0") == second


def test_a_belt_that_was_started_goes_on_running(cell: LiveCell) -> None:
    cell.world.send_trigger(3, "RUN")
    cell.clock.step(2)
    done(cell)
    assert cell.world.simulation.belts[0].running
    cell.remove("ball0")
    assert cell.world.simulation.belts[0].running


def test_edits_are_taken_back_and_made_again(cell: LiveCell) -> None:
    texts = [cell.text]
    edits: list[Callable[[], None]] = [
        lambda: cell.move("ball0", (0.1, 0.1, 0.1)),
        lambda: cell.resize("cuboid0", (0.2, 0.2, 0.2)),
        lambda: cell.add_robot((0.5, -0.5), manipulator="irb120"),
        lambda: cell.remove("ball0"),
        lambda: cell.add("SPHERE 0 0 10 5 AAAAAA"),
    ]
    for edit in edits:
        edit()
        texts.append(cell.text)
    assert len(set(texts)) == len(texts)
    assert cell.can_undo
    assert not cell.can_redo
    for text in reversed(texts[:-1]):
        cell.undo()
        assert cell.text == text
    assert not cell.can_undo
    with pytest.raises(UnsupportedError, match="nothing to undo"):
        cell.undo()
    for text in texts[1:]:
        cell.redo()
        assert cell.text == text
    with pytest.raises(UnsupportedError, match="nothing to redo"):
        cell.redo()
    cell.undo()
    cell.move("cuboid0", (0.0, 0.0, 0.5))
    assert not cell.can_redo


def test_an_edit_that_is_wrong_changes_nothing(cell: LiveCell) -> None:
    world, text = cell.world, cell.text
    with pytest.raises(SceneError, match="line 2"):
        cell.rewrite("BALL 1 2\n")
    with pytest.raises(UnknownNameError):
        cell.move("nobody", (0, 0, 0))
    with pytest.raises(SceneError):
        cell.resize("ball0", (1e9,))
    assert cell.world is world
    assert cell.text == text
    assert not cell.can_undo


def test_an_edit_that_changes_nothing_is_none(cell: LiveCell) -> None:
    world = cell.world
    cell.rewrite(cell.text)
    assert cell.world is world
    assert not cell.can_undo


def test_viewers_get_a_new_geometry_and_whole_frames(cell: LiveCell) -> None:
    cell.watch()
    packer, reader = FramePacker(), FrameReader()
    reader.read(packer.pack(cell.feed.frame()))
    cell.add("BALL 50 50 80 5 0 0.5 0000FF")
    geometry = cell.feed.geometry
    assert geometry.version == 2
    assert len(geometry.bodies) == 3
    frame = reader.read(packer.pack(cell.feed.frame()))
    assert frame.version == 2
    assert len(frame.places) == 3
    cell.clock.run()
    end = time.monotonic() + 10
    while cell.feed.frame().time == frame.time:
        assert time.monotonic() < end
    cell.unwatch()


def test_time_goes_on_through_edits(cell: LiveCell) -> None:
    cell.clock.run()
    for k in range(5):
        cell.move("cuboid0", (0.5, 0.1 * k, 0.05))
        assert cell.clock.is_running
    assert cell.clock.status.state == "running"
    cell.clock.reset()
    done(cell)
    assert cell.world.time < 1.0
    np.testing.assert_allclose(cell.world.objects["cuboid0"].position, [0.5, 0.4, 0.05], atol=0.02)


def test_events_come_from_the_new_world_too(cell: LiveCell) -> None:
    listener = cell.events.listen()
    cell.add_robot((0.5, -0.5))
    cell.world.send_trigger(9, "HELLO")
    cell.clock.step(2)
    done(cell)
    told = [(event.kind, event.text) for event in listener.take()]
    assert ("trigger", "HELLO") in told
    assert ("state", "idle") in told


def test_a_shipped_cell_is_found_by_its_name() -> None:
    with LiveCell.load("pick_and_place") as cell:
        cell.clock.set_speed(0)
        cell.clock.run()
        end = time.monotonic() + 300  # kernels may have to be compiled first
        while cell.world.time < 1.0:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert cell.feed.geometry.title == "pick_and_place"
        assert cell.world.robots[0].state == "running"
