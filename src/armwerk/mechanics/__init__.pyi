from armwerk.mechanics.assembly import (
    AssemblyModel as AssemblyModel,
    AssemblyState as AssemblyState,
)
from armwerk.mechanics.coupled import CoupledModel as CoupledModel
from armwerk.mechanics.extent import ReachEstimate as ReachEstimate
from armwerk.mechanics.interface import (
    ArmModel as ArmModel,
    SerialArmModel as SerialArmModel,
)
from armwerk.mechanics.inverse import (
    ClosedForm as ClosedForm,
    InverseMethod as InverseMethod,
    InverseSolver as InverseSolver,
    Solution as Solution,
    SolutionSet as SolutionSet,
    Task as Task,
    inverse_method as inverse_method,
)
from armwerk.mechanics.serial import (
    Reach as Reach,
    SerialModel as SerialModel,
)

# earlier names: these two stand above this room, where it is joined with the derivation
from armwerk.modelling import (
    model as model,
    register_closed as register_closed,
)
