"""What each directive says; one function per directive, in a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

from armwerk.scene.arguments import SMALLEST, SMALLEST_THING, Arguments
from armwerk.scene.draft import Draft
from armwerk.scene.keywords import split
from armwerk.scene.outlines import read_outline, read_rectangle
from armwerk.scene.scanner import Span
from armwerk.scene.scene import (
    MOST_ROBOTS,
    Ball,
    Barrier,
    Border,
    Conveyor,
    Cuboid,
    FixedSphere,
    Paint,
    Processor,
    RobotChanges,
    Slice,
    Slope,
    Step,
    Tile,
    Wedge,
    Zone,
)

Directive: TypeAlias = Callable[[Arguments, Draft], None]
PROPERTIES: dict[str, tuple[float, float, str]] = {  # least, most, unit
    "MASS": (1e-6, 1e4, "kg"),
    "DENSITY": (1e-3, 1e5, "kg/m³"),
    "FRICTION": (0.0, 10.0, ""),
    "BOUNCE": (0.0, 1.0, ""),
}
_TRIGGERS = (
    "BALLENTERS",
    "CUBOIDENTERS",
    "BALLLEAVES",
    "CUBOIDLEAVES",
    "BALLBARRIER",
    "CUBOIDBARRIER",
)


def _number(a: Arguments, draft: Draft) -> None:
    name = a.name("name", a.numbers)
    a.numbers.setdefault(name, None)
    value = a.number("value")
    if a.numbers[name] is None:
        a.numbers[name] = value


def _string(a: Arguments, draft: Draft) -> None:
    name = a.name("name", a.strings)
    known = name in a.strings
    a.strings.setdefault(name, None)
    text = a.line_text()
    if not known:
        a.strings[name] = text


def _debug_name(a: Arguments, draft: Draft) -> None:
    name = a.title()
    draft.set_name(a.span, name)


def _property(a: Arguments, draft: Draft) -> None:
    low, high, unit = PROPERTIES[a.directive]
    span, value = a.start, a.quantity(a.directive.lower(), low, high, unit)
    draft.set_property(span, a.directive, value)


def _magnetic(a: Arguments, draft: Draft) -> None:
    span = a.start
    draft.set_property(span, a.directive, float(a.whole("magnetic", 0, 1)))


def _friction(a: Arguments, draft: Draft) -> float | None:
    """Return the friction stated for an obstacle, which states nothing else."""
    return draft.take_properties(a.directive, "FRICTION").get("friction")


def _multirobot(a: Arguments, draft: Draft) -> None:
    draft.set_multirobot(a.start, a.whole("count", 1, MOST_ROBOTS))


def _robot_number(a: Arguments) -> int:
    digits = split(a.scanner.text[slice(*a.start)])[1]
    if (digits and str(int(digits[:4])) != digits) or int(digits[:4] or 0) >= MOST_ROBOTS:
        allowed = f"0 to {MOST_ROBOTS - 1}, without zeros before"
        a.scanner.report(a.start, f"there is no robot {digits[:20]}", allowed)
        return 0
    return int(digits or 0)


def _robot(a: Arguments, draft: Draft) -> None:
    number, start = _robot_number(a), a.start
    position = a.point()
    draft.set_robot(start, "ROBOT", number, position=position, angle=a.angle("angle"))


def _class_of_robot(field: Literal["manipulator", "gripper", "controller"]) -> Directive:
    def read(a: Arguments, draft: Draft) -> None:
        name = a.word("class", free=True)
        number = _robot_number(a)
        draft.mark(field, number, a.span, name)
        changes: RobotChanges = {}
        changes[field] = name
        draft.set_robot(a.start, a.directive, number, **changes)

    return read


def _config(a: Arguments, draft: Draft) -> None:
    number, text = _robot_number(a), a.line_text()
    draft.mark("config", number, a.span, text)
    draft.set_robot(a.start, "CONFIG", number, config=text)


def _processor(a: Arguments, draft: Draft) -> None:
    instance = a.instance(low=0)
    name = a.word("class", free=True)
    draft.add_processor(a.start, a.span, Processor(instance, name))


def _processor_config(a: Arguments, draft: Draft) -> None:
    text = a.line_text()
    draft.set_processor_config(a.start, a.span, text)


def _border(a: Arguments, draft: Draft) -> None:
    draft.once("BORDER", a.start, "BORDER")
    low = a.point("minx", "miny")
    start = a.scanner.skip()
    high = a.point("maxx", "maxy")
    for axis, least, most in zip("xy", low, high, strict=True):
        if most - least < SMALLEST:
            a.report((start, a.span[1]), f"max{axis} is not above min{axis}", f"max{axis} above it")
    draft.border = Border(low, high)


def _tile(a: Arguments, draft: Draft) -> None:
    columns = a.tiles("columns")
    rows = a.tiles("rows")
    draft.tiles.append(Tile(columns, rows, a.colour()))


def _paint(a: Arguments, draft: Draft) -> None:
    colour = a.colour()
    alpha = a.share("alpha")
    outline = read_outline(a)
    draft.take_properties(a.directive)
    draft.paints.append(Paint(outline, colour, alpha, draft.take_name()))


def _step(a: Arguments, draft: Draft) -> None:
    height = a.size("height")
    colour = a.colour()
    outline = read_outline(a)
    draft.obstacles.append(Step(outline, height, colour, draft.take_name(), _friction(a, draft)))


def _heights(a: Arguments) -> tuple[float, float]:
    start = a.scanner.skip()
    heights = a.height("height1"), a.height("height2")
    if max(heights) < SMALLEST:
        a.report((start, a.span[1]), "both heights are 0", "one of them above 0")
    return heights


def _slope(a: Arguments, draft: Draft) -> None:
    heights = _heights(a)
    direction = a.direction()
    colour = a.colour()
    outline = read_rectangle(a)
    draft.obstacles.append(
        Slope(outline, heights, direction, colour, draft.take_name(), _friction(a, draft))
    )


def _slice(a: Arguments, draft: Draft) -> None:
    bottom = a.length("bottom")
    top = a.length("top")
    if top - bottom < SMALLEST:
        a.report(a.span, "top is not above bottom", f"at least {SMALLEST * 100:g} cm more")
    colour = a.colour()
    outline = read_outline(a)
    draft.obstacles.append(
        Slice(outline, bottom, top, colour, draft.take_name(), _friction(a, draft))
    )


def _wedge(a: Arguments, draft: Draft) -> None:
    upper = a.length("upper1"), a.length("upper2")
    spans: list[Span] = []
    lower = []
    for what in ("lower1", "lower2"):
        lower.append(a.length(what))
        spans.append(a.span)
    gaps = [high - low for high, low in zip(upper, lower, strict=True)]
    for side, gap in enumerate(gaps):
        if gap < 0.0:
            what = f"lower{side + 1} is above upper{side + 1}"
            a.report(spans[side], what, "a bottom below the top on both sides")
    if 0.0 <= min(gaps) <= max(gaps) < SMALLEST:
        a.report(spans[0], "top and bottom are the same", "a top above the bottom on one side")
    direction = a.direction()
    colour = a.colour()
    outline = read_rectangle(a)
    name, friction = draft.take_name(), _friction(a, draft)
    wedge = Wedge(outline, upper, (lower[0], lower[1]), direction, colour, name, friction)
    draft.obstacles.append(wedge)


def _conveyor(a: Arguments, draft: Draft) -> None:
    instance = a.instance()
    running = a.choice("state", ("RUN", "STOP")) == "RUN"
    heights = _heights(a)
    direction = a.direction()
    speed, to_middle = a.speed("speed"), a.speed("tomiddlespeed", low=0.0)
    colour = a.colour()
    outline = read_rectangle(a)
    draft.obstacles.append(
        Conveyor(
            outline,
            heights,
            direction,
            colour,
            instance,
            running,
            speed,
            to_middle,
            draft.take_name(),
            _friction(a, draft),
        )
    )


def _sphere(a: Arguments, draft: Draft) -> None:
    centre, radius = a.place(), a.size("radius")
    colour, name = a.colour(), draft.take_name()
    draft.obstacles.append(FixedSphere(centre, radius, colour, name, _friction(a, draft)))


def _ball(a: Arguments, draft: Draft) -> None:
    centre, radius = a.place(), a.size("radius", SMALLEST_THING)
    resistance, bounce = a.share("resistance"), a.share("bounce")
    colour, name = a.colour(), draft.take_name()
    stated = draft.take_properties("BALL", "MASS", "DENSITY", "FRICTION", "MAGNETIC")
    mass, density, friction = stated.get("mass"), stated.get("density"), stated.get("friction")
    own = (mass, density, friction, stated.get("magnetic"))
    draft.things.append(Ball(centre, radius, resistance, bounce, colour, name, *own))


def _cuboid(a: Arguments, draft: Draft) -> None:
    centre = a.place()
    size = (
        a.size("sizex", SMALLEST_THING),
        a.size("sizey", SMALLEST_THING),
        a.size("sizez", SMALLEST_THING),
    )
    colour, name = a.colour(), draft.take_name()
    stated = draft.take_properties("CUBOID", "MASS", "DENSITY", "FRICTION", "BOUNCE", "MAGNETIC")
    draft.things.append(Cuboid(centre, size, colour, name, **stated))


def _trigger(a: Arguments, draft: Draft) -> None:
    kind = a.choice("kind", _TRIGGERS)
    watched: Literal["ball", "cuboid"] = "ball" if kind.startswith("BALL") else "cuboid"
    instance = a.instance()
    text = a.trigger_text()
    if kind.endswith("BARRIER"):
        start = a.point("x1", "y1")
        at = a.scanner.skip()
        end = a.point("x2", "y2")
        if math.dist(start, end) < SMALLEST:
            a.report((at, a.span[1]), "both points are the same", "a second point elsewhere")
        height = a.height("height")
        barrier = Barrier(watched, instance, text, start, end, height, a.colour_or_any())
        draft.watches.append(barrier)
        return
    centre, radius, height = a.point(), a.size("radius"), a.height("height")
    event: Literal["enters", "leaves"] = "enters" if kind.endswith("ENTERS") else "leaves"
    zone = Zone(watched, event, instance, text, centre, radius, height, a.colour_or_any())
    draft.watches.append(zone)


DIRECTIVES: dict[str, Directive] = {
    "NUMBER": _number,
    "STRING": _string,
    "DEBUGNAME": _debug_name,
    "MASS": _property,
    "DENSITY": _property,
    "FRICTION": _property,
    "BOUNCE": _property,
    "MAGNETIC": _magnetic,
    "MULTIROBOT": _multirobot,
    "ROBOT": _robot,
    "CONTROLLER": _class_of_robot("controller"),
    "CONFIG": _config,
    "MANIPULATOR": _class_of_robot("manipulator"),
    "GRIPPER": _class_of_robot("gripper"),
    "TRIGGERPROCESSOR": _processor,
    "TPCONFIG": _processor_config,
    "BORDER": _border,
    "TILE": _tile,
    "BOTTOMPAINT": _paint,
    "STEP": _step,
    "SLOPE": _slope,
    "SLICE": _slice,
    "WEDGE": _wedge,
    "CONVEYOR": _conveyor,
    "SPHERE": _sphere,
    "BALL": _ball,
    "CUBOID": _cuboid,
    "TRIGGER": _trigger,
}
