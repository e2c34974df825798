"""Which kinematics a controller gets for nothing, and which it has to bring itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from armwerk.errors import DescriptionError, UnsupportedError

NAMES = ("mandirkin", "maninvkin")
_DIRECT = frozenset({"fk", "frames", "jacobian", "manipulability", "condition", "state"})
_INVERSE = frozenset({"ik", "ik_nearest", "ik_batch", "ik_position", "solve"})


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

    def __init__(self, model: Any, skills: Skills) -> None:
        self._model = model
        self._skills = skills

    def __getattr__(self, name: str) -> Any:
        if name in _DIRECT and not self._skills.mandirkin:
            switched_off("mandirkin", f"arm.{name}", "direct_kinematics")
        if name in _INVERSE and not self._skills.maninvkin:
            switched_off("maninvkin", f"arm.{name}", "inverse_kinematics")
        return getattr(self._model, name)

    def __repr__(self) -> str:
        return f"<{self._model!r} with skills {self._skills}>"
