"""An arm and its surroundings packed once, for kernels that check many configurations.

Which shapes of the arm are held against each other is found here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.caching import SameObject
from armwerk.collision.arm_shapes import ArmShapes, moving_links
from armwerk.collision.body import Region
from armwerk.collision.covers import covers
from armwerk.collision.kernels import layout
from armwerk.collision.kernels.layout import JointChain, PackedScene, named
from armwerk.collision.packing import MeshShelf, MeshTree, row_of
from armwerk.collision.tight_covers import cover_error, stand_in
from armwerk.geometry import Capsule, Cone, Cylinder, Shape, Sphere
from armwerk.mechanics.chain import pack
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.collision.checker import Checker

Described: TypeAlias = Arm | Assembly
SAMPLES = 200
_WRONG = 0.01  # share of these in which the covers of two shapes may touch and they do not
_HALVINGS = 5  # of a tolerance, before the shape is tested as it is


def joint_chain(arms: Sequence[Arm]) -> JointChain:
    """Return the joints of one or more serial arms, all of which stand in one world."""
    before, sliding, parents = _joint_chain(tuple(SameObject(arm) for arm in arms))
    return JointChain(before.copy(), sliding.copy(), parents.copy())


@lru_cache(maxsize=32)
def _joint_chain(arms: tuple[SameObject[Arm], ...]) -> JointChain:
    before: list[Array] = []
    sliding: list[bool] = []
    parents: list[int] = []
    for arm in (same.value.free_chain for same in arms):
        first = len(parents)
        packed = pack(arm)
        before += [constants[:3].ravel() for constants in packed.constants[: packed.dof]]
        sliding += [joint.kind == "prismatic" for joint in arm.moving]
        parents += [0 if k == 0 else first + k for k in range(packed.dof)]
    return JointChain(
        np.array(before).reshape(-1, 12),
        np.array(sliding, dtype=np.int64),
        np.array(parents, dtype=np.int64),
    )


def pack_scene(
    parts: Sequence[ArmShapes],
    bodies: Iterable[Shape | Region],
    pairs: Integers,
    tolerances: tuple[float, ...] = (),
    tolerance: float = 0.0,
) -> PackedScene:
    """Return the scene of arms and bodies.

    Args:
        parts: Shapes of each moving arm.
        bodies: What stands around them.
        pairs: Which shapes are held against which. Shape (p, 2).
        tolerances: For every shape of the arms how far what stands for it may reach beyond it
            [m]; empty: all are tested as they are.
        tolerance: The same for all meshes among the bodies [m].
    """
    rows, hidden, trees = _shape_rows(tuple(SameObject(part) for part in parts), tolerances)
    shelf = MeshShelf(trees)
    around = _body_rows(bodies, shelf, tolerance)
    boxes = np.array([box for _, box in around]).reshape(-1, 6).T
    return PackedScene(
        rows.copy(),
        hidden.copy(),
        np.array([row for row, _ in around]).reshape(-1, layout.WIDTH),
        np.ascontiguousarray(boxes),
        np.ascontiguousarray(pairs, dtype=np.int64),
        shelf.tables(),
    )


@lru_cache(maxsize=32)
def _shape_rows(
    parts: tuple[SameObject[ArmShapes], ...], tolerances: tuple[float, ...]
) -> tuple[Array, Array, tuple[MeshTree, ...]]:
    """Return the rows of shapes, those of their covers, and the trees of their meshes."""
    shelf = MeshShelf()
    rows: list[Array] = []
    hidden: list[Array] = []
    first = 0
    for part in (same.value for same in parts):
        carrier, places = _link_places(part.arm) if isinstance(part.arm, Arm) else (0.0, [])
        for frame, shape in zip(part.frames, part.shapes, strict=True):
            if places:
                link, T = places[frame]
                moved = shape.moved(T)
            else:
                link, moved = frame + 1 if frame else 0, shape  # its body stands still
            owner = link + first if link else 0
            tolerance = tolerances[len(rows)] if tolerances else 0.0
            stands = stand_in(moved, tolerance)
            own_covers = [row_of(cover, shelf, owner, carrier) for cover in covers(stands)]
            row = row_of(stands, shelf, owner, carrier, tolerance)
            row[layout.COVER], row[layout.COVERS] = len(hidden), len(own_covers)
            rows.append(row)
            hidden += own_covers
        first += len(part.arm.tree) if isinstance(part.arm, Assembly) else part.arm.free_chain.dof
    empty = np.zeros((0, layout.WIDTH))
    return (
        np.array(rows) if rows else empty,
        np.array(hidden) if hidden else empty,
        shelf.trees,
    )


def placed_in_links(part: ArmShapes) -> list[Shape]:
    """Return the shapes of a serial arm in the frames right behind the joints that carry them."""
    assert isinstance(part.arm, Arm)
    _, places = _link_places(part.arm)
    return [shape.moved(places[k][1]) for k, shape in zip(part.frames, part.shapes, strict=True)]


def pack_pairs(
    parts: Sequence[ArmShapes],
    tolerances: tuple[float, ...],
    others: Sequence[tuple[Shape, int, float]],
) -> PackedScene:
    """Return the scene of arms and of shapes that hang from frames behind theirs; no pairs yet.

    Args:
        parts: Shapes of each arm; they come first, as `pack_scene` orders them.
        tolerances: As of `pack_scene`.
        others: Each with the number of its frame, and how far that is from the world [m].
    """
    none = np.zeros((0, 2), dtype=np.int64)
    rows, hidden, trees = _shape_rows(tuple(SameObject(part) for part in parts), tolerances)
    shelf = MeshShelf(trees)
    more = [row_of(shape, shelf, owner, carrier) for shape, owner, carrier in others]
    return PackedScene(
        np.ascontiguousarray(np.vstack([rows, *more]).reshape(-1, layout.WIDTH)),
        hidden.copy(),
        np.zeros((0, layout.WIDTH)),
        np.zeros((6, 0)),
        none,
        shelf.tables(),
    )


def _link_places(arm: Arm) -> tuple[float, list[tuple[int, Array]]]:
    """Return an arm's size [m], and of every frame its link and its place behind the joint."""
    arm = arm.free_chain
    chain, counts = pack(arm), moving_links(arm)
    places: list[tuple[int, Array]] = []
    T = np.eye(4)
    for k, joint in enumerate((None, *arm.joints, None)):
        if joint is not None and joint.is_moving:
            T = np.eye(4)
        step = chain.rows[k].copy()
        step[3] = (0.0, 0.0, 0.0, 1.0)
        T = T @ step
        places.append((counts[k], _straight(T)))
    return chain.scale, places


