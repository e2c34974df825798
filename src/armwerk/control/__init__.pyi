from armwerk.control.context import (
    Desk as Desk,
    Fingers as Fingers,
    GripperHandle as GripperHandle,
    Limb as Limb,
    ProgramContext as ProgramContext,
    RobotContext as RobotContext,
    RobotHandle as RobotHandle,
    Station as Station,
    Stopped as Stopped,
)
from armwerk.control.controller import RobotController as RobotController
from armwerk.control.goals import pointing_down as pointing_down
from armwerk.control.motors import (
    Grip as Grip,
    Motor as Motor,
    Motors as Motors,
)
from armwerk.control.processor import TriggerProcessor as TriggerProcessor
from armwerk.control.skills import Skills as Skills
