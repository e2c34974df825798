from armwerk.physics.settings import Settings as Settings
from armwerk.physics.simulation import (
    Mounted as Mounted,
    Simulation as Simulation,
    State as State,
    ThingState as ThingState,
)
