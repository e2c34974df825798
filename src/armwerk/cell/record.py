"""What happened in a cell, as a file: a writer that follows a run, and a reader.

JSON Lines, compressed when the name ends in .gz. The first line is the header (the cell itself,
names, units, versions), then one line per state, trigger, debug line or contact, at last the
report. Every line is written whole, so a run that was cut off leaves a file that can be read.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry.quaternion import quaternion_from_rotation, rotation_from_quaternion
from armwerk.pictures.cell import Moment
from armwerk.protocol import ContactEvent, ContactPoint, Note, Trigger
from armwerk.protocol.contacts import event_of

FORMAT = "armwerk recording"
VERSION = 1
RATE = 50.0  # states per second
ENDINGS = (".jsonl", ".jsonl.gz")
UNITS = {"time": "s", "position": "m", "rotation": "quaternion w x y z", "belt": "m"}
JsonLine: TypeAlias = dict[str, Any]  # what a line holds is checked where it is read
_DIGITS = 6  # micrometres and microradians
_ODD = "backslashreplace"  # half a pair of surrogates becomes what JSON writes for it
_MOST_CONTACTS = 60  # of a state
_MAX_UNFLUSHED = 64  # lines a compressed file may keep back


@dataclass(frozen=True, slots=True)
class RecordedRobot:
    """A robot in a recording.

    Args:
        number: Its instance number.
        arm: Name of its arm, as the scene has it.
        gripper: Name of its gripper; None: none.
        motors: Names of its motors.
        units: Of their values, "rad" or "m".
    """

    number: int
    arm: str | None
    gripper: str | None
    motors: tuple[str, ...]
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """What a recording is of.

    Args:
        cell: Its name.
        environment: Text of the environment file.
        things: Names of the balls and cuboids, in the order of the states.
        robots: In the order of the states.
        belts: Names of the belts.
        file: Where the environment was read from; classes and arms stand beside it.
        rate: States per second.
        dt: Step of the simulation [s].
        seed: Of the run.
        versions: Of armwerk and of what it was simulated with.
    """

    cell: str
    environment: str = ""
    things: tuple[str, ...] = ()
    robots: tuple[RecordedRobot, ...] = ()
    belts: tuple[str, ...] = ()
    file: str | None = None
    rate: float = RATE
    dt: float | None = None
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)


def recording_path(path: str | Path) -> Path:
    """Return the path when its ending is that of a recording.

    Raises:
        DescriptionError: For any other ending, or when it is a folder.
    """
    path = Path(path)
    if not is_recording(path):
        raise DescriptionError(
            "unknown ending",
            element=f"recording '{path}'",
            value=path.name,
            allowed=" or ".join(ENDINGS),
        )
    if path.is_dir():
        raise DescriptionError("is a folder", element=f"recording '{path}'")
    return path


def is_recording(path: str | Path) -> bool:
    """Say whether a path ends as recordings do."""
    return str(path).lower().endswith(ENDINGS)


class Recorder:
    """Writes a recording; a context manager that closes it."""

    def __init__(self, path: str | Path, header: Header) -> None:
        self.path = recording_path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[str] = _opened(self.path, "wt")
        except OSError as error:
            raise _unusable(self.path, "written", error) from None
        self._waiting = 0
        self._line("header", {"format": FORMAT, "version": VERSION, **_header_data(header)})

    def state(self, moment: Moment, contacts: Sequence[ContactPoint] = ()) -> None:
        """Write where everything is, and what touches; of very many contacts the strongest."""
        count = len(moment.positions)
        turns = quaternion_from_rotation(moment.rotations) if count else np.zeros((0, 4))
        things = np.round(np.column_stack([moment.positions, turns]), _DIGITS) + 0.0
        data: JsonLine = {"time": round(moment.time, 9), "things": things.tolist()}
        data["motors"] = [
            [round(float(value), _DIGITS) for value in motors.values()] for motors in moment.motors
        ]
        if len(moment.travels):
            data["belts"] = [round(float(travel), _DIGITS) for travel in moment.travels]
        if contacts:
            strongest = sorted(contacts, key=lambda one: -one.force)[:_MOST_CONTACTS]
            data["contacts"] = [_contact_row(one) for one in strongest]
        self._line("state", data)

    def trigger(self, trigger: Trigger) -> None:
        """Write a trigger that was sent."""
        self._line("trigger", trigger._asdict())

    def note(self, note: Note) -> None:
        """Write a line of debug output."""
        self._line("note", note._asdict())

    def contact(self, event: ContactEvent) -> None:
        """Write a beginning or end of a contact."""
        self._line("contact", event._asdict())

    def report(self, report: Mapping[str, object]) -> None:
        """Write how the run ended."""
        self._line("report", report)

    def _line(self, kind: str, data: Mapping[str, object]) -> None:
        text = json.dumps(
            {"kind": kind, **data}, ensure_ascii=False, separators=(",", ":"), default=_plain
        )
        try:
            self._file.write(text + "\n")
            self._waiting += 1
            if self._waiting >= (_MAX_UNFLUSHED if self.path.suffix == ".gz" else 1):
                self._file.flush()
                self._waiting = 0
        except OSError as error:
            with suppress(OSError):
                self._file.close()
            raise _unusable(self.path, "written", error) from None

    def close(self) -> None:
        """Close the file; may be called again."""
        try:
            self._file.close()
        except OSError as error:
            raise _unusable(self.path, "written", error) from None

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """What happened, read back.

    Args:
        header: What it is of.
        times: Of the states [s]. Shape (m,).
        positions: Of the things [m]. Shape (m, n, 3).
        quaternions: Of the things, w x y z. Shape (m, n, 4).
        motors: For each robot the values of its motors [rad or m]. Shape (m, motors) each.
        travels: How far each belt has moved [m]. Shape (m, belts).
        triggers: All that were sent.
        notes: All debug lines.
        contact_events: All beginnings and ends of contacts.
        report: How it ended; None: it was cut off.
        contacts: For each state where things touch [m], and the force on the first of the two [N];
            of very many the strongest. Shape (k, 6) each.
    """

    header: Header
    times: Array
    positions: Array
    quaternions: Array
    motors: tuple[Array, ...]
    travels: Array
    triggers: tuple[Trigger, ...] = ()
    notes: tuple[Note, ...] = ()
    contact_events: tuple[ContactEvent, ...] = ()
    report: JsonLine | None = None
    contacts: tuple[Array, ...] = ()

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording; a last line that was cut off is left out.

        Raises:
            DescriptionError: When the file is none, or a line in it is wrong.
        """
        path = recording_path(path)
        rows: dict[str, list[JsonLine]] = {
            kind: [] for kind in ("header", "state", "trigger", "note", "contact", "report")
        }
        with closing(_rows(path)) as found:
            for number, row in found:
                kind = row.get("kind")
                if kind not in rows or (number == 1) != (kind == "header"):
                    raise DescriptionError(
                        "no line of a recording", value=kind, file=path, line=number
                    )
                rows[kind].append(row)
        try:
            return _recording(rows)
        except (KeyError, ValueError, TypeError) as error:
            raise DescriptionError(f"damaged: {error}", element=f"recording '{path}'") from None

    def thing(self, name: str) -> tuple[Array, Array]:
        """Return positions (m, 3) [m] and quaternions (m, 4) of a thing over time."""
        from armwerk.errors import UnknownNameError

        if name not in self.header.things:
            raise UnknownNameError("thing of the recording", name, self.header.things)
        index = self.header.things.index(name)
        return self.positions[:, index], self.quaternions[:, index]

    def moment(self, index: int) -> Moment:
        """Return state ``index``, with rates of the motors from the state before it."""
        motors = [
            dict(zip(robot.motors, values[index].tolist(), strict=True))
            for robot, values in zip(self.header.robots, self.motors, strict=True)
        ]
        quaternions = self.quaternions[index]
        turns = rotation_from_quaternion(quaternions) if len(quaternions) else np.zeros((0, 3, 3))
        return Moment(
            float(self.times[index]),
            self.positions[index],
            turns,
            motors,
            self._rates(index),
            self.travels[index].tolist(),
        )

    def _rates(self, index: int) -> list[dict[str, float]]:
        before = max(index - 1, 0)
        step = float(self.times[index] - self.times[before])
        if step <= 0:
            return []
        return [
            dict(zip(robot.motors, ((rows[index] - rows[before]) / step).tolist(), strict=True))
            for robot, rows in zip(self.header.robots, self.motors, strict=True)
        ]


