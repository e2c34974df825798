"""Closed chains: what ties chains together, and which pattern of them can be solved.

A closed chain is described as several open ones whose points are tied together afterwards: by a
`Union` to one common point, or by a `Platform` to the anchors of one rigid plate. The passive
elements on the chains take the values that make it true. That is done in closed form, so only
these patterns are known, found when the assembly is built:

| pattern      | chains, by their passive elements              | union point               |
|--------------|------------------------------------------------|---------------------------|
| TRIPOD       | three with a FULLROT each                      | of three spheres          |
| TIGHT_LEN    | one with a LINEAR, one with a FULLROT          | of a line and a sphere    |
| TIGHT_ROT    | one with an AXISROT, one with a FULLROT        | of a circle and a sphere  |
| TIGHT_PSEUDO | one without, one with a FULLROT that hangs on, | given by the first chain  |
|              | behind which a LINEAR may follow the distance  |                           |
| STEWART      | six with a FULLROT and a LinearMotor each, to  | a pose, found by iteration|
|              | the six anchors of a platform                  |                           |

A passive element that an earlier loop has settled counts as rigid in a later one, so loops may
stand on loops (the boom, the stick and the bucket of an excavator).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from armwerk.errors import DescriptionError
from armwerk.robot.part import (
    LinearMotor,
    Part,
    Passive,
    RotoTranslation,
    Servo,
    SingleTail,
    connection,
    sequence,
    vector,
)

Pattern: TypeAlias = Literal["TRIPOD", "TIGHT_LEN", "TIGHT_ROT", "TIGHT_PSEUDO", "STEWART"]
BRANCHES = (1, -1)
LEGS = 6
PATTERNS_IN_WORDS = (
    "TRIPOD: three chains with one FULLROT each; TIGHT_LEN: one LINEAR and one FULLROT; "
    "TIGHT_ROT: one AXISROT and one FULLROT; TIGHT_PSEUDO: one chain without passive element "
    "and one FULLROT, which a LINEAR may follow"
)


@dataclass(frozen=True, slots=True)
class Union:
    """Ties points of several chains to one point.

    Args:
        name: Unique in the assembly.
        points: Names of the parts whose origins coincide, one per chain.
        branch: Which of the two possible union points, +1 or -1. TRIPOD: +1 is the upper side
            of the plane through the three FULLROTs (z of the body, with all motors in the
            middle of their limits; of a vertical plane the side from which the chains run
            counter-clockwise). TIGHT_LEN: +1 is farther out on the slide. TIGHT_ROT: +1 lies
            counter-clockwise about the hinge, seen from the other chain's FULLROT.
    """

    name: str
    points: tuple[str, ...]
    branch: int = 1

    kind: ClassVar[str] = "union"

    def __post_init__(self) -> None:
        _check_name(self.name, "union")
        points: Any = self.points
        names = sequence(points)
        if len(names) < 2 or not all(isinstance(name, str) for name in names):
            raise DescriptionError(
                "needs points",
                element=f"{self.label}, points",
                value=points,
                allowed="names of at least two parts",
            )
        if len(set(names)) != len(names):
            raise DescriptionError(
                "names a point twice", element=f"{self.label}, points", value=points
            )
        object.__setattr__(self, "points", names)
        _check_branch(self.branch, self.label)

    @property
    def label(self) -> str:
        """What error messages call it."""
        return f"union '{self.name}'"


@dataclass(frozen=True, slots=True, repr=False)
class Platform(SingleTail):
    """A rigid plate carried by six legs, each a FULLROT and a LinearMotor.

    Args:
        name: Name of the plate; its frame is found by `armwerk.mechanics`.
        legs: For each leg the name of its end point and the place (x, y, z) of its ball joint
            in the frame of the plate [m].
        tail: What the plate carries.
        start: Pose near which the plate is looked for, in the frame of the body;
            None: level above (``branch`` 1) or below (-1) the feet of the legs.
        branch: See ``start``.
    """

    legs: tuple[tuple[str, tuple[float, float, float]], ...] = ()
    start: RotoTranslation | None = field(default=None, kw_only=True)
    branch: int = field(default=1, kw_only=True)

    kind: ClassVar[str] = "platform"

    def _check(self) -> None:
        _check_name(self.name, "platform")
        legs: list[tuple[str, tuple[float, float, float]]] = []
        for position, given in enumerate(sequence(self.legs), start=1):
            leg = sequence(given)
            if len(leg) != 2 or not isinstance(leg[0], str):
                raise DescriptionError(
                    "wrong leg",
                    element=f"leg {position}",
                    value=given,
                    allowed="(name of its end point, (x, y, z) of its anchor)",
                )
            legs.append((leg[0], vector(leg[1], f"anchor of leg '{leg[0]}'")))
        object.__setattr__(self, "legs", tuple(legs))
        if len(legs) != LEGS or len({end for end, _ in legs}) != LEGS:
            raise DescriptionError(
                "wrong number of legs",
                element="legs",
                value=[end for end, _ in legs],
                allowed=f"{LEGS} different end points",
            )
        if self.tail is not None:
            object.__setattr__(self, "tail", connection(self.tail))
        if self.start is not None and not isinstance(self.start, RotoTranslation):
            raise DescriptionError("not a RotoTranslation", element="start", value=self.start)
        _check_branch(self.branch, "")

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the end points of the legs."""
        return tuple(end for end, _ in self.legs)


