from armwerk.protocol.coding import (
    decoded as decoded,
    encoded as encoded,
)
from armwerk.protocol.commands import Command as Command
from armwerk.protocol.contacts import (
    ContactEvent as ContactEvent,
    ContactPoint as ContactPoint,
    ContactSide as ContactSide,
    PairContact as PairContact,
)
from armwerk.protocol.messages import (
    Note as Note,
    TimedMessage as TimedMessage,
    Trigger as Trigger,
)
from armwerk.protocol.replies import Message as Message
from armwerk.protocol.states import (
    RobotState as RobotState,
    RunEnd as RunEnd,
)
from armwerk.protocol.viewing import (
    ClockStatus as ClockStatus,
    ViewedBelt as ViewedBelt,
    ViewedBody as ViewedBody,
    ViewedCamera as ViewedCamera,
    ViewedEvent as ViewedEvent,
    ViewedFloor as ViewedFloor,
    ViewedGeometry as ViewedGeometry,
    ViewedMotor as ViewedMotor,
    ViewedSolid as ViewedSolid,
    ViewedStretch as ViewedStretch,
)
