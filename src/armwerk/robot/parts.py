"""An arm built from parts: a tree that starts at a body, with chains tied together.

    from armwerk.robot.parts import Assembly, Body, Segment, Servo, TouchPoint, at, chain

    arm = Assembly(
        "two_joints",
        Body(tails=[chain(
            at(Servo("shoulder"), z=0.3, c=pi / 2),
            Segment("upper", 0.25), Servo("elbow"), Segment("lower", 0.2), TouchPoint("tip"),
        )]),
    )

Only what is written down is here: lengths, limits, what hangs on what. Where the parts are for
given motor values is computed by `armwerk.mechanics.AssemblyModel`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from armwerk.errors import DescriptionError
from armwerk.robot.formats.saving import save_assembly
from armwerk.robot.loops import ClosedChain, PartPlace, Platform, Tie, Union, find_loops, path_to
from armwerk.robot.part import (
    Body,
    Connection,
    LinearMotor,
    Motor,
    Part,
    Passive,
    RotoTranslation,
    Segment,
    Servo,
    TConnector,
    TerminationPoint,
    TouchPoint,
    TouchSegment,
    at,
    chain,
)

MOST_PARTS = 1000
MOST_DEEP = 100  # parts in one chain; deeper nesting is a mistake in a generated description


@dataclass(frozen=True, slots=True, repr=False, init=False)
class Assembly:
    """A tree of parts with closed chains; nothing in it is computed, nothing can be changed.

    Args:
        name: Short name, as used on the command line and for files.
        body: The root.
        unions: What ties chains together: `Union` objects, then `Platform` objects.
        title: Name for people.
        source: Where the numbers are from.
        assumed: Which of the numbers are sensible guesses rather than published.
        tip: Name of the part whose frame is the hand; None: the only free end.

    Attributes:
        tree: Every part and platform by name with its place, each after the part it hangs on.
        loops: The closed chains with their patterns, in the order of solving.
    """

    name: str
    body: Body
    unions: tuple[Tie, ...]
    title: str
    source: str
    assumed: tuple[str, ...]
    tip: str | None
    tree: Mapping[str, PartPlace] = field(init=False, compare=False)
    loops: tuple[ClosedChain, ...] = field(init=False, compare=False)

    def __init__(
        self,
        name: str,
        body: Body,
        unions: Tie | Iterable[Tie] = (),
        title: str = "",
        source: str = "",
        assumed: str | Iterable[str] = (),
        tip: str | None = None,
    ) -> None:
        put = object.__setattr__
        for key, text in (("name", name), ("title", title), ("source", source)):
            if not isinstance(text, str):
                raise DescriptionError("not a text", element=key, value=text)
            put(self, key, text)
        if not name:
            raise DescriptionError("missing", element="name", allowed="a short name")
        put(self, "assumed", (assumed,) if isinstance(assumed, str) else tuple(assumed))
        ties = _ties(unions)
        if not isinstance(body, Body):
            raise DescriptionError(
                "the root is no Body", element="body", value=body, allowed="exactly one Body"
            )
        _check_roots((body, *_platforms(ties)), ties)
        body, ties = _named(body, ties)
        put(self, "body", body)
        put(self, "unions", ties)
        put(self, "tree", MappingProxyType(_tree((body, *_platforms(ties)))))
        put(self, "loops", find_loops(self.tree, ties))
        if tip is not None and tip not in self.tree:
            raise DescriptionError(
                "unknown part", element="tip", value=tip, allowed=", ".join(self.tree)
            )
        put(self, "tip", tip)

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts and platforms, each after the part it hangs on."""
        return tuple(place.part for place in self.tree.values())

    @property
    def moving(self) -> tuple[Motor, ...]:
        """The motors; their values in this order are q."""
        return tuple(part for part in self.parts if isinstance(part, Servo | LinearMotor))

    @property
    def joints(self) -> tuple[Motor, ...]:
        """The same as ``moving``, so that an assembly can stand where an arm does."""
        return self.moving

    @property
    def passives(self) -> tuple[Passive, ...]:
        """The elements that the closed chains move."""
        return tuple(part for part in self.parts if isinstance(part, Passive))

    @property
    def ends(self) -> tuple[str, ...]:
        """Names of the parts that end a chain."""
        return tuple(
            part.name for part in self.parts if isinstance(part, TouchPoint | TerminationPoint)
        )

    @property
    def hand(self) -> str:
        """Name of the part whose frame is the hand.

        It is ``tip`` where given; else the only end that is not tied; else, of an assembly with
        one tie and no free end, the first of the tied points or the platform.

        Raises:
            DescriptionError: When several parts could be meant.
        """
        if self.tip is not None:
            return self.tip
        tied = {point for tie in self.unions for point in tie.points}
        free = [end for end in self.ends if end not in tied]
        if not free and len(self.unions) == 1:
            tie = self.unions[0]
            free = [tie.name if isinstance(tie, Platform) else tie.points[0]]
        if len(free) != 1:
            raise DescriptionError(
                "the assembly does not say which part is its hand",
                element=f"assembly '{self.name}', tip",
                allowed=f"one of {', '.join(free or self.tree)}",
            )
        return free[0]

    @property
    def dof(self) -> int:
        """Number of motors."""
        return len(self.moving)

    @property
    def structure(self) -> str:
        """Kinds of the motors, R for a servo, T for a linear motor, as in "RRT"."""
        return "".join("R" if isinstance(motor, Servo) else "T" for motor in self.moving)

    @property
    def limits(self) -> NDArray[np.float64]:
        """Smallest and largest motor values [rad or m]; infinite where free. Shape (n, 2)."""
        free = (-np.inf, np.inf)
        rows = [free if motor.limits is None else motor.limits for motor in self.moving]
        return np.array(rows, dtype=np.float64).reshape(-1, 2)

    def path(self, name: str) -> tuple[str, ...]:
        """Return the names from the body (or a platform) to a part, both included."""
        if name not in self.tree:
            raise DescriptionError(
                "unknown part", element="part", value=name, allowed=", ".join(self.tree)
            )
        return path_to(self.tree, name)

    def save(self, path: str | Path) -> None:
        """Write the assembly to a .toml file."""
        save_assembly(self, path)

    def __reduce__(self) -> tuple[type[Assembly], tuple[object, ...]]:
        # a read-only mapping cannot be pickled; it is found again from the rest
        given = (self.name, self.body, self.unions, self.title, self.source, self.assumed, self.tip)
        return Assembly, given

    def __repr__(self) -> str:
        loops = "".join(f", {loop.pattern} '{loop.tie.name}'" for loop in self.loops)
        motors = f"{self.dof} motor{'s' * (self.dof != 1)} {self.structure}".rstrip()
        return f"<Assembly '{self.name}' {len(self.tree)} parts, {motors}{loops}>"


