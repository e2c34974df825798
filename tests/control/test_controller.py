"""Services of a controller, in a real cell."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import MotionError, ShapeError, UnknownNameError, UnsupportedError
from armwerk.physics.settings import DriveKind
from armwerk.scene import parse_scene


def try_out(
    run: Any,
    arm: str = "puma560",
    gripper: str = "",
    more: str = "",
    drives: DriveKind = "limited",
) -> aw.World:
    """Run a function as the program of one robot that stands askew; return the closed world."""
    text = f"ROBOT 20 30 40\nMANIPULATOR {arm}\n" + (f"GRIPPER {gripper}\n" if gripper else "")
    kind = type("Program", (aw.RobotController,), {"run": run})
    with aw.World(parse_scene(text + more), robots={0: kind}, drives=drives) as cell:
        report = cell.run()
        assert report.ok, report.robots[0].error
        return cell


def test_pointing_down() -> None:
    T = aw.pointing_down(0.1, 0.2, 0.3, yaw=np.pi / 2)
    assert T[:3, 3] == pytest.approx([0.1, 0.2, 0.3])
    assert T[:3, 2] == pytest.approx([0, 0, -1])
    assert T[:3, 0] == pytest.approx([0, 1, 0])
    assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0)
    with pytest.raises(ShapeError, match="finite"):
        aw.pointing_down(np.nan, 0, 0)


def test_outside_a_cell_there_are_no_services() -> None:
    class Early(aw.RobotController):
        def __init__(self) -> None:
            self.move([0, 0, 0])

    with pytest.raises(UnsupportedError, match=r"self\.move exists only once Early works"):
        Early()
    lonely = aw.RobotController()
    assert lonely.is_running() is False
    for name in ("time", "q", "arm", "base", "motors", "grip", "instance"):
        with pytest.raises(UnsupportedError, match="not in the constructor"):
            getattr(lonely, name)
    with pytest.raises(UnsupportedError, match="not in its constructor"):
        _ = aw.TriggerProcessor().time


def test_another_thread_may_look_but_not_act() -> None:
    errors: list[str] = []

    def run(self: Any) -> None:
        def sneak() -> None:
            for call in (lambda: self.wait(1), lambda: self.set([0.1] * 6), self.halt):
                try:
                    call()
                except UnsupportedError as error:
                    errors.append(str(error))

        thread = threading.Thread(target=sneak)
        thread.start()
        thread.join()

    try_out(run)
    assert len(errors) == 3
    assert all("own run, receive_trigger and receive_line" in error for error in errors)


@pytest.mark.parametrize("arm", ["simple_arm", "scara", "puma560", "ur5e", "tripod", "iiwa7"])
@pytest.mark.parametrize("gripper", ["", "parallel_gripper"])
def test_the_model_is_where_the_body_is(arm: str, gripper: str) -> None:
    """The world's bodies and the model of mechanics agree on the grip point."""
    apart: list[float] = []

    def run(self: Any) -> None:
        rng = np.random.default_rng(3)
        low, high = np.array([self.motors[name].limits for name in list(self.motors)]).T
        n = len(self.q)
        while len(apart) < 3:
            share = rng.uniform(0.4, 0.6, n)
            goal = np.clip(low[:n], -3, 3) * (1 - share) + np.clip(high[:n], -3, 3) * share
            if arm != "tripod" and self.direct(goal)[2, 3] < 0.15:  # too near to the floor
                continue
            self.move(goal)
            self.wait(0.05)
            assert self.q == pytest.approx(goal, abs=1e-9)
            apart.append(np.abs(self.direct() - self._context.body.pose).max())

    cell = try_out(run, arm, gripper)
    assert len(apart) == 3
    assert max(apart) < (2e-4 if arm == "tripod" else 1e-8)
    assert cell.robots[0].pose.shape == (4, 4)


