"""MuJoCo's memory: two probes agree, what disagrees is noticed, both ways give the same bits."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import mujoco
import numpy as np
import pytest
from law_scenes import ball, belt, cuboid, world

from armwerk.arrays import Array
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.physics.contacts import hooks, memory
from armwerk.physics.contacts.memory import Layout
from armwerk.robot import load
from armwerk.scene.scene import Border, Scene
from grip_cell import GripCell, down

STEPS = 500


def found() -> Layout:
    layout = memory.find_layout()
    assert layout is not None
    return layout


@pytest.fixture
def fresh_notice() -> Iterator[None]:
    memory._notice.cache_clear()
    yield
    memory._notice.cache_clear()


# the layout -----------------------------------------------------------------------------------


def test_both_probes_agree() -> None:
    declared = memory.declared_layout()
    assert declared is not None
    observed, size = memory.observed_places()
    assert 0 <= size - declared.data_size <= 0.25 * declared.data_size + 160
    assert set(observed) == {*memory.COUNTS, *memory.POINTERS}
    for name, places in observed.items():
        aliases = {declared.data["arena"]} if name == "contact" else set()
        assert places == {declared.data[name]} | aliases, name
    assert memory.observed_contact() == (declared.contact, declared.contact_size)
    assert memory.disagreement(declared) == ""
    assert found() == declared


def test_the_headers_say_what_mujoco_says_of_itself() -> None:
    """A third witness, too slow to be asked at every start: the library's own introspection."""
    structs = import_module("mujoco.introspect.structs").STRUCTS
    declared = memory.declared_layout()
    assert declared is not None
    for struct, places in (("mjData", declared.data), ("mjContact", declared.contact)):
        names = [field.name for field in structs[struct].fields]
        order = [names.index(name) for name in sorted(places, key=lambda name: places[name])]
        assert order == sorted(order), struct
    per_contact = {"mjtNum": 8, "int": 4}
    at = 0
    for field in structs["mjContact"].fields:
        kind, _, rest = str(field.type).partition(" ")
        if field.name in declared.contact:
            assert declared.contact[field.name] == at, field.name
        at += per_contact[kind] * (int(rest.strip("[]")) if rest else 1)
    assert at + -at % 8 == declared.contact_size


def test_missing_or_strange_headers_give_no_layout(tmp_path: Path) -> None:
    assert memory.declared_layout(tmp_path) is None
    (tmp_path / "mjdata.h").write_text("typedef struct mjData_ {\n  odd thing here;\n} mjData;\n")
    assert memory.declared_layout(tmp_path) is None
    assert "headers" in memory.disagreement(None)


@pytest.mark.parametrize("name", [*memory.COUNTS, *memory.POINTERS])
def test_a_place_that_is_wrong_is_noticed_by_the_probes_and_by_the_check(name: str) -> None:
    layout = found()
    for wrong in (layout.data[name] - 8, layout.data[name] + 8):
        moved = replace(layout, data={**layout.data, name: wrong})
        assert name in memory.disagreement(moved)
        flying = ball(x=1.0, z=1.0)  # so that not every tree is an island
        touching = Scene(things=(ball(z=0.019), cuboid(x=0.5, z=0.019), flying))
        simulation = Simulation(touching, settings=SimulationSettings(sleep=True))
        mujoco.mj_step1(simulation.model, simulation.data)
        assert simulation.data.nisland == 2
        assert memory.mismatch(layout, simulation.data) == ""
        assert name in memory.mismatch(moved, simulation.data)


@pytest.mark.parametrize("name", memory.FIELDS)
def test_a_field_of_contacts_that_is_wrong_is_noticed(name: str) -> None:
    layout = found()
    moved = replace(layout, contact={**layout.contact, name: layout.contact[name] + 4})
    longer = replace(layout, contact_size=layout.contact_size + 8)
    simulation = world(ball(z=0.019))
    mujoco.mj_step1(simulation.model, simulation.data)
    assert simulation.data.ncon == 1
    for wrong in (moved, longer):
        assert memory.disagreement(wrong) != ""
        assert memory.mismatch(wrong, simulation.data) != ""


