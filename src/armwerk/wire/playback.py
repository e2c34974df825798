"""A recording that is played: what viewers see of it.

In goes a recording; out come the geometry of its cell and frames of poses, as of a running world,
and all events with their times. Between two recorded states places and motors are interpolated.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np

from armwerk.arrays import Array
from armwerk.cell.moments import drawn_robots
from armwerk.cell.record import Recording
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.physics.mechanism import mechanism
from armwerk.protocol import ContactEvent, Note, Trigger
from armwerk.protocol.replies import ViewedRobot
from armwerk.protocol.states import RobotState
from armwerk.protocol.viewing import EventKind, ViewedContacts, ViewedEvent, ViewedRecording
from armwerk.scene.reader import parse_scene
from armwerk.wire.events import EventLog
from armwerk.wire.frames import FAST, MOVES, STANDS, Frame, frame_of
from armwerk.wire.geometry import MountedRobot, cell_geometry
from armwerk.wire.playback_clock import PlaybackClock

MOST_EVENTS = 20_000  # of a recording that a viewer is told; of more only the first
_MOVING = 1e-3  # [rad/s or m/s] of a motor that counts as moving
_FAST = 0.95  # of the greatest speed
_STATES: tuple[RobotState, ...] = get_args(RobotState)


class RecordedCell:
    """A recording as viewers see it; it has what a `LiveCell` shows, and nothing to change it.

    All methods may be called from any thread.

    Args:
        recording: What happened.
        file: Its name, for viewers.
        version: Of its geometry.

    Attributes:
        geometry: What is seen.
        clock: Steers where it is.
        events: None are told as they happen: a viewer knows all of them at once.

    Raises:
        DescriptionError: When it holds no states, or not those of its own cell.
        SceneError: When its cell cannot be read.
    """

    def __init__(self, recording: Recording, file: str = "", version: int = 1) -> None:
        header = recording.header
        if not len(recording.times):
            raise DescriptionError("holds no states", element=f"recording '{file}'")
        if np.any(np.diff(recording.times) < 0.0):
            raise DescriptionError("its times run backwards", element=f"recording '{file}'")
        scene = parse_scene(header.environment, header.file)
        if tuple(scene.names()) != header.things or len(scene.robots) != len(header.robots):
            raise DescriptionError(
                "its states are not those of its cell", element=f"recording '{file}'"
            )
        self._recording = recording
        self._file = file
        self.text = header.environment
        self.events = EventLog(1)
        self.clock = PlaybackClock(recording.times)
        drawn, missing = drawn_robots(scene)
        self._robots: list[tuple[int, MountedRobot]] = []  # place in the recording, robot
        for one in drawn:
            robot, recorded = scene.robots[one.index], header.robots[one.index]
            whole = mechanism(one.arm, one.gripper)
            if tuple(whole.members[k].name for k in whole.motors) != recorded.motors:
                missing.append(f"robot {robot.number} is not drawn: it was another arm")
                continue
            key = (robot.manipulator, robot.gripper)
            mounted = MountedRobot(f"robot {robot.number}", one, whole, key)
            self._robots.append((one.index, mounted))
        robots = [robot for _, robot in self._robots]
        self.geometry = cell_geometry(version, scene, robots, missing)
        fastest = [
            robot.mechanism.members[k].max_velocity
            for robot in robots
            for k in robot.mechanism.motors
        ]
        self._fastest = _FAST * np.array(fastest, dtype=np.float64)
        states = _states(recording)
        self.robots = tuple(
            ViewedRobot(
                *(one.number, one.manipulator or "", one.controller or "", ""),
                *(one.config or "", states.get(one.number, "idle"), "", one.controller or ""),
            )
            for one in scene.robots
        )
        self._reading = threading.Lock()
        self._known: dict[int, tuple[int, list[Array]]] = {}
        self._frame: Frame | None = None
        self._touching = (-1, ViewedContacts(0.0, (), ()))  # state, what touches in it

    @classmethod
    def load(cls, path: str | Path, file: str = "", version: int = 1) -> RecordedCell:
        """Return the recording of a file, see `armwerk.cell.record.Recording`."""
        return cls(Recording.load(path), file or Path(path).name, version)

    @property
    def feed(self) -> RecordedCell:
        """Geometry and frames."""
        return self

    def watch(self) -> None:
        """Take note of a viewer."""

    def unwatch(self) -> None:
        """Say that a viewer has gone."""

    def watch_contacts(self) -> None:
        """Take note of a viewer who wants contacts; they are there anyway."""

    def unwatch_contacts(self) -> None:
        """Take note that it wants them no longer."""

    def close(self) -> None:
        """Nothing is open."""

    def told(self) -> ViewedRecording:
        """Return what a viewer needs for a time line."""
        header = self._recording.header
        ended = self._recording.report is not None
        events = list(self._events())
        return ViewedRecording(
            *(self._file, self.clock.begin, self.clock.end, len(self._recording.times)),
            *(header.rate, ended, tuple(events[:MOST_EVENTS]), max(0, len(events) - MOST_EVENTS)),
        )

    def _events(self) -> Iterator[ViewedEvent]:
        recording = self._recording
        found: list[tuple[EventKind, Trigger | Note | ContactEvent]] = []
        found += [("trigger", one) for one in recording.triggers]
        found += [("note", one) for one in recording.notes]
        found += [("problem", one) for one in _problems(recording)]
        found += [("contact", one) for one in recording.contact_events]
        found.sort(key=lambda one: one[1].time)
        for number, (kind, one) in enumerate(found):
            if isinstance(one, ContactEvent):
                force = one.force if one.change == "started" else None
                yield ViewedEvent(number, kind, one.time, -1, str(one), one.point, force)
            else:
                yield ViewedEvent(number, kind, one.time, one.instance, one.text)

    # where everything is ------------------------------------------------------------------------

    def values(self) -> Array:
        """Return the values of all motors [rad or m], in the order of the geometry."""
        index, share = self._where(self.clock.time)
        rows = [self._values(place, index, share) for place, _ in self._robots]
        return np.concatenate(rows) if rows else np.zeros(0)

    def frame(self) -> Frame:
        """Return where everything is at the time of the clock."""
        at = self.clock.time
        with self._reading:
            if self._frame is None or self._frame.time != at:
                self._frame = self._work_out(at)
            return self._frame

    def frame_at(self, time: float) -> Frame:
        """Return where everything is at another time [s]; the clock stays where it is."""
        with self._reading:
            return self._work_out(time)

    @property
    def contacts(self) -> ViewedContacts:
        """What touches in the state at the time of the clock; the same object until the next."""
        index, _ = self._where(self.clock.time)
        with self._reading:
            if self._touching[0] != index:
                known = self._recording.contacts
                rows = known[index] if index < len(known) else np.zeros((0, 6))
                time = float(self._recording.times[index])
                points, forces = rows[:, :3].ravel().tolist(), rows[:, 3:].ravel().tolist()
                self._touching = (index, ViewedContacts(time, tuple(points), tuple(forces)))
            return self._touching[1]

    def _where(self, at: float) -> tuple[int, float]:
        """Return the state before a time, and how far the time is on the way to the next."""
        times = self._recording.times
        index = min(max(int(np.searchsorted(times, at, side="right")) - 1, 0), len(times) - 1)
        if index + 1 >= len(times) or times[index + 1] <= times[index]:
            return index, 0.0
        return index, float(np.clip((at - times[index]) / (times[index + 1] - times[index]), 0, 1))

    def _values(self, place: int, index: int, share: float) -> Array:
        return _between(self._recording.motors[place], index, share)

    def _work_out(self, at: float) -> Frame:
        recording = self._recording
        index, share = self._where(at)
        places = [_between(recording.positions, index, share)]
        turns = [_turned(recording.quaternions, index, share)]
        for place, robot in self._robots:
            poses = np.array(self._poses(place, robot, index, share)).reshape(-1, 4, 4)
            placed = robot.drawn.base @ poses
            places.append(placed[:, :3, 3])
            turns.append(quaternion_from_rotation(placed[:, :3, :3]).reshape(-1, 4))
        return frame_of(
            *(self.geometry.version, index, 0, at),
            np.concatenate(places),
            np.concatenate(turns),
            _between(recording.travels, index, share),
            self._marks(index),
        )

    def _poses(self, place: int, robot: MountedRobot, index: int, share: float) -> list[Array]:
        whole = robot.mechanism
        if whole.sources:  # to close chains takes long: they are shown state by state
            share = 0.0
            if place in self._known and self._known[place][0] == index:
                return self._known[place][1]
        try:
            poses = whole.poses(whole.start(self._values(place, index, share)))
        except UnsupportedError:  # rounded values of a chain at its end may not close
            known = self._known.get(place)
            poses = known[1] if known else whole.poses(whole.start(whole.rest()))
        self._known[place] = (index, poses)
        return poses

    def _marks(self, index: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        recording = self._recording
        last = min(index + 1, len(recording.times) - 1)
        first = max(last - 1, 0)
        step = float(recording.times[last] - recording.times[first])
        rows = [recording.motors[k][last] - recording.motors[k][first] for k, _ in self._robots]
        away = np.abs(np.concatenate(rows)) if rows else np.zeros(0)
        rates = away / step if step > 0 else np.zeros(len(away))
        marks = np.where(rates > _MOVING, MOVES, STANDS).astype(np.uint8)
        marks[rates >= self._fastest] = FAST
        return marks


def _between(rows: Array, index: int, share: float) -> Array:
    if share == 0.0:
        return np.asarray(rows[index])
    return np.asarray((1.0 - share) * rows[index] + share * rows[index + 1])


def _turned(rows: Array, index: int, share: float) -> Array:
    """Return quaternions on the shorter way between two states."""
    if share == 0.0:
        return np.asarray(rows[index])
    one, other = rows[index], rows[index + 1]
    sign = np.where(np.sum(one * other, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    mixed = (1.0 - share) * one + share * sign * other
    return np.asarray(mixed / np.linalg.norm(mixed, axis=-1, keepdims=True))


def _problems(recording: Recording) -> list[Note]:
    """Return what went wrong, as the report at the end has it; none where it is damaged."""
    try:
        rows = (recording.report or {}).get("problems", [])
        return [Note(float(time), int(number), str(text)) for time, number, text in rows]
    except (TypeError, ValueError):
        return []


def _states(recording: Recording) -> dict[int, RobotState]:
    """Return how the programs of robots ended, likewise."""
    try:
        rows = (recording.report or {}).get("robots", [])
        return {row["number"]: row["state"] for row in rows if row["state"] in _STATES}
    except (TypeError, KeyError):
        return {}
