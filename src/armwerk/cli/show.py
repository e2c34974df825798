"""``armwerk show``: all that is known of one arm, an assembly as a tree of its parts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text
from rich.tree import Tree

from armwerk.cli.arm_options import ArmArgument, TipOption, with_tip
from armwerk.cli.arms import dynamics, structure
from armwerk.cli.console import check_files, put, put_json, put_prose, working
from armwerk.cli.output_options import JsonOption
from armwerk.cli.tables import (
    couplings_table,
    dh_table,
    limits_table,
    masses_table,
    pose_words,
    reach_words,
)
from armwerk.cli.units import Units, short
from armwerk.mechanics.extent import tool_reach
from armwerk.robot.arm import Arm
from armwerk.robot.holding import HoldingFace
from armwerk.robot.parts import Assembly


def show(
    name: ArmArgument,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Write a picture, .png or .svg.")
    ] = None,
    skeleton: Annotated[
        bool,
        typer.Option("--skeleton", help="Draw axes and frames, not the meshes of the arm's file."),
    ] = False,
    degrees: Annotated[
        bool, typer.Option("--degrees/--radians", help="Unit of the angles shown.")
    ] = True,
    millimetres: Annotated[
        bool, typer.Option("--mm/--metres", help="Unit of the lengths shown.")
    ] = True,
    tip: TipOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the kinematic table, limits, masses and reach of an arm.

    Angles are degrees and lengths millimetres unless asked otherwise; every header says so.

    \b
    Examples:
      armwerk show puma560
      armwerk show puma560 --plot puma.png
      armwerk show robot.urdf --tip tool0 --plot robot.png
      armwerk show my_arm.toml --radians --metres
    """
    from armwerk.robot import load

    check_files(plot, None)
    arm = load(with_tip(name, tip))
    units = Units(degrees, millimetres)
    if as_json:
        put_json(described(arm))
    elif isinstance(arm, Arm):
        _show_arm(arm, units)
    else:
        _show_assembly(arm, units)
    if plot is not None:
        _plot(arm, plot, skeleton, quiet=as_json)


def _show_arm(arm: Arm, units: Units) -> None:
    _heading(arm)
    put(dh_table(arm, units))
    put(f"base: {pose_words(arm.base, units)}", f"tool: {pose_words(arm.tool, units)}", "")
    put(limits_table(arm.moving, units), "")
    if arm.is_coupled:
        put(couplings_table(arm, units), "")
    masses = masses_table(arm, units)
    if masses is not None:
        put(masses, "")
    put(f"reach: {reach_words(arm)}")
    _origin(arm)


def _show_assembly(arm: Assembly, units: Units) -> None:
    _heading(arm)
    put(parts_tree(arm, units), "")
    if arm.dof:
        put(limits_table(arm.moving, units), "")
    put(f"reach: {reach_words(arm)}")
    mass = sum(part.mass for part in arm.parts)
    put(f"mass: {short(mass)} kg" if mass else "mass: none given")
    _origin(arm)


def _heading(arm: Arm | Assembly) -> None:
    freedoms = "1 degree of freedom" if arm.dof == 1 else f"{arm.dof} degrees of freedom"
    built = f"{structure(arm)}, {freedoms}" if arm.dof else "no motors"
    put(f"{arm.title or arm.name} ({arm.name}): {built}", "")


def _origin(arm: Arm | Assembly) -> None:
    put_prose(f"source: {' '.join(arm.source.split()) or 'not given'}")
    put_prose(f"assumed: {'; '.join(arm.assumed) or 'nothing'}")


def _plot(arm: Arm | Assembly, path: Path, skeleton: bool, quiet: bool) -> None:
    if not skeleton and isinstance(arm, Arm) and _plot_links(arm, path, quiet):
        return
    with working("drawing"):
        from armwerk.mechanics.assembly import AssemblyModel
        from armwerk.pictures import draw_arm, good_configuration

        drawn = arm if isinstance(arm, Arm) else AssemblyModel(arm)
        written = draw_arm(drawn, good_configuration(drawn), path)
    if not quiet:
        put(f"picture: {written}")