def test_ptp_keeps_all_limits() -> None:
    rates: list[np.ndarray] = []

    def run(self: Any) -> None:
        self.move([1.0, -0.5, 0.7, 0.3, 0.5, -0.6], wait=False)
        begin = self.time
        while not self.wait_motion(timeout=0.004):
            rates.append(np.abs([motor.rate for motor in self.motors.values()]))
        self.debug(self.time - begin)
        self.move([0.0] * 6, speed=0.25)

    cell = try_out(run)
    limits = aw.Limits.of(aw.load("puma560"))
    assert (np.max(rates, axis=0) <= limits.velocity * (1 + 1e-9)).all()
    planned = aw.ptp("puma560", np.zeros(6), [1.0, -0.5, 0.7, 0.3, 0.5, -0.6], sync="sync").duration
    assert float(cell.notes[0].text) == pytest.approx(planned, abs=0.006)
    assert cell.time > 2.5 * planned


def test_a_motion_can_begin_in_another() -> None:
    def run(self: Any) -> None:
        self.move([0.7] * 6, wait=False)
        self.wait(0.2)
        turning = np.abs(self._context.body.qd).max()
        assert turning > 0.1
        self.move([0.5, -0.5, 0.5, -0.5, 0.5, -0.5])
        assert self.q == pytest.approx([0.5, -0.5, 0.5, -0.5, 0.5, -0.5])
        self.set([0.4] * 6)
        self.wait(0.05)
        self.move([0.0] * 6)
        assert self.q == pytest.approx(np.zeros(6), abs=1e-9)

    try_out(run)


def test_lines_are_straight_and_as_fast_as_asked() -> None:
    points: list[Any] = []

    def run(self: Any) -> None:
        start = self.base @ self.arm.fk([0.3, 0.4, -2.5, 0.2, 0.8, 0.1])
        self.move_to(start)
        goal = start.copy()
        goal[:3, 3] += [0.1, 0.05, -0.08]
        self.line_to(goal, speed=0.1, wait=False)
        begin = self.time
        while self._context.body.moving:
            self.wait(0.002)
            points.append(self.direct())
        self.debug(self.time - begin)
        assert self.direct() == pytest.approx(goal, abs=1e-6)
        self.line_to(goal[:3, 3] - [0.05, 0, 0])
        assert self.direct()[:3, :3] == pytest.approx(goal[:3, :3], abs=1e-6)

    cell = try_out(run)
    p = np.array([pose[:3, 3] for pose in points])
    way = p[-1] - p[0]
    off = np.cross(p - p[0], way / np.linalg.norm(way))
    assert np.abs(off).max() < 1e-5
    assert np.linalg.norm(np.diff(p, axis=0), axis=1).max() / cell.dt <= 0.1 * (1 + 1e-3)
    assert float(cell.notes[0].text) > np.linalg.norm(way) / 0.1


@pytest.mark.parametrize("gripper", ["", "parallel_gripper"])
@pytest.mark.parametrize("arm", ["simple_arm", "tripod", "five_axis"])
def test_arms_with_few_axes_go_straight_to_points(arm: str, gripper: str) -> None:
    points: list[Any] = []

    def run(self: Any) -> None:
        if arm != "tripod":
            self.move(np.full(len(self.q), 0.4))
        start = self.direct()[:3, 3]
        goal = start - np.array([0.03, 0.02, 0.02])
        self.line_to(goal, speed=0.05, wait=False)
        while self._context.body.moving:
            self.wait(0.004)
            points.append(self.direct()[:3, 3])
        assert self.direct()[:3, 3] == pytest.approx(goal, abs=1e-6)
        self.move_to(start)
        assert self.direct()[:3, 3] == pytest.approx(start, abs=1e-6)
        with pytest.raises(MotionError, match="rotation_speed cannot be given"):
            self.line_to(goal, rotation_speed=1.0)

    try_out(run, arm, gripper)
    p = np.array(points)
    way = p[-1] - p[0]
    assert np.abs(np.cross(p - p[0], way / np.linalg.norm(way))).max() < 1e-5


