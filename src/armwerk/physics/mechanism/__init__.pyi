from armwerk.physics.mechanism.assemble import (
    mechanism as mechanism,
    tooled as tooled,
)
from armwerk.physics.mechanism.members import Mechanism as Mechanism
