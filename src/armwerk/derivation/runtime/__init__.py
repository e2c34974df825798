"""Run-time code from an inverse-kinematics `Program`.

In comes a `Program` and the arm it belongs to; out goes a `ClosedFormSolver` that returns all
joint configurations for a pose, each checked against direct kinematics:

    Program -> flow      what is computed when, and shared
            -> generate  source for numba
            -> compile   kept in the user's cache
            -> solver    the fast path
            -> singular  degenerate poses

`closed` starts all of this for an arm and puts it behind `armwerk.model`. Solvers use the words
of `armwerk.mechanics.inverse.interface`: all, all_batch, nearest, solve.

`reference` executes a `Program` step by step in numpy: slow, plain, the oracle of the tests.
"""
