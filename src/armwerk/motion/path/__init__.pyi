from armwerk.motion.path.goals import (
    Cylindrical as Cylindrical,
    inclination_of as inclination_of,
    inclined_pose as inclined_pose,
)
from armwerk.motion.path.path import Path as Path
