"""What generated code says of coupled axes: angles from axis values, and back.

All other functions are those of the links, in joint angles. Of an arm whose joints have a drive
each there is nothing to say, and every text here is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from armwerk.derivation.axis_coupling import AxisCoupling
from armwerk.derivation.emit.code import documented

if TYPE_CHECKING:
    from armwerk.derivation.emit.models import Models

_INTRODUCTION = (
    "Drives of this arm move several joints: the angle of a joint is a sum of axis values, those "
    "that its controller shows. All models are in joint angles; limits are of these, as far as "
    "the drives let them go."
)


def _row(row: Sequence[Fraction], name: str) -> str:
    """Return a sum of products with the elements of an array, in C and Python alike."""
    terms = []
    for k, factor in enumerate(row):
        if factor:
            size = "" if abs(factor) == 1 else f"{float(abs(factor))!r} * "
            terms.append(("- " if factor < 0 else "+ ") + f"{size}{name}[{k}]")
    if not terms:
        return "0.0"
    text = " ".join(terms)
    return text.removeprefix("+ ") if text.startswith("+ ") else "-" + text.removeprefix("- ")


def _tables(coupling: AxisCoupling) -> tuple[list[str], list[str], list[str]]:
    """Return the right sides of angles, of axis values, and of forces of the drives."""
    forces = [list(column) for column in zip(*coupling.matrix, strict=True)]
    return (
        [_row(row, "axes") for row in coupling.matrix],
        [_row(row, "positions") for row in coupling.inverse],
        [_row(row, "torques") for row in forces],
    )


def c_header(models: Models) -> list[str]:
    """Return the declarations of a C header."""
    if models.coupling is None:
        return []
    name, big, count = models.prefix, models.prefix.upper(), models.coupling.arm.dof
    n, axes = f"{big}_DOF", f"{big}_AXES"
    angles = documented(f"{_INTRODUCTION} Joint angles from axis values. Returns 1.")
    values = documented(
        "Axis values from joint angles. An axis whose drive turns others by a fraction may have "
        "made whole turns more: add them to the angle of its joint first. Returns 1."
    )
    forces = documented(
        "Forces of the drives from those of the joints, without the inertia and the friction of "
        "the drives themselves. Returns 1."
    )
    limits = documented("Smallest and largest value of every axis; infinite without a limit.")
    return [
        f"#define {axes} {count}\n",
        f"{limits}\nextern const double {name}_axis_limits[{axes}][2];\n",
        f"{angles}\nint {name}_jointAngles(const double axes[{axes}], double positions[{n}]);\n",
        f"{values}\nint {name}_axisValues(const double positions[{n}], double axes[{axes}]);\n",
        f"{forces}\nint {name}_axisTorques(const double torques[{n}], double axes[{axes}]);\n",
    ]


def c_source(models: Models) -> list[str]:
    """Return the definitions of a C source file."""
    if models.coupling is None:
        return []
    name, axes = models.prefix, f"{models.prefix.upper()}_AXES"
    angles, values, forces = _tables(models.coupling)
    limits = models.coupling.arm.limits.tolist()
    rows = "".join(f"    {{{_c_number(low)}, {_c_number(high)}}},\n" for low, high in limits)

    def function(what: str, given: str, size: str, found: str, lines: list[str], many: str) -> str:
        body = "".join(f"    {found}[{k}] = {line};\n" for k, line in enumerate(lines))
        return (
            f"int {name}_{what}(const double {given}[{size}], double {found}[{many}])\n"
            f"{{\n{body}    return 1;\n}}\n"
        )

    return [
        f"const double {name}_axis_limits[{axes}][2] = {{\n{rows}}};\n",
        function("jointAngles", "axes", axes, "positions", angles, "DOF"),
        function("axisValues", "positions", "DOF", "axes", values, axes),
        function("axisTorques", "torques", "DOF", "axes", forces, axes),
    ]


def _c_number(value: float) -> str:
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)


def python_functions(models: Models) -> list[str]:
    """Return the functions of a Python module."""
    if models.coupling is None:
        return []
    angles, values, forces = _tables(models.coupling)
    limits = models.coupling.arm.limits.tolist()
    rows = "".join(
        f"    ({_python_number(low)}, {_python_number(high)}),\n" for low, high in limits
    )

    def function(name: str, given: str, text: str, lines: list[str]) -> str:
        body = "".join(f"            {line},\n" for line in lines)
        return (
            f'\n\ndef {name}({given}):\n    """{text}"""\n'
            f"    return np.array(\n        [\n{body}        ]\n    )\n"
        )

    return [
        f"\n\nAXIS_LIMITS = (  # smallest and largest value of every axis [rad or m]\n{rows})\n",
        function("joint_angles", "axes", "Return the joint angles that axis values mean.", angles),
        function("axis_values", "positions", "Return the axis values of joint angles.", values),
        function(
            "axis_torques", "torques", "Return forces of drives from those of joints.", forces
        ),
    ]


def _python_number(value: float) -> str:
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return repr(value)
