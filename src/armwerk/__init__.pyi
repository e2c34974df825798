from armwerk import (
    cell as cell,
    collision as collision,
    control as control,
    derivation as derivation,
    errors as errors,
    geometry as geometry,
    language as language,
    mechanics as mechanics,
    motion as motion,
    notebook as notebook,
    physics as physics,
    pictures as pictures,
    planning as planning,
    robot as robot,
    scene as scene,
    stations as stations,
)
from armwerk.cell import World as World
from armwerk.collision import (
    ArmShapes as ArmShapes,
    Bodies as Bodies,
    JointArea as JointArea,
    Region as Region,
    SafetySettings as SafetySettings,
    check as check,
    slowed as slowed,
)
from armwerk.control import (
    RobotController as RobotController,
    TriggerProcessor as TriggerProcessor,
    pointing_down as pointing_down,
)
from armwerk.derivation import (
    Derivation as Derivation,
    derive as derive,
)
from armwerk.errors import ArmwerkError as ArmwerkError
from armwerk.geometry import (
    Box as Box,
    Capsule as Capsule,
    Cone as Cone,
    Cylinder as Cylinder,
    HalfSpace as HalfSpace,
    Mesh as Mesh,
    Sphere as Sphere,
)
from armwerk.language import irl as irl
from armwerk.mechanics import (
    ArmModel as ArmModel,
    AssemblyModel as AssemblyModel,
    SerialModel as SerialModel,
    Solution as Solution,
)
from armwerk.modelling import model as model
from armwerk.motion import (
    Limits as Limits,
    Path as Path,
    Trajectory as Trajectory,
    ptp as ptp,
)
from armwerk.planning import (
    ConfigurationSpace as ConfigurationSpace,
    Reach as Reach,
    cspace as cspace,
    find_path as find_path,
    reach as reach,
)
from armwerk.robot import (
    Arm as Arm,
    Assembly as Assembly,
    Axis as Axis,
    Coupling as Coupling,
    Joint as Joint,
    Link as Link,
    library as library,
    load as load,
    load_arm as load_arm,
    load_assembly as load_assembly,
)
from armwerk.scene import (
    Scene as Scene,
    read_scene as read_scene,
    save_scene as save_scene,
)
from armwerk.stations import (
    Station as Station,
    StationModel as StationModel,
    load_station as load_station,
)

__version__: str