def _rows(path: Path) -> Generator[tuple[int, JsonLine]]:
    """Give line numbers and what the lines hold; stops at a line that was cut off."""
    try:
        with _opened(path, "rt") as file:
            number = 0
            try:
                for number, line in enumerate(file, start=1):
                    if not line.endswith("\n"):
                        return
                    row = json.loads(line)
                    if not isinstance(row, dict):
                        raise ValueError("not an object")
                    yield number, row
            except (EOFError, zlib.error):
                return  # a compressed file that was cut off ends like this
            except ValueError as error:
                raise DescriptionError(
                    f"not a line of JSON ({error})", file=path, line=number + (number == 0)
                ) from None
    except OSError as error:
        raise _unusable(path, "read", error) from None


def _recording(rows: Mapping[str, list[JsonLine]]) -> Recording:
    if not rows["header"]:
        raise ValueError("it has no header")
    header = _header(rows["header"][0])
    states = rows["state"]
    count = len(states)
    things = np.array([row["things"] for row in states], dtype=np.float64)
    things = things.reshape(count, len(header.things), 7)
    motors = tuple(
        np.array([row["motors"][index] for row in states], dtype=np.float64).reshape(
            count, len(robot.motors)
        )
        for index, robot in enumerate(header.robots)
    )
    travels = np.array([row.get("belts", []) for row in states], dtype=np.float64)
    return Recording(
        header,
        np.array([row["time"] for row in states], dtype=np.float64),
        things[..., :3],
        things[..., 3:],
        motors,
        travels.reshape(count, len(header.belts)),
        tuple(Trigger(row["time"], row["instance"], row["text"]) for row in rows["trigger"]),
        tuple(Note(row["time"], row["instance"], row["text"]) for row in rows["note"]),
        tuple(event_of(**_without_kind(row)) for row in rows["contact"]),
        _without_kind(rows["report"][-1]) if rows["report"] else None,
        tuple(np.array(row.get("contacts", []), dtype=np.float64).reshape(-1, 6) for row in states),
    )


