"""Which kinematics a controller gets for nothing, and which it has to bring itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from numpy.typing import ArrayLike

from armwerk.arrays import Array, Integers
from armwerk.errors import DescriptionError, UnsupportedError

if TYPE_CHECKING:
    from armwerk.mechanics import ArmModel, Solution, SolutionSet, Task
    from armwerk.robot import Arm
    from armwerk.robot.parts import Assembly

NAMES = ("mandirkin", "maninvkin")
_DIRECT = frozenset({"fk", "frames", "jacobian", "manipulability", "condition", "state"})
_INVERSE = frozenset(
    {"ik", "ik_nearest", "ik_batch", "ik_position", "solutions", "solve", "inverse"}
)


@dataclass(frozen=True, slots=True)
class Skills:
    """The automatic kinematics that are switched on.

    Args:
        mandirkin: Direct kinematics: from motor values to the pose of the tool.
        maninvkin: Inverse kinematics, the other way round; needs ``mandirkin``.
    """

    mandirkin: bool = True
    maninvkin: bool = True

    def __post_init__(self) -> None:
        if self.maninvkin and not self.mandirkin:
            raise DescriptionError(
                "maninvkin needs mandirkin",
                element="skills",
                value=str(self),
                allowed="-mandirkin,-maninvkin to switch both off",
            )

    @classmethod
    def parse(cls, text: str | Skills | None) -> Skills:
        """Return the skills of a text such as "+mandirkin,-maninvkin".

        Skills that are not named stay on. Switching mandirkin off takes maninvkin with it, unless
        the text asks for +maninvkin, which is refused.

        Args:
            text: None or empty: all are on.
        """
        if isinstance(text, Skills):
            return text
        if not isinstance(text, str | None):
            raise DescriptionError(
                "not a text", element="skills", value=text, allowed='as in "+mandirkin,-maninvkin"'
            )
        given: dict[str, bool] = {}
        for word in (text or "").replace(" ", "").split(","):
            if not word:
                continue
            sign, name = word[0], word[1:]
            if sign not in "+-" or name not in NAMES:
                raise DescriptionError(
                    "unknown skill",
                    element="skills",
                    value=word,
                    allowed=", ".join(f"+{known} -{known}" for known in NAMES),
                )
            given[name] = sign == "+"
        direct = given.get("mandirkin", True)
        return cls(direct, given.get("maninvkin", direct))

    def __str__(self) -> str:
        return ",".join(("+" if getattr(self, name) else "-") + name for name in NAMES)


def switched_off(skill: str, service: str, own: str) -> NoReturn:
    """Raise the error of a service whose skill is off.

    Args:
        skill: "mandirkin" or "maninvkin".
        service: What was called.
        own: The attribute with which a controller brings its own.
    """
    raise UnsupportedError(
        f"{service} is unsupported: skill {skill} is switched off, so the controller has to bring "
        f"its own (self.{own} = function)"
    )


class GuardedModel:
    """An arm model that refuses the kinematics that are switched off and gives all the rest."""

    def __init__(self, model: ArmModel, skills: Skills) -> None:
        self._model = model
        self._skills = skills

    def __getattribute__(self, name: str) -> object:
        """Refuse a name of the kinematics that are switched off, as soon as it is named."""
        if name in _DIRECT or name in _INVERSE:
            skills = object.__getattribute__(self, "_skills")
            if name in _DIRECT and not skills.mandirkin:
                switched_off("mandirkin", f"arm.{name}", "direct_kinematics")
            if name in _INVERSE and not skills.maninvkin:
                switched_off("maninvkin", f"arm.{name}", "inverse_kinematics")
        return object.__getattribute__(self, name)

    def __getattr__(self, name: str) -> object:
        """Return what only some models have, such as ``manipulability`` and ``chain``."""
        return getattr(self._model, name)

    @property
    def arm(self) -> Arm | Assembly:
        """The description."""
        return self._model.arm

    @property
    def dof(self) -> int:
        """Number n of joint variables."""
        return self._model.dof

    @property
    def limits(self) -> Array:
        """Smallest and largest joint values [rad or m]. Shape (n, 2)."""
        return self._model.limits

    def fk(self, q: ArrayLike) -> Array:
        """As `ArmModel.fk`; needs mandirkin."""
        return self._model.fk(q)

    def frames(self, q: ArrayLike) -> Array | dict[str, Array]:
        """As `ArmModel.frames`; needs mandirkin."""
        return self._model.frames(q)

    def jacobian(self, q: ArrayLike) -> Array:
        """As `ArmModel.jacobian`; needs mandirkin."""
        return self._model.jacobian(q)

    def ik(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """As `ArmModel.ik`; needs maninvkin."""
        return self._model.ik(T, within_limits)

    def ik_nearest(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """As `ArmModel.ik_nearest`; needs maninvkin."""
        return self._model.ik_nearest(T, q)

    def ik_batch(self, Ts: ArrayLike, within_limits: bool = False) -> tuple[Array, Integers]:
        """As `ArmModel.ik_batch`; needs maninvkin."""
        return self._model.ik_batch(Ts, within_limits)

    def ik_position(self, p: ArrayLike, q: ArrayLike | None = None) -> Array | None:
        """As `ArmModel.ik_position`; needs maninvkin."""
        return self._model.ik_position(p, q)

    def solutions(self, goal: ArrayLike, near: ArrayLike | None = None) -> SolutionSet:
        """As `ArmModel.solutions`; needs maninvkin."""
        return self._model.solutions(goal, near)

    def solve(self, goal: ArrayLike, q0: ArrayLike | None = None, task: Task = "pose") -> Solution:
        """As `ArmModel.solve`; needs maninvkin."""
        return self._model.solve(goal, q0, task)

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """As `ArmModel.inverse_dynamics`."""
        return self._model.inverse_dynamics(q, qd, qdd)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """As `ArmModel.forward_dynamics`."""
        return self._model.forward_dynamics(q, qd, tau)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """As `ArmModel.mass_matrix`."""
        return self._model.mass_matrix(q)

    def gravity(self, q: ArrayLike) -> Array:
        """As `ArmModel.gravity`."""
        return self._model.gravity(q)

    def energy(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """As `ArmModel.energy`."""
        return self._model.energy(q, qd)

    def __repr__(self) -> str:
        return f"<{self._model!r} with skills {self._skills}>"
