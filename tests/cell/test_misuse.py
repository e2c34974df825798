"""What users get wrong: programs without a task, arguments of every wrong kind, resets in a run."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cell_programs import program, robots, world

import armwerk as aw
from armwerk.cell.observers import Observer
from armwerk.cell.pace import FakeClock, Pace
from armwerk.errors import ArmwerkError, DescriptionError, MotionError, SceneError
from armwerk.protocol import Note, TimedMessage
from armwerk.scene import parse_scene

BALL = "BALL 30 60 20 3 0.1 0.5 FF0000\n"

# programs with nothing to do ----------------------------------------------------------------------


def load(folder: Path, code: str, more: str = "") -> aw.World:
    (folder / "pick.py").write_text(
        f"import armwerk as aw\nfrom armwerk.errors import ArmwerkError\n\n{code}"
    )
    path = folder / "cell.env"
    path.write_text(f"ROBOT 0 0 0\nCONTROLLER pick.Pick\n{more}")
    return aw.World.load(path)


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("rum", "did you mean run by 'rum'?"),
        ("Run", "did you mean run by 'Run'?"),
        ("runn", "did you mean run by 'runn'?"),
        ("receive_triger", "did you mean receive_trigger by 'receive_triger'?"),
        ("grasp_the_cube", ""),
    ],
)
def test_a_class_without_a_task_is_refused_with_its_file_and_line(
    tmp_path: Path, method: str, hint: str
) -> None:
    code = f"class Pick(aw.RobotController):\n    def {method}(self):\n        self.wait(1)\n"
    with pytest.raises(SceneError) as told:
        load(tmp_path, code)
    text = str(told.value)
    assert "pick.py:4: robot 0, controller: 'Pick' would wait for ever" in text
    assert "cell.env:2:" in text
    assert "no run and no receive_trigger and no receive_line" in text
    assert hint in text
    assert ("did you mean" in text) == bool(hint)


def test_classes_and_instances_without_a_task_are_refused_too() -> None:
    class Idle(aw.RobotController):
        pass

    class Deaf(aw.TriggerProcessor):
        def receive(self, text: str) -> None:
            pass

    for idle in (Idle, Idle(), aw.RobotController):
        with pytest.raises(DescriptionError, match="would wait for ever"):
            aw.World(robots(1), robots={0: idle})
    with pytest.raises(DescriptionError, match=r"test_misuse\.py:\d+: trigger processor 7.*'Deaf'"):
        aw.World(robots(0), processors={7: Deaf})


def test_a_program_that_only_listens_is_one(tmp_path: Path) -> None:
    code = "class Pick(aw.RobotController):\n    def {}(self, text):\n        self.debug(text)\n"
    with load(tmp_path, code.format("receive_line")) as cell:
        cell.run(0.01)
        cell.send_line(0, "hello")
        cell.run(0.01)
        assert [note.text for note in cell.notes] == ["hello"]
    given = program(lambda self: None)()
    instance: Any = aw.RobotController()
    instance.run = given.run  # an instance may bring its own
    with aw.World(robots(1), robots={0: instance}) as cell:
        assert cell.run().why == "ended"


# motions of no length -----------------------------------------------------------------------------


@pytest.mark.parametrize("arm", ["irb120", "simple_arm", "scara"])
def test_to_the_present_place_is_a_motion_of_no_length(arm: str) -> None:
    seen: list[float] = []

    def run(self: Any) -> None:
        T = self.direct()
        for go in (self.line_to, self.move_to):
            go(T)
            go(T[:3, 3])
            go(T, wait=False)
        self.move(self.q)
        seen.append(self.time)
        moved = T.copy()
        moved[2, 3] -= 2e-9  # the shortest way that is one
        if arm == "irb120":
            self.line_to(moved)
            seen.append(self.time)

    with aw.World(
        parse_scene(f"ROBOT 0 0 0\nMANIPULATOR {arm}\n"), robots={0: program(run)}
    ) as cell:
        before = cell.robots[0].q
        cell.run()
        assert cell.robots[0].state == "done", cell.robots[0].error
        np.testing.assert_allclose(cell.robots[0].q, before, atol=1e-8)
    assert seen[0] == 0.0


# tracebacks ---------------------------------------------------------------------------------------


def test_tracebacks_show_the_program_and_nothing_else(tmp_path: Path) -> None:
    code = (
        "class Pick(aw.RobotController):\n"
        "    def run(self):\n"
        "        self.wait_until(self.ready)\n"
        "    def ready(self):\n"
        "        try:\n"
        "            self.line_to([9, 9, 9])\n"
        "        except ArmwerkError as error:\n"
        "            raise RuntimeError('no way') from error\n"
    )
    with load(tmp_path, code) as cell:
        cell.run()
        told = cell.robots[0].error
    assert told.count("Traceback") == 2
    assert "line 6, in run" in told
    assert "line 9, in ready" in told
    assert "line 11, in ready" in told
    assert told.endswith("RuntimeError: no way")
    assert "MotionError: line_to: (9.0000" in told
    frames = [line for line in told.splitlines() if line.strip().startswith("File ")]
    assert all("pick.py" in line for line in frames), told


def test_frames_of_libraries_show_where_the_program_calls_them() -> None:
    def mine(self: Any) -> None:
        np.broadcast_shapes((2, 3), (4,))

    def theirs(self: Any) -> None:
        self.move_to(np.full((4, 4), np.nan))

    with world(mine, theirs) as cell:
        cell.run()
        assert "numpy" in cell.robots[0].error
        assert "test_misuse.py" in cell.robots[1].error
        assert f"armwerk{Path('/')}control" not in cell.robots[1].error


# resets within a run ------------------------------------------------------------------------------


class Ticks(Observer):
    period = 0.1

    def __init__(self) -> None:
        self.heard: list[tuple[float, str]] = []

    def note(self, note: Note) -> None:
        self.heard.append((round(note.time, 6), note.text))


def ticking(self: Any) -> None:
    while True:
        self.debug("tick")
        self.wait(0.2)


def test_a_reset_in_a_paced_run_keeps_pace_time_and_programs() -> None:
    clock = FakeClock()
    paced = Pace(1.0, clock)
    ticks = Ticks()
    with world(ticking) as cell:
        resets: list[float] = []

        def halfway(_: aw.World) -> bool:
            if not resets and cell.time >= 1.0:
                resets.append(clock.now())
                cell.reset()
            return False

        report = cell.run(2.0, pace=paced, until=halfway, observers=[ticks])
        assert report.seconds == pytest.approx(2.0)
        assert report.time == pytest.approx(1.0, abs=2 * cell.dt)
        assert clock.now() == pytest.approx(2.0, abs=0.01)  # no jump
        assert paced.lost == 0.0
        assert cell.robots[0].state == "running"
        assert resets == [pytest.approx(1.0, abs=0.01)]
        assert [note.time for note in cell.notes] == pytest.approx(
            np.arange(len(cell.notes)) * 0.2, abs=2e-2
        )
        assert len(cell.notes) >= 5
        times = [time for time, _ in ticks.heard]
        assert len(times) == pytest.approx(10, abs=1)  # of both halves
        assert times.count(0.0) == 2


def test_a_run_with_a_reset_equals_a_run_without() -> None:
    def end(self: Any) -> None:
        self.move([0.3] * 3)
        self.wait_trigger("GO")
        self.move([-0.2] * 3)

    def finish(reset: bool) -> tuple[bytes, float, int]:
        with world(end, more=BALL) as cell:
            once = [reset]

            def ask(_: aw.World) -> bool:
                if once[0] and cell.time > 0.7:
                    once[0] = False
                    threading.Thread(target=cell.reset).start()
                return False

            report = cell.run(
                until=lambda w: ask(w) or (w.robots[0].state == "done" and w.time > 1.5),
                schedule=[TimedMessage(0.5, "trigger", 0, "GO")],
            )
            things = cell.objects["ball0"].position.tobytes()
            return cell.robots[0].values.tobytes() + things, report.time, len(cell.triggers)

    assert finish(True) == finish(False)


# wrong arguments ----------------------------------------------------------------------------------


class Odd:
    def __repr__(self) -> str:
        return "<odd>"


WRONG: list[Any] = [
    None,
    math.nan,
    math.inf,
    -1.0,
    "text",
    b"bytes",
    [],
    [1.0],
    [math.nan] * 3,
    ["a", "b", "c"],
    [[1, 2], [3]],
    np.zeros((2, 5)),
    np.zeros((4, 4)),
    np.full((4, 4), math.nan),
    1j,
    {},
    Odd(),
    True,
]
SERVICES: list[str] = [
    "set",
    "direct",
    "inverse",
    "nearest",
    "move",
    "move_to",
    "line_to",
    "follow",
    "wait",
    "wait_motion",
    "wait_trigger",
    "wait_until",
    "send_trigger",
    "see",
]
OPTIONS: dict[str, list[str]] = {
    "move": ["speed", "sync", "profile"],
    "move_to": ["speed", "sync", "profile"],
    "line_to": ["speed", "acceleration", "jerk", "rotation_speed", "profile", "velocity"],
    "nearest": ["q"],
    "wait_motion": ["timeout"],
    "wait_trigger": ["timeout"],
    "wait_until": ["timeout", "every"],
}


def refused(call: Callable[[], object], what: str, raw: list[str]) -> None:
    """Note a call that answers with an error that is not ours, or with one that says nothing."""
    try:
        call()
    except ArmwerkError as error:
        if len(str(error)) < 15:
            raw.append(f"{what}: says only {error}")
    except Exception as error:
        raw.append(f"{what}: {type(error).__name__} {error}")


@pytest.mark.parametrize("arm", ["irb120", "simple_arm"])
def test_services_answer_wrong_arguments_with_errors_of_ours(arm: str) -> None:
    raw: list[str] = []

    def run(self: Any) -> None:
        right = {
            "move": self.q,
            "move_to": self.direct(),
            "line_to": self.direct() - np.array([[0, 0, 0, 0]] * 2 + [[0, 0, 0, 0.01]] + [[0] * 4]),
            "nearest": self.direct(),
            "wait_until": lambda: True,
        }
        for service in SERVICES:
            method = getattr(self, service)
            for value in WRONG:
                if service == "wait_trigger":
                    refused(partial(method, value, timeout=0), f"{service}({value!r})", raw)
                elif service == "send_trigger":
                    refused(partial(method, value, "x"), f"{service}({value!r}, 'x')", raw)
                    refused(partial(method, 9, value), f"{service}(9, {value!r})", raw)
                else:
                    refused(partial(method, value), f"{service}({value!r})", raw)
                for name in OPTIONS.get(service, []):
                    if value is None and name in {"timeout", "q", "profile"}:
                        continue
                    given = [right[service]] if service in right else []
                    refused(
                        partial(method, *given, **{name: value}),
                        f"{service}({name}={value!r})",
                        raw,
                    )
        for value in WRONG:
            refused(partial(self.motors.__getitem__, value), f"motors[{value!r}]", raw)
            refused(
                partial(next(iter(self.motors.values())).set, value), f"motors.set({value!r})", raw
            )
            refused(partial(self.grip.close, value), f"grip.close({value!r})", raw)
            refused(partial(self.grip.set, value), f"grip.set({value!r})", raw)

    cell = parse_scene(f"ROBOT 0 0 0\nMANIPULATOR {arm}\nGRIPPER parallel_gripper\n")
    with aw.World(cell, robots={0: program(run)}) as one:
        one.run(60)
        assert one.robots[0].state == "done", one.robots[0].error
    assert not raw, "\n".join(raw)


def test_worlds_answer_wrong_arguments_with_errors_of_ours(tmp_path: Path) -> None:
    raw: list[str] = []
    with aw.World(parse_scene(f"ROBOT 0 0 0\n{BALL}")) as cell:
        ball = cell.objects["ball0"]
        calls: dict[str, Callable[[Any], object]] = {
            "run": lambda v: cell.run(v) if v is not None and v is not True else None,
            "run(pace)": lambda v: cell.run(0.002, pace=v),
            "run(until)": lambda v: cell.run(0.002, until=v),
            "run(progress)": lambda v: cell.run(0.002, progress=v),
            "run(observers)": lambda v: cell.run(0.002, observers=v),
            "run(schedule)": lambda v: cell.run(0.002, schedule=v),
            "observe": cell.observe,
            "observe(every)": lambda v: cell.observe(lambda: None, v)(),
            "draw": cell.draw,
            "draw(azimuth)": lambda v: cell.draw(tmp_path / "a.png", azimuth=v, size=(32, 24)),
            "draw(elevation)": lambda v: cell.draw(tmp_path / "a.png", elevation=v, size=(32, 24)),
            "draw(size)": lambda v: cell.draw(tmp_path / "a.png", size=v),
            "start": cell.start,
            "stop": cell.stop,
            "pause": cell.pause,
            "send_trigger": lambda v: cell.send_trigger(v, "x"),
            "send_trigger(text)": lambda v: cell.send_trigger(3, v),
            "send_line": lambda v: cell.send_line(v, "x"),
            "send_line(text)": lambda v: cell.send_line(0, v),
            "restore": cell.restore,
            "resume": cell.resume,
            "objects": lambda v: cell.objects[v],
            "place": ball.place,
            "place(rotation)": lambda v: ball.place([0, 0, 1], rotation=v),
            "place(velocity)": lambda v: ball.place([0, 0, 1], velocity=v),
            "parse_scene": parse_scene,
            "load": aw.World.load,
            "World": aw.World,
            "World(settings)": lambda v: aw.World(cell.scene, settings=v),
            "World(ik)": lambda v: aw.World(cell.scene, ik=v, robots={0: program(lambda s: None)}),
            "World(skills)": lambda v: aw.World(cell.scene, skills=v),
            "World(robots)": lambda v: aw.World(cell.scene, robots=v),
            "World(robots[0])": lambda v: aw.World(cell.scene, robots={0: v}),
            "World(robots[v])": lambda v: (
                aw.World(cell.scene, robots={v: program(lambda s: None)})
                if v.__hash__ is not None
                else None
            ),
            "World(position)": lambda v: aw.World(cell.scene, robots={0: {"position": v}}),
            "World(angle)": lambda v: aw.World(cell.scene, robots={0: {"angle": v}}),
            "World(q)": lambda v: aw.World(cell.scene, robots={0: {"q": v}}),
            "World(processors)": lambda v: aw.World(cell.scene, processors=v),
            "World(patience)": lambda v: aw.World(cell.scene, patience=v),
        }
        for name, call in calls.items():
            for value in WRONG:
                refused(partial(call, value), f"{name} {value!r:.30}", raw)
        cell.reset()
        cell.run(0.01)
        assert np.isfinite(ball.position).all()
    assert not raw, f"{len(raw)}\n" + "\n".join(raw)


def test_what_was_meant_is_told() -> None:
    told: list[str] = []

    def run(self: Any) -> None:
        for call in (
            partial(self.line_to, self.direct(), velocity=0.1),
            partial(self.line_to, self.direct(), acceleratoin=0.1),
            partial(self.wait_until, None),
        ):
            with pytest.raises(MotionError) as error:
                call()
            told.append(str(error.value))

    with world(run) as cell:
        cell.run()
        assert cell.robots[0].state == "done", cell.robots[0].error
        with pytest.raises(DescriptionError, match="state: is of the wrong kind, got 5"):
            cell.restore(5)  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="not a text"):
        parse_scene(None)  # type: ignore[arg-type]
    assert "no option 'velocity'; did you mean speed?" in told[0]
    assert "no option 'acceleratoin'; did you mean acceleration?" in told[1]
    assert "wait_until needs a function that it can ask, got None" in told[2]


# things that are put somewhere --------------------------------------------------------------------


def test_putting_a_thing_somewhere_sets_nothing_off() -> None:
    watches = (
        "TRIGGER BALLENTERS 3 in 100 0 20 10 *\n"
        "TRIGGER BALLLEAVES 3 out 0 0 20 10 *\n"
        "TRIGGER BALLBARRIER 3 gate 50 -50 50 50 10 *\n"
        "TRIGGER BALLBARRIER 3 back 50 50 50 -50 10 *\n"
    )
    scene = parse_scene(f"BALL 0 0 3 3 0 0 FF0000\n{watches}")
    with aw.World(scene) as cell:
        ball = cell.objects["ball0"]
        cell.run(0.01)
        for place in ([1.0, 0.0, 0.03], [0.0, 0.0, 0.03], [1.0, 0.0, 0.03]):
            ball.place(place)
            cell.run(0.01)
        assert cell.triggers == []
        cell.observe(lambda: ball.place([0.0, 0.0, 0.03], velocity=[2.0, 0.0, 0.0]), every=10.0)
        ball.place([0.0, 0.0, 0.03], velocity=[2.0, 0.0, 0.0])
        cell.run(1.0)
        assert sorted(trigger.text for trigger in cell.triggers) in (
            ["gate", "in", "out"],
            ["back", "in", "out"],
        )
