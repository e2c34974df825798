from armwerk.world.settings import Settings as Settings
from armwerk.world.simulation import (
    Mounted as Mounted,
)
from armwerk.world.simulation import (
    Simulation as Simulation,
)
from armwerk.world.simulation import (
    State as State,
)
from armwerk.world.simulation import (
    ThingState as ThingState,
)
