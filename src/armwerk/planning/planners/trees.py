"""RRT-Connect: two trees, from the start and from the goals, grow until they meet.

J. J. Kuffner, S. M. LaValle: RRT-Connect: An efficient approach to single-query path planning,
ICRA 2000. The trees are OMPL's.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.planners.ompl_space import Space, load_ompl, numbers, quiet_ompl
from armwerk.planning.planners.terrain import Terrain

STEP = 0.5
"""Longest branch, times the square root of the number of joints [rad or m]."""


def rrt_connect(terrain: Terrain) -> Array | None:
    """Return a way from the start to one of the goals. Shape (k, n). None: the time was up."""
    base, geometric, _ = load_ompl()
    with quiet_ompl(terrain.seed):
        view = Space(terrain)
        problem = base.ProblemDefinition(view.information)
        problem.addStartState(view.state(terrain.start))
        goals = base.GoalStates(view.information)
        for goal in terrain.goals:
            goals.addState(view.state(goal))
        problem.setGoal(goals)
        planner = geometric.RRTConnect(view.information)
        planner.setRange(STEP * float(np.sqrt(view.dof)))
        planner.setProblemDefinition(problem)
        planner.setup()
        planner.solve(base.PlannerTerminationCondition(terrain.expired))
        if not problem.hasExactSolution():
            return None
        states = problem.getSolutionPath().getStates()
        return np.array([numbers(state, view.dof) for state in states])
