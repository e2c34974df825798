from armwerk.operation.control_thread import ControlThread as ControlThread
from armwerk.operation.cooperation import (
    Cooperation as Cooperation,
    apart as apart,
    cooperate as cooperate,
    play_together as play_together,
)
from armwerk.operation.operation import (
    Operation as Operation,
    OperationReport as OperationReport,
    OperationState as OperationState,
)
from armwerk.operation.planning_desk import (
    PlanningDesk as PlanningDesk,
    QueuedMotion as QueuedMotion,
)
from armwerk.operation.player import Player as Player
from armwerk.operation.points import (
    InterpolatedPoint as InterpolatedPoint,
    interpolated as interpolated,
)
from armwerk.operation.recording import (
    MasterSlave as MasterSlave,
    MotionRecorder as MotionRecorder,
)
from armwerk.operation.teaching import Teaching as Teaching
