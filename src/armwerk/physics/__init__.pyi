from armwerk.physics.poses import (
    BodyPoses as BodyPoses,
    RawState as RawState,
)
from armwerk.physics.settings import (
    Mounted as Mounted,
    RobotPlacement as RobotPlacement,
    Settings as Settings,
    SimulationSettings as SimulationSettings,
)
from armwerk.physics.simulation import (
    Simulation as Simulation,
    SimulationState as SimulationState,
    State as State,
    ThingState as ThingState,
)
