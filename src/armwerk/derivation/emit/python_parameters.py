"""The dataclass that holds the symbols of an arm in a generated module, and its reader."""

from __future__ import annotations

from armwerk.derivation.emit.models import Models

_CALLS = (
    ("def __init__(self, pose, room):\n", "def __init__(self, parameters, pose, room):\n"
     "        self.parameters = parameters\n"),
    ("= direct_kinematics(q)", "= direct_kinematics(self.parameters, q)"),
    ("= compute_jacobian(q)", "= compute_jacobian(self.parameters, q)"),
    ("= compute_jacobian(here)", "= compute_jacobian(self.parameters, here)"),
    ("def _collect(pose", "def _collect(parameters, pose"),
    ("in _collect(pose", "in _collect(parameters, pose"),
    ("np.array(_collect(pose", "np.array(_collect(parameters, pose"),
    ("= Search(pose", "= Search(parameters, pose"),
    ("def all_inverse_kinematics(pose", "def all_inverse_kinematics(parameters, pose"),
    ("def inverse_kinematics(positions", "def inverse_kinematics(parameters, positions"),
    ("    Args:\n        pose:",
     "    Args:\n        parameters: Dimensions of the arm.\n        pose:"),
    ("    Args:\n        positions:",
     "    Args:\n        parameters: Dimensions of the arm.\n        positions:"),
)  # fmt: skip


def with_parameters(models: Models, text: str) -> str:
    """Return functions that hand the parameters on; unchanged for an arm with numbers."""
    if models.parameters:
        for old, new in _CALLS:
            text = text.replace(old, new)
    return text


def parameters_class(models: Models) -> str:
    """Return the dataclass; nothing for an arm with numbers."""
    if not models.parameters:
        return ""
    symbols = models.parameters.symbols
    fields = "\n".join(f"    {one.field}: float  # [{one.unit}]" for one in symbols)
    known = "".join(
        f"            {one.name!r}: ({one.field!r}, {_UNITS[one.unit]}),\n" for one in symbols
    )
    return _CLASS.replace("@fields@", fields).replace("@known@", known)


_UNITS = {
    "m": '{"": 1.0, "m": 1.0, "mm": 0.001}',
    "rad": '{"": pi / 180.0, "deg": pi / 180.0, "rad": 1.0}',
}
_CLASS = '''

@dataclass(frozen=True)
class Parameters:
    """The dimensions of the arm, filled once at start and handed to every function."""

@fields@

    @classmethod
    def parse(cls, text):
        """Return the dimensions that lines "name = value" give.

        Lengths are in metres, angles in degrees; a unit (m, mm, deg, rad) may follow the number.
        What follows # is left out. Every name must occur once.

        Raises:
            ValueError: Naming the line, what is wrong and what would be right.
        """
        known = {
@known@        }
        found = {}
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, equals, value = (part.strip() for part in line.partition("="))
            name = name if equals else line.split()[0]
            if name not in known:
                raise ValueError(f"line {number}: unknown name '{name}' ({', '.join(known)})")
            field, units = known[name]
            if field in found:
                raise ValueError(f"line {number}: '{name}' occurs twice")
            digits, _, unit = value.partition(" ")
            for end in ("mm", "deg", "rad", "m"):
                if not unit and digits.endswith(end):
                    digits, unit = digits.removesuffix(end), end
            try:
                size = float(digits) * units[unit.strip()]
            except (ValueError, KeyError):
                size = inf
            if not isfinite(size):
                expected = ", ".join(unit for unit in units if unit)
                raise ValueError(
                    f"line {number}: '{value}' is no number for '{name}' (with unit {expected})"
                )
            found[field] = size
        missing = [name for name, (field, _) in known.items() if field not in found]
        if missing:
            raise ValueError(f"no value for {', '.join(missing)}")
        return cls(**found)

    @classmethod
    def read(cls, path):
        """Return the dimensions that a file gives, see `parse`."""
        with open(path, encoding="utf-8") as file:
            return cls.parse(file.read())
'''
