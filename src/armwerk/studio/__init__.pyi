from armwerk.studio.doors import Doors as Doors
from armwerk.studio.folder import StudioFolder as StudioFolder
from armwerk.studio.server import (
    StudioServer as StudioServer,
    make_app as make_app,
)
from armwerk.studio.session import StudioSession as StudioSession
