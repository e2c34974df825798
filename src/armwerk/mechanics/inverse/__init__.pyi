from armwerk.mechanics.inverse.interface import (
    ClosedForm as ClosedForm,
    Factory as Factory,
    InverseMethod as InverseMethod,
    InverseSolver as InverseSolver,
    SetSolver as SetSolver,
    Solution as Solution,
    SolutionSet as SolutionSet,
    Task as Task,
)
from armwerk.mechanics.inverse.methods import (
    ITERATIVE as ITERATIVE,
    inverse_method as inverse_method,
    make_solver as make_solver,
)
