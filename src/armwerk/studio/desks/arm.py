"""The desk of the arm view: descriptions are opened, looked at, edited, moved."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict

import numpy as np

from armwerk.errors import ArmwerkError, DescriptionError
from armwerk.protocol.configuring import (
    ArmAxes,
    ArmChoice,
    ArmChoices,
    ArmCommand,
    ArmResult,
    ListArms,
    LookAtArm,
    OpenArm,
    OpenedArm,
    PoseArm,
    PosedArm,
    ReadAxes,
    SeenArm,
    SweepArm,
    WriteAxes,
)
from armwerk.protocol.deriving import DeriveArm, WriteDerivation
from armwerk.protocol.forming import ArmProblem, ArmText, ConvertArm, EditArm
from armwerk.protocol.viewing import ViewedGeometry
from armwerk.robot import library, load_arm
from armwerk.robot.arm import Arm
from armwerk.robot.files import library_file
from armwerk.robot.formats.saving import ARM_WRITERS, ENDINGS
from armwerk.robot.formats.toml_edit import (
    ARRAYS,
    moved_table,
    set_value,
    with_joint,
    without_table,
)
from armwerk.robot.formats.toml_edit_parts import with_name, with_part, with_platform, with_union
from armwerk.robot.formats.toml_writer import arm_to_toml
from armwerk.robot.installed import installed_packages, installed_robots
from armwerk.robot.parts import Assembly
from armwerk.robot.reading import KeyPath
from armwerk.robot.references import ArmReference
from armwerk.studio.arm_sources import arm_source
from armwerk.studio.desks.arm_axes import axis_rows, with_axes
from armwerk.studio.desks.arm_bench import ArmBench, pose_of
from armwerk.studio.desks.arm_derivation import DerivationShelf
from armwerk.studio.desks.arm_form import read_arm
from armwerk.studio.desks.arm_reach import swept
from armwerk.studio.folder import StudioFolder

_KEPT = 6  # descriptions whose numbers are kept
_GUESS = 0.3  # [m or rad] for a symbol that nobody has given a number
_PAIR = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^,;]+)\s*")
_TYPES = {
    "articulated": "Articulated: six turning joints, wrist axes that meet",
    "cartesian": "Cartesian: three slides and a wrist",
    "cylindrical": "Cylindrical: a turn, two slides and a wrist",
    "stanford": "Spherical (Stanford): two turns, a slide and a wrist",
    "scara": "SCARA I: two upright turns, a quill, a turn",
    "scara2": "SCARA II: a slide first, then upright turns",
    "typ1": "Typ I: six turns, no common wrist point",
    "typ2": "Typ II: six turns, no parallel axes",
    "five_axis": "Five axes",
    "planar_rr": "Planar: two turns",
    "planar_tt": "Planar: two slides",
    "tripod": "Parallel: tripod of three legs",
    "stewart": "Parallel: Stewart platform",
}
"""Construction types, each with an arm of the library that shows it."""
BLANK, BLANK_PARTS = "blank", "blank parts"
_BLANK_TEXT = """\
# A new arm. Rows are standard Denavit-Hartenberg; plain numbers are metres and radians.

name = "mine"

[[joint]]
kind = "revolute"
d = 0.4
a = 0.0
alpha = "90 deg"
offset = 0.0
limits = ["-170 deg", "170 deg"]

[[joint]]
kind = "revolute"
d = 0.0
a = 0.4
alpha = 0.0
offset = 0.0
limits = ["-120 deg", "120 deg"]

[[joint]]
kind = "revolute"
d = 0.0
a = 0.3
alpha = 0.0
offset = 0.0
limits = ["-150 deg", "150 deg"]
"""
_BLANK_PARTS_TEXT = """\
# A new arm built from parts; each hangs on the one above. Plain numbers are metres and radians.

kind = "assembly"
name = "mine"
tip = "hand"

[[part]]
kind = "body"
name = "base"

[[part]]
kind = "servo"
name = "shoulder"
position = [0.0, 0.0, 0.3]
turn = [0.0, 0.0, "90 deg"]
limits = ["-90 deg", "90 deg"]

[[part]]
kind = "touch_segment"
name = "upper"
length = 0.3

[[part]]
kind = "servo"
name = "elbow"
limits = ["-120 deg", "120 deg"]

[[part]]
kind = "touch_segment"
name = "lower"
length = 0.25

