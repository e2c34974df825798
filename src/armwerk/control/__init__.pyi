from armwerk.control.controller import RobotController as RobotController
from armwerk.control.goals import pointing_down as pointing_down
from armwerk.control.motors import (
    Grip as Grip,
)
from armwerk.control.motors import (
    Motor as Motor,
)
from armwerk.control.motors import (
    Motors as Motors,
)
from armwerk.control.processor import TriggerProcessor as TriggerProcessor
from armwerk.control.skills import Skills as Skills
from armwerk.control.station import (
    Desk as Desk,
)
from armwerk.control.station import (
    Fingers as Fingers,
)
from armwerk.control.station import (
    Limb as Limb,
)
from armwerk.control.station import (
    Station as Station,
)
from armwerk.control.stopped import Stopped as Stopped