def _ties(given: Tie | Iterable[Tie]) -> tuple[Tie, ...]:
    ties = tuple(given) if isinstance(given, Iterable) else (given,)
    for tie in ties:
        if not isinstance(tie, Union | Platform):
            raise DescriptionError(
                "not a tie", element="unions", value=tie, allowed="Union and Platform objects"
            )
    return tuple(sorted(ties, key=lambda tie: isinstance(tie, Platform)))


def _platforms(ties: Iterable[Tie]) -> tuple[Platform, ...]:
    return tuple(tie for tie in ties if isinstance(tie, Platform))


def _check_roots(roots: tuple[Part, ...], ties: Sequence[Tie]) -> None:
    """Walk the trees once and refuse what cannot stand where it stands."""
    names = {tie.name for tie in ties if isinstance(tie, Union)}
    if len(names) != sum(isinstance(tie, Union) for tie in ties):
        raise DescriptionError("a name is used twice", element="unions", value=sorted(names))
    stack = [(root, 1, "") for root in roots]
    count = 0
    while stack:
        part, depth, carrier = stack.pop()
        count += 1
        if count > MOST_PARTS or depth > MOST_DEEP:
            raise DescriptionError(
                "too many parts",
                element=part.label,
                allowed=f"{MOST_PARTS} parts in all, {MOST_DEEP} in a chain",
            )
        if part.name in names:
            raise DescriptionError("name used twice", element=part.label, allowed="unique names")
        names |= {part.name} - {""}
        _check_part(part, carrier)
        stack += [(tail.part, depth + 1, part.label) for tail in reversed(part.connections)]


def _check_part(part: Part, carrier: str) -> None:
    if carrier and isinstance(part, Body | Platform):
        raise DescriptionError(
            f"hangs on {carrier}",
            element=part.label,
            allowed="one Body, at the root; platforms in 'unions'",
        )
    is_end = isinstance(part, TouchPoint | TerminationPoint | Platform)
    if not is_end and not part.connections:
        raise DescriptionError(
            "carries nothing",
            element=part.label,
            allowed="a tail; a TerminationPoint or TouchPoint ends a chain",
        )


def _named(body: Body, ties: Sequence[Tie]) -> tuple[Body, tuple[Tie, ...]]:
    """Return the same trees with a name for every part."""
    taken = {tie.name for tie in ties}
    taken |= {part.name for root in (body, *_platforms(ties)) for part in _walk(root)}
    counts: dict[str, int] = {}

    def name_for(part: Part) -> str:
        while True:
            counts[part.kind] = counts.get(part.kind, 0) + 1
            name = part.kind if part.kind == "body" else f"{part.kind}{counts[part.kind]}"
            if name in taken and part.kind == "body":
                name = f"body{counts[part.kind]}"
            if name not in taken:
                taken.add(name)
                return name

    def named(part: Part) -> Part:
        part = part if part.name else replace(part, name=name_for(part))
        if all(_is_named(tail.part) for tail in part.connections):
            return part
        tails = tuple(Connection(named(tail.part), tail.at) for tail in part.connections)
        return part.with_connections(tails)

    root = named(body)
    unions = tuple(named(tie) if isinstance(tie, Platform) else tie for tie in ties)
    return root, unions  # type: ignore[return-value]


def _is_named(root: Part) -> bool:
    return all(part.name for part in _walk(root))


def _walk(root: Part) -> Iterable[Part]:
    stack = [root]
    while stack:
        part = stack.pop()
        yield part
        stack += [tail.part for tail in reversed(part.connections)]


def _tree(roots: tuple[Part, ...]) -> dict[str, PartPlace]:
    tree: dict[str, PartPlace] = {}
    for root in roots:
        stack = [PartPlace(root, None, RotoTranslation())]
        while stack:
            place = stack.pop()
            tree[place.part.name] = place
            stack += [
                PartPlace(tail.part, place.part.name, tail.at)
                for tail in reversed(place.part.connections)
            ]
    return tree


__all__ = [
    "Assembly",
    "Body",
    "ClosedChain",
    "Connection",
    "LinearMotor",
    "Motor",
    "Part",
    "PartPlace",
    "Passive",
    "Platform",
    "RotoTranslation",
    "Segment",
    "Servo",
    "TConnector",
    "TerminationPoint",
    "TouchPoint",
    "TouchSegment",
    "Union",
    "at",
    "chain",
]
