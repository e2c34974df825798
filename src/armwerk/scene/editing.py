"""Edits of the text of a cell: one statement changes, everything else stays as it was written.

Comments, variables and order of a file belong to whoever wrote it. So an edit finds the statement
of the thing, fixed body, belt or robot by its name and puts another in its place; only the
expressions of that one statement become plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import NamedTuple

from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.scene.arguments import Arguments
from armwerk.scene.directives import DIRECTIVES
from armwerk.scene.draft import Draft
from armwerk.scene.keywords import ADDITIONS, split
from armwerk.scene.reader import parse_scene
from armwerk.scene.scanner import Scanner
from armwerk.scene.scene import (
    Ball,
    Circle,
    Conveyor,
    Cuboid,
    FixedSphere,
    Obstacle,
    Outline,
    Polygon,
    Rectangle,
    Robot,
    Scene,
    Slice,
    Slope,
    Step,
    Thing,
    Wedge,
)
from armwerk.scene.writer import body_text, robot_text

_THINGS = ("BALL", "CUBOID")
_OBSTACLES = ("STEP", "SLOPE", "SLICE", "WEDGE", "CONVEYOR", "SPHERE")
_BEFORE = ("DEBUGNAME", *ADDITIONS)  # belong to the body behind them
_OF_A_ROBOT = ("ROBOT", "MANIPULATOR", "GRIPPER", "CONTROLLER", "CONFIG")


class Statement(NamedTuple):
    """A statement of a cell's text.

    Args:
        word: Its directive, without a robot's number.
        number: Of the robot it is about; None: it is about none.
        start: Where it begins in the text.
        end: Where it ends.
    """

    word: str
    number: int | None
    start: int
    end: int


def statements(text: str) -> list[Statement]:
    """Return the statements of a text that has no problems, in order."""
    scanner = Scanner(text)
    a, draft = Arguments(scanner), Draft(scanner)
    found: list[Statement] = []
    while True:
        a.start, word = scanner.peek()
        if not word:
            return found
        name, digits = split(word)
        scanner.advance(a.start[1])
        a.directive = name
        DIRECTIVES[name](a, draft)
        number = int(digits or 0) if name in _OF_A_ROBOT else None
        found.append(Statement(name, number, a.start[0], scanner.taken))


def moved(text: str, name: str, position: Sequence[float], angle: float | None = None) -> str:
    """Return the text with something elsewhere.

    Args:
        text: Of the cell.
        name: Of a thing, fixed body or belt; or "robot 0".
        position: Of its middle [m]: x, y, and z, which only things, fixed spheres and slices have.
        angle: Of a robot about the vertical [rad]; None: as it is.

    Raises:
        UnknownNameError: When nothing has that name.
        DescriptionError: For a position that is none.
        SceneError: When the cell would have problems.
    """
    place = _numbers("position", position, (2, 3))
    scene, text = _read(text)
    if (number := _robot_number(scene, name)) is not None:
        robot = next(one for one in scene.robots if one.number == number)
        turned = robot.angle if angle is None else _numbers("angle", (angle,), (1,))[0]
        line = robot_text(replace(robot, position=(place[0], place[1]), angle=turned))
        return _checked(_with_robot_line(text, number, line))
    body, where = _find(scene, text, name)
    return _checked(_replaced(text, where, body_text(_body_at(body, place))))


def shifted(text: str, name: str, offset: Sequence[float]) -> str:
    """Return the text with something moved by an offset.

    Args:
        text: Of the cell.
        name: Of a thing, fixed body or belt; or "robot 0".
        offset: Along x, y and z [m]; z counts for things, fixed spheres and slices.

    Raises:
        UnknownNameError: When nothing has that name.
        DescriptionError: For an offset that is none.
        SceneError: When the cell would have problems.
    """
    way = _numbers("offset", offset, (3,))
    scene, plain = _read(text)
    if (number := _robot_number(scene, name)) is not None:
        robot = next(one for one in scene.robots if one.number == number)
        middle: tuple[float, ...] = robot.position
    else:
        middle = _middle(_find(scene, plain, name)[0])
    return moved(text, name, [one + other for one, other in zip(middle, way, strict=False)])


def resized(text: str, name: str, size: Sequence[float]) -> str:
    """Return the text with something larger or smaller.

    Args:
        text: Of the cell.
        name: Of a thing, fixed body or belt.
        size: Edges along x, y and z [m]; of what is round its radius, and its height if it has one.

    Raises:
        UnknownNameError: When nothing has that name.
        DescriptionError: For a size that does not suit it.
        SceneError: When the cell would have problems.
    """
    scene, text = _read(text)
    body, where = _find(scene, text, name)
    return _checked(_replaced(text, where, body_text(_body_sized(body, size))))


def removed(text: str, name: str) -> str:
    """Return the text without something; of robots only the last can go.

    Args:
        text: Of the cell.
        name: Of a thing, fixed body or belt; or "robot 3".

    Raises:
        UnknownNameError: When nothing has that name.
        DescriptionError: For a robot that is not the last.
    """
    scene, text = _read(text)
    if (number := _robot_number(scene, name)) is not None:
        return _checked(_without_robot(scene, text, number))
    _, where = _find(scene, text, name)
    known = statements(text)
    first = known.index(where)
    while first > 0 and known[first - 1].word in _BEFORE:
        first -= 1
    return _checked(_cut(text, known[first].start, where.end))


def added(text: str, lines: str) -> str:
    """Return the text with more statements at its end.

    Raises:
        SceneError: When the cell would have problems.
    """
    _, text = _read(text)
    return _checked(f"{text.rstrip()}\n{lines.strip()}\n".lstrip("\n"))


def with_another_robot(
    text: str,
    position: Sequence[float],
    angle: float = 0.0,
    manipulator: str | None = None,
    gripper: str | None = None,
) -> str:
    """Return the text with one more robot.

    Args:
        text: Of the cell.
        position: x and y [m].
        angle: About the vertical [rad].
        manipulator: Its arm; None: the default one.
        gripper: What it carries; None: nothing.

    Raises:
        DescriptionError: For a position that is none.
        SceneError: When the cell would have problems, such as too many robots.
    """
    x, y = _numbers("position", position, (2,))
    scene, text = _read(text)
    number = max((robot.number for robot in scene.robots), default=-1) + 1
    lines = [robot_text(Robot(number, (x, y), _numbers("angle", (angle,), (1,))[0]))]
    if manipulator:
        lines.append(f"MANIPULATOR{number} {manipulator}")
    if gripper:
        lines.append(f"GRIPPER{number} {gripper}")
    if number:
        text = _with_multirobot(text, number + 1)
    return added(text, "\n".join(lines))


def programmed(text: str, number: int, controller: str, config: str) -> str:
    """Return the text with another program for a robot.

    What the text says for all robots is left alone: a line for this robot is put behind it.

    Args:
        text: Of the cell.
        number: Of the robot.
        controller: Class of the program, as in "module.Class"; empty: none.
        config: Text it is given, in one line; empty: none.

    Raises:
        UnknownNameError: When the cell has no such robot.
        SceneError: When the cell would have problems.
    """
    scene, text = _read(text)
    robots = {robot.number: robot for robot in scene.robots}
    if number not in robots:
        raise UnknownNameError("robot", str(number), [str(one) for one in robots])
    lines = {"CONTROLLER": controller.strip(), "CONFIG": config.strip()}
    for word, value in lines.items():
        if "\n" in value or "\r" in value:
            raise DescriptionError("has more than one line", element=word, value=value[:40])
        now = {"CONTROLLER": robots[number].controller, "CONFIG": robots[number].config}[word]
        if value == (now or ""):
            continue
        own = [one for one in statements(text) if one.word == word and one.number == number]
        if not value:
            for one in reversed(own):
                text = _cut(text, one.start, one.end)
        elif own:
            text = _replaced(text, own[-1], f"{word}{number} {value}")
        else:
            text = f"{text.rstrip()}\n{word}{number} {value}\n"
    robot = next(one for one in parse_scene(text).robots if one.number == number)
    for word, read in (("CONTROLLER", robot.controller), ("CONFIG", robot.config)):
        if (read or "") != lines[word]:
            raise DescriptionError(
                "holds a comment or a value of the file",
                element=f"{word} of robot {number}",
                value=lines[word][:40],
                allowed="a plain text here; all else in the text of the cell",
            )
    return text


def _read(text: str) -> tuple[Scene, str]:
    scene = parse_scene(text)
    return scene, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _checked(text: str) -> str:
    parse_scene(text)
    return text


def _find(scene: Scene, text: str, name: str) -> tuple[Thing | Obstacle, Statement]:
    known = statements(text)
    things = scene.names()
    obstacles = scene.obstacle_names()
    if name in things:
        places = [one for one in known if one.word in _THINGS]
        number = list(things).index(name)
        return scene.things[number], places[number]
    if name in obstacles:
        places = [one for one in known if one.word in _OBSTACLES]
        return obstacles[name], places[list(obstacles).index(name)]
    robots = [f"robot {robot.number}" for robot in scene.robots]
    raise UnknownNameError("body in the cell", name, [*things, *obstacles, *robots])


def _robot_number(scene: Scene, name: str) -> int | None:
    named = {f"robot {robot.number}": robot.number for robot in scene.robots}
    if name in scene.names() or name in scene.obstacle_names():
        return None
    return named.get(name)


def _replaced(text: str, where: Statement, by: str) -> str:
    return text[: where.start] + by + text[where.end :]


def _cut(text: str, start: int, end: int) -> str:
    """Return the text without a piece, and without the line it leaves empty."""
    head, tail = text[:start], text[end:]
    if head.rstrip(" \t").endswith("\n") or not head.strip(" \t"):
        rest = tail.split("\n", 1)
        if not rest[0].strip() and len(rest) == 2:
            return head.rstrip(" \t") + rest[1]
    return head + tail


def _with_robot_line(text: str, number: int, line: str) -> str:
    own = [one for one in statements(text) if one.word == "ROBOT" and one.number == number]
    return _replaced(text, own[0], line) if own else f"{text.rstrip()}\n{line}\n"


def _with_multirobot(text: str, count: int) -> str:
    own = [one for one in statements(text) if one.word == "MULTIROBOT"]
    line = f"MULTIROBOT {count}"
    return _replaced(text, own[0], line) if own else f"{line}\n{text}"


def _without_robot(scene: Scene, text: str, number: int) -> str:
    last = max(robot.number for robot in scene.robots)
    if number != last:
        raise DescriptionError(
            "robots are numbered without gaps",
            element=f"removal of robot {number}",
            allowed=f"robot {last}, the last one",
        )
    for one in reversed(statements(text)):
        if one.word in _OF_A_ROBOT and one.number == number:
            text = _cut(text, one.start, one.end)
    if scene.multirobot is not None and number > 0:
        text = _with_multirobot(text, number)
    return text


def _body_at(body: Thing | Obstacle, place: tuple[float, ...]) -> Thing | Obstacle:
    if isinstance(body, Ball | Cuboid | FixedSphere):
        z = place[2] if len(place) == 3 else body.centre[2]
        return replace(body, centre=(place[0], place[1], z))
    outline = _outline_at(body.outline, place)
    if isinstance(body, Slice) and len(place) == 3:
        half = (body.top - body.bottom) / 2
        return replace(body, outline=outline, bottom=place[2] - half, top=place[2] + half)
    return replace(body, outline=outline)  # type: ignore[arg-type]  # of the kind it had


def _middle(body: Thing | Obstacle) -> tuple[float, ...]:
    """Return where `_body_at` would have to put a body for it to stay: x, y, maybe z."""
    if isinstance(body, Ball | Cuboid | FixedSphere):
        return body.centre
    outline = body.outline
    if isinstance(outline, Rectangle | Circle):
        x, y = outline.centre
    else:
        low, high = _bounds(outline)
        x, y = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
    return (x, y, (body.top + body.bottom) / 2) if isinstance(body, Slice) else (x, y)


def _outline_at(outline: Outline, place: tuple[float, ...]) -> Outline:
    x, y = place[:2]
    if isinstance(outline, Rectangle | Circle):
        return replace(outline, centre=(x, y))
    low, high = _bounds(outline)
    dx, dy = x - (low[0] + high[0]) / 2, y - (low[1] + high[1]) / 2
    return Polygon(tuple((u + dx, v + dy) for u, v in outline.corners))


def _bounds(outline: Polygon) -> tuple[tuple[float, float], tuple[float, float]]:
    xs, ys = zip(*outline.corners, strict=True)
    return (min(xs), min(ys)), (max(xs), max(ys))


def _body_sized(body: Thing | Obstacle, size: Sequence[float]) -> Thing | Obstacle:
    match body:
        case Cuboid():
            x, y, z = _sizes(size, 3)
            return replace(body, size=(x, y, z))
        case Ball() | FixedSphere():
            return replace(body, radius=_sizes(size, 1)[0])
        case Slope() | Conveyor():
            x, y, z = _sizes(size, 3)
            low, high = body.heights
            scale = z / max(low, high)
            outline = replace(body.outline, size=(x, y))
            return replace(body, outline=outline, heights=(low * scale, high * scale))
        case Wedge():
            x, y = _sizes(size, 2)
            return replace(body, outline=replace(body.outline, size=(x, y)))
        case Step() | Slice():
            outline_, height = _outline_sized(body.outline, size)
            if isinstance(body, Step):
                return replace(body, outline=outline_, height=height)
            middle = (body.bottom + body.top) / 2
            return replace(
                body, outline=outline_, bottom=middle - height / 2, top=middle + height / 2
            )


def _outline_sized(outline: Outline, size: Sequence[float]) -> tuple[Outline, float]:
    """Return an outline of another size, and the height that came with it."""
    if isinstance(outline, Circle):
        radius, height = _sizes(size, 2)
        return replace(outline, radius=radius), height
    x, y, height = _sizes(size, 3)
    if isinstance(outline, Rectangle):
        return replace(outline, size=(x, y)), height
    low, high = _bounds(outline)
    middle = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
    wide = (x / (high[0] - low[0]), y / (high[1] - low[1]))
    corners = tuple(
        (middle[0] + (u - middle[0]) * wide[0], middle[1] + (v - middle[1]) * wide[1])
        for u, v in outline.corners
    )
    return Polygon(corners), height


def _sizes(size: Sequence[float], count: int) -> tuple[float, ...]:
    values = _numbers("size", size, (count,))
    if min(values) <= 0.0:
        raise DescriptionError("not above 0", element="size", value=values, allowed="lengths [m]")
    return values


def _numbers(what: str, values: Sequence[float], counts: tuple[int, ...]) -> tuple[float, ...]:
    try:
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) not in counts or not all(isfinite(number) for number in numbers):
        allowed = " or ".join(str(count) for count in counts)
        raise DescriptionError(
            f"not {allowed} finite numbers", element=what, value=values, allowed=f"{allowed} [m]"
        )
    return numbers