Tie: TypeAlias = Union | Platform


@dataclass(frozen=True, slots=True)
class PartPlace:
    """A part and where it stands in the tree.

    Args:
        part: The part itself.
        fix: Name of the part that carries it; None for the body and for platforms.
        at: Its connection point on that part.
    """

    part: Part
    fix: str | None
    at: RotoTranslation


@dataclass(frozen=True, slots=True)
class LoopChain:
    """One of the chains of a loop.

    Args:
        point: Name of the part at its end, whose origin is tied.
        passives: Names of the passive elements that this loop settles, from the root outwards.
    """

    point: str
    passives: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClosedChain:
    """A closed chain that can be solved.

    Args:
        tie: The union or the platform.
        pattern: Which of the patterns it is.
        chains: In the order of the tie's points; for the TIGHT patterns the chain that guides
            the union point first, the one with the FULLROT second.
    """

    tie: Tie
    pattern: Pattern
    chains: tuple[LoopChain, ...]

    @property
    def passives(self) -> tuple[str, ...]:
        """Names of all passive elements that the loop settles."""
        return tuple(name for chain in self.chains for name in chain.passives)


def path_to(tree: Mapping[str, PartPlace], name: str) -> tuple[str, ...]:
    """Return the names from the root to ``name``, both included."""
    path = [name]
    while (fix := tree[path[-1]].fix) is not None:
        path.append(fix)
    return tuple(reversed(path))


def find_loops(tree: Mapping[str, PartPlace], ties: Sequence[Tie]) -> tuple[ClosedChain, ...]:
    """Return the loops of an assembly in an order in which they can be solved.

    Raises:
        DescriptionError: When a tie forms none of the patterns, or a passive element is held
            by no tie.
    """
    for tie in ties:
        _check_points(tree, tie)
    settled: set[str] = set()
    loops: list[ClosedChain] = []
    pending = list(ties)
    while pending:
        for tie in pending:
            loop = _recognise(tree, tie, settled)
            if loop is not None:
                break
        else:
            raise _refusal(tree, pending[0], settled)
        pending.remove(tie)
        loops.append(loop)
        settled.update(loop.passives, (tie.name,))
    for name, place in tree.items():
        if isinstance(place.part, Passive) and name not in settled:
            raise DescriptionError(
                "held by no union",
                element=f"passive element '{name}' ({place.part.freedom})",
                allowed="passive elements only on chains whose points are tied",
            )
    return tuple(loops)


def _check_points(tree: Mapping[str, PartPlace], tie: Tie) -> None:
    for point in tie.points:
        if point not in tree:
            raise DescriptionError(
                "unknown point",
                element=f"{tie.label}, points",
                value=point,
                allowed=", ".join(tree),
            )
        path = path_to(tree, point)
        above = [other for other in tie.points if other != point and other in path]
        if above or tree[point].fix is None:
            raise DescriptionError(
                f"point '{point}' hangs on the tied point '{above[0]}'"
                if above
                else f"point '{point}' is a root",
                element=f"{tie.label}, points",
                allowed="points at the ends of different chains",
            )


