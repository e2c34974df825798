"""The solid shapes of an arm, each fixed to one of its frames.

An arm description says where the axes are, not how thick the links are. Unless shapes are given,
`arm_shapes` makes capsules along every joint's row: from the joint's axis along it by d, then
across by a. Their radius is `THICKNESS` of the arm's length scale (about half its reach),
tapering to `TAPER` of that at the last link, or as asked for; a link without any length gets a
ball. A sliding link is a rod that is long enough to reach back to its joint wherever it is within
its limits.

Of an assembly, segments become capsules and touch parts what they are: spheres and capsules of
their own radius.

Of some library arms the source says what they look like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.caching import SameObject
from armwerk.collision.mesh_check import checked_size
from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.geometry import Box, Capsule, HalfSpace, Shape, Sphere
from armwerk.robot import load
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.holding import HoldingFace
from armwerk.robot.joint import Joint
from armwerk.robot.parts import Assembly, Segment, TouchPoint, TouchSegment

THICKNESS = 0.09
"""Radius of a link as a share of the length scale: 59 mm for a UR5e, whose upper arm has 57 mm."""
TAPER = 0.7
"""Share of the first link's radius that is left at the last link; in between it falls evenly."""
MOUNT = 1.2
"""Radii of the first link by which its capsule stays above the place where the arm is mounted."""
_SHORT = 0.02  # share of the scale below which a piece of a link is not worth a capsule
Shapes = Mapping[str, list[Shape]]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class ArmShapes:
    """Shapes fixed to the frames of an arm; frozen.

    Args:
        arm: The description.
        shapes: For each link its shapes, in the coordinates of the frame that the joint's row
            ends in (as `Link` has its centre of mass). A link is called "link1", "link2", … after
            the moving joint before it, or by the joint's name; "base" is what stands still and
            "tool" the tool frame. A fixed joint's name means the frame behind it. Of an assembly
            the keys are names of parts.
        made: Whether the thickness of the shapes is a guess.
        touching: Pairs of names of shapes that may touch each other, or never can; a name stands
            for all shapes "name", "name.1", "name.2", …

    Attributes:
        frames: Number of the frame of each shape, 0 for the base, as `SerialModel.frames` counts;
            of an assembly the place of its part in ``assembly.tree``. Shape (n,).
        shapes: All shapes, from the base outwards.
        names: Name of each shape: its own, else that of its link, numbered if there are more.
        made: Whether `arm_shapes` made them, so that their thickness is a guess.
        touching: Pairs of numbers of shapes that may touch, the smaller one first.

    Raises:
        UnknownNameError: For a link that the arm does not have.
        DescriptionError: For something that is no shape, or a half-space.
    """

    arm: Arm | Assembly
    frames: tuple[int, ...]
    shapes: tuple[Shape, ...]
    names: tuple[str, ...]
    made: bool
    touching: frozenset[tuple[int, int]]

    def __init__(
        self,
        arm: Arm | Assembly,
        shapes: Mapping[str, Iterable[Shape] | Shape],
        *,
        made: bool = False,
        touching: Iterable[tuple[str, str]] = (),
    ) -> None:
        if not isinstance(arm, Arm | Assembly) or not isinstance(shapes, Mapping):
            what, value = ("shapes", shapes) if isinstance(arm, Arm | Assembly) else ("arm", arm)
            allowed = "an Arm or an Assembly, and a list of shapes for each link by its name"
            raise DescriptionError("wrong type", element=what, value=value, allowed=allowed)
        labels = _labels(arm)
        found: list[tuple[int, Shape]] = []
        for key, given in shapes.items():
            if key not in labels:
                raise UnknownNameError(f"link of arm '{arm.name}'", str(key), labels)
            several = tuple(given) if isinstance(given, Iterable) else (given,)
            for shape in several:
                if not isinstance(shape, Shape) or isinstance(shape, HalfSpace):
                    raise DescriptionError(
                        "cannot be a link's shape",
                        element=f"shapes of '{key}'",
                        value=shape,
                        allowed="Box, Sphere, Cylinder, Cone, Capsule, Mesh",
                    )
                checked_size(shape)
                found.append((labels[key], shape))
        found.sort(key=lambda pair: pair[0])
        put = object.__setattr__
        put(self, "arm", arm)
        put(self, "frames", tuple(frame for frame, _ in found))
        put(self, "shapes", tuple(shape for _, shape in found))
        put(self, "names", _names(arm, found))
        put(self, "made", made)
        put(self, "touching", _pairs(self.names, touching))

    def __len__(self) -> int:
        return len(self.shapes)

    def __iter__(self) -> Iterator[Shape]:
        return iter(self.shapes)

    def __repr__(self) -> str:
        return f"<ArmShapes of '{self.arm.name}': {', '.join(self.names)}>"

    @classmethod
    def from_urdf(
        cls,
        path: str | Path,
        arm: Arm | None = None,
        *,
        tip: str | None = None,
        base_link: str | None = None,
        hulls: bool | None = None,
    ) -> ArmShapes:
        """Return the solids that the collision elements of a URDF describe.

        Arguments as for `armwerk.collision.urdf_shapes.urdf_shapes`.

        Raises:
            DescriptionError: With file and line; also when the file has no collision element.
        """
        from armwerk.collision.urdf_shapes import touching_shapes, urdf_shapes

        solids = urdf_shapes(path, arm, tip, base_link, hulls)
        if not solids.shapes:
            raise DescriptionError(
                "no link has a collision element", element=f"arm '{solids.arm.name}'", file=path
            )
        return cls(solids.arm, solids.shapes, touching=touching_shapes(solids))

    @classmethod
    def load(cls, path: str | Path, arm: Arm | Assembly) -> ArmShapes:
        """Return the shapes of a TOML file; see `armwerk.collision.bodies_toml`."""
        from armwerk.collision.bodies_toml import load_table

        return cls(arm, load_table(path, arm.name, _labels(arm)))

    def save(self, path: str | Path) -> None:
        """Write the shapes to a TOML file; large meshes go to OBJ files beside it."""
        from armwerk.collision.bodies_toml import save_table

        labels: dict[int, str] = {}
        for name, frame in _labels(self.arm).items():
            labels[frame] = name  # of several names the last one: link1, not that of its joint
        pairs = zip(self.frames, self.shapes, strict=True)
        save_table(path, self.arm.name, [(labels[frame], shape) for frame, shape in pairs])

    def at(self, q: Array) -> tuple[Shape, ...]:
        """Return the shapes in the world for one configuration, named."""
        from armwerk.modelling import model

        if isinstance(self.arm, Arm):
            frames: Array = model(self.arm).frames(q)
            poses = [frames[k] for k in self.frames]
        else:
            state = model(self.arm).state(q)
            tree = list(self.arm.tree)
            poses = [state.frames[tree[k]] for k in self.frames]
        placed = zip(self.shapes, poses, self.names, strict=True)
        return tuple(
            replace(shape.moved(pose), name=name)  # type: ignore[type-var]
            for shape, pose, name in placed
        )


