from armwerk.control.controller import RobotController as RobotController
from armwerk.control.goals import pointing_down as pointing_down
from armwerk.control.motors import (
    Grip as Grip,
    Motor as Motor,
    Motors as Motors,
)
from armwerk.control.processor import TriggerProcessor as TriggerProcessor
from armwerk.control.skills import Skills as Skills
from armwerk.control.station import (
    Desk as Desk,
    Fingers as Fingers,
    Limb as Limb,
    Station as Station,
)
from armwerk.control.stopped import Stopped as Stopped
