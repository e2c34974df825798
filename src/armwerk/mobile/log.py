"""The log of a world of mobile robots: events as lines, chosen by kind, saved."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from armwerk.errors import UnknownNameError
from armwerk.files import write_text
from armwerk.mobile.events import (
    Collision,
    EventKind,
    GoalScored,
    GripFailed,
    Gripped,
    MobileEvent,
    Released,
    RobotMessage,
    SceneNotice,
    Tipped,
)

KINDS: tuple[EventKind, ...] = get_args(EventKind)


def event_line(event: MobileEvent) -> str:
    """Return an event as one line: time, kind, who, what and where."""
    return f"{event.time:10.4f} s  {event.kind:<11}  {event_text(event)}"


def event_text(event: MobileEvent) -> str:
    """Return what an event says: who, what and where."""
    match event:
        case Collision():
            x, y, z = event.point
            return (
                f"{event.robot} with {event.other_kind} {event.other} at ({x:.4f}, {y:.4f}, "
                f"{z:.4f}) m, {event.within * 1000:.1f} ms into the step, {event.speed:.3f} m/s"
            )
        case Gripped():
            return f"{event.robot} has got hold of {event.body}"
        case GripFailed():
            return f"{event.robot}, {event.body or 'nothing'}: {event.reason}"
        case Released():
            return f"{event.robot} has let go of {event.body}"
        case GoalScored():
            return f"{event.body} in goal {event.goal}"
        case Tipped():
            return f"{event.robot} has fallen over"
        case RobotMessage():
            return f"{event.sender} to {event.receiver}: {event.text}"
        case SceneNotice():
            return event.text


def chosen(
    events: Iterable[MobileEvent], kinds: Iterable[str] = (), who: Iterable[str] = ()
) -> list[MobileEvent]:
    """Return the events of some kinds that concern some robots or bodies.

    Args:
        events: All.
        kinds: Such as "collision"; empty: every kind.
        who: Names of robots and bodies; empty: everybody.

    Raises:
        UnknownNameError: For a kind that does not exist.
    """
    wanted, names = set(kinds), set(who)
    for kind in wanted:
        if kind not in KINDS:
            raise UnknownNameError("kind of event", kind, KINDS)
    return [
        event
        for event in events
        if (not wanted or event.kind in wanted) and (not names or names & concerned(event))
    ]


def concerned(event: MobileEvent) -> set[str]:
    """Return the names of the robots and bodies an event is about."""
    match event:
        case Collision():
            return {event.robot, event.other}
        case Gripped() | GripFailed() | Released():
            return {event.robot, event.body}
        case GoalScored():
            return {event.goal, event.body}
        case Tipped():
            return {event.robot}
        case RobotMessage():
            return {event.sender, event.receiver}
        case SceneNotice():
            return set()


def save_log(events: Iterable[MobileEvent], path: str | Path) -> Path:
    """Write events to a text file, one line each, which is complete or untouched.

    Raises:
        DescriptionError: When the place cannot be written to.
    """
    return write_text(path, log_text(events), "log")


def log_text(events: Iterable[MobileEvent]) -> str:
    """Return events as a text, one line each."""
    return "".join(f"{event_line(event)}\n" for event in events)
