"""Run-time code from an inverse-kinematics `Program`.

In comes a `Program` and the arm it belongs to; out goes a `ClosedFormSolver` that returns all
joint configurations for a pose, each checked against direct kinematics:

    Program -> flow (what is computed when, and shared) -> generate (source for numba)
            -> cache, compile (on disk, per user) -> solver (fast path) -> careful (degenerate poses)

`reference` executes a `Program` step by step in numpy: slow, plain, the oracle of the tests.
"""