def arm_shapes(arm: Arm | Assembly, radius: float | None = None) -> ArmShapes:
    """Return shapes for an arm, made as this module says.

    Args:
        arm: The description, without symbols.
        radius: Of all links [m]; None: by the rule.
    """
    if radius is not None and not radius > 0:
        raise DescriptionError("not positive", element="radius", value=radius, allowed="above 0 m")
    if isinstance(arm, Assembly):
        return ArmShapes(arm, _assembly_shapes(arm, radius), made=True)
    if not isinstance(arm, Arm):
        raise DescriptionError("no arm", value=arm, allowed="an Arm or an Assembly")
    if radius is None:
        return _usual_shapes(SameObject(arm))
    return ArmShapes(arm, _link_shapes(arm, radius), made=True)


@lru_cache(maxsize=8)
def _usual_shapes(same: SameObject[Arm]) -> ArmShapes:
    arm = same.value
    known = known_shapes(arm)
    return ArmShapes(arm, known or _link_shapes(arm, None), made=known is None)


def load_shapes(
    arm: Arm | Assembly | str | Path, described: Arm | Assembly | None = None
) -> ArmShapes:
    """Return the shapes of an arm, from its description where that has some, else made.

    Args:
        arm: A description, the name of a library arm, or a file. Of an arm from a URDF or MJCF
            file, its collision elements are its shapes; without these the hulls of its visual ones.
        described: What was loaded from the name or file before; None: it is loaded.
    """
    if isinstance(arm, str | Path) and described is None:
        described = load(arm)
    found = arm if described is None else described
    if isinstance(found, Arm) and found.file:
        from armwerk.collision.described_shapes import described_shapes
        from armwerk.collision.urdf_shapes import touching_shapes

        known = described_shapes(found)
        if known is not None:
            return ArmShapes(found, known.shapes, touching=touching_shapes(known))
    return arm_shapes(found)  # type: ignore[arg-type]