def _own_passives(
    tree: Mapping[str, PartPlace], tie: Tie, settled: set[str]
) -> tuple[tuple[str, ...], ...] | None:
    """Return the unsettled passive elements of each chain; None when they cannot be told apart.

    What all chains have in common moves them together and must be settled before.
    """
    paths = [path_to(tree, point)[:-1] for point in tie.points]
    roots = {path[0] for path in paths}
    if any(isinstance(tree[root].part, Platform) and root not in settled for root in roots):
        return None
    own = [
        tuple(name for name in path if isinstance(tree[name].part, Passive) and name not in settled)
        for path in paths
    ]
    names = [name for chain in own for name in chain]
    return None if len(set(names)) != len(names) else tuple(own)


def _recognise(tree: Mapping[str, PartPlace], tie: Tie, settled: set[str]) -> ClosedChain | None:
    own = _own_passives(tree, tie, settled)
    if own is None:
        return None
    chains = tuple(LoopChain(*pair) for pair in zip(tie.points, own, strict=True))
    if isinstance(tie, Platform):
        legs = all(_is_leg(tree, chain) for chain in chains)
        return ClosedChain(tie, "STEWART", chains) if legs else None
    freedoms = {chain: _freedoms(tree, chain.passives) for chain in chains}
    if len(chains) == 3 and set(freedoms.values()) == {("FULLROT",)}:
        return ClosedChain(tie, "TRIPOD", chains)
    if len(chains) != 2:
        return None
    for guide, hanger in (chains, chains[::-1]):
        pattern = _TIGHT.get((freedoms[guide], freedoms[hanger]))
        if pattern is not None:
            return ClosedChain(tie, pattern, (guide, hanger))
    return None


_TIGHT: dict[tuple[tuple[str, ...], tuple[str, ...]], Pattern] = {
    (("LINEAR",), ("FULLROT",)): "TIGHT_LEN",
    (("AXISROT",), ("FULLROT",)): "TIGHT_ROT",
    ((), ("FULLROT",)): "TIGHT_PSEUDO",
    ((), ("FULLROT", "LINEAR")): "TIGHT_PSEUDO",
}


def _is_leg(tree: Mapping[str, PartPlace], chain: LoopChain) -> bool:
    if _freedoms(tree, chain.passives) != ("FULLROT",):
        return False
    path = path_to(tree, chain.point)
    behind = [tree[name].part for name in path[path.index(chain.passives[0]) : -1]]
    motors = [part for part in behind if isinstance(part, LinearMotor | Servo)]
    return len(motors) == 1 and isinstance(motors[0], LinearMotor)


def _freedoms(tree: Mapping[str, PartPlace], names: Iterable[str]) -> tuple[str, ...]:
    parts = (tree[name].part for name in names)
    return tuple(part.freedom for part in parts if isinstance(part, Passive))


def _refusal(tree: Mapping[str, PartPlace], tie: Tie, settled: set[str]) -> DescriptionError:
    """Return an error that says what was found on each chain."""
    found = []
    for point in tie.points:
        path = path_to(tree, point)[:-1]
        passives = [
            f"{tree[name].part.freedom} '{name}'"  # type: ignore[attr-defined]
            for name in path
            if isinstance(tree[name].part, Passive) and name not in settled
        ]
        motors = [name for name in path if isinstance(tree[name].part, LinearMotor | Servo)]
        text = " and ".join(passives) or "no passive element"
        if isinstance(tie, Platform):
            text += f" and {len(motors)} motor{'s' * (len(motors) != 1)}"
        found.append(f"chain to '{point}' with {text}")
    allowed = PATTERNS_IN_WORDS
    if isinstance(tie, Platform):
        allowed = "STEWART: six legs, each one FULLROT and behind it one LinearMotor"
    return DescriptionError(
        f"forms no known pattern of a closed chain: {', '.join(found)}",
        element=tie.label,
        allowed=allowed,
    )


def _check_name(name: object, what: str) -> None:
    if not isinstance(name, str) or not name:
        raise DescriptionError(
            "needs a name", element=what, value=name, allowed="a text that is not empty"
        )


def _check_branch(branch: object, label: str) -> None:
    if branch not in BRANCHES or isinstance(branch, bool | float):
        raise DescriptionError(
            "unknown branch",
            element=f"{label}, branch" if label else "branch",
            value=branch,
            allowed="1 or -1",
        )


__all__ = [
    "ClosedChain",
    "LoopChain",
    "PartPlace",
    "Pattern",
    "Platform",
    "Tie",
    "Union",
    "find_loops",
    "path_to",
]
