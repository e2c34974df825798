from armwerk.control.servo.controller import ServoController as ServoController
from armwerk.control.servo.feed_forward import (
    ModelFeedForward as ModelFeedForward,
    NoFeedForward as NoFeedForward,
)
from armwerk.control.servo.load import (
    HandLoad as HandLoad,
    LoadEstimator as LoadEstimator,
    load_forces as load_forces,
)
from armwerk.control.servo.loops import (
    CurrentLoop as CurrentLoop,
    PositionLoop as PositionLoop,
    VelocityLoop as VelocityLoop,
)
from armwerk.control.servo.monitors import (
    Alarm as Alarm,
    BrakeRampMonitor as BrakeRampMonitor,
    Monitor as Monitor,
    RangeMonitor as RangeMonitor,
    SourceSample as SourceSample,
    SpeedMonitor as SpeedMonitor,
    StandstillMonitor as StandstillMonitor,
    Supervisor as Supervisor,
)
from armwerk.control.servo.parts import (
    CoarsePoints as CoarsePoints,
    CurrentStage as CurrentStage,
    FeedForward as FeedForward,
    FineInterpolation as FineInterpolation,
    Interpolation as Interpolation,
    InverseStage as InverseStage,
    PositionStage as PositionStage,
    VelocityStage as VelocityStage,
)
from armwerk.control.servo.set_points import (
    AxisInterpolation as AxisInterpolation,
    NearestInverse as NearestInverse,
    SetPointGenerator as SetPointGenerator,
    SetPoints as SetPoints,
    SplineInterpolation as SplineInterpolation,
    StraightInterpolation as StraightInterpolation,
    ToolInterpolation as ToolInterpolation,
)