[[part]]
kind = "touch_point"
name = "hand"
"""
_BLANKS = {BLANK: _BLANK_TEXT, BLANK_PARTS: _BLANK_PARTS_TEXT}


class ArmDesk:
    """Answers what is asked of arms that are configured.

    Args:
        folder: Below which files are opened.
    """

    def __init__(self, folder: StudioFolder) -> None:
        self._folder = folder
        self._benches: OrderedDict[tuple[str, str], ArmBench] = OrderedDict()
        self._keeping = threading.Lock()
        self._derivations = DerivationShelf()

    def obey(self, command: ArmCommand) -> ArmResult:
        """Carry out a command.

        Raises:
            ArmwerkError: When something cannot be had; says why.
        """
        match command:
            case ListArms():
                return self._list()
            case OpenArm(name):
                return self._open(name)
            case LookAtArm(text, symbols, file):
                return self._look(text, symbols, file)
            case PoseArm():
                return self._pose(command)
            case EditArm(text, action, place, value):
                return ArmText(_edited(text, action, place, value))
            case ConvertArm(text, ending):
                return ArmText(_converted(text, ending))
            case DeriveArm(text, stage):
                return self._derivations.derived(text, stage)
            case WriteDerivation(text, written):
                return self._derivations.written(text, written)
            case ReadAxes(text, symbols):
                return ArmAxes(axis_rows(numbered(text, symbols)))
            case WriteAxes(text, symbols, axes):
                return ArmText(arm_to_toml(with_axes(numbered(text, symbols), axes)))
            case SweepArm(text, symbols):
                return swept(numbered(text, symbols))

    def _list(self) -> ArmChoices:
        types = [ArmChoice(name, title, "Construction types") for name, title in _TYPES.items()]
        arms = [ArmChoice(name, name, "Library") for name in library() if name not in _TYPES]
        files = [ArmChoice(name, name, "Files") for name in self._folder.arms()]
        files += [
            ArmChoice(f"{package}:{name}", name, f"Package {package}")
            for package in installed_packages()
            for name in installed_robots(package)
        ]
        blank = (
            ArmChoice(BLANK, "Blank: three turns to begin with", "Construction types"),
            ArmChoice(BLANK_PARTS, "Blank: built from parts", "Construction types"),
        )
        return ArmChoices((*blank, *types, *arms, *files))

    def _open(self, name: str) -> OpenedArm:
        path = library_file(name)
        if path is not None:
            return OpenedArm(name, path.read_text(encoding="utf-8"), "", "")
        if name in _BLANKS:
            return OpenedArm(name, _BLANKS[name], "", "")
        source = arm_source(name, self._folder)
        if source.reference.path.suffix.lower() == ".toml":
            return OpenedArm(name, self._folder.read(name)[0], name, "")
        arm = load_arm(source.words)
        kind = kind_of(source.reference)
        note = f"read from {kind}, shown and edited as TOML"
        return OpenedArm(name, arm_to_toml(arm), name, note)

    def _look(self, text: str, symbols: str, file: str) -> SeenArm:
        arm, form, problems = read_arm(text)
        if arm is None:
            return SeenArm(problems, form)
        names = arm.symbols if isinstance(arm, Arm) else ()
        title = arm.title or arm.name
        try:
            bench = self._bench(text, symbols)
        except ArmwerkError as error:
            wrong = ArmProblem("symbols" if names else "", 0, str(error))
            return SeenArm((wrong,), form, symbols=names, title=title)
        geometry, note = self._with_links(bench, file)
        frames: tuple[str, ...] = ("base", "tool")
        if isinstance(arm, Arm):
            frames = ("base", *(joint.name for joint in arm.joints), "tool")
        return SeenArm(
            (),
            form,
            geometry,
            bench.motors(),
            frames,
            names,
            title,
            _summary(arm),
            bench.size,
            note,
            isinstance(arm, Arm),
        )

    def _with_links(self, bench: ArmBench, file: str) -> tuple[ViewedGeometry, str]:
        """Return what is seen, with the links of its file where they fit; and why not."""
        if not file:
            return bench.geometry, ""
        try:
            source = arm_source(file, self._folder)
            if not source.is_tree:
                return bench.geometry, ""
            return bench.with_links(source.words, source.root), ""
        except (ArmwerkError, OSError) as error:
            return bench.geometry, f"the links are drawn, not as in {file}: {error}"

    def _pose(self, command: PoseArm) -> PosedArm:
        bench = self._bench(command.text, command.symbols)
        if len(command.goal) not in {0, 7}:
            raise DescriptionError(
                "wrong number of values", element="goal", value=len(command.goal), allowed="0 or 7"
            )
        goal = None
        if command.goal:
            if np.linalg.norm(command.goal[3:]) < 1e-6:
                raise DescriptionError("no turn", element="goal", allowed="a unit quaternion")
            goal = pose_of(command.goal)
        return bench.posed(bench.joint_values(command.joints), goal, command.solutions)

    def _bench(self, text: str, symbols: str) -> ArmBench:
        """Return the numbers of a description; they are kept for the latest ones."""
        key = (text, symbols)
        with self._keeping:
            known = self._benches.get(key)
            if known is not None:
                self._benches.move_to_end(key)
                return known
        made = ArmBench(numbered(text, symbols))
        with self._keeping:
            self._benches[key] = made
            for other in self._benches.values():
                if other is not made:
                    other.forget()
            while len(self._benches) > _KEPT:
                self._benches.popitem(last=False)
        return made


def kind_of(reference: ArmReference) -> str:
    """Return what kind of file an arm comes from, for people."""
    ending = reference.path.suffix.lower()
    if not reference.is_tree:
        return ending[1:].upper()
    return {".urdf": "URDF", ".xacro": "xacro"}.get(ending, "MJCF")


def numbered(text: str, symbols: str) -> Arm | Assembly:
    """Return what a text describes, with numbers for all its symbols.

    Args:
        text: The description.
        symbols: As in "a1 = 0.3, a2 = 0.25"; what is missing counts as 0.3.

    Raises:
        DescriptionError: When something is wrong with either.
    """
    arm, _, problems = read_arm(text)
    if arm is None:
        raise DescriptionError(problems[0].message, line=problems[0].line or None)
    if not isinstance(arm, Arm) or not arm.is_symbolic:
        return arm
    given = _numbers(symbols)
    return arm.with_values({name: given.get(name, _GUESS) for name in arm.symbols})


def _numbers(symbols: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in re.split(r"[,;\n]", symbols):
        if not part.strip():
            continue
        pair = _PAIR.fullmatch(part)
        try:
            assert pair is not None
            value = float(pair.group(2))
            if not np.isfinite(value):
                raise ValueError
            found[pair.group(1)] = value
        except (AssertionError, ValueError):
            raise DescriptionError(
                "no number for a symbol",
                element="symbols",
                value=part.strip()[:40],
                allowed="name = number, with commas between",
            ) from None
    return found


def _edited(text: str, action: str, place: str, value: str) -> str:
    path = _path(place)
    if action == "set":
        if len(path) == 3 and path[0] in {"part", "platform"} and path[2] == "name":
            return with_name(text, path, value)
        return set_value(text, path, value)
    array, row = path if len(path) == 2 else ("", "")
    if array not in ARRAYS or not isinstance(row, int):
        raise DescriptionError("no row", element="place", value=place[:80], allowed="joint/2")
    if action == "add":
        return _with_row(text, str(array), row, value)
    if action == "remove":
        return without_table(text, str(array), row)
    return moved_table(text, str(array), row, action)


def _with_row(text: str, array: str, after: int, kind: str) -> str:
    match array:
        case "part":
            return with_part(text, after, kind)
        case "union":
            return with_union(text, after)
        case "platform":
            return with_platform(text, after)
        case _:
            return with_joint(text, after, kind)


def _path(place: str) -> KeyPath:
    parts = place.split("/")
    if not place or len(parts) > 5 or not all(re.fullmatch(r"-?\w+", part) for part in parts):
        raise DescriptionError("no field", element="place", value=place[:80], allowed="joint/2/d")
    return tuple(int(part) if re.fullmatch(r"-?\d{1,4}", part) else part for part in parts)


def _converted(text: str, ending: str) -> str:
    arm, _, problems = read_arm(text)
    if arm is None:
        first = problems[0]
        raise DescriptionError(first.message, line=first.line or None)
    if ending == ".toml":
        return text
    if ending not in ARM_WRITERS:
        raise DescriptionError(
            "unknown format", element="ending", value=ending[:20], allowed=", ".join(ENDINGS)
        )
    if not isinstance(arm, Arm):
        raise DescriptionError(
            "an assembly of parts cannot be written in this format", value=ending, allowed=".toml"
        )
    return ARM_WRITERS[ending](arm)


def _summary(arm: Arm | Assembly) -> str:
    if isinstance(arm, Arm):
        turns, slides = arm.structure.count("R"), arm.structure.count("T")
        passive = len(arm.joints) - arm.dof
        parts = [
            f"{count} {word}{'s' if count > 1 else ''}"
            for count, word in ((turns, "turn"), (slides, "slide"), (passive, "passive joint"))
            if count
        ]
        return f"{arm.structure}: {', '.join(parts)}"
    loops = [f"'{loop.tie.name}' ({loop.pattern})" for loop in arm.loops]
    motors = f"{arm.dof} motor{'s' if arm.dof != 1 else ''}"
    closed = f"; closed chains: {', '.join(loops)}" if loops else ""
    return f"an assembly of {len(arm.tree)} parts with {motors}{closed}"
