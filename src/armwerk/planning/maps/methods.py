"""The methods that fill a map, from the quickest to the most general.

| method | when | what it does |
|---|---|---|
| scan lines | planar boxes, a joint that slides | the stretch of contact along a line, by formula |
| slabs | planar boxes, the outer joint turns | the angles of contact along a line, by formula |
| planar | planar boxes | every cell, separating axes of rectangles |
| boxes | boxes | every cell, separating axes of boxes |
| general | anything | every cell, the tests of the collision room |
| accelerator | planar boxes, when asked for | as planar, on an accelerator |
"""

from __future__ import annotations

from typing import get_args

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.planning.maps.parts import all_boxes
from armwerk.planning.maps.planar_methods import fill_plane
from armwerk.planning.maps.plane import PlanarScene, planar_scene
from armwerk.planning.maps.spatial_method import fill_space
from armwerk.planning.maps.task import Filled, MapTask
from armwerk.planning.options import MapMethod

METHODS: tuple[MapMethod, ...] = get_args(MapMethod)
_FINEST = 1e-4  # [rad] below this step the uncertain places of the slabs would touch each other


def fill_map(task: MapTask, method: MapMethod | None = None) -> Filled:
    """Return the cells of a serial arm, number of contacts, and the method taken.

    Row 0 of the cells is the largest value of the second axis; columns run with the first one.

    Args:
        task: What to fill.
        method: One of `METHODS`; None: the quickest that fits.

    Raises:
        DescriptionError: When the method is unknown or does not fit the scene.
        UnsupportedError: When an accelerator is asked for that is not there, or for a scene that
            is not one of planar boxes.
    """
    if method is not None and method not in METHODS:
        raise DescriptionError(
            "unknown", element="method", value=method, allowed=", ".join(METHODS)
        )
    motion = task.motion()
    boxes = all_boxes(task.parts, task.bodies)
    scene = planar_scene(motion, task.parts, task.bodies)
    possible = _possible(task, scene, boxes)
    chosen = possible[0] if method is None else method
    if chosen == "accelerator" and scene is None:
        raise UnsupportedError(
            "the accelerator maps planar scenes alone: boxes upright on the plane in which the "
            "joints move; use device='cpu'"
        )
    if chosen not in possible:
        raise DescriptionError(
            f"the scene does not allow the method '{chosen}'",
            element="method",
            value=method,
            allowed=", ".join(possible),
        )
    if scene is None or chosen in {"boxes", "general"}:
        cells, hits = fill_space(task, motion, plain=chosen == "boxes")
    else:
        cells, hits = fill_plane(task, scene, chosen)
    return Filled(cells, hits, chosen)


def _possible(task: MapTask, scene: PlanarScene | None, boxes: bool) -> list[MapMethod]:
    methods: list[MapMethod] = ["general"]
    if boxes:
        methods.insert(0, "boxes")
    if scene is not None:
        methods = ["planar", *methods, "accelerator"]
        second = task.inner_first[1]
        if second.kind == "revolute" and second.step >= _FINEST:
            methods.insert(0, "slabs")
        if second.kind == "prismatic":
            methods.insert(0, "scan lines")
    return methods
