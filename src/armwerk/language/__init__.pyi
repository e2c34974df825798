from armwerk.language import irl as irl
from armwerk.language.irl import RobotProgram as RobotProgram, RunResult as RunResult
from armwerk.language.layout import formatted as formatted
from armwerk.language.linting.warning import Lint as Lint
from armwerk.language.parsing.units import ParsedUnit as ParsedUnit, parse as parse
from armwerk.language.running.arms import ArmMachine as ArmMachine, DrivenMotion as DrivenMotion
from armwerk.language.running.interpreter import Interpreter as Interpreter
from armwerk.language.running.machine import (
    Machine as Machine,
    MotionCommand as MotionCommand,
    MotionTarget as MotionTarget,
    Rehearsal as Rehearsal,
    RobotState as RobotState,
)