def _contact_row(contact: ContactPoint) -> list[float]:
    place = [round(float(value), 4) for value in contact.point]
    return place + [round(float(contact.force * value), 2) + 0.0 for value in contact.normal]


def _without_kind(row: JsonLine) -> JsonLine:
    return {key: value for key, value in row.items() if key != "kind"}


def _header_data(header: Header) -> JsonLine:
    return {
        "cell": header.cell,
        "versions": dict(header.versions),
        "units": UNITS,
        "rate": header.rate,
        "dt": header.dt,
        "seed": header.seed,
        "file": header.file,
        "things": list(header.things),
        "robots": [
            {
                "number": robot.number,
                "arm": robot.arm,
                "gripper": robot.gripper,
                "motors": list(robot.motors),
                "units": list(robot.units),
            }
            for robot in header.robots
        ],
        "belts": list(header.belts),
        "environment": header.environment,
    }


def _header(row: JsonLine) -> Header:
    if row.get("format") != FORMAT or row.get("version") != VERSION:
        raise ValueError(f"its header is not that of an '{FORMAT}' of version {VERSION}")
    robots = tuple(
        RecordedRobot(
            robot["number"],
            robot["arm"],
            robot["gripper"],
            tuple(robot["motors"]),
            tuple(robot["units"]),
        )
        for robot in row["robots"]
    )
    return Header(
        cell=row["cell"],
        environment=row["environment"],
        things=tuple(row["things"]),
        robots=robots,
        belts=tuple(row["belts"]),
        file=row["file"],
        rate=row["rate"],
        dt=row["dt"],
        seed=row["seed"],
        versions=row["versions"],
    )


def _opened(path: Path, mode: str) -> IO[str]:
    if path.suffix.lower() == ".gz":
        file: IO[str] = gzip.open(path, mode, 5, "utf-8", _ODD)  # type: ignore[assignment]  # noqa: SIM115
        return file
    return open(path, mode, encoding="utf-8", errors=_ODD, newline="\n")


def _plain(value: object) -> object:
    """Turn what numpy holds into what JSON knows."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return str(value)


def _unusable(path: Path, done: str, error: OSError) -> DescriptionError:
    reason = error.strerror or str(error)
    return DescriptionError(f"cannot be {done}: {reason}", element=f"recording '{path}'")