def test_kinematics_are_in_the_world() -> None:
    def run(self: Any) -> None:
        q = np.array([0.3, -0.6, 0.5, 0.2, 0.8, 0.1])
        T = self.direct(q)
        assert pytest.approx(self.base @ self.arm.fk(q)) == T
        assert self.base[:3, 3] == pytest.approx([0.2, 0.3, 0.0])
        assert self.base[:3, 0] == pytest.approx([np.cos(2.2689), np.sin(2.2689), 0], abs=1e-4)
        solutions = self.inverse(T)
        assert len(solutions) == 8
        for row in solutions:
            assert self.direct(row) == pytest.approx(T, abs=1e-8)
        assert self.nearest(T, q) == pytest.approx(q)
        near = self.nearest(T[:3, 3], q)
        assert self.direct(near)[:3, 3] == pytest.approx(T[:3, 3], abs=1e-6)
        far = aw.pointing_down(9, 9, 9)
        assert self.nearest(far) is None
        assert self.inverse(far).shape == (0, 6)
        assert self.inverse([9, 9, 9]).shape == (0, 6)
        every = self.inverse(T[:3, 3])
        assert every.shape == (
            4,
            6,
        )  # arm left or right, elbow up or down; the wrist does not move it
        for row in every:
            assert self.direct(row)[:3, 3] == pytest.approx(T[:3, 3], abs=1e-8)

    try_out(run)


@pytest.mark.parametrize("gripper", ["", "parallel_gripper"])
@pytest.mark.parametrize(("arm", "count"), [("simple_arm", 4), ("tripod", 1)])
def test_all_solutions_of_a_point(arm: str, gripper: str, count: int) -> None:
    def run(self: Any) -> None:
        q = np.array([0.4, 0.7, -0.9]) if arm == "simple_arm" else np.array([0.5, 0.52, 0.54])
        point = self.direct(q)[:3, 3]
        found = self.inverse(point)
        assert len(found) == count
        for row in found:
            assert self.direct(row)[:3, 3] == pytest.approx(point, abs=1e-8)
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert not self.arm.solutions(self.direct(q)[:3, 3]).family

    try_out(run, arm, gripper)


def test_errors_are_clear() -> None:
    def run(self: Any) -> None:
        with pytest.raises(
            MotionError, match=r"\(9\.0000, 0\.0000, 1\.0000\) m.*out of reach of robot 0"
        ):
            self.move_to(aw.pointing_down(9, 0, 1))
        with pytest.raises(MotionError, match=r"line_to.*out of reach"):
            self.line_to([9, 0, 1])
        with pytest.raises(UnknownNameError, match=r"motor of robot 0 is called 'q9'.*elbow"):
            _ = self.motors["q9"]
        first = next(iter(self.motors))
        with pytest.raises(
            MotionError, match=rf"motor '{first}': 99 rad is beyond its limits, -.* rad"
        ):
            self.motors[first].set(99)
        with pytest.raises(MotionError, match="finite number"):
            self.motors[first].set(float("nan"))
        with pytest.raises(MotionError, match=f"motor '{first}'.*beyond its limits"):
            self.set([99, 0, 0, 0, 0, 0])
        with pytest.raises(MotionError, match="beyond its stops"):
            self.move([99, 0, 0, 0, 0, 0])
        with pytest.raises(ShapeError, match="6 finite numbers"):
            self.set([1, 2])
        with pytest.raises(ShapeError, match="a goal must be"):
            self.move_to([1, 2])
        with pytest.raises(ShapeError, match="rigid"):
            self.move_to(np.ones((4, 4)))
        with pytest.raises(UnsupportedError, match="robot 0 has no gripper"):
            self.grip.open()
        with pytest.raises(UnknownNameError, match="thing in the cell"):
            self.see("nothing")
        with pytest.raises(MotionError, match="0 s or more"):
            self.wait(-1)
        with pytest.raises(MotionError, match="needs a Trajectory"):
            self.follow([1, 2, 3])
        with pytest.raises(MotionError, match=r"begins .* away"):
            self.follow(aw.ptp("puma560", [0.5] * 6, [0.6] * 6))
        with pytest.raises(MotionError, match="has 3 axes, robot 0 has 6"):
            self.follow(aw.ptp("simple_arm", [0.0] * 3, [0.1] * 3))
        self.move([0.5] * 6, wait=False)
        self.wait(0.1)
        with pytest.raises(MotionError, match="still moving"):
            self.line_to(self.direct())

    try_out(run)


