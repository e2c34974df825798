"""A page that needs no server: an arm, a motion or a recording in one text of HTML.

In goes what is to be seen, out comes a document with everything in it: it can be kept as a file,
sent to others, or stand in a cell of a notebook. It is drawn by the code that draws the studio's
3-D view, loads nothing, and says so to the browser (`Content-Security-Policy`). Code and numbers
are compressed: a page is about 210 kB long; a recording adds 4 to 15 kB for each second.
"""

from __future__ import annotations

import base64
import gzip
import html
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.body import Body
from armwerk.errors import DescriptionError
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.mobile.scene import MobileScene
from armwerk.modelling import model
from armwerk.motion.trajectory import Trajectory
from armwerk.physics.mechanism.members import motor_values
from armwerk.protocol.coding import encoded
from armwerk.protocol.standing import StandaloneJoint, StandaloneScene
from armwerk.protocol.viewing import ViewedGeometry
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly
from armwerk.studio.server import bundle_folder
from armwerk.wire.arm_stage import ArmStage
from armwerk.wire.frames import Frame, FramePacker, frame_of
from armwerk.wire.mobile_stage import MobileStage
from armwerk.wire.playback import RecordedCell

RATE = 30.0  # frames per second; between two of them the page interpolates
MOST_FRAMES = 3000  # of a page: what is longer is sampled more coarsely
_WAY = 400  # points at most of the line that the tool draws


def standalone_page(
    geometry: ViewedGeometry,
    frames: Iterable[Frame] = (),
    *,
    joints: Sequence[StandaloneJoint] = (),
    way: ArrayLike = (),
) -> str:
    """Return a page of HTML that shows something without a server.

    Args:
        geometry: What is seen.
        frames: Where everything is, in order of time, as `armwerk.wire` makes them; with two or
            more the page has a time line.
        joints: What sliders of the page move; empty: none has a slider.
        way: A line that the tool draws [m]. Shape (m, 3); empty: none.

    Raises:
        DescriptionError: When the page has not been built, or there is nothing to see.
    """
    packer = FramePacker()
    packed = [packer.pack(frame) for frame in frames]
    if not packed and not joints:
        raise DescriptionError(
            "has neither frames nor joints", element="page", allowed="at least one frame"
        )
    points = tuple(float(value) for value in np.round(np.asarray(way, dtype=float), 6).ravel())
    scene = StandaloneScene(geometry, tuple(joints), points)
    blocks = b"".join(struct.pack("<I", len(one)) + one + bytes(-len(one) % 4) for one in packed)
    page, style, code = _parts()
    for name, value in (
        ("title", html.escape(geometry.title or "armwerk")),
        ("style", style),
        ("scene", _packed(encoded(scene).encode())),
        ("frames", _packed(blocks)),
        ("code", code),
    ):
        page = page.replace(f"{{{{{name}}}}}", value)
    return page


def arm_page(arm: Arm | Assembly, q: ArrayLike | None = None, bodies: Iterable[Body] = ()) -> str:
    """Return a page that shows an arm; a serial one has sliders for its joints.

    Args:
        arm: Without symbols.
        q: Joint values to begin with [rad or m]. Shape (n,). None: 0, or the middle of the limits.
        bodies: What stands around it.

    Raises:
        DescriptionError: When the page has not been built, or a value is beyond its limits.
        ShapeError: For another number of joint values.
    """
    stage = ArmStage(arm, bodies)
    values = motor_values(stage.mechanism, q)
    frames = _stage_frames(stage, np.zeros(1), values[None])
    return standalone_page(stage.geometry, frames, joints=_joints(stage, values))


def trajectory_page(
    trajectory: Trajectory,
    arm: Arm | Assembly | None = None,
    bodies: Iterable[Body] = (),
    rate: float = RATE,
) -> str:
    """Return a page that plays a motion, with a time line and the way of the tool.

    Args:
        trajectory: What is played.
        arm: That moves; None: the one of the trajectory.
        bodies: What stands around it.
        rate: Frames per second [1/s].

    Raises:
        DescriptionError: When the page has not been built, or nobody says which arm moves.
        ShapeError: When the arm has another number of joints.
    """
    mover = arm if arm is not None else trajectory.model
    if mover is not None and not isinstance(mover, Arm | Assembly):
        mover = mover.arm
    if not isinstance(mover, Arm | Assembly):
        raise DescriptionError(
            "does not know its arm", element="trajectory", allowed="trajectory_page(…, arm=…)"
        )
    stage = ArmStage(mover, bodies)
    times = _times(0.0, trajectory.duration, rate)
    rows = trajectory.evaluate(times).q
    frames = _stage_frames(stage, times, rows)
    few = np.linspace(0.0, trajectory.duration, min(_WAY, len(times)))
    way = model(mover).fk(trajectory.evaluate(few).q)[:, :3, 3]
    return standalone_page(stage.geometry, frames, way=way)


