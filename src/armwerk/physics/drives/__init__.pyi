from armwerk.physics.drives.controller import (
    CascadeController as CascadeController,
    JointController as JointController,
    JointFeedback as JointFeedback,
)