def test_few_axes_are_hinted_at() -> None:
    def run(self: Any) -> None:
        with pytest.raises(MotionError, match="give a point"):
            self.move_to(aw.pointing_down(0.3, 0.4, 0.1))

    try_out(run, "simple_arm")


def test_follow_and_motors() -> None:
    def run(self: Any) -> None:
        self.follow(aw.ptp("puma560", np.zeros(6), [0.3] * 6, profile="quintic"))
        assert self.q == pytest.approx([0.3] * 6)
        motor = self.motors["q2"] if "q2" in self.motors else list(self.motors.values())[1]
        motor.set(-0.2)
        assert motor.goal == pytest.approx(-0.2)
        assert motor.moving
        assert self.wait_motion()
        assert motor.value == pytest.approx(-0.2)
        assert not motor.moving
        assert motor.rate == pytest.approx(0.0, abs=1e-6)
        assert motor.limits[0] < motor.value < motor.limits[1]
        assert len(self.motors) == 6

    try_out(run)


# an arm that gives way tilts what it grips by half a mrad, so pads press and rub: the sum is exact
@pytest.mark.parametrize(("drives", "exact"), [("stiff", 1e-6), ("limited", 1e-4)])
def test_gripping(drives: DriveKind, exact: float) -> None:
    box = "DEBUGNAME box\nCUBOID 50 30 2 4 4 4 FF0000\n"
    # the robot of try_out stands at (20, 30) and looks along 40 degrees from +y

    def run(self: Any) -> None:
        x, y, z = self.see("box").position
        self.grip.open(wait=False)
        assert self.things() == ("box",)
        self.move_to(aw.pointing_down(x, y, z + 0.1))
        self.line_to(aw.pointing_down(x, y, z))
        wide = self.grip.width
        self.grip.close(force=15)
        assert self.grip.holds
        assert self.grip.width == pytest.approx(0.04, abs=0.002)
        assert self.grip.width < wide
        self.wait(0.2)
        assert self.grip.force == pytest.approx(15, rel=exact)  # exact for sliding jaws
        assert self._context.body.forces[-2:] == pytest.approx([-15, -15], rel=1e-9)
        self.line_to(aw.pointing_down(x, y, z + 0.1))
        assert self.see("box").position[2] == pytest.approx(z + 0.1, abs=0.005)
        self.grip.open()
        self.wait(0.5)
        assert self.see("box").position[2] < 0.03
        assert not self.grip.holds
        self.grip.set(0.03)
        assert self.grip.width == pytest.approx(0.03, abs=1e-3)
        with pytest.raises(MotionError, match="force"):
            self.grip.close(force=-1)
        with pytest.raises(MotionError, match="width"):
            self.grip.set(-0.1)

    try_out(run, "irb120", "parallel_gripper", box, drives)


def test_an_arm_with_a_gripper_built_in() -> None:
    def run(self: Any) -> None:
        assert len(self.q) == 6
        assert len(self.motors) == 8
        assert self.arm.dof == 6
        T = self.direct([0.2, 0.5, -0.9, 0.1, 0.4, 0.3])
        self.move_to(T)
        assert self.direct() == pytest.approx(T, abs=1e-6)
        self.grip.close()
        self.grip.open()

    try_out(run, "simple_arm_gripper")


def test_the_unwritten_run_waits_for_triggers() -> None:
    got: list[str] = []

    class Listener(aw.RobotController):
        def receive_trigger(self, text: str) -> None:
            got.append(text)

    with aw.World(parse_scene("ROBOT 0 0 0\n"), robots={0: Listener}) as cell:
        cell.run(0.1)
        cell.send_trigger(0, "hello")
        cell.run(0.1)
        assert got == ["hello"]
        states: list[str] = [cell.robots[0].state]
        cell.stop()
        states.append(cell.robots[0].state)
        assert states == ["running", "stopped"]