# the slow way ---------------------------------------------------------------------------------


def _swapped() -> Layout:
    layout = found()
    data = dict(layout.data)
    data["efc_aref"], data["efc_vel"] = data["efc_vel"], data["efc_aref"]
    return replace(layout, data=data)


def test_a_corrupted_layout_takes_the_slow_way_with_one_notice(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fresh_notice: None
) -> None:
    right = world(ball(z=0.3, bounce=0.8), cuboid(x=0.5, z=0.019))
    right.run(0.5)
    assert right._hooks.memory.direct
    monkeypatch.setattr(hooks, "find_layout", _swapped)
    with caplog.at_level(logging.WARNING, logger="armwerk.physics"):
        for _ in range(2):
            slow = world(ball(z=0.3, bounce=0.8), cuboid(x=0.5, z=0.019))
            assert slow._hooks.memory.direct
            slow.step()
            assert not slow._hooks.memory.direct
            slow.run(0.5 - slow.dt)
            assert np.array_equal(slow.data.qpos, right.data.qpos)
    assert [record.message for record in caplog.records if "copied" in record.message] == [
        f"MuJoCo {mujoco.__version__} keeps its contacts in an unknown way ('efc_aref' does not "
        "lie where it should); they are copied in every step: the same results, more slowly"
    ]


def test_contacts_that_come_later_are_checked_too(
    monkeypatch: pytest.MonkeyPatch, fresh_notice: None
) -> None:
    layout = found()
    wrong = replace(layout, contact={**layout.contact, "dim": layout.contact["dim"] + 4})
    monkeypatch.setattr(hooks, "find_layout", lambda: wrong)
    falling = world(ball(z=0.05))
    falling.step()
    assert falling._hooks.memory.direct  # nothing touches yet
    falling.run(0.2)
    assert not falling._hooks.memory.direct


def test_the_check_ends_with_the_first_contacts() -> None:
    falling = world(ball(z=0.05))
    falling.step()
    assert falling._hooks._renew
    falling.run(0.2)
    assert falling.data.ncon == 1
    assert not falling._hooks._renew


def _balls() -> Simulation:
    things = [ball(x=0.03 * k, y=0.01 * (k % 3), z=0.1 + 0.05 * k, bounce=0.8) for k in range(8)]
    scene = Scene(things=tuple(things), border=Border((-0.3, -0.3), (0.5, 0.3)))
    return Simulation(scene, settings=SimulationSettings(sleep=False))


def _cuboids() -> Simulation:
    tower = [cuboid(x=0.01 * k, z=0.025 + 0.05 * k) for k in range(4)]
    return world(*tower, ball(x=0.2, z=0.3, bounce=0.5), ball(x=0.02, z=0.5, bounce=0.9))


def _belts() -> Simulation:
    carried = (ball(x=-1.0, z=0.12), cuboid(x=0.0, z=0.12), ball(x=1.0, z=0.2, bounce=0.6))
    return world(*carried, obstacles=(belt(speed=0.3, to_middle=0.05),))


def _grips() -> Simulation:
    cell = GripCell(cuboid(x=0.5, size=(0.04, 0.04, 0.04)), at=down(0.5, 0.0, 0.02))
    cell.grip.close()
    cell.robot.set_goal(0, float(cell.robot.q[0]) + 0.3)
    return cell.world


def _closed_chains() -> Simulation:
    robots = [RobotPlacement(load("tripod"), None, np.eye(4))]
    simulation = Simulation(Scene(things=(ball(x=2.0, z=0.1, bounce=0.5),)), robots)
    low, high = simulation.robots[0].limits.T
    simulation.robots[0].set_goal(slice(None), low + 0.4 * (high - low))
    return simulation


