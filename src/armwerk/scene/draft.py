"""The scene while its file is being read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Unpack

from armwerk.scene.scanner import Scanner, Span, quoted
from armwerk.scene.scene import (
    MOST_ROBOTS,
    BodyProperties,
    Border,
    Obstacle,
    Paint,
    Processor,
    Robot,
    RobotChanges,
    Scene,
    Spot,
    Thing,
    Tile,
    Watch,
)


class Draft:
    """Collects what the directives say, and checks what concerns several of them."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self.border: Border | None = None
        self.tiles: list[Tile] = []
        self.paints: list[Paint] = []
        self.obstacles: list[Obstacle] = []
        self.things: list[Thing] = []
        self.watches: list[Watch] = []
        self._processors: list[Processor] = []
        self._robots: dict[int, RobotChanges] = {}
        self._multirobot: int | None = None
        self._first_robot: Span | None = None
        self._name: tuple[Span, str] | None = None  # waits for its body
        self._properties: dict[str, tuple[Span, float]] = {}  # wait for their body
        self._config: tuple[Span, Span, str | None] | None = None  # waits for its processor
        self._spots: dict[tuple[str, int], Spot] = {}
        self._stood: dict[object, int] = {}  # where what may be there only once stands

    def once(self, key: object, span: Span, what: str) -> None:
        """Report a second directive of a kind that may stand only once."""
        first = self._stood.setdefault(key, span[0])
        if first != span[0]:
            line = self._scanner.line(first)
            self._scanner.report(span, f"{what} stands in line {line} already", "it only once")

    def mark(self, what: str, number: int, span: Span, said: str | None) -> None:
        """Keep where a name or text stands."""
        if said is not None:
            place = self._scanner.place(span[0])
            self._spots[what, number] = Spot(*place, max(1, span[1] - span[0]), said)

    def set_name(self, span: Span, name: str) -> None:
        """Keep the name for the next body."""
        self._drop_name()
        self.once(("name", name), span, f"the name {quoted(name)}")
        self._name = (span, name)

    def take_name(self) -> str:
        """Return the name given to this body; empty: none."""
        name = self._name[1] if self._name else ""
        self._name = None
        return name

    def set_property(self, span: Span, word: str, value: float) -> None:
        """Keep what the next body states of itself."""
        rivals = ("MASS", "DENSITY") if word in ("MASS", "DENSITY") else (word,)
        for rival in rivals:
            if rival in self._properties:
                line = self._scanner.line(self._properties[rival][0][0])
                said = f"the next body has its {rival} from line {line}"
                self._scanner.report(span, said, f"one {' or '.join(rivals)} for a body")
        self._properties[word] = (span, value)

    def take_properties(self, directive: str, *allowed: str) -> BodyProperties:
        """Return what was stated for this body and report what such a body cannot have."""
        stated, self._properties = self._properties, {}
        found: BodyProperties = {}
        for word, (span, value) in stated.items():
            if word not in allowed:
                may = f"{', '.join(allowed)} before it" if allowed else "nothing of that kind"
                self._scanner.report(span, f"a {directive} takes no {word}", may)
                continue
            match word:
                case "MASS":
                    found["mass"] = value
                case "DENSITY":
                    found["density"] = value
                case "FRICTION":
                    found["friction"] = value
                case "MAGNETIC":
                    found["magnetic"] = value != 0.0
                case _:
                    found["bounce"] = value
        return found

    def forget_body(self) -> None:
        """Drop what waits for a body that could not be read."""
        self._name, self._properties = None, {}

    def _drop_name(self) -> None:
        if self._name:
            span, name = self._name
            self._scanner.report(span, f"no body comes for the name {quoted(name)}", "STEP, BALL …")
            self._name = None

    def set_multirobot(self, span: Span, count: int) -> None:
        """Set the number of robots."""
        self.once("MULTIROBOT", span, "MULTIROBOT")
        if self._first_robot:
            line = self._scanner.line(self._first_robot[0])
            self._scanner.report(
                span, "MULTIROBOT comes too late", f"it before the robot directive of line {line}"
            )
        self._multirobot = count

    def set_robot(
        self, span: Span, directive: str, number: int, **values: Unpack[RobotChanges]
    ) -> None:
        """Set what a numbered directive says about its robot."""
        self._first_robot = self._first_robot or span
        self.once((directive, number), span, f"{directive} of robot {number}")
        count = self._multirobot or 1
        if number >= count:
            expected = (
                f"0 to {count - 1}, as MULTIROBOT says"
                if self._multirobot
                else f"MULTIROBOT {min(number + 1, MOST_ROBOTS)} before it"
            )
            self._scanner.report(span, f"there is no robot {number}", expected)
        self._robots.setdefault(number, {}).update(values)

    def add_processor(self, span: Span, name: Span, processor: Processor) -> None:
        """Add a trigger processor, with the text that waited for the first one.

        Args:
            span: Of the directive.
            name: Of the class in it.
            processor: What it says.
        """
        instance = processor.instance
        self.once(("processor", instance), span, f"a TRIGGERPROCESSOR of instance {instance}")
        self.mark("processor", instance, name, processor.name)
        if self._config and not self._processors:
            _, text, config = self._config
            self.mark("processor config", instance, text, config)
            processor = replace(processor, config=config)
            self._config = None
        self._processors.append(processor)

    def set_processor_config(self, span: Span, text: Span, config: str | None) -> None:
        """Give a text to the last processor, or keep it for the first one.

        Args:
            span: Of the directive.
            text: Of the text in it.
            config: The text; None: it is wrong.
        """
        taken = self._config or (self._processors and self._processors[-1].config is not None)
        if taken:
            self._scanner.report(span, "the processor has a TPCONFIG already", "it only once")
        elif not self._processors:
            self._config = (span, text, config)
        else:
            self.mark("processor config", self._processors[-1].instance, text, config)
            self._processors[-1] = replace(self._processors[-1], config=config)

    def finish(self) -> None:
        """Report what is still waiting at the end of the file."""
        self._drop_name()
        for word, (span, _) in self._properties.items():
            self._scanner.report(span, f"no body comes for this {word}", "BALL, CUBOID, STEP …")
        if self._config:
            self._scanner.report(self._config[0], "no TRIGGERPROCESSOR takes this text", "one")

    def scene(self, file: Path | None) -> Scene:
        """Return the scene; with MULTIROBOT n all of its n robots exist."""
        numbers = range(self._multirobot) if self._multirobot else sorted(self._robots)
        return Scene(
            robots=tuple(Robot(number, **self._robots.get(number, {})) for number in numbers),
            obstacles=tuple(self.obstacles),
            things=tuple(self.things),
            watches=tuple(self.watches),
            processors=tuple(self._processors),
            paints=tuple(self.paints),
            tiles=tuple(self.tiles),
            border=self.border,
            multirobot=self._multirobot,
            file=file,
            spots=self._spots,
        )
