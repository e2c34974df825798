"""What the planner has to say about a motion."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the planner did that was not asked for in so many words.

    Args:
        segment: Which segment ("segment 2 'lin'"); empty: the whole motion.
        place: Where ("at 0.12 m of 0.30 m", "at 0.61 s"); empty: not at one place.
        axis: Which joint; empty: no single one.
        text: What was done, with numbers and units.
        span: From when to when it holds [s], from the start of the motion; None: not at a time.
    """

    segment: str
    place: str
    axis: str
    text: str
    span: tuple[float, float] | None = None

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.segment, self.place, self.axis) if part)
        when = "" if self.span is None else f", from {self.span[0]:.3g} to {self.span[1]:.3g} s"
        text = f"{self.text}{when}"
        return f"{where}: {text}" if where else text
