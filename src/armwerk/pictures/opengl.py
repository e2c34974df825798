"""The pictures of `CellPicture` drawn by MuJoCo's OpenGL renderer, without a screen.

Worth it where a graphics card does the work and pictures are large. Whether a machine can is tried
in a process of its own, since a broken driver may end the one that asks.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mujoco import MjModel, MjSpec, MjvCamera, mjtGeom

import os
import subprocess
import sys
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.pictures.camera import Camera
from armwerk.pictures.cell import VIEW, CellPicture, Moment, Pixels
from armwerk.pictures.cell_scene import GLASS, hexed, still_solids
from armwerk.pictures.cell_solids import Solid, pose_at
from armwerk.pictures.palette import GROUND, SKY
from armwerk.pictures.solids import frame_along
from armwerk.scene.scene import Watch, Zone

PLATFORMS = ("egl", "osmesa")
_TRIAL = """
from armwerk.pictures.opengl import OpenGLPicture
from armwerk.pictures.cell import CellPicture, start_of
from armwerk.scene.scene import Scene
import sys
scene = Scene()
picture = OpenGLPicture(CellPicture(scene, size=(32, 32)), sys.argv[1])
assert picture.draw(start_of(scene)).std() > 0
picture.close()
"""
_MOST_GEOMS = 20_000


@cache
def opengl_platform() -> str | None:
    """Return how this machine draws by OpenGL without a screen, "egl" or "osmesa"; None: not."""
    chosen = os.environ.get("MUJOCO_GL", "").lower()
    for platform in (chosen,) if chosen in PLATFORMS else PLATFORMS:
        environment = {**os.environ, "MUJOCO_GL": platform, "PYOPENGL_PLATFORM": platform}
        try:
            trial = subprocess.run(
                [sys.executable, "-c", _TRIAL, platform],
                env=environment,
                capture_output=True,
                check=False,
                timeout=60,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if trial.returncode == 0:
            return platform
    return None


class OpenGLPicture:
    """Draws moments of one cell by OpenGL.

    Args:
        picture: What to draw: its scene, robots, camera, size and flags.
        platform: "egl" or "osmesa"; None: what `opengl_platform` finds.
    """

    def __init__(self, picture: CellPicture, platform: str | None = None) -> None:
        import mujoco

        self.picture = picture
        self._mujoco = mujoco
        width, height = picture.size
        os.environ.setdefault("PYOPENGL_PLATFORM", platform or opengl_platform() or "egl")
        context = import_module(f"mujoco.{platform or opengl_platform()}").GLContext
        self._context: Any = context(width, height)
        self._context.make_current()
        self._model = _model(mujoco, picture)
        self._data = mujoco.MjData(self._model)
        mujoco.mj_forward(self._model, self._data)
        self._scene = mujoco.MjvScene(self._model, maxgeom=_MOST_GEOMS)
        self._gl = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._gl)
        self._option = mujoco.MjvOption()

    def draw(self, moment: Moment) -> Pixels:
        """Return the picture of a moment. Shape (height, width, 3)."""
        mujoco, (width, height) = self._mujoco, self.picture.size
        self._context.make_current()
        camera = _camera(mujoco, self.picture.eye_at(moment))
        mujoco.mjv_updateScene(
            self._model,
            self._data,
            self._option,
            None,
            camera,
            mujoco.mjtCatBit.mjCAT_ALL.value,
            self._scene,
        )
        for solid in self.picture.solids(moment):
            self._add(solid)
        if self.picture.flags.zones:
            for watch in self.picture.scene.watches:
                self._add(_pane(watch))
        frame = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(frame, self._scene, self._gl)
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, frame, self._gl)
        return np.ascontiguousarray(pixels[::-1])

    def _add(self, solid: Solid) -> None:
        mujoco, scene = self._mujoco, self._scene
        if scene.ngeom >= scene.maxgeom:
            return
        kind, size, pose = _primitive(mujoco, solid)
        geom = scene.geoms[scene.ngeom]
        rgba = np.array([*solid.colour, solid.alpha], dtype=np.float32)
        mujoco.mjv_initGeom(geom, kind, size, pose[:3, 3], pose[:3, :3].ravel(), rgba)
        if solid.alpha >= 1:  # glass stays decoration, which casts no shadow
            geom.category = mujoco.mjtCatBit.mjCAT_DYNAMIC.value
        geom.specular, geom.shininess = 0.25, 0.5
        scene.ngeom += 1

    def close(self) -> None:
        """Give the graphics memory back; may be called again."""
        if self._gl is not None:
            self._context.make_current()
            self._gl.free()
            self._context.free()
            self._gl = None


def _primitive(mujoco: ModuleType, solid: Solid) -> tuple[mjtGeom, Array, Array]:
    """Return kind, half sizes and pose of what stands for a solid; a mesh becomes its box."""
    kinds = mujoco.mjtGeom
    if solid.mesh is not None:
        points = solid.mesh.reshape(-1, 3)
        normal = np.cross(solid.mesh[0, 1] - solid.mesh[0, 0], solid.mesh[0, 2] - solid.mesh[0, 0])
        frame = frame_along(normal, points[1] - points[0])
        flat = points @ frame
        low, high = flat.min(axis=0), flat.max(axis=0)
        return kinds.mjGEOM_BOX, (high - low) / 2, pose_at(frame @ ((low + high) / 2), frame)
    size = np.array(solid.size, dtype=np.float64)
    if solid.kind == "box":
        return kinds.mjGEOM_BOX, size / 2, solid.pose
    if solid.kind == "cylinder":
        return kinds.mjGEOM_CYLINDER, np.array([size[0], size[2] / 2, 0.0]), solid.pose
    return kinds.mjGEOM_SPHERE, size, solid.pose


def _pane(watch: Watch) -> Solid:
    """Return the glass of a trigger zone or a light barrier."""
    tint = GLASS if watch.colour is None else hexed(watch.colour)
    height = max(watch.height, 0.02)
    if isinstance(watch, Zone):
        pose = pose_at((*watch.centre, height / 2))
        return Solid("cylinder", pose, (watch.radius, watch.radius, height), tint, 0.25)
    start, end = np.array(watch.start), np.array(watch.end)
    along = np.array([*(end - start), 0.0])
    frame = frame_along((0.0, 0.0, 1.0), along)
    pose = pose_at((*((start + end) / 2), height / 2), frame)
    return Solid("box", pose, (float(np.linalg.norm(along)), 0.002, height), tint, 0.3)


def _camera(mujoco: ModuleType, eye: Camera) -> MjvCamera:
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FREE.value
    camera.lookat[:] = eye.target
    camera.distance = eye.distance
    # MuJoCo tells where the camera looks to, ours where it stands
    camera.azimuth = np.degrees(eye.azimuth) + 180.0
    camera.elevation = -np.degrees(eye.elevation)
    return camera


def _model(mujoco: ModuleType, picture: CellPicture) -> MjModel:
    """Return a model with everything that stands still, lights and floor."""
    spec = mujoco.MjSpec()
    width, height = picture.size
    view = spec.visual.global_
    view.offwidth, view.offheight = width, height
    ratio = max(1.0, height / width)  # ours is the angle of the smaller side
    view.fovy = float(np.degrees(2 * np.arctan(np.tan(VIEW / 2) * ratio)))
    spec.visual.quality.shadowsize = 2048
    spec.visual.quality.offsamples = 4
    spec.visual.headlight.ambient = [0.45] * 3
    spec.visual.headlight.diffuse = [0.15] * 3
    spec.visual.headlight.specular = [0.0] * 3
    reach = picture.eye.distance
    spec.stat.extent, spec.stat.center = reach, picture.eye.target
    spec.visual.map.zfar = 50.0
    _add_sky(mujoco, spec)
    _add_floor(mujoco, spec, picture)
    spec.worldbody.add_light(
        pos=picture.eye.target + 4 * reach * np.array([-0.34, -0.45, 0.82]),
        dir=[0.42, 0.55, -1.0],
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        diffuse=[0.55] * 3,
        specular=[0.25] * 3,
        castshadow=True,
    )
    for number, solid in enumerate(still_solids(picture.scene, zones=False)):
        _add_still(mujoco, spec, solid, number)
    return spec.compile()


def _add_sky(mujoco: ModuleType, spec: MjSpec) -> None:
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=SKY[0],
        rgb2=SKY[1],
        width=256,
        height=1536,
    )


def _add_floor(mujoco: ModuleType, spec: MjSpec, picture: CellPicture) -> None:
    floor = picture.floor
    pixels = np.ascontiguousarray(floor.picture[::-1] * 255 + 0.5, dtype=np.uint8)
    texture = spec.add_texture(
        name="floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        width=pixels.shape[1],
        height=pixels.shape[0],
        nchannel=3,
    )
    texture.data = pixels.tobytes()
    material = spec.add_material(name="floor", reflectance=0.0, specular=0.0)
    textures = list(material.textures)
    textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    material.textures = textures
    low, high = floor.bounds[:2], floor.bounds[2:]
    middle, half = (low + high) / 2, (high - low) / 2
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(type=plane, size=[*half, 0.1], pos=[*middle, 0.0], material="floor")
    spec.worldbody.add_geom(
        type=plane, size=[*(8 * half), 0.1], pos=[*middle, -2e-3], rgba=[*GROUND, 1.0]
    )


def _add_still(mujoco: ModuleType, spec: MjSpec, solid: Solid, number: int) -> None:
    rgba = [*solid.colour, solid.alpha]
    if solid.mesh is None:
        kind, size, pose = _primitive(mujoco, solid)
        spec.worldbody.add_geom(type=kind, size=size, pos=pose[:3, 3], rgba=rgba)
        return
    points = solid.mesh.reshape(-1, 3)
    spec.add_mesh(
        name=f"mesh{number}",
        uservert=points.ravel(),
        userface=np.arange(len(points), dtype=np.int32),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"mesh{number}", rgba=rgba)
