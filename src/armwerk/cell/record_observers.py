"""Those who look on and write down what they see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armwerk.cell.moments import Moments
from armwerk.cell.observers import Observer
from armwerk.cell.record import Recorder
from armwerk.protocol import ContactEvent, Note, Trigger

if TYPE_CHECKING:
    from armwerk.cell.world import World


class RecordObserver(Observer):
    """Fills a recording."""

    def __init__(self, recorder: Recorder, moments: Moments, rate: float) -> None:
        self.recorder = recorder
        self.moments = moments
        self.period = 1.0 / rate
        self._last = -1.0  # [s] simulated

    def look(self, world: World) -> None:
        """Write a state, once for every moment."""
        if world.time != self._last:
            self._last = world.time
            self.recorder.state(self.moments.now(), world.simulation.contact_points())

    def trigger(self, trigger: Trigger) -> None:
        """Write a trigger."""
        self.recorder.trigger(trigger)

    def note(self, note: Note) -> None:
        """Write a debug line."""
        self.recorder.note(note)

    def contact(self, event: ContactEvent) -> None:
        """Write a beginning or end of a contact."""
        self.recorder.contact(event)


class BeltObserver(Observer):
    """Follows the belts, at whatever time they are switched."""

    def __init__(self, moments: Moments) -> None:
        self.moments = moments

    def look(self, world: World) -> None:
        """Add up their travel."""
        self.moments.follow()
