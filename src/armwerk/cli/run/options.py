"""The options of ``armwerk run``, and what their values mean."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypedDict

import typer

from armwerk.cli.arguments import numbers
from armwerk.protocol import TimedMessage

IK_METHODS = {
    "pref": "pref",
    "closed": "closed",
    "down": "simplex",
    "jac": "jacobian",
    "simplex": "simplex",
    "jacobian": "jacobian",
    "numeric": "numeric",
}
RATE = 20.0  # pictures per simulated second
_MAX_SIDE = 4096  # [pixel]

Texts: TypeAlias = list[str] | None

Cell: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="CELL",
        help="Environment file, mobile scene (.toml, .glb, .gltf, .obj), shipped cell, or "
        "recording (.jsonl, .jsonl.gz).",
    ),
]
Environment: TypeAlias = Annotated[
    str | None, typer.Option("--environment", metavar="FILE", help="-e  The same as CELL.")
]
Manipulators: TypeAlias = Annotated[
    Texts,
    typer.Option(
        "--manipulator", metavar="[NRS=]ARM", help="-man[nrs]  Arm: name, file or module.Class."
    ),
]
Grippers: TypeAlias = Annotated[
    Texts,
    typer.Option(
        "--gripper", metavar="[NRS=]GRIPPER", help="-gri[nrs]  Gripper, named like an arm."
    ),
]
Controllers: TypeAlias = Annotated[
    Texts,
    typer.Option("--controller", metavar="[NRS=]CLASS", help="-c[nrs]  Controller: module.Class."),
]
Configs: TypeAlias = Annotated[
    Texts,
    typer.Option("--config", metavar="[NR=]TEXT", help="-cfg[nr]  Text for the controller."),
]
Places: TypeAlias = Annotated[
    Texts,
    typer.Option(
        "--robot",
        metavar='"[NR=]x y angle"',
        help="-robot[nr]  Where the robot stands [cm, deg]; 0 deg looks along +y.",
    ),
]
Ik: TypeAlias = Annotated[
    str,
    typer.Option(
        "--ik",
        metavar="METHOD",
        help="-ik  Inverse kinematics: pref, closed, down (simplex), jac (jacobian) or numeric.",
    ),
]
SkillsText: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--skills",
        metavar="+NAME,-NAME",
        help="-skills  Automatic kinematics on or off: mandirkin, maninvkin.",
    ),
]
Processors: TypeAlias = Annotated[
    Texts,
    typer.Option(
        "--trigger-processor",
        metavar="INST:CLASS",
        help="-tp  Trigger processor and its number; replaces the file's one of that number, "
        "or its only one.",
    ),
]
ProcessorConfigs: TypeAlias = Annotated[
    Texts,
    typer.Option(
        "--trigger-processor-config",
        metavar="[INST=]TEXT",
        help="-tpcfg  Text for the trigger processors, or for the one of that number.",
    ),
]
Seconds: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        metavar="S",
        help="Simulated time. Without it: until all controllers end, or 10 s without controllers.",
    ),
]
PaceText: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--pace", metavar="RATIO|max", help="Simulated per real time; 1 is real time [max]."
    ),
]
SimTime: TypeAlias = Annotated[
    float | None,
    typer.Option("--sim-time", metavar="MS", help="-simtime  Real ms per 100 ms simulated."),
]
Dt: TypeAlias = Annotated[
    float | None,
    typer.Option("--dt", metavar="MS", help="Step of the physics. Without it: 1 or 2 ms."),
]
Drives: TypeAlias = Annotated[
    str,
    typer.Option(
        "--drives",
        metavar="limited|stiff",
        help="Joints with the forces of their descriptions, or with unlimited ones.",
    ),
]
Seed: TypeAlias = Annotated[
    int, typer.Option("--seed", help="Of what controllers draw from self.random.")
]
Sends: TypeAlias = Annotated[
    Texts,
    typer.Option(
        "--send", metavar="T:INST:TEXT", help='Send a trigger at a time [s], as in "1.5:3:RUN".'
    ),
]
Lines: TypeAlias = Annotated[
    Texts,
    typer.Option(
        "--line", metavar="T:NR:TEXT", help="Send a commander line to a robot at a time [s]."
    ),
]
Commander: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--commander/--no-commander",
        help='Lines "NR: text" of the standard input go to robots; on at a terminal.',
    ),
]
LogDebug: TypeAlias = Annotated[
    bool, typer.Option("--log-debug", help="-logdebug  Debug lines to debug.out.")
]
LogState: TypeAlias = Annotated[
    bool, typer.Option("--log-state", help="-logstate  Controllers' states to state.out.")
]
LogSystem: TypeAlias = Annotated[
    bool, typer.Option("--log-system", help="-logsys  Messages to syslog.out.")
]
LogMessages: TypeAlias = Annotated[
    bool,
    typer.Option("--log-messages", help="-logmss  All triggers to mss.out: time, number, text."),
]
LogThreads: TypeAlias = Annotated[
    bool, typer.Option("--log-threads", help="-simst  Where threads are, to simthreads.out.")
]
LogContacts: TypeAlias = Annotated[
    bool,
    typer.Option("--contacts", help="Who begins or ends to touch whom, to contacts.out."),
]
LogAll: TypeAlias = Annotated[
    bool, typer.Option("--log-all", help="-logall  All of these but --contacts.")
]
LogDir: TypeAlias = Annotated[
    Path, typer.Option("--log-dir", metavar="DIR", help="-logdir  Folder of the logs.")
]
LogNames: TypeAlias = Annotated[
    str,
    typer.Option(
        "--log-names", metavar="TEXT", help='-lognames  Put "_TEXT" behind the names of the logs.'
    ),
]
Record: TypeAlias = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE", help="Write what happens, .jsonl or .jsonl.gz."),
]
RecordRate: TypeAlias = Annotated[
    float, typer.Option("--record-rate", metavar="HZ", help="States per simulated second.")
]
Video: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--video", metavar="FILE", help="Film it: .gif .webp .apng, with PyAV .mp4 .webm too."
    ),
]
Frames: TypeAlias = Annotated[
    Path | None, typer.Option("--frames", metavar="DIR", help="Write the pictures as .png files.")
]
Fps: TypeAlias = Annotated[
    float | None, typer.Option("--fps", help="Pictures per simulated second [20].")
]
SizeText: TypeAlias = Annotated[
    str, typer.Option("--size", metavar="WxH", help="Of the pictures [pixel].")
]
CameraText: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--camera",
        metavar='"azimuth elevation [distance] [target [follow]]"',
        help="Where the viewer stands [deg, deg, m] and what it looks at: x y z [m], a thing,"
        " robot 0; with follow it goes along. Without distance and target: sees the whole cell.",
    ),
]
Render: TypeAlias = Annotated[
    str,
    typer.Option(
        "--render",
        metavar="native|fx",
        help="-render  Pictures by armwerk itself, or by OpenGL where the machine can.",
        show_default=False,
    ),
]
RenderMs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--render-ms",
        "--renderms",
        metavar="MS",
        help="-renderms  Real ms between two pictures at the pace of the run; at pace 1 or max "
        "simulated ms, 50 is --fps 20.",
    ),
]
RenderFlags: TypeAlias = Annotated[
    str,
    typer.Option(
        "--render-flags",
        "--renderflags",
        metavar="TTF",
        help="-renderflags  T or F: mark moving motors, motors at 95 % speed, trigger zones; "
        "FFT in films, TTT in the studio.",
    ),
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", help="Hide debug lines and the cell's summary.")
]
Check: TypeAlias = Annotated[
    bool, typer.Option("--check", help="Read and build the cell, run nothing.")
]
SettingsName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--settings", metavar="NAME", help="Mobile scenes: settings saved for it, by name or file."
    ),
]
Physics: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--physics/--no-physics",
        help="Mobile scenes: off, robots pass through everything. [on]",
        show_default=False,
    ),
]
Level: TypeAlias = Annotated[
    bool,
    typer.Option("--level", help="With --no-physics: robots stay level and follow no slopes."),
]
MobilePrograms: TypeAlias = Annotated[
    Texts,
    typer.Option(
        "--mobile-program",
        metavar="ROBOT=PROGRAM",
        help='Mobile scenes: as in "robot1=wall follower side=left", or module:Class.',
    ),
]
EventKinds: TypeAlias = Annotated[
    str,
    typer.Option(
        "--events", metavar="KINDS", help='Mobile scenes: events to show, as in "goal,collision".'
    ),
]
EventLog: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--event-log", metavar="FILE", help="Mobile scenes: write the events there instead."
    ),
]
PageFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--page", metavar="FILE", help="Mobile scenes: the run as a 3-D page for any browser."
    ),
]
League: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--league",
        help="Mobile football: steered by clients of RoboCup's small-size league, in real time "
        "(UDP ports 10300 to 10302 of this machine, vision to 224.5.23.2:10020).",
    ),
]
ListCells: TypeAlias = Annotated[bool, typer.Option("--list", help="Show the shipped cells.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Write the report as JSON.")]


class CameraAngles(TypedDict, total=False):
    """Where the viewer of a picture stands, as far as chosen.

    Args:
        azimuth: About z from the x axis [rad].
        elevation: Above the floor [rad].
        distance: From the middle of the cell, or from the target [m]; None: chosen.
        target: A point [m] or a name.
        follow: Whether the viewer goes along with the target.
    """

    azimuth: float
    elevation: float
    distance: float | None
    target: str | tuple[float, ...]
    follow: bool


def ik_method(text: str) -> str:
    """Return armwerk's name of a method in either spelling."""
    if text not in IK_METHODS:
        raise typer.BadParameter(f"--ik: '{text}' is no method (known: {', '.join(IK_METHODS)})")
    return IK_METHODS[text]


