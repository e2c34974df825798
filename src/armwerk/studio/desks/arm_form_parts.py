"""The form of an assembly: parts, their sizes and motors, and what closes its chains."""

from __future__ import annotations

from armwerk.protocol.forming import ArmForm, FormColumn, FormField, FormOffer
from armwerk.robot.formats.parts_reader import KINDS
from armwerk.robot.formats.toml_edit_parts import legs_typed
from armwerk.robot.reading import Fields, TomlDocument
from armwerk.studio.desks.arm_form_texts import fields_of, rows_of, table_of

_FIELDS = (
    FormField("name", "Name", "short, for files and commands", ""),
    FormField("title", "Title", "for people", ""),
    FormField("tip", "Tool", "name of the part that is the tool", ""),
)
_OFFERS = (
    FormOffer("servo", "Servo", "a motor that turns what hangs on it about z"),
    FormOffer("linear_motor", "Linear motor", "a motor that shifts what hangs on it along x"),
    FormOffer("fullrot", "Passive ball joint", "fullrot: turns freely about z and y"),
    FormOffer("axisrot", "Passive hinge", "axisrot: turns freely about z"),
    FormOffer("linear", "Passive slide", "linear: slides freely along x"),
    FormOffer("segment", "Segment", "a straight piece that touches nothing"),
    FormOffer("touch_segment", "Touch segment", "a straight piece that pushes and carries things"),
    FormOffer("t_connector", "Split", "t_connector: several parts may hang on it"),
    FormOffer("touch_point", "Touch point", "an end that touches things"),
    FormOffer("termination_point", "End", "termination_point: the end of a chain"),
)
_TABLES = (
    (
        "Parts",
        "part",
        (
            FormColumn("name", "Name", "by which others name it"),
            FormColumn("kind", "Kind", "passive ones: fullrot, axisrot, linear", KINDS),
            FormColumn("on", "Hangs on", "name of a part above; empty: the one just above"),
            FormColumn("position", "At", "x, y, z on the part that carries it [m, or 30 mm]"),
            FormColumn("turn", "Turned", "about z, -y, x [rad, or 90 deg]"),
        ),
        _OFFERS,
    ),
    (
        "Sizes",
        "part",
        (
            FormColumn("length", "Length", "of a segment [m, or 200 mm]"),
            FormColumn("radius", "Radius", "of what touches [m]"),
            FormColumn("width", "Width", "of a plate [m]; empty: it is round"),
            FormColumn("mass", "Mass", "kg; also 250 g"),
        ),
        _OFFERS,
    ),
    (
        "Motors",
        "part",
        (
            FormColumn("limits", "min, max", "rad or m; also -90 deg, 90 deg; empty: free"),
            FormColumn("max_velocity", "Speed", "rad/s or m/s; also 180 deg/s"),
            FormColumn("max_acceleration", "Acceleration", "rad/s² or m/s²"),
            FormColumn("max_jerk", "Jerk", "rad/s³ or m/s³"),
            FormColumn("max_force", "Force", "N m or N"),
        ),
        _OFFERS,
    ),
    (
        "Hands",
        "part",
        (
            FormColumn("pressure", "Pressure", "of a suction cup [Pa]; also 60 kPa"),
            FormColumn("stiffness", "Stiffness", "of its lip [N/m]"),
            FormColumn("depth", "Depth", "by which the lip gives [m]"),
            FormColumn("least_share", "Seal", "least share of the lip that must lie on, 0 to 1"),
            FormColumn("force", "Force", "of a magnet [N]"),
            FormColumn("gap", "Gap", "at which it halves [m]"),
            FormColumn("switch_time", "Switch time", "s; also 100 ms"),
        ),
        (
            FormOffer("suction_cup", "Suction cup", "an end that holds by vacuum"),
            FormOffer("magnet", "Magnet", "an end that holds by a magnet"),
        ),
    ),
    (
        "Closed chains",
        "union",
        (
            FormColumn("name", "Name", "of the common point"),
            FormColumn("points", "Ties", "names of the parts that meet there, with commas"),
            FormColumn("branch", "Branch", "which of the two points", ("1", "-1")),
        ),
        (FormOffer("union", "Closed chain", "ties the ends of chains to one point"),),
    ),
    (
        "Platforms",
        "platform",
        (
            FormColumn("name", "Name", "of the plate"),
            FormColumn("legs", "Legs", "end1: x, y, z [m]; end2: x, y, z; … six of them"),
            FormColumn("start_position", "Near", "x, y, z at which it is looked for [m]"),
            FormColumn("start_turn", "Turned", "about z, -y, x [rad, or 90 deg]"),
            FormColumn("branch", "Side", "1: above the feet, -1: below", ("1", "-1")),
            FormColumn("mass", "Mass", "kg"),
        ),
        (FormOffer("platform", "Platform", "a plate on the ends of six legs"),),
    ),
)


def parts_form(document: TomlDocument) -> ArmForm:
    """Return an assembly as a form."""
    table = document.table
    tables = tuple(
        table_of(title, array, columns, _shown(array, rows_of(table, array)), offers)
        for title, array, columns, offers in _TABLES
    )
    return ArmForm(fields_of(_FIELDS, table), tables)


def _shown(array: str, rows: list[Fields]) -> list[Fields]:
    """Return rows with legs as a person types them."""
    if array != "platform":
        return rows
    return [{**row, "legs": legs_typed(row.get("legs"))} for row in rows]
