"""Moments of a world: going back gives the same future, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cell_programs import program, robots, world

import armwerk as aw
from armwerk.cell import World
from armwerk.cell.building.setup import RobotOptions
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.scene import parse_scene

CELL = """
BALL 30 30 20 3 0.1 0.7 FF0000
BALL 31 32 40 3 0.1 0.7 00FF00
CUBOID 60 60 30 5 8 5 0000FF
CONVEYOR 5 STOP 10 10 x 20 0 808080
RECT 60 60 60 30
ENDCONVEYOR
TRIGGER CUBOIDBARRIER 0 CROSSED 70 40 70 80 10 *
TRIGGER BALLENTERS 5 RUN 31 31 1 10 *
"""


def future(cell: World, seconds: float = 1.0) -> tuple[Any, ...]:
    cell.run(seconds)
    return cell.time, cell.simulation.data.qpos.tobytes(), tuple(cell.triggers), tuple(cell.notes)


def test_restore_and_run_is_run() -> None:
    with world(more=CELL) as cell:
        cell.run(0.3)
        cell.send_trigger(5, "RUN")
        state = cell.capture()
        assert not cell.simulation.belts[0].running
        expected = future(cell)
        assert cell.simulation.belts[0].running
        assert len(cell.triggers) > 1
        cell.restore(state)
        assert cell.time == pytest.approx(0.3)
        assert future(cell) == expected


def test_going_back_crosses_no_zone() -> None:
    zones = "".join(
        f"TRIGGER BALL{event} 9 {event} 0 -30 10 5 *\n" for event in ("ENTERS", "LEAVES")
    )
    slope = "SLOPE 40 10 x 808080 RECT -30 -30 60 40 ENDSLOPE\n"
    with world(more=f"{slope}{zones}BALL -20 -30 36 3 0 0 FF0000\n") as cell:
        cell.run(0.1)
        state = cell.capture()
        assert not cell.triggers
        cell.run(until=lambda one: bool(one.triggers))
        assert [trigger.text for trigger in cell.triggers] == ["ENTERS"]
        cell.restore(state)
        cell.run(0.02)
        assert not cell.triggers


def test_a_file_holds_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "moment.state"
    with world(more=CELL) as cell:
        cell.run(0.3)
        cell.send_trigger(5, "RUN")
        cell.save(path)
        expected = future(cell)
    with world(more=CELL) as other:
        other.resume(path)
        assert other.triggers[-1].text == "RUN"
        assert future(other) == expected
    assert list(tmp_path.iterdir()) == [path]


def test_robots_and_their_motion_are_kept(tmp_path: Path) -> None:
    def run(self: Any) -> None:
        self.move([1.0, 0.4, -0.5], wait=False)  # ends while the arm moves on

    with world(run, more=CELL) as cell:
        cell.run(0.1)
        assert cell.robots[0].state == "done"
        assert cell.robots[0].moving
        cell.save(tmp_path / "moving")
        expected = future(cell)
        assert cell.robots[0].q == pytest.approx([1.0, 0.4, -0.5])
    with world(run, more=CELL) as other:
        other.resume(tmp_path / "moving")
        assert other.robots[0].state == "done"
        assert future(other) == expected


def test_programs_in_the_middle_of_something_cannot_be_kept() -> None:
    got: list[str] = []

    def run(self: Any) -> None:
        while True:
            got.append(self.wait_trigger())

    with world(run) as cell:
        cell.run(0.1)
        with pytest.raises(UnsupportedError, match="robot 0 is in the middle of its program"):
            cell.capture()
        cell.pause()
        cell.send_trigger(0, "waiting")
        cell.run(0.1)
        state = cell.capture()
        cell.start()
        cell.run(0.1)
        assert got == ["waiting"]
        cell.restore(state)
        assert cell.robots[0].state == "paused"
        cell.start()
        cell.run(0.1)
        assert got == ["waiting"] * 2


def test_states_of_other_cells_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with world(more=CELL) as cell:
        cell.save(path)
        state = cell.capture()
    with world(more=CELL.replace("BALL 30 30", "BALL 30 31")) as other:
        with pytest.raises(DescriptionError, match="another cell"):
            other.resume(path)
        with pytest.raises(DescriptionError, match="another cell"):
            other.restore(state)
        other.run(0.1)
    scene = robots(1, CELL)
    other_arm: dict[int, RobotOptions] = {0: {"manipulator": "puma560"}}
    with aw.World(scene) as one, aw.World(scene, robots=other_arm) as two:
        state = one.capture()
        with pytest.raises(DescriptionError, match="another cell"):
            two.restore(state)
    # another program is no other cell
    with aw.World(scene, robots={0: program(lambda self: None)}) as three, aw.World(scene) as four:
        three.restore(four.capture())


def test_files_that_are_no_states(tmp_path: Path) -> None:
    with world(more=CELL) as cell:
        cell.save(tmp_path / "good")
        good = (tmp_path / "good").read_bytes()
        rng = np.random.default_rng(1)
        (tmp_path / "text").write_text("hello")
        (tmp_path / "empty").write_bytes(b"")
        (tmp_path / "short").write_bytes(good[: len(good) // 2])
        np.savez(tmp_path / "other.npz", a=np.zeros(3))
        np.save(tmp_path / "pickle.npy", np.array([object()], dtype=object), allow_pickle=True)
        for name in ("text", "empty", "short", "other.npz", "pickle.npy", "missing", "."):
            with pytest.raises(DescriptionError, match="state"):
                cell.resume(tmp_path / name)
        for _ in range(60):
            data = bytearray(good)
            data[rng.integers(len(data))] ^= 1 << rng.integers(8)
            (tmp_path / "flipped").write_bytes(data)
            try:
                cell.resume(tmp_path / "flipped")
            except DescriptionError:
                continue
        with pytest.raises(DescriptionError, match="cannot be written"):
            cell.save(tmp_path / "no" / "such" / "folder")
        cell.resume(tmp_path / "good")
        cell.run(0.1)


def test_processors_keep_their_queue() -> None:
    got: list[str] = []

    class Listener(aw.TriggerProcessor):
        def receive_trigger(self, text: str) -> None:
            got.append(text)

    with aw.World(parse_scene(CELL), processors={7: Listener}) as cell:
        cell.send_trigger(7, "a")
        state = cell.capture()
        cell.run(0.01)
        cell.restore(state)
        cell.run(0.01)
        assert got == ["a", "a"]
