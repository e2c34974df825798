from armwerk.planning.example_problems import (
    ExampleProblem as ExampleProblem,
    Problem as Problem,
    problem as problem,
    problems as problems,
)
from armwerk.planning.maps.mapping import cspace as cspace
from armwerk.planning.maps.result import ConfigurationSpace as ConfigurationSpace
from armwerk.planning.paths.finding import find_path as find_path
from armwerk.planning.paths.result import PlannedPath as PlannedPath
from armwerk.planning.paths.timed_path import TimedPath as TimedPath
from armwerk.planning.paths.together import (
    MotionsTogether as MotionsTogether,
    find_together as find_together,
)
from armwerk.planning.paths.together_file import ArmsTogether as ArmsTogether
from armwerk.planning.reachability.reaching import reach as reach
from armwerk.planning.reachability.result import Reach as Reach
