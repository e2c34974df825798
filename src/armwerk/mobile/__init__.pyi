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
from armwerk.mobile.engine import MobileEngine as MobileEngine
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
from armwerk.mobile.examples.shipped import (
    find_mobile_scene as find_mobile_scene,
    mobile_scenes as mobile_scenes,
)
from armwerk.mobile.files.scene_file import (
    SceneFile as SceneFile,
    open_scene as open_scene,
    read_mobile_scene as read_mobile_scene,
)
from armwerk.mobile.files.settings import (
    SceneSettings as SceneSettings,
    list_settings as list_settings,
    read_settings as read_settings,
    save_settings as save_settings,
    settings_folder as settings_folder,
    settings_of_scene as settings_of_scene,
)
from armwerk.mobile.kinematic.engine import KinematicEngine as KinematicEngine
from armwerk.mobile.program import (
    Answer as Answer,
    BaseVelocity as BaseVelocity,
    Displacement as Displacement,
    GripperCommand as GripperCommand,
    GroundPose as GroundPose,
    MobileProgram as MobileProgram,
    Outgoing as Outgoing,
    SeenObject as SeenObject,
    Senses as Senses,
    WheelSpeeds as WheelSpeeds,
)
from armwerk.mobile.programs.braitenberg import Braitenberg as Braitenberg
from armwerk.mobile.programs.collector import Collector as Collector
from armwerk.mobile.programs.finding import find_program as find_program
from armwerk.mobile.programs.football import FootballPlayer as FootballPlayer
from armwerk.mobile.programs.wall_follower import WallFollower as WallFollower
from armwerk.mobile.scene import (
    CarriedArm as CarriedArm,
    GoalArea as GoalArea,
    MobileBody as MobileBody,
    MobileRobot as MobileRobot,
    MobileScene as MobileScene,
    Reports as Reports,
)
from armwerk.mobile.world import (
    MeasuredRay as MeasuredRay,
    MobileState as MobileState,
    MobileWorld as MobileWorld,
)