def moving_links(arm: Arm) -> list[int]:
    """Return for each frame of an arm, base to tool, how many moving joints stand before it."""
    counts = [0]
    for joint in arm.joints:
        counts.append(counts[-1] + (joint.kind != "fixed"))
    return [*counts, counts[-1]]


def _labels(arm: Arm | Assembly) -> dict[str, int]:
    """Return the number of the frame behind every name a link can be called by."""
    if isinstance(arm, Assembly):
        return {name: k for k, name in enumerate(arm.tree)}
    labels = {joint.name: k for k, joint in enumerate(arm.joints, start=1)}
    moving = [k for k, joint in enumerate(arm.joints, start=1) if joint.kind != "fixed"]
    labels |= {f"link{n}": k for n, k in enumerate(moving, start=1)}
    return labels | {"base": 0, "tool": len(arm.joints) + 1}


def _pairs(names: Sequence[str], touching: Iterable[tuple[str, str]]) -> frozenset[tuple[int, int]]:
    """Return pairs of names as pairs of numbers of shapes."""
    found: set[tuple[int, int]] = set()
    places: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        places.setdefault(name, []).append(number)
        stem, dot, last = name.rpartition(".")
        if dot and last.isdigit():
            places.setdefault(stem, []).append(number)
    for one, two in touching:
        for i in places.get(one, ()):
            found |= {(min(i, j), max(i, j)) for j in places.get(two, ()) if i != j}
    return frozenset(found)


def _names(arm: Arm | Assembly, found: list[tuple[int, Shape]]) -> tuple[str, ...]:
    if isinstance(arm, Assembly):
        links = list(arm.tree)
    else:
        links = ["base" if n == 0 else f"link{n}" for n in moving_links(arm)]
    names = [shape.name or links[frame] for frame, shape in found]
    result: list[str] = []
    for place, name in enumerate(names):
        more = names.count(name) > 1
        result.append(f"{name}.{names[:place].count(name) + 1}" if more else name)
    return tuple(result)


def _link_shapes(arm: Arm, radius: float | None) -> dict[str, list[Shape]]:
    if arm.is_symbolic:
        raise UnsupportedError(
            f"arm '{arm.name}' has no shapes before its symbols have numbers "
            f"({', '.join(arm.symbols)}); give them with arm.with_values(...)"
        )
    arm = arm.free_chain
    scale = length_scale(arm)
    short = _SHORT * scale
    shapes: dict[str, list[Shape]] = {}
    count, thick = 0, 0.0
    for joint in arm.joints:
        share = count / max(arm.dof - 1, 1)
        thick = (1 - (1 - TAPER) * share) * THICKNESS * scale if radius is None else float(radius)
        count += joint.is_moving
        row = row_matrix(*(float(v) for v in (joint.offset, joint.d, joint.a, joint.alpha)))
        back = np.linalg.inv(row)  # the frame before the row, seen from the one behind it
        low, high = _stroke(joint, scale)
        if count <= 1 and abs(high - low) > MOUNT * thick + short:
            # the first link clears what the arm stands on
            low += float(np.copysign(MOUNT * thick, high - low))
        along = [back[:3, 3] + back[:3, 2] * z for z in (low, high)]
        corner = back[:3, 3] + back[:3, 2] * float(joint.d)
        shapes[joint.name] = [
            *_rods((along[0], along[1]), thick, short),
            *_rods((corner, np.zeros(3)), thick, short),
        ]
        if joint.is_moving and not shapes[joint.name]:
            shapes[joint.name] = [Sphere(thick)]
    start = np.asarray(np.linalg.inv(arm.tool)[:3, 3], dtype=np.float64)
    shapes["tool"] = _rods((start, np.zeros(3)), thick if radius else TAPER * thick, short)
    return shapes