def _straight(T: Array) -> Array:
    """Return a product of transforms made exactly rigid again."""
    from armwerk.geometry import nearest_rotation, transform

    return transform(nearest_rotation(T[:3, :3]), T[:3, 3])


def shape_tolerances(checker: Checker, pairs: Integers) -> tuple[float, ...]:
    """Return how far what stands for each shape of a checker's arms may reach beyond it [m].

    That is the checker's tolerance. But some parts of an arm always are within millimetres of each
    other: covers of these would say contact in most configurations where there is none. Theirs is
    halved until that is rare.
    """
    from armwerk.collision.kernels import arm

    shapes = [shape for given in checker.shapes for shape in given]
    found = np.full(len(shapes), checker.tolerance)
    has_cover = np.array([cover_error(shape, checker.tolerance) > 0.0 for shape in shapes])
    pairs = np.ascontiguousarray(pairs[has_cover[pairs].any(axis=1)]) if len(pairs) else pairs
    if not len(pairs):
        return tuple(found.tolist())
    exact = pack_scene(checker.shapes, (), pairs)
    sizes = 2.0 * exact.shapes[:, layout.REACH]
    frames = checker.frames(_samples(checker.limits))
    frames = frames[np.abs(frames[:, 1:]).max(axis=(1, 2)) > 0]
    for halving in range(_HALVINGS + 1):
        covered = pack_scene(checker.shapes, (), pairs, tuple(found.tolist()))
        near: set[int] = set()
        for n, (i, j) in enumerate(pairs.tolist()):
            one = slice(n, n + 1)
            said = arm.first_contacts(frames, covered._replace(pairs=pairs[one]))[:, 0] >= 0
            if said.sum() <= _WRONG * len(frames):
                continue
            asked = np.ascontiguousarray(frames[said])
            true = arm.first_contacts(asked, exact._replace(pairs=pairs[one]))[:, 0] >= 0
            if (~true).sum() > _WRONG * len(frames):
                near |= {i, j}
        if not near:
            break
        some = sorted(near)
        found[some] = 0.0 if halving == _HALVINGS else np.minimum(found, sizes)[some] / 2.0
    return tuple(found.tolist())


