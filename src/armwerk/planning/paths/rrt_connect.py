"""RRT-Connect: two trees, from the start and from the goals, grow until they meet.

J. J. Kuffner, S. M. LaValle: RRT-Connect: An efficient approach to single-query path planning,
ICRA 2000. The trees are OMPL's.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.paths.ompl_space import OmplSpace, load_ompl, numbers, quiet_ompl
from armwerk.planning.paths.problem import PlanningProblem

STEP = 0.5
"""Longest branch, times the square root of the number of joints [rad or m]."""


def rrt_connect(problem: PlanningProblem) -> Array | None:
    """Return a path from the start to one of the goals. Shape (k, n). None: the time was up."""
    base, geometric, _ = load_ompl()
    with quiet_ompl(problem.seed):
        view = OmplSpace(problem)
        definition = base.ProblemDefinition(view.information)
        definition.addStartState(view.state(problem.start))
        goals = base.GoalStates(view.information)
        for goal in problem.goals:
            goals.addState(view.state(goal))
        definition.setGoal(goals)
        planner = geometric.RRTConnect(view.information)
        planner.setRange(STEP * float(np.sqrt(view.dof)))
        planner.setProblemDefinition(definition)
        planner.setup()
        planner.solve(base.PlannerTerminationCondition(problem.expired))
        if not definition.hasExactSolution():
            return None
        states = definition.getSolutionPath().getStates()
        return np.array([numbers(state, view.dof) for state in states])
