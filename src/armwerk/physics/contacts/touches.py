"""What touches in one simulation: pairs of now, events, and what is too deep."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.physics.contacts.address_table import AddressTable, write_addresses
from armwerk.physics.contacts.pairs import (
    BEGUN,
    COUNT,
    DEPTH,
    ENDED,
    FIRST,
    FORCE,
    FULL,
    MAX_DEPTH,
    NORMAL,
    ONE,
    POINT,
    REST,
    SECOND,
    SINCE,
    TIME,
    TOO_DEEP,
    TWO,
    WHAT,
    TouchPairs,
    follow_pairs,
    no_touches,
)
from armwerk.physics.contacts.sides import ContactSides
from armwerk.protocol.contacts import ContactChange, ContactEvent, ContactSide, PairContact, Vector

KEPT = 10_000  # events that are remembered, the last ones
_ROOM = 16  # pairs at first; grows with what touches


@dataclass(frozen=True, slots=True, eq=False)
class TouchState:
    """What touched at a moment.

    Args:
        numbers: See `armwerk.physics.contacts.pairs.TouchPairs`. Shape (c, 12).
        whole: Likewise. Shape (4c,).
        head: Likewise. Shape (3,).
    """

    numbers: Array
    whole: Integers
    head: Integers


class Touches:
    """Follows the contacts of one simulation, while somebody listens or something is deep.

    Args:
        table: Where everything lies.
        sides: Of the simulation.
        things: Number of its things.

    Attributes:
        events: The last `KEPT` of them.
        count: How many events there have been.
        problems: Times [s] and texts of what was too deep, until somebody takes them.
        listens: Whether events are wanted; set it once and for all.
    """

    def __init__(self, table: AddressTable, sides: ContactSides, things: int) -> None:
        self._table, self._sides, self._things = table, sides, things
        self._use(self._empty(_ROOM))
        self.events: deque[ContactEvent] = deque(maxlen=KEPT)
        self.count = 0
        self.problems: list[tuple[float, str]] = []
        self.listens = False

    def _empty(self, room: int) -> TouchPairs:
        sides = self._sides
        return no_touches(room, sides.of_geom, self._things, sides.movable)

    def _use(self, pairs: TouchPairs) -> None:
        self._pairs = pairs
        self._touching = write_addresses(pairs)

    def follow(self, time: float) -> None:
        """Take in the step just made; it began at ``time`` [s]."""
        told = follow_pairs(self._table, self._touching, time)
        while told == FULL:
            self._grow()
            told = follow_pairs(self._table, self._touching, time)
        for row in range(told):
            self._hear(self._pairs.told[row])

    def pause(self) -> None:
        """Forget what touches: nobody listens, and nothing is deep any more."""
        self._pairs.head[COUNT] = 0

    def placed(self, thing: int) -> None:
        """Take it that a thing was put where it is."""
        self._pairs.placed[thing] = 1

    def begun(self) -> None:
        """Take it that what touches from now on has moved there."""
        self._pairs.head[BEGUN] = 1

    def now(self) -> tuple[PairContact, ...]:
        """Return what touches, in the order in which it began."""
        return tuple(self._pair(place) for place in range(int(self._pairs.head[COUNT])))

    def find(self, own: Flags, other: Flags | None, force: float) -> PairContact | None:
        """Return a pair that presses now, the one that began first; None: there is none.

        Args:
            own: Of which sides one must be. Shape (sides,).
            other: Of which sides the other must be; None: of any. Shape (sides,).
            force: At least [N].
        """
        count = int(self._pairs.head[COUNT])
        pressing = self._pairs.numbers[:count, FORCE]
        one, two = self._pairs.whole[: 4 * count].reshape(count, 4)[:, [ONE, TWO]].T
        found = (
            own[one] | own[two] if other is None else own[one] & other[two] | own[two] & other[one]
        )
        places = np.flatnonzero(found & (pressing >= force) & (pressing > 0.0))
        return self._pair(int(places[0])) if len(places) else None

    def remember(self, events: Iterable[ContactEvent]) -> None:
        """Take these for all events that there have been."""
        self.events.clear()
        self.events.extend(events)
        self.count = len(self.events)

    def _pair(self, place: int) -> PairContact:
        row, whole = self._pairs.numbers[place], self._pairs.whole
        return PairContact(
            self._both(int(whole[4 * place + ONE]), int(whole[4 * place + TWO])),
            float(row[SINCE]),
            _vector(row[POINT : POINT + 3]),
            _vector(row[NORMAL : NORMAL + 3]),
            float(row[FORCE]),
            float(row[DEPTH]),
        )

    def capture(self) -> TouchState:
        """Return what touches, copied."""
        pairs = self._pairs
        count = int(pairs.head[COUNT])
        return TouchState(
            pairs.numbers[:count].copy(), pairs.whole[: 4 * count].copy(), pairs.head.copy()
        )

    def restore(self, state: TouchState | None) -> None:
        """Go back to what was captured; None: to a moment of which nothing is known."""
        count = 0 if state is None else len(state.numbers)
        room = _ROOM
        while room < count:
            room *= 2
        self._use(self._empty(room))
        self.problems.clear()
        if state is None:
            self.begun()
            return
        self._pairs.numbers[:count] = state.numbers
        self._pairs.whole[: 4 * count] = state.whole
        self._pairs.head[:] = state.head

    def _grow(self) -> None:
        """Make room for twice as many pairs."""
        old = self._pairs
        new = self._empty(2 * len(old.numbers))
        new.numbers[: len(old.numbers)], new.whole[: len(old.whole)] = old.numbers, old.whole
        new.head[:], new.placed[:] = old.head, old.placed
        self._use(new)

    def _hear(self, row: Array) -> None:
        what, rest = int(row[WHAT]), row[REST:]
        sides = self._both(int(row[FIRST]), int(row[SECOND]))
        point, time = _vector(rest[POINT : POINT + 3]), float(row[TIME])
        if what == TOO_DEEP:
            self.problems.append(
                (time, _too_deep(sides, float(rest[DEPTH]), point, float(rest[FORCE])))
            )
            return
        if self.listens:
            change: ContactChange = "ended" if what == ENDED else "started"
            force = 0.0 if what == ENDED else float(rest[FORCE])
            self.count += 1
            normal = _vector(rest[NORMAL : NORMAL + 3])
            self.events.append(ContactEvent(time, change, sides, point, normal, force))

    def _both(self, one: int, two: int) -> tuple[ContactSide, ContactSide]:
        return self._sides.sides[one], self._sides.sides[two]


def _too_deep(
    sides: tuple[ContactSide, ContactSide], depth: float, point: Vector, force: float
) -> str:
    one, two = sides
    x, y, z = point
    return (
        f"{one} is {1e3 * depth:.2f} mm deep in {two}, at ({x:.4f}, {y:.4f}, {z:.4f}) m, pressed "
        f"with {force:.4g} N; more than {1e3 * MAX_DEPTH:g} mm is not to be trusted"
    )


def _vector(values: Array) -> Vector:
    x, y, z = values.tolist()
    return x, y, z
