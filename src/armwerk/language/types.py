"""The types of IRL. A type is one object: types are the same when they are the same object.

Values: int, real, bool, char and string are Python's; arrays and records are lists of values, one
for each element or field. Assigning copies, so no two variables share a list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = "int | float | bool | str | list[Value]"
MOST_ELEMENTS = 1_000_000  # of all arrays in one variable


@dataclass(frozen=True, slots=True, eq=False)
class SimpleType:
    """A type without parts.

    Args:
        name: As programs write it.
        first: What a variable of it holds before it is assigned.
    """

    name: str
    first: int | float | bool | str


@dataclass(frozen=True, slots=True, eq=False)
class ArrayType:
    """Elements of one type; several dimensions are arrays of arrays.

    Args:
        low: Smallest index.
        high: Largest index.
        element: Of each element.
    """

    low: int
    high: int
    element: IrlType

    @property
    def name(self) -> str:
        """As programs write it."""
        return f"array[{self.low}..{self.high}] of {self.element.name}"


@dataclass(frozen=True, slots=True, eq=False)
class RecordType:
    """Fields by name.

    Args:
        name: As programs write it; "record" for one without a name.
        fields: Their names, in small letters.
        types: Their types.
    """

    name: str
    fields: tuple[str, ...]
    types: tuple[IrlType, ...]


IrlType: TypeAlias = SimpleType | ArrayType | RecordType

INT = SimpleType("int", 0)
REAL = SimpleType("real", 0.0)
BOOL = SimpleType("bool", False)
CHAR = SimpleType("char", " ")
STRING = SimpleType("string", "")
SEMAPHORE = SimpleType("semaphore", 0)
FILE = SimpleType("file", "")
UNKNOWN = SimpleType("?", 0)
"""Of what has a problem that was reported: it fits everywhere."""


def _reals(name: str, *fields: str) -> RecordType:
    return RecordType(name, fields, (REAL,) * len(fields))


MAIN_AXES, ADDITIONAL_AXES = 12, 6
POSITION = _reals("position", "x", "y", "z")
ORIENTATION = _reals("orientation", "q1", "q2", "q3", "q4")
POSE = RecordType("pose", ("pos", "ori"), (POSITION, ORIENTATION))
MAIN_JOINT = _reals("main_joint", *(f"a{axis + 1}" for axis in range(MAIN_AXES)))
ADD_JOINT = _reals("add_joint", *(f"aa{axis + 1}" for axis in range(ADDITIONAL_AXES)))
JOINT = RecordType("joint", ("m_joint", "a_joint"), (MAIN_JOINT, ADD_JOINT))
BOUNDS = _reals("bounds", "lower", "upper")

_arrays: dict[tuple[int, int, IrlType], ArrayType] = {}


def array_of(low: int, high: int, element: IrlType) -> ArrayType:
    """Return the one type of such arrays."""
    key = (low, high, element)
    if key not in _arrays:
        _arrays[key] = ArrayType(low, high, element)
    return _arrays[key]


TURNS = array_of(1, 2, INT)
ROBTARGET = RecordType(
    "robtarget", ("pse", "status", "turns", "a_joint"), (POSE, INT, TURNS, ADD_JOINT)
)
PREDEFINED: dict[str, IrlType] = {
    kind.name: kind
    for kind in (
        *(INT, REAL, BOOL, CHAR, STRING, SEMAPHORE, FILE),
        *(POSITION, ORIENTATION, POSE, MAIN_JOINT, ADD_JOINT, JOINT, ROBTARGET, BOUNDS),
    )
}
NUMBERS = (INT, REAL)
TARGETS = (POSE, POSITION, JOINT, ROBTARGET)
"""What a robot can be moved to."""


def size(kind: IrlType) -> int:
    """Return how many simple values a value of a type holds."""
    match kind:
        case ArrayType(low, high, element):
            return (high - low + 1) * size(element)
        case RecordType(_, _, types):
            return sum(size(part) for part in types)
    return 1


def first_value(kind: IrlType) -> Value:
    """Return what a variable holds before it is assigned: zeros, false, no letters, no turn."""
    if kind is ORIENTATION:
        return [1.0, 0.0, 0.0, 0.0]
    match kind:
        case ArrayType(low, high, element):
            return [first_value(element) for _ in range(low, high + 1)]
        case RecordType(_, _, types):
            return [first_value(part) for part in types]
        case SimpleType(_, first):
            return first


def copier(kind: IrlType) -> Callable[[Value], Value] | None:
    """Return what copies values of a type; None: they need no copy."""
    if isinstance(kind, SimpleType):
        return None
    parts = kind.types if isinstance(kind, RecordType) else (kind.element,)
    if all(isinstance(part, SimpleType) for part in parts):
        return list  # type: ignore[return-value]  # values of these types are lists
    return deep_copy


def deep_copy(value: Value) -> Value:
    """Return a copy that shares no list with the value."""
    return [deep_copy(part) for part in value] if isinstance(value, list) else value
