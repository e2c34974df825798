"""How the inverse kinematics of a station is found: the relation of its frames, then the arm's own.

In: a station. Out: the pose of the work piece in the arm's mount by the external axes, as symbols,
and the derivation of the arm that takes it from there:

    T_mount_tool = T_mount_piece(e) T_piece_tool
    T_mount_tool = base A_1 … A_6 tool        solved by the arm's own closed form
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.derivation import Derivation, derive
from armwerk.derivation.show import Expr
from armwerk.files import write_text
from armwerk.mechanics.chain import pack
from armwerk.robot.arm import Arm
from armwerk.stations.description import Station
from armwerk.stations.file import load_station

_DIGITS = 9  # of lengths [m] and cosines that are shown


@dataclass(frozen=True)
class StationDerivation:
    """The derivation of a station.

    Args:
        station: What it is of.
    """

    station: Station

    @cached_property
    def own(self) -> Derivation:
        """Derivation of the arm without what carries it: its closed form solves T_mount_tool."""
        return derive(self.station.own)

    @cached_property
    def symbols(self) -> dict[str, Expr]:
        """The external axes as symbols, by name [rad, m]."""
        from sympy import Symbol

        return {name: Symbol(name, real=True) for name in self.station.external_names}

    @cached_property
    def piece(self) -> Expr:
        """T_world_piece by the axes of the table; the identity where the work piece rests."""
        return self._pose(self.station.table)

    @cached_property
    def mount(self) -> Expr:
        """T_world_mount by the axes that carry the arm; the identity where it rests."""
        return self._pose(self.station.carrier)

    @cached_property
    def mount_from_piece(self) -> Expr:
        """T_mount_piece by all external axes."""
        from sympy import simplify, zeros

        turn, place = self.mount[:3, :3].T, self.mount[:3, 3]
        out = zeros(4, 4)
        out[:3, :3] = simplify(turn * self.piece[:3, :3])
        out[:3, 3] = simplify(turn * (self.piece[:3, 3] - place))
        out[3, 3] = 1
        return out

    def _pose(self, arm: Arm | None) -> Expr:
        from sympy import cos, eye, simplify, sin

        pose = eye(4)
        if arm is None:
            return pose
        constants = np.array(pack(arm).constants)
        constants[:, 3] = (0.0, 0.0, 0.0, 1.0)
        pose = _exact(constants[0])
        for joint, after in zip(arm.moving, constants[1:], strict=True):
            q, motion = self.symbols[joint.name], eye(4)
            if joint.kind == "revolute":
                motion[:2, :2] = [[cos(q), -sin(q)], [sin(q), cos(q)]]
            else:
                motion[2, 3] = q
            pose = pose * motion * _exact(after)
        return simplify(pose)

    def explain(self) -> str:
        """Return every step in words: the relation of the frames, then the arm's own steps."""
        station = self.station
        rows = "\n".join(
            "    " + "   ".join(str(entry) for entry in self.mount_from_piece.row(k))
            for k in range(3)
        )
        axes = ", ".join(station.external_names)
        return (
            f"Given: T_piece_tool, and the external axes {axes}.\n"
            f"The arm sees the work piece at T_mount_piece(e) =\n{rows}\n"
            "Its tool must be at T_mount_tool = T_mount_piece(e) T_piece_tool. With base and tool\n"
            "of the arm taken off, T = base^-1 T_mount_tool tool^-1 has the columns n, o, a, p of\n"
            f"the arm's own inverse kinematics ({self.own.inverse.method}):\n\n"
            f"{self.own.inverse.explain()}"
        )

    def latex(self) -> str:
        """Return the relation of the frames as LaTeX."""
        from sympy import latex

        words = r"T_{\mathrm{mount,tool}} = T_{\mathrm{mount,piece}}(e)\,T_{\mathrm{piece,tool}}"
        matrix = latex(self.mount_from_piece)
        return f"\\[ {words} \\]\n\\[ T_{{\\mathrm{{mount,piece}}}}(e) = {matrix} \\]\n"

    def write(self, folder: str | Path) -> list[Path]:
        """Write the relation as LaTeX, and the arm's own models beside it; return the files.

        Raises:
            DescriptionError: When a file cannot be written.
        """
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        relation = place / f"{self.station.name}_relation.tex"
        write_text(relation, self.latex())
        return [relation, *self.own.write(place)]


def derive_station(station: Station | Arm | str | Path) -> StationDerivation:
    """Return the derivation of a station: a description, a name, a file, or an arm on a rail."""
    return StationDerivation(load_station(station))


def _exact(pose: Array) -> Expr:
    """Return a transform with its numbers as short fractions, right angles exact."""
    from sympy import Matrix, Rational

    rounded = np.round(pose, _DIGITS) + 0.0
    return Matrix(4, 4, lambda i, j: Rational(repr(float(rounded[i, j]))))
