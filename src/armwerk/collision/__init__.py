"""Contact and distance: a configuration or motion comes in; contacts and distances go out."""
from armwerk.collision.arm_shapes import ArmShapes, arm_shapes
from armwerk.collision.bodies import Bodies
from armwerk.collision.checker import Checker, Contact
from armwerk.collision.region import Region