def _plot_links(arm: Arm, path: Path, quiet: bool) -> bool:
    """Draw an arm with the meshes of its file; say whether it has any that can be read."""
    from armwerk.errors import DescriptionError
    from armwerk.pictures import good_configuration
    from armwerk.wire.link_picture import draw_links, link_shapes

    try:
        with working("reading meshes"):
            shapes = link_shapes(arm)
    except DescriptionError as error:
        if not quiet:
            put(f"notice: {error}; axes and frames are drawn instead")
        return False
    if shapes is None:
        return False
    with working("drawing"):
        written = draw_links(shapes, good_configuration(arm), path)
    if not quiet:
        put(f"picture: {written}")
    return True


def described(arm: Arm | Assembly) -> dict[str, object]:
    """Return an arm or assembly as plain data in metres and radians."""
    data: dict[str, object] = {
        "name": arm.name,
        "title": arm.title,
        "structure": arm.structure,
        "dof": arm.dof,
        "units": {"length": "m", "angle": "rad", "mass": "kg", "force": "N or N m"},
    }
    if isinstance(arm, Arm):
        data["joints"] = [asdict(joint) for joint in arm.joints]
        data["base"], data["tool"] = arm.base.tolist(), arm.tool.tolist()
        data["gravity"] = arm.gravity.tolist()
    else:
        data |= _described_parts(arm)
    far = tool_reach(arm)
    data["reach"] = None if far is None else round(far, 4)
    data["dynamics"] = dynamics(arm)
    data["source"], data["assumed"] = arm.source, list(arm.assumed)
    return data


def _described_parts(arm: Assembly) -> dict[str, object]:
    parts = [
        {
            "name": name,
            "kind": place.part.kind,
            "on": place.fix,
            "position": list(place.at.position),
            "turn": list(place.at.turn),
            "mass": place.part.mass,
        }
        for name, place in arm.tree.items()
    ]
    loops = [
        {"name": loop.tie.name, "pattern": loop.pattern, "points": list(loop.tie.points)}
        for loop in arm.loops
    ]
    limits = [None if motor.limits is None else list(motor.limits) for motor in arm.moving]
    motors = [
        {"name": motor.name, "kind": motor.joint_kind, "limits": pair}
        for motor, pair in zip(arm.moving, limits, strict=True)
    ]
    return {"motors": motors, "parts": parts, "loops": loops}


def parts_tree(assembly: Assembly, units: Units) -> Tree:
    """Return the tree of parts as a picture of text, unions and platforms below it."""
    root = Tree(Text(f"{assembly.name}: {len(assembly.tree)} parts"), guide_style="dim")
    branches: dict[str, Tree] = {}
    for name, place in assembly.tree.items():
        stem = root if place.fix is None else branches[place.fix]
        branches[name] = stem.add(Text(_words(place, units)))
    if assembly.loops:
        ties = root.add(Text("closed chains"))
        for loop in assembly.loops:
            points = ", ".join(loop.tie.points)
            passive = ", ".join(loop.passives) or "none"
            ties.add(Text(f"{loop.tie.label}: {loop.pattern} of {points} (passive: {passive})"))
    return root


def _words(place: Any, units: Units) -> str:
    part, facts = place.part, []
    if getattr(part, "length", None):
        facts.append(f"{units.text(part.length, 'prismatic')} {units.length} long")
    if getattr(part, "freedom", None):
        facts.append(part.freedom)
    if hasattr(part, "joint_kind") and part.limits is not None:
        low, high = (units.text(value, part.joint_kind) for value in part.limits)
        facts.append(f"{low} to {high} {units.name(part.joint_kind)}")
    if isinstance(part, HoldingFace):
        radius = units.text(part.radius, "prismatic")
        facts.append(f"radius {radius} {units.length}, pulls with {short(part.max_force)} N")
    if any(place.at.position):
        where = " ".join(units.text(value, "prismatic") for value in place.at.position)
        facts.append(f"at {where} {units.length}")
    if any(place.at.turn):
        turn = " ".join(units.text(value, "revolute") for value in place.at.turn)
        facts.append(f"turned {turn} {units.angle}")
    if part.mass:
        facts.append(f"{short(part.mass)} kg")
    kind = part.kind.replace("_", " ")
    return f"{kind} {part.name}" + (f" ({', '.join(facts)})" if facts else "")
