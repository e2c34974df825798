"""Programs on arms: where they go, how fast, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import ExecutionError
from armwerk.geometry import rotation_from_zyx
from armwerk.language import ArmMachine, DrivenMotion
from armwerk.motion import Limits

START = "move ptp joint(0, -3, -130, 0, 87, 0);"
PROGRAMS = Path(__file__).parent / "programs"


def driven(
    statements: str, *, declarations: str = "", machine: ArmMachine | None = None
) -> ArmMachine:
    """Return the machine after a program on the Puma."""
    machine = ArmMachine([aw.model("puma560")]) if machine is None else machine
    aw.irl.loads(f"program P; {declarations} begin\n{START}\n{statements}\nendprogram;").run(
        machine
    )
    return machine


def tool(machine: ArmMachine, motion: DrivenMotion, time: float) -> Array:
    """Return the pose of the tool at a time of a motion. Shape (4, 4)."""
    model = aw.model("puma560")
    assert machine.robots
    return np.asarray(model.fk(motion.trajectory.sample(time)[0]))


def test_program_6_1_runs_on_a_library_arm() -> None:
    """The source's program, word by word; the arm stands 1.2 m above the part's frame."""
    model = aw.model("kr16")
    machine = ArmMachine([model])
    program = aw.irl.load(PROGRAMS / "inspection_6_1.irl")
    result = program.run(machine, values={"r_base": [[0, 0, 1200], [1, 0, 0, 0]]})
    assert result.output == "Position reached. \n"
    T = np.asarray(model.fk(machine.joints(1)))
    np.testing.assert_allclose(T[:3, 3], [1.12671, 0.10475, -0.76731 + 1.2], atol=1e-9)
    R = rotation_from_zyx(np.radians([-28.90, 89.71, 62.22]))
    np.testing.assert_allclose(T[:3, :3], R, atol=1e-9)
    for motion in machine.motions:
        _, q, qd, qdd = motion.trajectory.sampled(0.01)
        limits = Limits.of(model)
        assert np.all(np.abs(qd) <= limits.velocity * (1 + 1e-6))
        assert np.all(np.abs(qdd) <= limits.acceleration * (1 + 1e-6))
        assert np.all((q >= limits.lowest - 1e-9) & (q <= limits.highest + 1e-9))


def test_program_6_1_runs_where_it_was_written_for() -> None:
    """No shift of the base: 1.3 m out and 0.8 m below it, within the limits of a real arm."""
    model = aw.model("kr30_l16")
    machine = ArmMachine([model])
    result = aw.irl.load(PROGRAMS / "inspection_6_1.irl").run(machine)
    assert result.output == "Position reached. \n"
    T = np.asarray(model.fk(machine.joints(1)))
    np.testing.assert_allclose(T[:3, 3], [1.12671, 0.10475, -0.76731], atol=1e-9)
    R = rotation_from_zyx(np.radians([-28.90, 89.71, 62.22]))
    np.testing.assert_allclose(T[:3, :3], R, atol=1e-9)


def test_a_line_is_straight_and_keeps_its_speed() -> None:
    machine = driven("move_inc lin (0, 100, 0) speed := 50;")
    motion = machine.motions[-1]
    first = tool(machine, motion, 0.0)
    times = np.linspace(0.0, motion.trajectory.duration, 50)
    ways = np.array([tool(machine, motion, time)[:3, 3] - first[:3, 3] for time in times])
    np.testing.assert_allclose(ways[:, [0, 2]], 0.0, atol=1e-6)
    assert ways[-1, 1] == pytest.approx(0.1)
    assert np.max(np.diff(ways[:, 1]) / np.diff(times)) == pytest.approx(0.05, rel=1e-3)


def test_a_blend_passes_the_corner_and_a_stop_does_not() -> None:
    corner = "r_speed := 80; move_inc lin (0, 0, 60) {}; move_inc lin (0, 60, 0);"
    stopped, passed = driven(corner.format("")), driven(corner.format("c_cp := 20"))
    assert [len(motion.commands) for motion in stopped.motions] == [1, 1, 1]
    assert [len(motion.commands) for motion in passed.motions] == [1, 2]
    assert passed.time < stopped.time
    motion = passed.motions[-1]
    corner_point = tool(stopped, stopped.motions[1], 99.0)[:3, 3]
    ways = [
        tool(passed, motion, time)[:3, 3]
        for time in np.linspace(0, motion.trajectory.duration, 200)
    ]
    nearest = min(float(np.linalg.norm(point - corner_point)) for point in ways)
    assert 0.002 < nearest < 0.02
    np.testing.assert_allclose(ways[-1], tool(stopped, stopped.motions[2], 99.0)[:3, 3], atol=1e-6)


def test_a_signal_between_two_motions_stops_the_arm() -> None:
    machine = driven(
        "move_inc lin (0, 0, 60) c_cp := 20; lamp := true; move_inc lin (0, 60, 0);",
        declarations="signal output bool: lamp;",
    )
    assert [len(motion.commands) for motion in machine.motions] == [1, 1, 1]
    assert machine.changes[0][0] == pytest.approx(machine.motions[2].start)


def test_a_circle_goes_through_its_help_point() -> None:
    machine = driven("move circle r_pose_act.pos + (0, 50, 50), r_pose_act.pos + (0, 100, 0);")
    motion = machine.motions[-1]
    first = tool(machine, motion, 0.0)[:3, 3]
    times = np.linspace(0.0, motion.trajectory.duration, 80)
    points = np.array([tool(machine, motion, time)[:3, 3] - first for time in times])
    radius = np.linalg.norm(points - [0.0, 0.05, 0.0], axis=1)
    np.testing.assert_allclose(radius, 0.05, atol=1e-6)
    assert points[:, 2].max() == pytest.approx(0.05, abs=1e-4)


def test_a_wished_time_is_kept() -> None:
    machine = driven(
        "move_inc lin (0, 50, 0) time := 3; move ptp joint(10, -3, -130, 0, 87) time := 2;"
    )
    assert machine.motions[1].trajectory.duration == pytest.approx(3.0, rel=2e-3)
    assert machine.motions[2].trajectory.duration == pytest.approx(2.0, rel=1e-6)


def test_weaving_goes_to_both_sides() -> None:
    machine = driven("r_wobble_width := 4; move_inc lin (0, 60, 0) wobble;")
    motion = machine.motions[-1]
    first = tool(machine, motion, 0.0)
    times = np.linspace(0.0, motion.trajectory.duration, 300)
    ways = np.array([tool(machine, motion, time)[:3, 3] - first[:3, 3] for time in times])
    across = ways @ np.cross([0.0, 1.0, 0.0], first[:3, 2])
    assert 0.0035 < across.max() < 0.006
    assert -0.006 < across.min() < -0.0035
    np.testing.assert_allclose(ways[-1], [0.0, 0.06, 0.0], atol=1e-6)


def test_base_and_tool_count() -> None:
    machine = driven(
        "here := r_pose_act; r_tool.pos.z := 30; r_base := ((0, 50, 0), orizyx(0, 0, 0));"
        "move lin here; writeln(r_pose_act.pos - here.pos);",
        declarations="var pose: here;",
    )
    first, last = machine.motions[0], machine.motions[-1]
    before, after = tool(machine, first, 99.0), tool(machine, last, 99.0)
    np.testing.assert_allclose(after[:3, :3], before[:3, :3], atol=1e-9)
    expected = before[:3, 3] + [0.0, 0.05, 0.0] - 0.03 * before[:3, 2]
    np.testing.assert_allclose(after[:3, 3], expected, atol=1e-9)


def test_a_condition_stops_the_motion_with_a_brake() -> None:
    machine = ArmMachine([aw.model("puma560")], inputs={"touch": [(2.0, True)]})
    driven(
        "move_inc lin (0, 100, 0) speed := 50 until touch;",
        declarations="signal input bool: touch;",
        machine=machine,
    )
    assert machine.was_stopped(1)
    *_, line, brake = machine.motions
    velocity = line.trajectory.sample(brake.start - line.start)[1]
    assert np.abs(velocity).max() > 0.01
    np.testing.assert_allclose(brake.trajectory.sample(0.0)[1], velocity, atol=1e-9)
    assert np.abs(brake.trajectory.sample(99.0)[1]).max() < 1e-9
    assert 2.0 <= machine.time < 2.5


def test_what_cannot_be_driven_names_its_line() -> None:
    with pytest.raises(ExecutionError, match="out of reach") as caught:
        driven("move_inc lin (0, 0, 10) c_cp;\nmove ptp ((5000, 0, 0), orizyx(0, 0, 0));")
    assert caught.value.problem.line == 4
    with pytest.raises(ExecutionError, match="shoulder") as caught:
        driven("writeln('x');\nmove ptp joint(0, 500);")
    assert caught.value.problem.line == 4


def test_two_arms_move_at_once() -> None:
    models = [aw.model("puma560"), aw.model("puma560")]
    machine = ArmMachine(models)
    text = f"""program Two; begin
{START[:-1]} act_rob := 1;
{START[:-1]} act_rob := 2;
writeln(r_time); endprogram;"""
    aw.irl.loads(text).run(machine)
    assert [motion.robot for motion in machine.motions] == [1, 2]
    assert machine.motions[0].start == machine.motions[1].start == 0.0


def test_steps_back_bring_the_arm_back() -> None:
    machine = ArmMachine([aw.model("puma560")])
    run = aw.irl.loads(
        f"program P; begin\n{START}\nwriteln('a');\nwriteln('b');\nendprogram;"
    ).interpreter(machine)
    run.step()
    run.step()
    run.step()
    assert machine.time > 0.5
    run.step_back()
    run.step_back()
    assert machine.time == 0.0
    np.testing.assert_allclose(machine.joints(1), 0.0)
    run.run()
    assert run.output == "a\nb\n"


def test_a_move_to_where_the_tool_is_takes_no_time() -> None:
    machine = driven("move lin r_pose_act; move ptp r_pose_act; move lin r_pose_act time := 2;")
    assert [motion.trajectory.duration for motion in machine.motions[1:3]] == [0.0, 0.0]
    np.testing.assert_allclose(machine.joints(1), np.radians([0, -3, -130, 0, 87, 0]), atol=1e-9)
    blended = driven("move lin r_pose_act c_cp; move_inc lin (0, 20, 0);")
    assert len(blended.motions) == 2
