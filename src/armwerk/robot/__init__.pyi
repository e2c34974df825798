from armwerk.robot.arm import (
    Arm as Arm,
    ArmDetails as ArmDetails,
    arm_from_axes as arm_from_axes,
)
from armwerk.robot.axes import Axis as Axis
from armwerk.robot.coupling import Coupling as Coupling
from armwerk.robot.files import (
    ArmName as ArmName,
    AssemblyName as AssemblyName,
    grippers as grippers,
    library as library,
    load as load,
    load_arm as load_arm,
    load_assembly as load_assembly,
    save as save,
)
from armwerk.robot.holding import Magnet as Magnet, SuctionCup as SuctionCup
from armwerk.robot.joint import Joint as Joint, Link as Link
from armwerk.robot.parts import (
    Assembly as Assembly,
    Body as Body,
    LinearMotor as LinearMotor,
    Passive as Passive,
    Platform as Platform,
    Segment as Segment,
    Servo as Servo,
    TConnector as TConnector,
    TerminationPoint as TerminationPoint,
    TouchPoint as TouchPoint,
    TouchSegment as TouchSegment,
    Union as Union,
    chain as chain,
)
from armwerk.robot.settings import MotionSettings as MotionSettings