def _body_rows(
    bodies: Iterable[Shape | Region], shelf: MeshShelf, tolerance: float
) -> list[tuple[Array, Array]]:
    """Return the rows of bodies with the boxes around them."""
    rows: list[tuple[Array, Array]] = []
    for number, body in enumerate(bodies):
        if isinstance(body, Region):
            planes, side = body.walls()
            for plane in planes:
                rows.append(_with_box(row_of(plane, shelf, number), plane))
            if side is not None:
                rows.append((_outside_row(side, number), np.array([-np.inf] * 3 + [np.inf] * 3)))
            continue
        rows.append(_with_box(row_of(body, shelf, number, tolerance=tolerance), body))
    return rows


def _with_box(row: Array, shape: Shape) -> tuple[Array, Array]:
    """Return a row and the box around its shape, slack included. Shapes (WIDTH,), (6,)."""
    slack = row[layout.SLACK]
    return row, (shape.bounds + np.array([[-slack], [slack]])).ravel()


def _outside_row(shape: Shape, owner: int) -> Array:
    """Return the row of everything outside a round shape's side."""
    row = np.zeros(layout.WIDTH)
    field = named(row)
    field["rotation"], field["position"] = shape.rotation, shape.position
    field["reach"], field["owner"], field["mesh"] = np.inf, owner, -1
    size = shape.bounds if np.isfinite(shape.bounds).all() else shape.position
    field["slack"] = layout.ALLOWANCE * float(np.abs(size).max())
    if isinstance(shape, Sphere | Capsule):
        half = shape.length / 2 if isinstance(shape, Capsule) else 0.0
        field["kind"], field["sizes"] = layout.OUTSIDE_CAPSULE, (shape.radius, half, 0.0)
    elif isinstance(shape, Cylinder):
        field["kind"], field["sizes"] = layout.OUTSIDE_CYLINDER, (shape.radius, 0.0, 0.0)
    elif isinstance(shape, Cone):
        middle = (shape.radius + shape.top_radius) / 2
        growth = (shape.top_radius - shape.radius) / shape.length
        field["kind"], field["sizes"] = layout.OUTSIDE_CONE, (middle, growth, 0.0)
    return row


def self_pairs(checker: Checker) -> Integers:
    """Return the pairs of shapes of a checker's arms that may touch or not. Shape (p, 2).

    Left out: shapes of one link, of neighbouring links, what stands still both times, pairs that
    are said to touch or never to touch, pairs that
    touch in every one of `SAMPLES` configurations, and made shapes that are thicker than what holds
    them apart, see `_thicker_than_apart`.
    """
    none = np.zeros((0, 2), dtype=np.int64)
    allowed = _allowed(checker)
    scene = pack_scene(checker.shapes, (), none)
    links = scene.shapes[:, layout.OWNER].astype(np.int64).tolist()
    before = _links_before(checker, set(links))
    pairs = [
        (i, j)
        for i in range(len(links))
        for j in range(i + 1, len(links))
        if links[i] != links[j]
        and before[links[i]] != links[j]
        and before[links[j]] != links[i]
        and (i, j) not in allowed
    ]
    if not pairs:
        return none
    candidates = np.array(pairs, dtype=np.int64)
    candidates = candidates[~_thicker_than_apart(checker, candidates)]
    return candidates[~_always_touching(checker, scene, candidates)]


def _allowed(checker: Checker) -> set[tuple[int, int]]:
    """Return the pairs that the shapes themselves allow to touch, counted over all arms."""
    found: set[tuple[int, int]] = set()
    first = 0
    for shapes in checker.shapes:
        found |= {(first + i, first + j) for i, j in shapes.touching}
        first += len(shapes)
    return found