def _crowd() -> Simulation:
    things = [ball(x=0.05 * (k % 5), y=0.05 * (k // 5), z=0.1, bounce=0.3) for k in range(12)]
    boxes = [cuboid(x=0.11 * (k % 3), y=0.1 * (k // 3), z=0.25) for k in range(8)]
    return Simulation(Scene(things=(*things, *boxes), border=Border((-1.0, -1.0), (1.0, 1.0))))


@pytest.mark.parametrize("make", [_balls, _cuboids, _belts, _grips, _closed_chains, _crowd])
def test_both_ways_give_the_same_bits(
    make: Callable[[], Simulation], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> tuple[bool, int, Array, Array]:
        simulation = make()
        most = 0
        for _ in range(STEPS):
            simulation.step()
            most = max(most, simulation.data.ncon)
        data = simulation.data
        return simulation._hooks.memory.direct, most, np.array(data.qpos), np.array(data.qvel)

    fast, most, qpos, qvel = run()
    monkeypatch.setattr(hooks, "find_layout", lambda: None)
    slow, as_many, slow_qpos, slow_qvel = run()
    assert (fast, slow) == (True, False)
    assert most == as_many > 0
    assert np.array_equal(qpos, slow_qpos)
    assert np.array_equal(qvel, slow_qvel)


# bounds ---------------------------------------------------------------------------------------

_BOUNDED = """
import sys
import mujoco
import numpy as np
from law_scenes import ball, belt, cuboid, world
from armwerk.physics import RobotPlacement, Simulation
from armwerk.physics.contacts import hooks
from armwerk.physics.contacts.adjust import adjust_contacts
from armwerk.robot import load
from armwerk.scene.scene import Scene

def run():
    q = np.array([float(value) for value in sys.argv[1:]])
    robot = RobotPlacement(load("puma560"), load("parallel_gripper"), np.eye(4), q)
    held = cuboid(x=0.5, size=(0.04, 0.04, 0.04))
    gripping = Simulation(Scene(things=(held,)), [robot])
    gripping.robots[0].grip.close()
    gripping.run(0.4)
    assert gripping.robots[0].grip.force > 1.0 and gripping.data.nefc > 6
    things = (ball(z=0.3, bounce=0.8), cuboid(x=0.02, z=0.15), ball(x=0.1, z=0.12))
    mixed = world(*things, obstacles=(belt(to_middle=0.1),))
    mixed.run(0.5)
    assert mixed.data.ncon > 4
    return mixed

assert run()._hooks.memory.direct
hooks.find_layout = lambda: None
slow = run()
assert not slow._hooks.memory.direct
mujoco.mj_step1(slow.model, slow.data)
slow._hooks._look()
slow._hooks.memory._counts[1] -= 1  # one row too few
try:
    adjust_contacts(slow._hooks.table, 0)
except IndexError:
    print("bounds hold")
"""


def test_a_run_with_bounds_checked(tmp_path: Path) -> None:
    """No kernel reads or writes beyond what MuJoCo says is there; and the check itself works."""
    tests = Path(__file__).parent
    cell = GripCell(at=down(0.5, 0.0, 0.02))
    environment = {
        **os.environ,
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(tmp_path),
        "NUMBA_OPT": "0",  # compiled once, run briefly
        "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent)]),
    }
    done = subprocess.run(
        [sys.executable, "-c", _BOUNDED, *map(str, cell.robot.q)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.stdout.strip() == "bounds hold", done.stderr


def test_a_size_that_is_wrong_or_unknown_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second probe asks the allocator, not the first probe, how much there is to search."""
    declared = memory.declared_layout()
    assert declared is not None
    for size in (declared.data_size + 4096, declared.data_size // 2):
        assert "bytes" in memory.disagreement(replace(declared, data_size=size))
    monkeypatch.setattr(memory, "allocated_size", lambda address: 0)
    assert memory.observed_places() == ({}, 0)
    assert "seen with 0" in memory.disagreement(declared)
