from armwerk.scene.changes import with_robot as with_robot
from armwerk.scene.files import (
    cells as cells,
)
from armwerk.scene.files import (
    find_cell as find_cell,
)
from armwerk.scene.files import (
    read_scene as read_scene,
)
from armwerk.scene.files import (
    save_scene as save_scene,
)
from armwerk.scene.reader import parse_scene as parse_scene
from armwerk.scene.scene import (
    ALL as ALL,
)
from armwerk.scene.scene import (
    MOST_ROBOTS as MOST_ROBOTS,
)
from armwerk.scene.scene import (
    TILE_SIZE as TILE_SIZE,
)
from armwerk.scene.scene import (
    Ball as Ball,
)
from armwerk.scene.scene import (
    Barrier as Barrier,
)
from armwerk.scene.scene import (
    Border as Border,
)
from armwerk.scene.scene import (
    Circle as Circle,
)
from armwerk.scene.scene import (
    Conveyor as Conveyor,
)
from armwerk.scene.scene import (
    Cuboid as Cuboid,
)
from armwerk.scene.scene import (
    Direction as Direction,
)
from armwerk.scene.scene import (
    FixedSphere as FixedSphere,
)
from armwerk.scene.scene import (
    Obstacle as Obstacle,
)
from armwerk.scene.scene import (
    Outline as Outline,
)
from armwerk.scene.scene import (
    Paint as Paint,
)
from armwerk.scene.scene import (
    Point as Point,
)
from armwerk.scene.scene import (
    Polygon as Polygon,
)
from armwerk.scene.scene import (
    Processor as Processor,
)
from armwerk.scene.scene import (
    Rectangle as Rectangle,
)
from armwerk.scene.scene import (
    Robot as Robot,
)
from armwerk.scene.scene import (
    Scene as Scene,
)
from armwerk.scene.scene import (
    Slice as Slice,
)
from armwerk.scene.scene import (
    Slope as Slope,
)
from armwerk.scene.scene import (
    Spot as Spot,
)
from armwerk.scene.scene import (
    Step as Step,
)
from armwerk.scene.scene import (
    Thing as Thing,
)
from armwerk.scene.scene import (
    ThingKind as ThingKind,
)
from armwerk.scene.scene import (
    Tile as Tile,
)
from armwerk.scene.scene import (
    Watch as Watch,
)
from armwerk.scene.scene import (
    Wedge as Wedge,
)
from armwerk.scene.scene import (
    Zone as Zone,
)
from armwerk.scene.writer import write_scene as write_scene
