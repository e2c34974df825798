from armwerk.mechanics.inverse import (
    InverseSolver as InverseSolver,
    register_closed as register_closed,
)
from armwerk.mechanics.model import (
    ArmModel as ArmModel,
    model as model,
)
from armwerk.mechanics.serial import (
    Reach as Reach,
    SerialModel as SerialModel,
)
from armwerk.mechanics.solution import Solution as Solution
