from armwerk import (
    cell as cell,
)
from armwerk import (
    collision as collision,
)
from armwerk import (
    control as control,
)
from armwerk import (
    derivation as derivation,
)
from armwerk import (
    errors as errors,
)
from armwerk import (
    geometry as geometry,
)
from armwerk import (
    mechanics as mechanics,
)
from armwerk import (
    motion as motion,
)
from armwerk import (
    physics as physics,
)
from armwerk import (
    pictures as pictures,
)
from armwerk import (
    planning as planning,
)
from armwerk import (
    robot as robot,
)
from armwerk import (
    scene as scene,
)
from armwerk.cell import World as World
from armwerk.collision import (
    ArmShapes as ArmShapes,
)
from armwerk.collision import (
    Bodies as Bodies,
)
from armwerk.collision import (
    JointArea as JointArea,
)
from armwerk.collision import (
    Region as Region,
)
from armwerk.collision import (
    SafetySettings as SafetySettings,
)
from armwerk.collision import (
    check as check,
)
from armwerk.collision import (
    slowed as slowed,
)
from armwerk.control import (
    RobotController as RobotController,
)
from armwerk.control import (
    TriggerProcessor as TriggerProcessor,
)
from armwerk.control import (
    pointing_down as pointing_down,
)
from armwerk.derivation import (
    Derivation as Derivation,
)
from armwerk.derivation import (
    derive as derive,
)
from armwerk.errors import ArmwerkError as ArmwerkError
from armwerk.geometry import (
    Box as Box,
)
from armwerk.geometry import (
    Capsule as Capsule,
)
from armwerk.geometry import (
    Cone as Cone,
)
from armwerk.geometry import (
    Cylinder as Cylinder,
)
from armwerk.geometry import (
    HalfSpace as HalfSpace,
)
from armwerk.geometry import (
    Mesh as Mesh,
)
from armwerk.geometry import (
    Sphere as Sphere,
)
from armwerk.mechanics import (
    ArmModel as ArmModel,
)
from armwerk.mechanics import (
    model as model,
)
from armwerk.motion import (
    Limits as Limits,
)
from armwerk.motion import (
    Path as Path,
)
from armwerk.motion import (
    Trajectory as Trajectory,
)
from armwerk.motion import (
    ptp as ptp,
)
from armwerk.planning import (
    ConfigurationSpace as ConfigurationSpace,
)
from armwerk.planning import (
    Reach as Reach,
)
from armwerk.planning import (
    cspace as cspace,
)
from armwerk.planning import (
    find_path as find_path,
)
from armwerk.planning import (
    reach as reach,
)
from armwerk.robot import (
    Arm as Arm,
)
from armwerk.robot import (
    Assembly as Assembly,
)
from armwerk.robot import (
    Axis as Axis,
)
from armwerk.robot import (
    Joint as Joint,
)
from armwerk.robot import (
    Link as Link,
)
from armwerk.robot import (
    library as library,
)
from armwerk.robot import (
    load as load,
)
from armwerk.scene import (
    Scene as Scene,
)
from armwerk.scene import (
    read_scene as read_scene,
)
from armwerk.scene import (
    save_scene as save_scene,
)

__version__: str
