"""``armwerk arms``: the library of arms as a table."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer

from armwerk.cli.console import add_column, add_row, put, put_json, table, working
from armwerk.mechanics.extent import tool_reach
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly


def arms(
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON (metres) instead of a table.")
    ] = False,
) -> None:
    """List the arms that come with armwerk.

    The reach [m] is how far the tool point gets from the first axis within the joint limits.

    \b
    Example:
      armwerk arms
    """
    from armwerk.robot import library, load

    with working("measuring how far they reach"):
        rows = [_row(load(name)) for name in library()]
    if as_json:
        put_json({"units": {"reach": "m"}, "arms": rows})
        return
    shown = table(caption="R turns, T slides; reach from the first axis, or from the base")
    add_column(shown, "name")
    add_column(shown, "title", wrap=True)
    add_column(shown, "structure", wrap=True)
    add_column(shown, "dof", number=True)
    add_column(shown, "reach [m]", number=True)
    add_column(shown, "dynamics")
    for row in rows:
        far = "-" if row["reach"] is None else f"{row['reach']:.2f}"
        cells = (row["name"], row["title"], row["structure"], str(row["dof"]), far)
        add_row(shown, *cells, row["dynamics"])
    put(shown)


class ArmRow(TypedDict):
    """What is said of an arm of the library."""

    name: str
    title: str
    structure: str
    dof: int
    reach: float | None
    dynamics: str


def _row(arm: Arm | Assembly) -> ArmRow:
    far = tool_reach(arm)
    return {
        "name": arm.name,
        "title": arm.title,
        "structure": structure(arm),
        "dof": arm.dof,
        "reach": None if far is None else round(far, 4),
        "dynamics": dynamics(arm),
    }


def structure(arm: Arm | Assembly) -> str:
    """Return the joints in groups of three, "RRR RRR"; of closed chains also their pattern."""
    letters = arm.structure
    text = " ".join(letters[i : i + 3] for i in range(0, len(letters), 3))
    loops = sorted({loop.pattern.lower() for loop in getattr(arm, "loops", ())})
    return f"{text} {' '.join(loops)}".strip()


def dynamics(arm: Arm | Assembly) -> str:
    """Return where the masses are from: "published", "partly assumed", "assumed" or "none"."""
    if isinstance(arm, Arm):
        masses: list[float | str] = [joint.link.mass for joint in arm.joints]
    else:
        masses = [part.mass for part in arm.parts]
    if not any(masses):
        return "none"
    texts = [text.lower() for text in arm.assumed]
    if any("mass" in text for text in texts):
        return "assumed"
    return "partly assumed" if any("inertia" in text for text in texts) else "published"
