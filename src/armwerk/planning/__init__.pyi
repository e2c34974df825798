from armwerk.planning.cspace_result import ConfigurationSpace as ConfigurationSpace
from armwerk.planning.known_problems import (
    Problem as Problem,
    problem as problem,
    problems as problems,
)
from armwerk.planning.mapping import cspace as cspace
from armwerk.planning.path_finding import find_path as find_path
from armwerk.planning.planned_path import PlannedPath as PlannedPath
from armwerk.planning.reach_result import Reach as Reach
from armwerk.planning.reaching import reach as reach
