from armwerk.mechanics.inverse.interface import (
    ClosedForm as ClosedForm,
    Factory as Factory,
    InverseMethod as InverseMethod,
    InverseSolver as InverseSolver,
)
from armwerk.mechanics.inverse.methods import (
    ITERATIVE as ITERATIVE,
    inverse_method as inverse_method,
    make_solver as make_solver,
)
from armwerk.mechanics.inverse.solution import (
    Solution as Solution,
    SolutionSet as SolutionSet,
    Task as Task,
)
