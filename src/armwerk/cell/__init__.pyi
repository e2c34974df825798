from armwerk.cell.pace import Pace as Pace
from armwerk.cell.report import (
    Report as Report,
    RobotReport as RobotReport,
)
from armwerk.cell.saving import WorldState as WorldState
from armwerk.cell.world import World as World