def length_scale(arm: Arm) -> float:
    """Return about half the reach of an arm [m]."""
    from armwerk.mechanics.chain import pack

    return pack(arm.free_chain).scale


def _stroke(joint: Joint, scale: float) -> tuple[float, float]:
    """Return from where to where a link lies along its joint's axis [m].

    Seen from the link of a prismatic joint, the joint is at -q.
    """
    ends = [0.0, float(joint.d)]
    if joint.kind == "prismatic":
        low, high = joint.limits or (-np.inf, np.inf)
        ends += [-high if np.isfinite(high) else -scale, -low if np.isfinite(low) else 0.0]
    if joint.kind != "prismatic" and ends[1] < 0:
        return 0.0, ends[1]
    return min(ends), max(ends)


def _rods(corners: tuple[Array, ...], radius: float, short: float) -> list[Shape]:
    rods: list[Shape] = []
    for start, end in pairwise(corners):
        if np.linalg.norm(end - start) > short:
            rods.append(Capsule.between(start, end, radius))
    return rods


def _assembly_shapes(assembly: Assembly, radius: float | None) -> dict[str, list[Shape]]:
    ends = {
        name: np.array(place.part.connections[0].at.position)
        for name, place in assembly.tree.items()
        if isinstance(place.part, Segment) and place.part.connections
    }
    total = sum(float(np.linalg.norm(end)) for end in ends.values())
    thick = THICKNESS * (0.5 * total or 1.0) if radius is None else float(radius)
    shapes: dict[str, list[Shape]] = {}
    for name, place in assembly.tree.items():
        part = place.part
        if isinstance(part, HoldingFace):
            thick = part.radius  # of the box behind its face
            shapes[name] = [Box((2.0 * thick, 2.0 * thick, thick), (0.0, 0.0, -0.5 * thick))]
        elif isinstance(part, TouchPoint):
            shapes[name] = [Sphere(float(part.radius) or thick)]
        elif name in ends and (length := float(np.linalg.norm(ends[name]))) > 0:
            touch = float(part.radius) if isinstance(part, TouchSegment) else 0.0
            if isinstance(part, TouchSegment) and part.width:
                along = ends[name] / length
                axes = np.column_stack((np.cross((0.0, 1.0, 0.0), along), (0, 1, 0), along))
                edges = (2.0 * touch, part.width, length)
                shapes[name] = [Box(edges, 0.5 * ends[name], axes)]
                continue
            round_ = touch or min(thick, 0.25 * length)
            shapes[name] = [Capsule.between(np.zeros(3), ends[name], round_)]
    return shapes


def known_shapes(arm: Arm) -> Shapes | None:
    """Return the shapes of an arm by link when it is one of those below, else None."""
    if arm.name not in _KNOWN or arm != _library_arm(arm.name):
        return None
    return _KNOWN[arm.name]()


@lru_cache
def _library_arm(name: str) -> Arm:
    from armwerk.robot import load_arm

    return load_arm(name)


def _planar_tt() -> Shapes:
    """A square part moved in x and y; the source counts two parts, here the part on its holder."""
    part = Box((0.2, 0.2, 0.1), (0.0, 0.0, 0.05), name="part")
    holder = Box((0.2, 0.2, 0.1), (0.0, 0.0, -0.05), name="holder")
    return {"y": [part, holder]}


def _planar_rr() -> Shapes:
    """Two boxes, each from its joint to the next; sizes as the source prints them."""
    first = Box((0.18, 0.05, 0.20), (-0.09, 0.0, 0.0))
    second = Box((0.23, 0.05, 0.20), (-0.115, 0.0, 0.0))
    return {"link1": [first], "link2": [second]}


_KNOWN: dict[str, Callable[[], Shapes]] = {"planar_tt": _planar_tt, "planar_rr": _planar_rr}
