from armwerk.wire.arm_stage import ArmStage as ArmStage
from armwerk.wire.clock import WorldClock as WorldClock
from armwerk.wire.events import (
    EventListener as EventListener,
    EventLog as EventLog,
    EventTap as EventTap,
)
from armwerk.wire.feed import WorldFeed as WorldFeed
from armwerk.wire.frames import (
    Frame as Frame,
    FramePacker as FramePacker,
    FrameReader as FrameReader,
)
from armwerk.wire.geometry import cell_geometry as cell_geometry
from armwerk.wire.live import LiveCell as LiveCell
from armwerk.wire.playback import RecordedCell as RecordedCell
from armwerk.wire.playback_clock import PlaybackClock as PlaybackClock
