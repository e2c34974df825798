"""World: a scene and its arms in, their motion out, by MuJoCo and contacts that keep the laws.

`Simulation` is all one needs; the room knows no threads, no controllers and no triggers' texts.
"""

from __future__ import annotations

from armwerk.world.settings import Settings
from armwerk.world.simulation import Mounted, Simulation, State, ThingState

__all__ = ["Mounted", "Settings", "Simulation", "State", "ThingState"]
