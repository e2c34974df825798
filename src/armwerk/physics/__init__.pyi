from armwerk.physics.settings import Settings as Settings
from armwerk.physics.simulation import (
    Mounted as Mounted,
)
from armwerk.physics.simulation import (
    Simulation as Simulation,
)
from armwerk.physics.simulation import (
    State as State,
)
from armwerk.physics.simulation import (
    ThingState as ThingState,
)
