"""Notebooks: what armwerk's things look like there, and 3-D views in a cell.

Arms, models, motions, maps, reach, derivations and worlds come in; HTML and pictures go out.
Nothing is computed for long or compiled here: what is not known yet is not shown. In a notebook
``import armwerk`` sets all of it up.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from armwerk.errors import ArmwerkError, UnsupportedError

if TYPE_CHECKING:
    from armwerk.cell import World
    from armwerk.derivation import Derivation
    from armwerk.mechanics import ArmModel
    from armwerk.motion import Trajectory
    from armwerk.planning import ConfigurationSpace, Reach
    from armwerk.robot import Arm, Assembly
    from armwerk.wire import RecordedCell


@dataclass(frozen=True, slots=True, repr=False)
class NotebookView:
    """A 3-D view that a notebook shows in a frame; the mouse turns it.

    Args:
        page: A whole page of HTML that needs no server.
        height: Of the frame [pixel].
    """

    page: str
    height: int = 420

    def _repr_html_(self) -> str:
        from armwerk.studio import page_frame

        return page_frame(self.page, self.height)

    def __repr__(self) -> str:
        return f"<NotebookView, page of {len(self.page) / 1000:.0f} kB>"


def view(
    thing: Arm | Assembly | ArmModel | Trajectory | RecordedCell | str, height: int = 420
) -> NotebookView:
    """Return a 3-D view of an arm, a motion, or a recording.

    Args:
        thing: An arm, its model or its name; a motion of an arm; a recording.
        height: Of the frame [pixel].

    Raises:
        UnsupportedError: For anything else.
        DescriptionError: When the studio's page has not been built.
    """
    from armwerk.motion import Trajectory
    from armwerk.robot import Arm, Assembly, load
    from armwerk.studio import arm_page, recording_page, trajectory_page
    from armwerk.wire import RecordedCell

    shown = load(thing) if isinstance(thing, str) else thing
    if isinstance(shown, Trajectory):
        return NotebookView(trajectory_page(shown), height)
    if isinstance(shown, RecordedCell):
        return NotebookView(recording_page(shown), height)
    arm = getattr(shown, "arm", shown)
    if not isinstance(arm, Arm | Assembly):
        raise UnsupportedError(
            f"view shows arms, models, motions and recordings, not {type(thing).__name__}"
        )
    from armwerk.pictures import good_configuration

    q = good_configuration(arm) if isinstance(arm, Arm) else None
    return NotebookView(arm_page(arm, q), height)


# what is shown ---------------------------------------------------------------------------------


def arm_html(arm: Arm) -> str:
    """Return the kinematic table and the limits of an arm."""
    rows = []
    for joint in arm.joints:
        low, high = joint.limits or (None, None)
        is_slide = joint.kind == "prismatic"
        speed = _number(joint.max_velocity, is_slide) if joint.is_moving else ""
        theta = _number(joint.offset, False) + (" + q" if joint.kind == "revolute" else "")
        d = _number(joint.d, True) + (" + q" if is_slide else "")
        size = (theta, d, _number(joint.a, True), _number(joint.alpha, False))
        limits = (_number(low, is_slide), _number(high, is_slide), speed)
        unit = {"revolute": "°", "prismatic": "mm"}.get(joint.kind, "")
        rows.append((joint.name, joint.kind, *size, *limits, unit))
    row_heads = ("joint", "kind", "θ [°]", "d [mm]", "a [mm]", "α [°]")
    heads = (*row_heads, "min", "max", "speed [/s]", "unit")
    freedoms = f"{arm.structure}, {arm.dof} degrees of freedom"
    return _titled(arm.title or arm.name, freedoms) + _table(heads, rows)


def assembly_html(assembly: Assembly) -> str:
    """Return the motors of an assembly with their limits."""
    rows = [
        (
            motor.name,
            motor.joint_kind,
            *(
                _number(one, motor.joint_kind == "prismatic")
                for one in (motor.limits or (None, None))
            ),
        )
        for motor in assembly.moving
    ]
    words = (
        f"{len(assembly.tree)} parts, {assembly.dof} motors, {len(assembly.loops)} closed chains"
    )
    heads = ("motor", "kind", "min [° or mm]", "max [° or mm]")
    return _titled(assembly.title or assembly.name, words) + _table(heads, rows)


def model_html(model: ArmModel) -> str:
    """Return the arm of a model."""
    from armwerk.robot import Arm

    arm = model.arm
    return arm_html(arm) if isinstance(arm, Arm) else assembly_html(arm)


def trajectory_html(trajectory: Trajectory) -> str:
    """Return duration, peaks against the limits, and notices."""
    if trajectory.limits is None:
        return _titled("Motion", f"{trajectory.dof} axes, {trajectory.duration:.4g} s")
    summary = trajectory.summary()
    rows = [
        (
            f"{name} *" if index == summary.leading else name,
            _number(float(summary.travel[index]), summary.units[index] == "m"),
            *(f"{100 * share:.1f}" for share in summary.fractions[index]),
        )
        for index, name in enumerate(summary.names)
    ]
    heads = ("axis", "travel [° or mm]", "velocity [%]", "acceleration [%]", "jerk [%]")
    told = "".join(f"<div>notice: {html.escape(str(one))}</div>" for one in summary.notices)
    words = f"{summary.duration:.4g} s; peaks in per cent of the limits, * decides the duration"
    return _titled("Motion", words) + _table(heads, rows) + told


def map_html(space: ConfigurationSpace) -> str:
    """Return what a map counted."""
    names = ", ".join(axis.name for axis in space.axes)
    words = f"over {names}; {space.tests:,} tests, {space.hits:,} hits, "
    words += f"{100 * space.free_fraction:.1f} % of the cells free"
    return _titled(f"Configuration space of {space.arm.title or space.arm.name}", words)


def reach_html(reach: Reach) -> str:
    """Return what a sweep counted."""
    words = f"{reach.method}; {reach.reached:,} voxels of {1000 * reach.cell:g} mm, "
    words += f"{reach.volume:.4g} m³, {reach.tried:,} tried"
    return _titled(f"Reach of {reach.arm.title or reach.arm.name}", words)


def derivation_html(derivation: Derivation) -> str:
    """Return the arm and, once it was asked for, how its inverse kinematics is solved."""
    known = vars(derivation)
    text = arm_html(derivation.arm)
    if "inverse" not in known:
        return (
            text + "<div>d.inverse derives its inverse kinematics, d.forward the direct one</div>"
        )
    inverse = derivation.inverse
    words = f"{inverse.branches} solutions by {inverse.method}"
    return text + f"<div>{words}</div><pre>{html.escape(inverse.explain())}</pre>"


def world_html(world: World) -> str:
    """Return time, robots and things of a world."""
    robots = [
        (str(number), robot.state, robot.description, "moves" if robot.moving else "stands")
        for number, robot in sorted(world.robots.items())
    ]
    things = [
        (name, thing.kind, *(f"{1000 * value:.0f}" for value in thing.position))
        for name, thing in list(world.objects.items())[:_MOST_THINGS]
    ]
    text = _titled("World", f"at {world.time:.3f} s, {len(world.objects)} things")
    if robots:
        text += _table(("robot", "state", "program", "arm"), robots)
    if things:
        text += _table(("thing", "kind", "x [mm]", "y [mm]", "z [mm]"), things)
    return text


_MOST_THINGS = 20
_CELL = "text-align:right;padding:1px 8px"


def _titled(title: str, words: str) -> str:
    return f"<div><b>{html.escape(title)}</b>: {html.escape(words)}</div>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f'<th style="{_CELL}">{html.escape(head)}</th>' for head in heads)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{html.escape(one)}</td>' for one in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _number(value: float | str | None, is_length: bool) -> str:
    """Return a length in millimetres or an angle in degrees; symbols as they are."""
    if value is None or isinstance(value, str):
        return value or ""
    shown = f"{value * (1000.0 if is_length else 180.0 / math.pi):.3f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


# setting up ------------------------------------------------------------------------------------


def arm_png(arm: Arm | Assembly) -> bytes | None:
    """Return a picture of an arm as it shows itself well; None: it cannot be drawn."""
    from armwerk.pictures import draw_arm, good_configuration
    from armwerk.pictures.inline import drawn_inline
    from armwerk.robot import Arm

    if not isinstance(arm, Arm):
        return None  # closed chains would load their solver
    try:
        q = good_configuration(arm)
        return drawn_inline(lambda path: draw_arm(arm, q, path)).png
    except ArmwerkError:
        return None  # symbols without numbers


def plotted_png(thing: Trajectory | ConfigurationSpace | Reach) -> bytes | None:
    """Return what ``plot`` draws; None: there is nothing to see."""
    try:
        return thing.plot().png
    except ArmwerkError:
        return None


class _ContentFormatter(Protocol):
    def for_type_by_name(
        self, module: str, name: str, function: Callable[..., object]
    ) -> object: ...


# Where a type stands, and what makes HTML and a picture of it; None: it has no picture.
SHOWN: tuple[tuple[str, str, Callable[..., str], Callable[..., bytes | None] | None], ...] = (
    ("armwerk.robot.arm", "Arm", arm_html, arm_png),
    ("armwerk.robot.parts", "Assembly", assembly_html, None),
    ("armwerk.mechanics.serial", "SerialModel", model_html, lambda model: arm_png(model.arm)),
    ("armwerk.mechanics.assembly.model", "AssemblyModel", model_html, None),
    ("armwerk.motion.trajectory.trajectory", "Trajectory", trajectory_html, plotted_png),
    ("armwerk.planning.maps.result", "ConfigurationSpace", map_html, plotted_png),
    ("armwerk.planning.reachability.result", "Reach", reach_html, plotted_png),
    ("armwerk.derivation.derived", "Derivation", derivation_html, None),
    ("armwerk.cell.world", "World", world_html, None),
)


def register(formatters: dict[str, _ContentFormatter] | None = None) -> bool:
    """Tell the notebook that runs this how to show armwerk's things; return whether one does.

    Args:
        formatters: By type of content; None: those of the notebook, if there is one.
    """
    if formatters is None:
        from IPython import get_ipython

        shell = get_ipython()  # type: ignore[no-untyped-call, unused-ignore]
        if shell is None:
            return False
        formatters = shell.display_formatter.formatters
    for module, name, as_html, as_png in SHOWN:
        content = as_html
        if as_png is not None:
            # one after the other in one form, since notebooks show only the richest of several
            content = _with_picture(as_html, as_png)
        formatters["text/html"].for_type_by_name(module, name, content)
    return True


def _with_picture(
    as_html: Callable[..., str], as_png: Callable[..., bytes | None]
) -> Callable[..., str]:
    def both(thing: object) -> str:
        import base64

        png = as_png(thing)
        text = as_html(thing)
        if png is None:
            return text
        code = base64.b64encode(png).decode()
        style = "max-width:100%;height:auto"
        return f'{text}<img style="{style}" src="data:image/png;base64,{code}">'

    return both