def recording_page(recording: RecordedCell | str | Path, rate: float = RATE) -> str:
    """Return a page that plays what was recorded of a cell, with a time line.

    Args:
        recording: The recording, or its file.
        rate: Frames per simulated second [1/s].

    Raises:
        DescriptionError: When the page has not been built, or the file is no recording.
        SceneError: When its cell cannot be read.
    """
    played = recording if isinstance(recording, RecordedCell) else RecordedCell.load(recording)
    times = _times(played.clock.begin, played.clock.end, rate)
    return standalone_page(played.geometry, (played.frame_at(float(time)) for time in times))


def mobile_page(scene: MobileScene, moments: Iterable[tuple[float, Mapping[str, Array]]]) -> str:
    """Return a page that plays what mobile robots did, with a time line and their sensors' rays.

    Args:
        scene: What stands and drives.
        moments: Times [s], and T_world_body of bodies and robots by name, as `MobileWorld.state`
            has them.

    Raises:
        DescriptionError: When the page has not been built, or there are no moments.
    """
    stage = MobileStage(scene)
    frames = [stage.frame(step, *moment) for step, moment in enumerate(moments)]
    few = -(-len(frames) // MOST_FRAMES)
    return standalone_page(stage.geometry, frames[:: max(1, few)])


def page_frame(page: str, height: int = 420) -> str:
    """Return a page as a frame that can stand in another one, such as a notebook.

    Args:
        page: What the functions above return.
        height: Of the frame [pixel].
    """
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{int(height)}px;border:0" title="armwerk"></iframe>'
    )


@cache
def _parts() -> tuple[str, str, str]:
    """Return the page with its gaps, its style, and its code, compressed."""
    folder = bundle_folder()
    try:
        page = (folder / "standalone.html").read_text(encoding="utf-8")
        style = (folder / "standalone.css").read_text(encoding="utf-8")
        code = (folder / "standalone.js").read_bytes()
    except OSError:
        raise DescriptionError(
            "has not been built", element="page of the studio", allowed="make page"
        ) from None
    return page, style, _packed(code)


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def _times(begin: float, end: float, rate: float) -> Array:
    if not rate > 0.0:
        raise DescriptionError("not positive", element="rate", value=rate, allowed="above 0 1/s")
    count = int(np.clip(np.ceil((end - begin) * rate), 1, MOST_FRAMES - 1))
    return np.linspace(begin, end, count + 1)


def _stage_frames(stage: ArmStage, times: Array, rows: Array) -> list[Frame]:
    poses = stage.poses(rows)
    marks = np.zeros(len(stage.geometry.motors), dtype=np.uint8)
    version = stage.geometry.version
    return [
        frame_of(version, step, 0, float(time), row[:, :3], row[:, 3:], np.zeros(0), marks)
        for step, (time, row) in enumerate(zip(times, poses, strict=True))
    ]


def _joints(stage: ArmStage, values: Array) -> tuple[StandaloneJoint, ...]:
    """Return what the page needs to move the arm; nothing for one with closed chains."""
    mechanism = stage.mechanism
    if mechanism.sources:
        return ()
    found = []
    for index, value in zip(mechanism.motors, values, strict=True):
        member = mechanism.members[index]
        x, y, z = (float(one) for one in member.pose[:3, 3])
        w, i, j, k = (float(one) for one in quaternion_from_rotation(member.pose[:3, :3]))
        found.append(
            StandaloneJoint(
                index,
                "prismatic" if member.joint == "prismatic" else "revolute",
                member.axis,
                (x, y, z),
                (w, i, j, k),
                float(value),
            )
        )
    return tuple(found)
