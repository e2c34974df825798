from armwerk.mechanics.inverse import (
    InverseSolver as InverseSolver,
)
from armwerk.mechanics.inverse import (
    register_closed as register_closed,
)
from armwerk.mechanics.model import (
    ArmModel as ArmModel,
)
from armwerk.mechanics.model import (
    model as model,
)
from armwerk.mechanics.serial import (
    Reach as Reach,
)
from armwerk.mechanics.serial import (
    SerialModel as SerialModel,
)
from armwerk.mechanics.solution import Solution as Solution