def _thicker_than_apart(checker: Checker, pairs: Integers) -> Flags:
    """Return which pairs touch because the thickness of their shapes is a guess. Shape (p,).

    Two links of an arm hang together by those between them, say a quill that slides through one and
    ends in the other. Where these bring the ends of the two nearer to each other than the guessed
    radii are together, the arm is built for that, and the guess is too thick. Shapes that were
    given are never left out for this.
    """
    whose: list[tuple[int, int, float]] = []  # of every shape: arm, link, radius
    spans: list[Array] = []
    for number, shapes in enumerate(checker.shapes):
        if not shapes.made or not isinstance(shapes.arm, Arm):
            spans.append(np.zeros(0))
            whose += [(number, 0, 0.0)] * len(shapes)
            continue
        links = moving_links(shapes.arm)
        spans.append(_spans(shapes.arm))
        for frame, shape in zip(shapes.frames, shapes.shapes, strict=True):
            whose.append((number, links[frame], float(getattr(shape, "radius", 0.0))))
    out = np.zeros(len(pairs), dtype=np.bool_)
    for n, (i, j) in enumerate(pairs.tolist()):
        (arm, one, thick), (other, two, thin) = whose[i], whose[j]
        if arm == other and thick and thin:
            between = spans[arm][min(one, two) : max(one, two) - 1]
            out[n] = bool(between.sum() < thick + thin)
    return out


def _spans(arm: Arm) -> Array:
    """Return how near each moving link brings the joint behind it to its own [m]. Shape (n,)."""
    arm = arm.free_chain
    links = moving_links(arm)
    spans = []
    for number, joint in enumerate(arm.moving, start=1):
        T = np.eye(4)
        for row in (row for k, row in enumerate(arm.joints, start=1) if links[k] == number):
            T = T @ row_matrix(*(float(v) for v in (row.offset, row.d, row.a, row.alpha)))
        x, y, z = T[:3, 3]
        if joint.kind == "prismatic":
            low, high = joint.limits or (-np.inf, np.inf)
            z += float(np.clip(-z, low, high))
        spans.append(float(np.sqrt(x * x + y * y + z * z)))
    return np.array(spans)


def _links_before(checker: Checker, shaped: set[int]) -> list[int]:
    """Return for every link the nearest one towards the base that has shapes; -1: none."""
    if isinstance(checker.arms[0], Assembly):
        tree = checker.arms[0].tree
        places = {name: k for k, name in enumerate(tree, start=1)} | {next(iter(tree)): 0}
        parents = [-1, *(places.get(str(place.fix), -1) for place in tree.values())]
    else:
        parents = [-1, *checker.chain.parents.tolist()]
    result = []
    for parent in parents:
        link = parent
        while link >= 0 and link not in shaped:
            link = parents[link]
        result.append(link)
    return result


def _always_touching(checker: Checker, scene: PackedScene, pairs: Integers) -> Flags:
    """Return which pairs touch in all samples within the limits. Shape (p,)."""
    from armwerk.collision.kernels import arm

    frames = checker.frames(_samples(checker.limits))
    frames = frames[np.abs(frames[:, 1:]).max(axis=(1, 2)) > 0]  # closed chains that close
    always = np.zeros(len(pairs), dtype=np.bool_)
    for n in range(len(pairs)):
        one = scene._replace(pairs=pairs[n : n + 1])
        few = arm.first_contacts(frames[:8], one)[:, 0]  # most pairs show within a few samples
        if len(few) and (few >= 0).all():
            always[n] = bool((arm.first_contacts(frames, one)[:, 0] >= 0).all())
    return always


def _samples(limits: Array) -> Array:
    """Return configurations spread over the limits, a turn or a metre where there are none."""
    low = np.where(np.isfinite(limits[:, 0]), limits[:, 0], -np.pi)
    high = np.where(np.isfinite(limits[:, 1]), limits[:, 1], np.pi)
    return np.ascontiguousarray(low + _halton(SAMPLES, len(limits)) * (high - low))


def _halton(count: int, size: int) -> Array:
    """Return evenly spread points of the unit cube, the Halton sequence from its second point on.

    Coordinate k of point i has the digits of i in the k-th prime base, behind the point and in
    reverse order. Shape (count, size).
    """
    bases: list[int] = []
    number = 2
    while len(bases) < size:
        if all(number % base for base in bases):
            bases.append(number)
        number += 1
    points = np.zeros((count, size))
    for k, base in enumerate(bases):
        rest, weight = np.arange(1, count + 1), 1.0 / base
        while rest.any():
            points[:, k] += weight * (rest % base)
            rest, weight = rest // base, weight / base
    return points
