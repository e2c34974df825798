"""The dynamic parameters of an arm: names, and numbers where the description has them.

A zero stays a zero, a symbol keeps its name, and a number gets the name that the source would
give it (m1, rx1, Ixx1) with its value beside it, so that no float enters the algebra.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from armwerk.errors import ArmwerkError, DescriptionError, UnsupportedError
from armwerk.robot import Arm, Joint, Link
from armwerk.robot.arm import row_matrix
from armwerk.robot.dimension import Dimension
from armwerk.robot.joint import INERTIA_NAMES

Parameters: TypeAlias = Literal["described", "symbolic", "lumped"]
CHOICES: tuple[Parameters, ...] = ("described", "symbolic", "lumped")
CENTRE_NAMES = ("rx", "ry", "rz")
MOMENT_NAMES = ("mx", "my", "mz")
LUMPED_NAMES = ("Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
_NO_PULL = 1e-12  # share of gravity below which a component is rounding of a turned base


@dataclass(slots=True)
class ParameterNames:
    """Collects the generators that the parameters need.

    Args:
        order: Names in order of first use.
        values: The number of a name, where the description has one.
        definitions: The expression that a name stands for, where it is more than a symbol.
        given: Symbols of the description among them.
        taken: Names that mean something else already.
    """

    order: dict[str, None] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    taken: frozenset[str] = frozenset()

    def add(self, name: str, value: Dimension) -> tuple[int, str]:
        """Return sign and name of the generator for a value; (0, "") for zero."""
        if isinstance(value, str):
            sign, text = (-1, value[1:]) if value.startswith("-") else (1, value)
            if text.isidentifier():
                if text in self.taken:
                    raise DescriptionError(
                        "name means something else in the kinematics",
                        element=f"dynamic parameter {name}",
                        value=text,
                    )
                self.given.add(text)
                self.order.setdefault(text)
                return sign, text
            self.definitions[name] = value
        elif value == 0:
            return 0, ""
        else:
            self.values[name] = value
        self.order.setdefault(name)
        return 1, name

    def symbol(self, name: str) -> tuple[int, str]:
        """Return the generator of a parameter that is left open."""
        self.order.setdefault(name)
        return 1, name


Signed: TypeAlias = tuple[int, str]


@dataclass(frozen=True, slots=True)
class BodyNames:
    """The ten parameters of a link as signs and names.

    Args:
        mass: m.
        centre: Centre of mass rx ry rz, or first moment mx my mz when lumped.
        inertia: xx yy zz xy xz yz about the centre of mass, or about the origin when lumped.
        is_lumped: Which of the two.
        armature: Inertia of the motor seen at the joint.
    """

    mass: Signed
    centre: tuple[Signed, ...]
    inertia: tuple[Signed, ...]
    is_lumped: bool
    armature: Signed


def body_names(arm: Arm, choice: Parameters | None, names: ParameterNames) -> tuple[BodyNames, ...]:
    """Return the parameters of every moving joint's link.

    Args:
        arm: The arm.
        choice: "described" takes what the arm says, "symbolic" gives every link ten symbols,
            "lumped" too, but first moment and inertia about the frame's origin instead of
            centre and inertia about it. None: described when the arm has masses, else symbolic.
        names: Where the names go.
    """
    if choice is not None and choice not in CHOICES:
        raise DescriptionError(
            "unknown choice", element="parameters", value=choice, allowed=", ".join(CHOICES)
        )
    links = _links(arm) if choice in {None, "described"} else None
    if choice is None and links is not None and not any(_has_mass(link) for link in links):
        links = None
    found = []
    for i, joint in enumerate(arm.moving, 1):
        if links is not None:
            found.append(_described(i, joint, links[i - 1], names))
        else:
            found.append(_open(i, choice == "lumped", names))
    return tuple(found)


def gravity_names(arm: Arm, names: ParameterNames) -> tuple[Signed, Signed, Signed]:
    """Return free fall in the frame in front of the first moving joint.

    One component alone is called g, as in (0, 0, -g); several are gx, gy, gz.
    """
    pull = _front(arm)[:3, :3].T @ arm.gravity
    size = float(np.linalg.norm(pull))
    present = [k for k in range(3) if abs(pull[k]) > _NO_PULL * max(size, 1.0)]
    found: list[Signed] = [(0, ""), (0, ""), (0, "")]
    for k in present:
        name = "g" if len(present) == 1 else f"g{'xyz'[k]}"
        names.order.setdefault(name)
        names.values[name] = abs(float(pull[k]))
        found[k] = (1 if pull[k] > 0 else -1, name)
    return found[0], found[1], found[2]


def described_values(arm: Arm) -> dict[str, float]:
    """Return the numbers of masses [kg], centres [m], inertias [kg m²] and gravity [m/s²].

    None of an arm without masses, or with symbols where its links cannot be added up.
    """
    names = ParameterNames()
    try:
        links = _links(arm)
        if any(_has_mass(link) for link in links):
            for i, (joint, link) in enumerate(zip(arm.moving, links, strict=True), 1):
                _described(i, joint, link, names)
            gravity_names(arm, names)
    except ArmwerkError:
        return {}
    return names.values


def _described(i: int, joint: Joint, link: Link, names: ParameterNames) -> BodyNames:
    return BodyNames(
        mass=names.add(f"m{i}", link.mass),
        centre=tuple(names.add(f"{n}{i}", v) for n, v in zip(CENTRE_NAMES, link.com, strict=True)),
        inertia=tuple(
            names.add(f"{n}{i}", v) for n, v in zip(INERTIA_NAMES, link.inertia, strict=True)
        ),
        is_lumped=False,
        armature=names.add(f"Im{i}", joint.armature),
    )


def _open(i: int, is_lumped: bool, names: ParameterNames) -> BodyNames:
    centre = MOMENT_NAMES if is_lumped else CENTRE_NAMES
    inertia = LUMPED_NAMES if is_lumped else INERTIA_NAMES
    return BodyNames(
        mass=names.symbol(f"m{i}"),
        centre=tuple(names.symbol(f"{n}{i}") for n in centre),
        inertia=tuple(names.symbol(f"{n}{i}") for n in inertia),
        is_lumped=is_lumped,
        armature=(0, ""),
    )


def _has_mass(link: Link) -> bool:
    return any(value != 0 for value in (link.mass, *link.inertia))


def _links(arm: Arm) -> list[Link]:
    """Return the link of every moving joint, with what is fixed behind it."""
    groups: list[list[Joint]] = []
    for joint in arm.joints:
        if joint.is_moving:
            groups.append([joint])
        elif groups:
            groups[-1].append(joint)
    return [_joined(arm, group) for group in groups]


def _joined(arm: Arm, group: list[Joint]) -> Link:
    """Return one link for a joint and the fixed joints behind it, in the joint's own frame."""
    first, *fixed = group
    if not any(_has_mass(joint.link) for joint in fixed):
        return first.link
    if any(joint.is_symbolic for joint in fixed) or first.link.is_symbolic:
        raise UnsupportedError(
            f"arm '{arm.name}': the fixed joint '{fixed[0].name}' has a mass, which can be added "
            f"to the link of '{first.name}' only when both are numbers"
        )
    total = _pseudo_inertia(first.link)
    place = np.eye(4)
    for joint in fixed:
        row = (float(joint.offset), float(joint.d), float(joint.a), float(joint.alpha))
        place = place @ row_matrix(*row)
        total = total + place @ _pseudo_inertia(joint.link) @ place.T
    return _link(total)


