"""What a run has brought."""

from __future__ import annotations

from dataclasses import dataclass

from armwerk.cell.traces import last_line
from armwerk.protocol import Note, RobotState, RunEnd

NOBODY = "nobody can go on: every program waits for what nobody is there to bring about"


@dataclass(frozen=True, slots=True)
class RobotReport:
    """How it stands with one robot.

    Args:
        number: 0 to 99.
        controller: Name of the class; empty: nobody steers.
        state: "idle", "running", "done", "failed", "stuck", "stopped" or "paused".
        error: What went wrong, with traceback; empty: nothing.
        waits: What its program waited for when the run ended, since when, and in which line;
            empty: for nothing.
    """

    number: int
    controller: str
    state: RobotState
    error: str = ""
    waits: str = ""

    def __str__(self) -> str:
        text = f"robot {self.number}: {self.state}{', ' * bool(self.waits)}{self.waits}"
        return f"{text} ({last_line(self.error)})" if self.error else text


@dataclass(frozen=True, slots=True)
class Report:
    """What a run has brought.

    Args:
        seconds: Simulated time that passed [s].
        wall: Real time that passed [s].
        steps: Physics steps made.
        time: Simulated time at the end [s].
        why: Why it ended: "time" was up, "until" held, all programs had "ended", nobody could go
            on because all were "waiting" for each other, or the user "interrupted".
        robots: By ascending number.
        processors: Instance numbers of trigger processors that failed, with their errors.
        triggers: Triggers sent since the world began.
        undelivered: Those that nobody was there for.
        notes: Lines of debug-out since the world began.
        observed: Real time of the run that observers took, pictures above all [s].
        problems: What went wrong in the world itself: two that are in each other.
    """

    seconds: float
    wall: float
    steps: int
    time: float
    why: RunEnd
    robots: tuple[RobotReport, ...]
    processors: tuple[tuple[int, str], ...] = ()
    triggers: int = 0
    undelivered: int = 0
    notes: int = 0
    observed: float = 0.0
    problems: tuple[Note, ...] = ()

    @property
    def ratio(self) -> float:
        """Simulated seconds per real second."""
        return self.seconds / self.wall if self.wall > 0.0 else 0.0

    @property
    def ok(self) -> bool:
        """Whether no program failed, got stuck, or waited in vain."""
        failed = self.processors or any(robot.error for robot in self.robots)
        return not failed and self.why != "waiting"

    def __str__(self) -> str:
        lines = [
            f"{self.seconds:.3f} s simulated in {self.wall:.3f} s ({self.ratio:.1f} times real "
            f"time), {self.triggers} triggers, {self.notes} notes"
        ]
        if self.why == "waiting":
            lines.append(NOBODY)
        lines += [str(robot) for robot in self.robots if robot.controller]
        lines += [
            f"trigger processor {number}: failed ({last_line(error)})"
            for number, error in self.processors
        ]
        lines += [f"at {problem.time:.3f} s: {problem.text}" for problem in self.problems]
        return "\n".join(lines)
