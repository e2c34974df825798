from armwerk.collision.arm_shapes import (
    ArmShapes as ArmShapes,
    arm_shapes as arm_shapes,
    load_shapes as load_shapes,
)
from armwerk.collision.bodies import Bodies as Bodies
from armwerk.collision.bodies_around import BodiesAround as BodiesAround
from armwerk.collision.body import Region as Region
from armwerk.collision.body_motion import (
    BodyMotion as BodyMotion,
    BodyReach as BodyReach,
    ConstantVelocity as ConstantVelocity,
    PlatformMotion as PlatformMotion,
    Repeated as Repeated,
    TimedPoses as TimedPoses,
)
from armwerk.collision.checker import (
    Checker as Checker,
    Contact as Contact,
)
from armwerk.collision.covers import covers as covers
from armwerk.collision.mesh_check import hull as hull
from armwerk.collision.mesh_file import (
    load_mesh as load_mesh,
    save_mesh as save_mesh,
)
from armwerk.collision.motion_check import (
    MotionContact as MotionContact,
    Verdict as Verdict,
    check as check,
)
from armwerk.collision.motion_picture import (
    Clearance as Clearance,
    MotionPicture as MotionPicture,
)
from armwerk.collision.moving_body import (
    MovingArm as MovingArm,
    MovingBody as MovingBody,
)
from armwerk.collision.packing import (
    Distance as Distance,
    contact as contact,
    distance as distance,
)
from armwerk.collision.prover import Prover as Prover
from armwerk.collision.safety import (
    JointArea as JointArea,
    SafetySettings as SafetySettings,
)
from armwerk.collision.safety_rules import SafetyRules as SafetyRules
from armwerk.collision.slowing import slowed as slowed
