from armwerk.cell.observers import Observer as Observer
from armwerk.cell.pace import (
    Clock as Clock,
    FakeClock as FakeClock,
    Pace as Pace,
    RealClock as RealClock,
)
from armwerk.cell.record import Recording as Recording
from armwerk.cell.report import (
    Report as Report,
    RobotReport as RobotReport,
)
from armwerk.cell.saving import WorldState as WorldState
from armwerk.cell.world import World as World
