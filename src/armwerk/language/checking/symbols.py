"""What names stand for, and the names that every program knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from armwerk.language.code import VariableValue
from armwerk.language.types import (
    BOOL,
    INT,
    JOINT,
    POSE,
    REAL,
    ROBTARGET,
    IrlType,
    Value,
)


@dataclass(slots=True, eq=False)
class VariableSymbol:
    """A variable or parameter.

    Args:
        value: How instructions name it.
        at: Word of its declaration; -1: predefined.
        counts: Whether a loop that is being checked counts it.
        mode: Of a parameter.
    """

    value: VariableValue
    at: int
    counts: bool = False
    mode: Literal["", "in", "out", "inout"] = ""


@dataclass(frozen=True, slots=True, eq=False)
class ConstantSymbol:
    """A constant."""

    kind: IrlType
    value: Value
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class TypeSymbol:
    """A type."""

    kind: IrlType
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class SignalSymbol:
    """An input or output."""

    kind: IrlType
    name: str
    is_output: bool
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class RoutineSymbol:
    """A procedure, function or process."""

    index: int
    kind: Literal["procedure", "function", "process"]
    name: str
    modes: tuple[Literal["in", "out", "inout"], ...]
    kinds: tuple[IrlType, ...]
    result: IrlType | None
    at: int


Symbol: TypeAlias = VariableSymbol | ConstantSymbol | TypeSymbol | SignalSymbol | RoutineSymbol


@dataclass(slots=True, eq=False)
class Scope:
    """The names of the program, or of one routine.

    Args:
        is_global: Whether it is the program's.
    """

    is_global: bool
    symbols: dict[str, Symbol] = field(default_factory=dict)
    kinds: list[IrlType] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def variable(self, name: str, kind: IrlType) -> VariableValue:
        """Return a new variable."""
        self.kinds.append(kind)
        self.names.append(name)
        return VariableValue(kind, len(self.kinds) - 1, self.is_global)


IDENTITY: Value = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
SYSTEM_VARIABLES: dict[str, tuple[IrlType, Value]] = {
    "r_act_rob": (INT, 1),
    "r_speed": (REAL, 250.0),
    "r_acc": (REAL, 1000.0),
    "r_speed_ori": (REAL, 90.0),
    "r_speed_ptp": (REAL, 100.0),
    "r_acc_ptp": (REAL, 100.0),
    "r_c_ptp": (REAL, 50.0),
    "r_c_cp": (REAL, 10.0),
    "r_c_speed": (REAL, 0.0),
    "r_base": (POSE, IDENTITY),
    "r_tool": (POSE, IDENTITY),
    "r_alter": (POSE, IDENTITY),
    "r_wobble_width": (REAL, 5.0),
    "r_wobble_length": (REAL, 20.0),
}
"""Variables of the system with their first values: mm, mm/s, mm/s², deg/s, per cent."""
WORLD_VALUES: dict[str, IrlType] = {
    "r_robtarget_act": ROBTARGET,
    "r_joint_act": JOINT,
    "r_pose_act": POSE,
    "r_time": REAL,
}
"""What can only be read, and only when the motions are done."""
NOT_KNOWN_HERE = frozenset(
    {
        "r_jt",
        "r_jbd",
        "d_devices",
        "r_devices",
        "r_move_time",
        "r_scale_forw",
        "r_scale_back",
        "r_distance_forw",
        "r_distance_back",
        "r_robtarget_start",
        "r_robtarget_end",
        "r_robtarget_inter",
        "r_speed_act",
    }
)
"""System variables of IRL that are refused here; docs/irl.md says why."""
TRUTHS = {"pi": (REAL, 3.141592653589793), "maxint": (INT, 2**31 - 1)}
PROCEDURES = {"open": "open", "close": "close", "sem_wait": "sem_wait", "sem_signal": "sem_signal"}
RUNNING = "running"
RUNNING_RESULT = BOOL
