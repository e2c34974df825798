"""From a `Scene` to the text of an environment file that reads back as the same scene."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields

from armwerk.errors import DescriptionError, SceneError
from armwerk.scene.keywords import ADDITIONS, USAGE, centimetre_text, degree_text, number_text
from armwerk.scene.reader import parse_scene
from armwerk.scene.scene import (
    Ball,
    Barrier,
    Circle,
    Conveyor,
    Cuboid,
    FixedSphere,
    Obstacle,
    Outline,
    Paint,
    Rectangle,
    Robot,
    Scene,
    Slice,
    Slope,
    Step,
    Thing,
    Watch,
    Wedge,
)

_EMPTY = "_S{EMPTY}_"
_EMBEDDED = re.compile(r"(_[IDS])(?=\{)")
_COMMENT = re.compile(r"(?<![^ \t])/(?=[/*])")
_NO_WORD = re.compile(r"[ \t]|//|/\*|_[IDS]\{|^$")


def write_scene(scene: Scene) -> str:
    """Return the environment file of a scene; `parse_scene` makes an equal scene of it.

    Raises:
        DescriptionError: When no environment file says what the scene says: a size of zero, a name
            with a blank, a text of two lines, a robot beyond MULTIROBOT.
    """
    texts = _Texts()
    body = list(_lines(scene, texts))
    text = "\n".join([*texts.definitions, *body, ""])
    try:
        again = parse_scene(text)
    except SceneError as error:
        line = error.problems[0].source.strip()
        raise DescriptionError(
            error.problem, element=f"scene, {line}", allowed=error.allowed
        ) from None
    for field in fields(Scene):
        given, read = getattr(scene, field.name), getattr(again, field.name)
        if field.compare and given != read:
            raise DescriptionError(
                "cannot be written",
                element=f"scene, {field.name}",
                value=_first_different(given, read),
                allowed="what an environment file can say",
            )
    return text


def _first_different(given: object, read: object) -> object:
    if isinstance(given, tuple) and isinstance(read, tuple) and len(given) == len(read):
        return next(one for one, other in zip(given, read, strict=True) if one != other)
    return given


def body_text(body: Paint | Obstacle | Thing) -> str:
    """Return the statement of a body, without its name and properties, which stand before it."""
    return _item(body)


def robot_text(robot: Robot) -> str:
    """Return the statement that says where a robot stands."""
    return f"ROBOT{robot.number} {_cm(*robot.position)} {degree_text(robot.angle)}"


class _Texts:
    """Writes texts so that nothing in them is taken for a comment or a value.

    Whatever would be is broken up by a STRING that is empty; a text with blanks in a place of one
    word becomes a STRING of its own.
    """

    def __init__(self) -> None:
        self.definitions: list[str] = []

    def line(self, text: str) -> str:
        written = _COMMENT.sub(f"/{_EMPTY}", _EMBEDDED.sub(rf"\1{_EMPTY}", text))
        if written != written.strip(" \t"):
            written = f"{_EMPTY}{written}{_EMPTY}"
        if _EMPTY in written and "STRING EMPTY" not in self.definitions:
            self.definitions.insert(0, "STRING EMPTY")
        return written

    def word(self, text: str) -> str:
        if not _NO_WORD.search(text):
            return text
        name = f"TEXT{len(self.definitions)}"
        self.definitions.append(f"STRING {name} {self.line(text)}")
        return f"_S{{{name}}}_"


def _cm(*lengths: float) -> str:
    return " ".join(centimetre_text(length) for length in lengths)


def _lines(scene: Scene, texts: _Texts) -> Iterator[str]:
    if scene.multirobot is not None:
        yield f"MULTIROBOT {scene.multirobot}"
    for robot in scene.robots:
        yield from _robot(robot, texts, needed=scene.multirobot is None)
    if scene.border:
        yield f"BORDER {_cm(*scene.border.low, *scene.border.high)}"
    for tile in scene.tiles:
        yield f"TILE {_range(tile.columns)} {_range(tile.rows)} {tile.colour}"
    for item in (*scene.paints, *scene.obstacles, *scene.things):
        if item.name:
            yield f"DEBUGNAME {item.name}"
        yield from _properties(item)
        yield _item(item)
    for processor in scene.processors:
        yield f"TRIGGERPROCESSOR {processor.instance} {processor.name}"
        if processor.config is not None:
            yield f"TPCONFIG {texts.line(processor.config)}".rstrip(" ")
    for watch in scene.watches:
        yield _watch(watch, texts)


def _robot(robot: Robot, texts: _Texts, *, needed: bool) -> Iterator[str]:
    number = robot.number
    if needed or robot.position != (0.0, 0.0) or robot.angle != 0.0:
        yield f"ROBOT{number} {_cm(*robot.position)} {degree_text(robot.angle)}"
    for keyword in ("MANIPULATOR", "GRIPPER", "CONTROLLER"):
        name = getattr(robot, keyword.lower())
        if name is not None:
            yield f"{keyword}{number} {name}"
    if robot.config is not None:
        yield f"CONFIG{number} {texts.line(robot.config)}".rstrip(" ")


def _range(numbers: tuple[int, int]) -> str:
    first, last = numbers
    return str(first) if first == last else f"{first}~{last}"


def _outline(outline: Outline) -> str:
    if isinstance(outline, Rectangle):
        return f"RECT {_cm(*outline.centre, *outline.size)}"
    if isinstance(outline, Circle):
        return f"CIRCLE {_cm(*outline.centre, outline.radius)}"
    corners = "\n    ".join(_cm(*corner) for corner in outline.corners)
    return f"POLY {len(outline.corners)}\n    {corners}"


def _item(
    item: Paint | Step | Slope | Slice | Wedge | Conveyor | FixedSphere | Ball | Cuboid,
) -> str:
    match item:
        case FixedSphere():
            return f"SPHERE {_cm(*item.centre, item.radius)} {item.colour}"
        case Ball():
            shares = f"{number_text(item.resistance)} {number_text(item.bounce)}"
            return f"BALL {_cm(*item.centre, item.radius)} {shares} {item.colour}"
        case Cuboid():
            return f"CUBOID {_cm(*item.centre, *item.size)} {item.colour}"
        case Paint():
            head = f"BOTTOMPAINT {item.colour} {number_text(item.alpha)}"
        case Step():
            head = f"STEP {_cm(item.height)} {item.colour}"
        case Slope():
            head = f"SLOPE {_cm(*item.heights)} {item.direction} {item.colour}"
        case Slice():
            head = f"SLICE {_cm(item.bottom, item.top)} {item.colour}"
        case Wedge():
            head = f"WEDGE {_cm(*item.upper, *item.lower)} {item.direction} {item.colour}"
        case Conveyor():
            state = "RUN" if item.running else "STOP"
            speeds = _cm(item.speed, item.to_middle)
            head = (
                f"CONVEYOR {item.instance} {state} {_cm(*item.heights)} {item.direction}"
                f" {speeds} {item.colour}"
            )
    end = f"END{head.split(' ', 1)[0]}"
    return f"{head}\n  {_outline(item.outline)}\n{end}"


def _properties(item: Paint | Obstacle | Thing) -> Iterator[str]:
    """Yield what a body states of itself, marked as armwerk's additions to such files."""
    for word in ADDITIONS:
        if word == "BOUNCE" and not isinstance(item, Cuboid):
            continue  # a ball says it in its own line
        value = getattr(item, word.lower(), None)
        if value is not None and (word, value) != ("BOUNCE", 0.0):
            yield f"{word} {number_text(value)}  // [{USAGE[word]}] an addition of armwerk"


def _watch(watch: Watch, texts: _Texts) -> str:
    kind = watch.watched.upper()
    if isinstance(watch, Barrier):
        event, place = "BARRIER", _cm(*watch.start, *watch.end)
    else:
        event, place = watch.event.upper(), _cm(*watch.centre, watch.radius)
    return (
        f"TRIGGER {kind}{event} {watch.instance} {texts.word(watch.text)} {place}"
        f" {_cm(watch.height)} {watch.colour or '*'}"
    )
