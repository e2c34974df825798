"""What becomes unstable is reported with its name and time; MuJoCo leaves no file behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
import pytest
from law_scenes import ball, cuboid, world

import armwerk as aw
from armwerk.errors import PhysicsError
from armwerk.physics import RobotPlacement, Simulation
from armwerk.robot import load
from armwerk.scene.scene import Scene


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run in an empty folder, which must be empty afterwards."""
    monkeypatch.chdir(tmp_path)
    yield
    assert list(tmp_path.iterdir()) == []


def test_a_thing_too_fast_for_numbers_is_named() -> None:
    simulation = world(ball(), cuboid(0.5), dt=0.001)
    simulation.run(0.01)
    simulation.place(1, (0.5, 0.0, 1.0), velocity=(0.0, 0.0, 1e11))
    with pytest.raises(PhysicsError, match=r"at 0\.0110 s, 'cuboid0': its velocity") as caught:
        simulation.step()
    assert caught.value.thing == "cuboid0"
    assert caught.value.time == pytest.approx(0.011)


def test_it_does_not_begin_anew_and_raises_again() -> None:
    simulation = world(ball(z=0.5), dt=0.001)
    simulation.run(0.1)
    simulation.place(0, (0.0, 0.0, 0.5), velocity=(1e11, 0.0, 0.0))
    for _ in range(3):
        with pytest.raises(PhysicsError, match="velocity"):
            simulation.step()
    assert simulation.time > 0.1


def test_places_and_forces_are_watched_as_well() -> None:
    simulation = world(ball(), ball(1.0), dt=0.001)
    simulation.data.qpos[7] = np.nan
    with pytest.raises(PhysicsError, match="'ball1': its place"):
        simulation.step()
    simulation = world(ball(), ball(1.0), dt=0.001)
    simulation.data.qfrc_applied[7] = 1e300
    with pytest.raises(PhysicsError, match="'ball1': its acceleration"):
        simulation.step()


def test_a_joint_of_a_robot_is_named() -> None:
    simulation = Simulation(
        Scene(things=(ball(2.0),)), [RobotPlacement(load("scara"), None, np.eye(4))]
    )
    simulation.data.qvel[simulation.robots[0].place(1)[1]] = 1e12
    with pytest.raises(PhysicsError, match="r0_"):
        simulation.step()


def test_other_simulations_go_on_and_a_restored_one_too() -> None:
    good, bad = world(ball(z=0.5), dt=0.001), world(ball(z=0.5), dt=0.001)
    state = bad.capture()
    bad.place(0, (0.0, 0.0, 0.5), velocity=(1e11, 0.0, 0.0))
    with pytest.raises(PhysicsError, match="velocity"):
        bad.run(0.1)
    good.run(0.1)
    bad.restore(state)
    bad.run(0.1)
    assert bad.data.qpos.tobytes() == good.data.qpos.tobytes()
    bad.place(0, (0.0, 0.0, 0.5), velocity=(1e11, 0.0, 0.0))
    with pytest.raises(PhysicsError, match="velocity"):  # as well as the first time
        bad.run(0.1)


def test_a_world_raises_and_can_be_reset() -> None:
    with aw.World(Scene(things=(ball(z=0.5),))) as cell:
        cell.objects["ball0"].place((0.0, 0.0, 0.5), velocity=(1e11, 0.0, 0.0))
        with pytest.raises(PhysicsError, match="ball0"):
            cell.run(seconds=0.1)
        cell.reset()
        cell.run(seconds=0.1)
        assert cell.objects["ball0"].position[2] == pytest.approx(0.5 - 9.81 * 0.1**2 / 2, rel=1e-6)


def test_a_listener_of_the_users_own_hears_them_too() -> None:
    before = mujoco.get_mju_user_warning()
    heard: list[str] = []
    try:
        mujoco.set_mju_user_warning(heard.append)
        simulation = world(ball(z=0.5), dt=0.001)
        simulation.place(0, (0.0, 0.0, 0.5), velocity=(1e11, 0.0, 0.0))
        with pytest.raises(PhysicsError, match="velocity"):
            simulation.step()
        assert len(heard) == 1
    finally:
        mujoco.set_mju_user_warning(before)
