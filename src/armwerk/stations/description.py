"""`Station`: which axes carry the arm, which carry the work piece, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from armwerk.errors import DescriptionError
from armwerk.robot.arm import Arm
from armwerk.stations.joining import carrier_part, own_part, refuse_same_names, relative_chain

MOST_OWN = 6
"""Joints that an arm has of its own where nothing else is said; those before them carry it."""


@dataclass(frozen=True, eq=False)
class Station:
    """An arm with external axes, as it is described.

    Joint values of a station stand in one vector, in the order of the chain from the work piece to
    the tool: those of the table from the plate inwards, those of the rail, those of the arm.
    `names` lists them.

    Args:
        arm: In the world, with what carries it (`mounted` puts an arm on a rail).
        table: What carries the work piece, in the world; its tool is the frame of the work piece.
            None: the work piece rests, its frame is the world.
        external: How many of the arm's first joints are external axes; None: those before its
            last six.
        name: Short name.
        title: Name for people.
        source: Where the numbers are from.
        assumed: Which of the numbers are sensible guesses.
        tasks: What it is used for.

    Raises:
        DescriptionError: For a station without external axes, too many of them, symbols, or joints
            that share a name.
    """

    arm: Arm
    table: Arm | None = None
    external: int | None = None
    name: str = "station"
    title: str = ""
    source: str = ""
    assumed: Iterable[str] = ()
    tasks: Iterable[str] = ()

    def __post_init__(self) -> None:
        for element, value in (("arm", self.arm), ("table", self.table)):
            if not isinstance(value, Arm) and (element == "arm" or value is not None):
                raise DescriptionError("not an Arm", element=element, value=value, allowed="an Arm")
            if isinstance(value, Arm) and value.is_symbolic:
                raise DescriptionError(
                    f"has no numbers yet for {', '.join(value.symbols)}",
                    element=element,
                    value=value.name,
                    allowed="numbers for all dimensions (arm.with_values)",
                )
        put = object.__setattr__
        put(self, "assumed", tuple(self.assumed))
        put(self, "tasks", tuple(self.tasks))
        if not isinstance(self.name, str) or not self.name:
            raise DescriptionError("missing", element="name", allowed="a short name")
        count = max(self.arm.dof - MOST_OWN, 0) if self.external is None else self.external
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < self.arm.dof:
            raise DescriptionError(
                "wrong number of external axes of the arm",
                element="external",
                value=self.external,
                allowed=f"0 to {self.arm.dof - 1}, or None",
            )
        put(self, "external", count)
        carriers = (("table", self.table), ("what carries the arm", self.carrier))
        for element, carrier in carriers:
            if carrier is not None and carrier.is_coupled:
                raise DescriptionError(
                    "has coupled joints, which external axes must not have",
                    element=element,
                    value=carrier.name,
                    allowed="axes that move by themselves; those of the arm itself may be coupled",
                )
        if self.arm.is_coupled:
            self.own  # noqa: B018 - refuses joints that follow an axis that carries them
        if self.table is not None:
            refuse_same_names(self.table, self.arm)
        elif count == 0:
            raise DescriptionError(
                "has no external axes",
                element=f"station '{self.name}'",
                value=self.arm.name,
                allowed="an arm on a rail, or a table (aw.model takes an arm alone)",
            )

    @cached_property
    def chain(self) -> Arm:
        """All axes as one arm that stands on the work piece: `armwerk.model` gives T_piece_tool."""
        if self.table is None:
            return self.arm
        return relative_chain(self.arm, self.table, self.name)

    @cached_property
    def own(self) -> Arm:
        """The arm without what carries it, standing as it does with its carrier at zero."""
        return own_part(self.arm, self.carrying)

    @cached_property
    def carrier(self) -> Arm | None:
        """What carries the arm, in the world; None: it stands still."""
        return carrier_part(self.arm, self.carrying) if self.carrying else None

    @property
    def carrying(self) -> int:
        """How many axes carry the arm."""
        return self.external or 0

    @property
    def turning(self) -> int:
        """How many axes carry the work piece."""
        return 0 if self.table is None else self.table.dof

    @property
    def dof(self) -> int:
        """Number of all axes."""
        return self.turning + self.arm.dof

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all axes, in the order of joint values."""
        table = () if self.table is None else tuple(reversed(self.table.moving))
        return tuple(joint.name for joint in (*table, *self.arm.moving))

    @property
    def external_names(self) -> tuple[str, ...]:
        """Names of the external axes, in the order of joint values."""
        return self.names[: self.turning + self.carrying]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Station) and self._words() == other._words()

    def __hash__(self) -> int:
        return hash((self.name, self.carrying, self.arm, self.table))

    def _words(self) -> tuple[object, ...]:
        told = (self.name, self.title, self.source, self.assumed, self.tasks)
        return (*told, self.carrying, self.arm, self.table)

    def __repr__(self) -> str:
        return f"<Station '{self.name}': {', '.join(self.external_names)} and '{self.own.name}'>"
