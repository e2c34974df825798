"""Moments of a world: captured, restored, written to files and read back.

A file is a numpy archive of plain arrays with one text of JSON, which says how they belong
together. Reading one runs nobody's code.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.errors import ArmwerkError, DescriptionError, UnsupportedError
from armwerk.files import write_bytes
from armwerk.protocol import ContactEvent, Note, RobotState, Trigger
from armwerk.protocol.contacts import event_of

if TYPE_CHECKING:
    from armwerk.cell.building.setup import CellSetup
    from armwerk.cell.runtime import CellRuntime
    from armwerk.physics.simulation import State

FORMAT = "armwerk world 1"
AnyArray: TypeAlias = NDArray[Any]  # a state holds floats, whole numbers and flags
Json: TypeAlias = Any  # a tree of JSON; its form is checked while it is unpacked
_SHAPE = ("body_pos", "body_quat", "geom_size", "geom_pos", "jnt_axis", "dof_armature", "qpos0")


@dataclass(frozen=True, slots=True, eq=False)
class RobotMoment:
    """What is kept of a robot's program.

    Args:
        number: Of the robot.
        state: See `armwerk.cell.programs.robot.CellRobot`.
        error: What had gone wrong.
        mailbox: Triggers not yet taken.
        events: Triggers and lines not yet handled.
    """

    number: int
    state: RobotState
    error: str
    mailbox: tuple[str, ...]
    events: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class WorldState:
    """A moment of a world.

    Args:
        cell: Fingerprint of the cell it belongs to.
        simulation: State of the physics.
        watched: Centres of the things as the trigger zones saw them last [m]. Shape (n, 3).
        sent: All triggers sent until then.
        waiting: Triggers under way.
        undelivered: Triggers that nobody was there for.
        notes: Lines of debug-out.
        problems: What had gone wrong.
        robots: Their programs.
        processors: Instance number, error and waiting triggers of each trigger processor.
        steps: Physics steps made.
        begun: Whether the programs had been started.
        contact_events: Beginnings and ends of contacts.
    """

    cell: str
    simulation: State
    watched: NDArray[np.float64]
    sent: tuple[Trigger, ...]
    waiting: tuple[tuple[int, str], ...]
    undelivered: int
    notes: tuple[Note, ...]
    problems: tuple[Note, ...]
    robots: tuple[RobotMoment, ...]
    processors: tuple[tuple[int, str, tuple[str, ...]], ...]
    steps: int
    begun: bool
    contact_events: tuple[ContactEvent, ...] = ()


def capture(runtime: CellRuntime, setup: CellSetup) -> WorldState:
    """Return the present moment; see `World.capture`."""
    busy = [str(number) for number, robot in runtime.robots.items() if robot.is_busy]
    if busy:
        raise UnsupportedError(
            f"robot {', '.join(busy)} is in the middle of its program, which cannot be kept; "
            "stop or pause it first, or wait for its end"
        )
    sent, waiting, undelivered = runtime.bus.capture()
    return WorldState(
        fingerprint(runtime, setup),
        runtime.simulation.capture(),
        runtime.watched.copy(),
        sent,
        waiting,
        undelivered,
        tuple(runtime.notes),
        tuple(runtime.problems),
        tuple(
            RobotMoment(nr, robot.state, robot.error, tuple(robot.mailbox), tuple(robot.events))
            for nr, robot in runtime.robots.items()
        ),
        tuple((nr, one.error, tuple(one.events)) for nr, one in runtime.processors.items()),
        runtime.steps,
        runtime.begun,
        runtime.simulation.contact_events,
    )


def restore(runtime: CellRuntime, setup: CellSetup, state: WorldState) -> None:
    """Go back to a moment; nobody may be in the middle of a run."""
    if state.cell != fingerprint(runtime, setup):
        raise DescriptionError(
            "the state belongs to another cell", element="state", allowed="a state of this cell"
        )
    runtime.simulation.restore(state.simulation)
    runtime.watched = state.watched.copy()
    if runtime.watcher is not None:
        runtime.watcher.start(runtime.watched)
    runtime.bus.restore((state.sent, state.waiting, state.undelivered))
    runtime.notes.refill(state.notes)
    runtime.problems.refill(state.problems)
    runtime.simulation.touches.remember(state.contact_events)
    for observation in runtime.observations:
        observation.next += state.steps - runtime.steps
    runtime.steps, runtime.begun = state.steps, state.begun
    runtime.epoch += 1
    for moment in state.robots:
        robot = runtime.robots[moment.number]
        robot.forget(None)
        robot.state, robot.error = moment.state, moment.error
        robot.mailbox = deque(moment.mailbox)
        for kind, text in moment.events:
            robot.add_event(kind, text)
    for instance, error, events in state.processors:
        processor = runtime.processors[instance]
        processor.error = ""
        processor.events.clear()
        for text in events:
            processor.receive(text)
        processor.error = error


def fingerprint(runtime: CellRuntime, setup: CellSetup) -> str:
    """Return a digest of the cell: scene, settings and robots, but not their programs."""
    scene = setup.scene
    bare = tuple(replace(robot, controller=None, config=None) for robot in scene.robots)
    digest = sha256(repr((replace(scene, file=None, robots=bare), setup.settings)).encode())
    digest.update(repr(runtime.dt).encode())
    for name in _SHAPE:
        digest.update(np.ascontiguousarray(getattr(runtime.simulation.model, name)).tobytes())
    return digest.hexdigest()


def save(state: WorldState, path: str | Path) -> None:
    """Write a state to a file, which is complete or untouched."""
    arrays: list[AnyArray] = []
    tree: Json = {"format": FORMAT, "state": _packed(state, arrays)}
    text = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
    buffer = BytesIO()
    named: dict[str, Any] = {f"a{k}": array for k, array in enumerate(arrays)}
    np.savez_compressed(buffer, tree=text, **named)
    write_bytes(path, buffer.getvalue(), "state")


def load(path: str | Path, like: WorldState) -> WorldState:
    """Return the state in a file.

    Args:
        path: Written by `save`.
        like: A state of the cell it must belong to.

    Raises:
        DescriptionError: When it is missing, damaged, or of another cell.
    """
    try:
        with np.load(BytesIO(Path(path).read_bytes()), allow_pickle=False) as archive:
            tree = json.loads(archive["tree"].tobytes().decode())
            if tree["format"] != FORMAT:
                raise ValueError(f"format {tree['format']!r:.40}")
            if tree["state"]["fields"]["cell"] == like.cell:
                state = _unpacked(tree["state"], archive)
                if isinstance(state, WorldState):
                    return replace(
                        state,
                        sent=tuple(Trigger(*one) for one in state.sent),
                        notes=tuple(Note(*one) for one in state.notes),
                        problems=tuple(Note(*one) for one in state.problems),
                        contact_events=tuple(event_of(*one) for one in state.contact_events),
                    )
                raise ValueError("no world")
    except OSError as error:
        raise DescriptionError(
            f"cannot be read ({error.strerror or error})", element="state", file=path
        ) from None
    except ArmwerkError:
        raise
    except Exception as error:  # a damaged archive fails in many ways
        raise DescriptionError(
            f"is no saved state of a world ({error})", element="state", file=path
        ) from None
    raise DescriptionError(
        "belongs to another cell", element="state", allowed="a state of this cell", file=path
    )


def _packed(value: object, arrays: list[AnyArray]) -> Json:
    """Return a value as JSON, its arrays put into a list."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_packed(item, arrays) for item in value]
    if isinstance(value, dict):
        pairs = [[_packed(key, arrays), _packed(item, arrays)] for key, item in value.items()]
        return {"pairs": pairs}
    if is_dataclass(value):
        inside = {f.name: _packed(getattr(value, f.name), arrays) for f in fields(value)}
        kind = type(value)
        return {"class": f"{kind.__module__}:{kind.__qualname__}", "fields": inside}
    raise UnsupportedError(f"a state cannot be saved: it holds a {type(value).__name__}")


def _unpacked(node: Json, archive: Mapping[str, AnyArray]) -> object:
    if isinstance(node, list):
        return tuple(_unpacked(item, archive) for item in node)
    if not isinstance(node, dict):
        return node
    if "array" in node:
        array = archive[f"a{int(node['array'])}"]
        array.setflags(write=False)
        return array
    if "pairs" in node:
        return {_unpacked(key, archive): _unpacked(item, archive) for key, item in node["pairs"]}
    module, _, name = str(node["class"]).partition(":")
    if not module.startswith("armwerk.") or not name.isidentifier():
        raise ValueError(f"class {node['class']!r:.60}")
    kind = getattr(import_module(module), name)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise ValueError(f"class {node['class']!r:.60}")
    return kind(**{key: _unpacked(item, archive) for key, item in node["fields"].items()})
