"""The words, modes and objects of CiA 402 drives, as far as they are used here.

Positions travel as whole increments, a million to the radian or metre; forces in thousandths of the
largest one.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

INCREMENTS = 1e6  # per rad or m
THOUSAND = 1000.0  # the largest force

ProfileState: TypeAlias = Literal[
    "not ready",
    "switch on disabled",
    "ready to switch on",
    "switched on",
    "operation enabled",
    "quick stop active",
    "fault reaction",
    "fault",
]

# modes of operation (0x6060)
PROFILE_POSITION, HOMING, CYCLIC_POSITION, CYCLIC_TORQUE = 1, 6, 8, 10

# control words (0x6040)
DISABLE_VOLTAGE, QUICK_STOP, SHUTDOWN, SWITCH_ON, ENABLE = 0x00, 0x02, 0x06, 0x07, 0x0F
NEW_SET_POINT, AT_ONCE, HALT, FAULT_RESET = 0x10, 0x20, 0x100, 0x80

# bits of the status word (0x6041)
TARGET_REACHED, ACKNOWLEDGED, PROBLEM = 1 << 10, 1 << 12, 1 << 13

_WORDS: dict[ProfileState, int] = {
    "not ready": 0x00,
    "switch on disabled": 0x40,
    "ready to switch on": 0x21,
    "switched on": 0x23,
    "operation enabled": 0x27,
    "quick stop active": 0x07,
    "fault reaction": 0x0F,
    "fault": 0x08,
}


def status_word(state: ProfileState) -> int:
    """Return the status word of a state."""
    return _WORDS[state]


def state_of(word: int) -> ProfileState:
    """Return the state in a status word."""
    for state, value in _WORDS.items():
        mask = 0x4F if state in {"not ready", "switch on disabled"} else 0x6F
        if state in {"fault", "fault reaction"}:
            mask = 0x4F
        if word & mask == value & mask:
            return state
    return "not ready"


def next_state(state: ProfileState, word: int, before: int) -> ProfileState:
    """Return the state after a control word; ``before`` is the one before it.

    The transitions 2 to 16 of the profile. Quick stop stays where it is until voltage is disabled
    (option code 6).
    """
    if state == "fault":
        rising = word & FAULT_RESET and not before & FAULT_RESET
        return "switch on disabled" if rising else "fault"
    if not word & 0x02:
        return "switch on disabled"
    if not word & 0x04:
        quick = state in {"operation enabled", "quick stop active"}
        return "quick stop active" if quick else "switch on disabled"
    if state == "quick stop active":
        return state
    if state == "switch on disabled":
        return "ready to switch on" if word & 0x07 == SHUTDOWN else state
    if state in {"ready to switch on", "switched on", "operation enabled"}:
        if not word & 0x01:
            return "ready to switch on"
        if state == "ready to switch on":
            return "switched on"
        return "operation enabled" if word & 0x08 else "switched on"
    return state


class DriveObject(NamedTuple):
    """An entry of the object dictionary.

    Attributes:
        address: Of the object.
        member: Of it, 0 where it has none.
        size: In bytes.
        signed: Whether it can be negative.
        writable: Whether others may write it.
    """

    address: int
    member: int
    size: int
    signed: bool = False
    writable: bool = True


DEVICE_TYPE = DriveObject(0x1000, 0, 4, writable=False)
ERROR_REGISTER = DriveObject(0x1001, 0, 1, writable=False)
CYCLE_PERIOD = DriveObject(0x1006, 0, 4)  # µs
NAME = DriveObject(0x1008, 0, 0, writable=False)  # a text
HEARTBEAT = DriveObject(0x1017, 0, 2)  # ms
VENDOR = DriveObject(0x1018, 1, 4, writable=False)
ERROR_CODE = DriveObject(0x603F, 0, 2, writable=False)
CONTROL = DriveObject(0x6040, 0, 2)
STATUS = DriveObject(0x6041, 0, 2, writable=False)
MODE = DriveObject(0x6060, 0, 1, signed=True)
MODE_SHOWN = DriveObject(0x6061, 0, 1, signed=True, writable=False)
POSITION = DriveObject(0x6064, 0, 4, signed=True, writable=False)
VELOCITY = DriveObject(0x606C, 0, 4, signed=True, writable=False)
TARGET_TORQUE = DriveObject(0x6071, 0, 2, signed=True)
RATED_TORQUE = DriveObject(0x6076, 0, 4, writable=False)  # thousandths of N m or N
TORQUE = DriveObject(0x6077, 0, 2, signed=True, writable=False)
TARGET = DriveObject(0x607A, 0, 4, signed=True)
LOWEST = DriveObject(0x607D, 1, 4, signed=True)
HIGHEST = DriveObject(0x607D, 2, 4, signed=True)
MOST_SPEED = DriveObject(0x607F, 0, 4)
PROFILE_SPEED = DriveObject(0x6081, 0, 4)
PROFILE_ACCELERATION = DriveObject(0x6083, 0, 4)
PROFILE_DECELERATION = DriveObject(0x6084, 0, 4)
QUICK_DECELERATION = DriveObject(0x6085, 0, 4)
HOMING_METHOD = DriveObject(0x6098, 0, 1, signed=True)
HOMING_SPEED = DriveObject(0x6099, 1, 4)
POSITION_UNIT = DriveObject(0x60A8, 0, 4)
MOST_ACCELERATION = DriveObject(0x60C5, 0, 4)
SUPPORTED_MODES = DriveObject(0x6502, 0, 4, writable=False)

DRIVE = 0x00020192  # device type: a servo drive by profile 402
UNIT_CODES = {"rad": 0x00100000, "m": 0x00010000}

# the process data of a cycle: what the master sends, what a module answers
RECEIVED: tuple[tuple[DriveObject, ...], ...] = (
    (CONTROL, TARGET, MODE),
    (PROFILE_SPEED, PROFILE_ACCELERATION),
    (PROFILE_DECELERATION, TARGET_TORQUE),
)
TRANSMITTED: tuple[tuple[DriveObject, ...], ...] = (
    (STATUS, POSITION, MODE_SHOWN),
    (VELOCITY, TORQUE, ERROR_CODE),
)
RECEIVED_IDS = (0x200, 0x300, 0x400)
TRANSMITTED_IDS = (0x180, 0x280)
SYNC_ID, EMERGENCY_ID, NMT_ID = 0x80, 0x80, 0x00
SDO_REQUEST_ID, SDO_ANSWER_ID, HEARTBEAT_ID = 0x600, 0x580, 0x700

ERROR_TEXTS = {
    0x2310: "continuous over-current",
    0x3210: "over-voltage of the link",
    0x4210: "too hot",
    0x7300: "sensor",
    0x8130: "heartbeat of the master is missing",
    0x8250: "set points are missing",
    0x8611: "following error",
    0x8612: "reference limit",
}


def error_text(code: int) -> str:
    """Return a sentence about an error code."""
    return f"error 0x{code:04X}: {ERROR_TEXTS.get(code, 'see the manual of the module')}"
