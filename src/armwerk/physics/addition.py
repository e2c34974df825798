"""What another room may add to a simulation: bodies of its own, and a say at the contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import mujoco

from armwerk.physics.contacts.hooks import Hooks


class Addition(Protocol):
    """Bodies beside things and arms, built into the same model and heard in every step."""

    def build(self, spec: mujoco.MjSpec) -> None:
        """Add bodies to the specification; things stand in it already, arms come after."""

    def pads(self, model: mujoco.MjModel) -> Sequence[int]:
        """Return the geoms of its own that grip things."""

    def start(self, model: mujoco.MjModel, data: mujoco.MjData, hooks: Hooks) -> None:
        """Be handed the model, once."""

    def before(self) -> None:
        """Act on the contacts of a step, before rebounds and sliding are worked out."""

    def after(self, *, again: bool) -> None:
        """Act on the rows of the contacts, last before the forces are.

        Args:
            again: Whether the step is made once more, from its beginning.
        """

    def finish(self) -> None:
        """Look at the forces of the step just made."""
