from armwerk.robot.arm import (
    Arm as Arm,
)
from armwerk.robot.arm import (
    MotionSettings as MotionSettings,
)
from armwerk.robot.axes import (
    Axis as Axis,
)
from armwerk.robot.axes import (
    arm_from_axes as arm_from_axes,
)
from armwerk.robot.catalogue import (
    grippers as grippers,
)
from armwerk.robot.catalogue import (
    library as library,
)
from armwerk.robot.files import (
    load as load,
)
from armwerk.robot.files import (
    load_arm as load_arm,
)
from armwerk.robot.files import (
    save as save,
)
from armwerk.robot.joint import Joint as Joint
from armwerk.robot.link import Link as Link
from armwerk.robot.parts import (
    Assembly as Assembly,
)
from armwerk.robot.parts import (
    Body as Body,
)
from armwerk.robot.parts import (
    LinearMotor as LinearMotor,
)
from armwerk.robot.parts import (
    Passive as Passive,
)
from armwerk.robot.parts import (
    Platform as Platform,
)
from armwerk.robot.parts import (
    Segment as Segment,
)
from armwerk.robot.parts import (
    Servo as Servo,
)
from armwerk.robot.parts import (
    TConnector as TConnector,
)
from armwerk.robot.parts import (
    TerminationPoint as TerminationPoint,
)
from armwerk.robot.parts import (
    TouchPoint as TouchPoint,
)
from armwerk.robot.parts import (
    TouchSegment as TouchSegment,
)
from armwerk.robot.parts import (
    Union as Union,
)
from armwerk.robot.parts import (
    chain as chain,
)
