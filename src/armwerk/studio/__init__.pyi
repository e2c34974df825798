from armwerk.studio.doors import Doors as Doors
from armwerk.studio.folder import StudioFolder as StudioFolder
from armwerk.studio.server import (
    StudioServer as StudioServer,
    make_app as make_app,
)
from armwerk.studio.session import StudioSession as StudioSession
from armwerk.studio.standalone import (
    arm_page as arm_page,
    mobile_page as mobile_page,
    page_frame as page_frame,
    recording_page as recording_page,
    standalone_page as standalone_page,
    trajectory_page as trajectory_page,
)