def pace_ratio(pace: str | None, sim_time: float | None) -> float | None:
    """Return simulated per real time; None: as fast as possible."""
    if pace is not None and sim_time is not None:
        raise typer.BadParameter("--pace and --sim-time say the same; give one of them")
    if sim_time is not None:
        return 100.0 / _positive("--sim-time", sim_time)
    if pace is None or pace == "max":
        return None
    try:
        return _positive("--pace", float(pace))
    except ValueError:
        raise typer.BadParameter(f"--pace: '{pace}' is neither a number nor max") from None


def _positive(option: str, value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise typer.BadParameter(f"{option}: {value:g} is not above 0")
    return value


def checked(option: str, value: float | None, min_: float, max_: float) -> float | None:
    """Return a number within its bounds, ends included; None passes."""
    if value is not None and not min_ <= value <= max_:
        raise typer.BadParameter(f"{option}: {value:g} is not within {min_:g} to {max_:g}")
    return value


def schedule(sends: Texts, lines: Texts) -> list[TimedMessage]:
    """Return what is to be sent, by time."""
    found = [_message("--send", "trigger", text) for text in sends or ()]
    found += [_message("--line", "line", text) for text in lines or ()]
    return sorted(found, key=lambda message: message.time)


def _message(option: str, kind: Literal["trigger", "line"], text: str) -> TimedMessage:
    wanted = f"{option}: '{text}' is not time:number:text, as in 1.5:3:RUN"
    words = text.split(":", 2)
    if len(words) != 3:
        raise typer.BadParameter(wanted)
    try:
        time, instance = float(words[0]), int(words[1])
    except ValueError:
        raise typer.BadParameter(wanted) from None
    if not (math.isfinite(time) and time >= 0):
        raise typer.BadParameter(f"{option}: the time {words[0]} is not 0 s or later")
    return TimedMessage(time, kind, instance, words[2])


def picture_rate(fps: float | None, render_ms: float | None, pace: float | None = None) -> float:
    """Return pictures per simulated second, given so or as the time between two of them.

    Args:
        fps: Pictures per simulated second; None: not given.
        render_ms: Real time between two pictures [ms]; None: not given.
        pace: Simulated per real time, which makes the one of the other; None: simulated time is
            meant, for nobody knows how long it will take.
    """
    if fps is not None and render_ms is not None:
        raise typer.BadParameter("--fps and --render-ms say the same; give one of them")
    checked("--fps", fps, 0.1, 240.0)
    checked("--render-ms", render_ms, 1, 10_000)
    if render_ms is None:
        return RATE if fps is None else fps
    return 1000.0 / (render_ms * (pace or 1.0))


def picture_size(text: str) -> tuple[int, int]:
    """Return width and height of "640x480" [pixel]; odd ones are made even."""
    words = text.lower().split("x")
    if len(words) != 2 or not all(word.strip().isdigit() for word in words):
        raise typer.BadParameter(f"--size: '{text}' is not width x height, as in 640x480")
    width, height = (int(word) // 2 * 2 for word in words)
    if not (16 <= width <= _MAX_SIDE and 16 <= height <= _MAX_SIDE):
        raise typer.BadParameter(f"--size: '{text}' is not within 16 to {_MAX_SIDE} a side")
    return width, height


def camera_angles(text: str | None) -> CameraAngles:
    """Return where the viewer stands and what it looks at, as far as given.

    Args:
        text: Azimuth and elevation [deg], then a distance [m], then a target: a point x y z [m]
            or a name, behind which "follow" may stand. Distance and target may be left out.
    """
    if text is None:
        return {}
    words = text.replace(",", " ").split()
    count = next((place for place, word in enumerate(words) if not _is_number(word)), len(words))
    count = count if count == len(words) else max(2, min(count, 3))
    names = _CAMERA_NUMBERS.get(count, _CAMERA_NUMBERS[2 if count < 2 else 6])
    azimuth, elevation, *more = numbers(" ".join(words[:count]), names, "--camera")
    if not 0 < elevation <= 90:
        raise typer.BadParameter(f"--camera: elevation {elevation:g} is not within 0 to 90 deg")
    # straight from above the picture would have no upright direction
    elevation = min(elevation, 89.9)
    found: CameraAngles = {
        "azimuth": math.radians(azimuth),
        "elevation": math.radians(elevation),
        "distance": more[0] if len(more) in (1, 4) else None,
    }
    if found["distance"] is not None:
        _positive("--camera: distance", found["distance"])
    if len(more) >= 3:
        found["target"] = tuple(more[-3:])
    elif words[count:]:
        name = words[count:]
        found["follow"] = len(name) > 1 and name[-1] == "follow"
        found["target"] = " ".join(name[:-1] if found["follow"] else name)
    return found


_CAMERA_NUMBERS = {
    2: "azimuth elevation",
    3: "azimuth elevation distance",
    5: "azimuth elevation x y z",
    6: "azimuth elevation distance x y z",
}


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def render_flags(text: str) -> tuple[bool, bool, bool]:
    """Return three switches of a chain of T and F; what is left out stays as it is by default."""
    default = (False, False, True)
    if len(text) > 3 or set(text.upper()) - {"T", "F"}:
        raise typer.BadParameter(
            f"--render-flags: '{text}' is not up to three of T and F, as in TTF"
        )
    given = [letter == "T" for letter in text.upper()]
    moving, fast, zones = [*given, *default[len(given) :]]
    return moving, fast, zones


def renderer(text: str) -> Literal["native", "fx"]:
    """Return a known way to draw."""
    if text == "native":
        return "native"
    if text == "fx":
        return "fx"
    raise typer.BadParameter(f"--render: '{text}' is not known (native or fx)")