def _pseudo_inertia(link: Link) -> np.ndarray:
    """Return the 4 by 4 moments of mass [[Σ m r rᵀ, Σ m r], [Σ m rᵀ, Σ m]]; bodies add up."""
    mass, com = float(link.mass), np.array([float(value) for value in link.com])
    inertia = link.inertia_matrix()
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(com, com)
    return np.block([[second, mass * com[:, None]], [mass * com[None, :], np.array([[mass]])]])


def _link(moments: np.ndarray) -> Link:
    mass = float(moments[3, 3])
    com = moments[:3, 3] / mass if mass else np.zeros(3)
    second = moments[:3, :3] - mass * np.outer(com, com)
    inertia = np.trace(second) * np.eye(3) - second
    entries = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return Link(mass, tuple(com.tolist()), tuple(entries.tolist()))


def _front(arm: Arm) -> np.ndarray:
    """Return the frame in front of the first moving joint in the world. Shape (4, 4)."""
    place = np.array(arm.base)
    for joint in arm.joints:
        if joint.is_moving:
            break
        row = (joint.offset, joint.d, joint.a, joint.alpha)
        if any(isinstance(value, str) for value in (joint.offset, joint.alpha)):
            raise UnsupportedError(
                f"arm '{arm.name}': the fixed joint '{joint.name}' in front of the arm has "
                "symbolic angles, so the direction of gravity is unknown"
            )
        lengths = (0.0 if isinstance(value, str) else value for value in row)
        place = place @ row_matrix(*lengths)
    return place
