from armwerk.mobile.bases import (
    Base as Base,
    DifferentialBase as DifferentialBase,
    FourWheelBase as FourWheelBase,
    OmniBase as OmniBase,
)
from armwerk.mobile.devices import (
    Bumper as Bumper,
    Compass as Compass,
    DistanceSensor as DistanceSensor,
    Hand as Hand,
    HandGripper as HandGripper,
    RobotCamera as RobotCamera,
    SensorError as SensorError,
)
from armwerk.mobile.events import (
    Collision as Collision,
    GoalScored as GoalScored,
    GripFailed as GripFailed,
    Gripped as Gripped,
    MobileEvent as MobileEvent,
    Released as Released,
    RobotMessage as RobotMessage,
    SceneNotice as SceneNotice,
    Tipped as Tipped,
)
from armwerk.mobile.program import (
    Answer as Answer,
    BaseVelocity as BaseVelocity,
    Displacement as Displacement,
    GripperCommand as GripperCommand,
    GroundPose as GroundPose,
    MobileProgram as MobileProgram,
    Outgoing as Outgoing,
    Senses as Senses,
    WheelSpeeds as WheelSpeeds,
)
from armwerk.mobile.scene import (
    GoalArea as GoalArea,
    MobileBody as MobileBody,
    MobileRobot as MobileRobot,
    MobileScene as MobileScene,
    Reports as Reports,
)
