"""The solids of an arm from the collision elements of its URDF.

A URDF places a solid in the frame of its link; an `Arm` read from it may have other frames, those
of its Denavit-Hartenberg rows. Both agree where everything is at zero, so a solid goes from its
link to the world there, and from the world into the frame behind the joint that carries it:

    T_frame_solid = T_world_frame(0)⁻¹ T_world_link(0) T_link_solid

Solids of what is fixed to a link move with that link; what hangs on it by joints outside the chain
is held at zero, as in the description of the arm.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.mesh_check import checked_mesh, hull
from armwerk.collision.mesh_file import load_mesh, load_surface
from armwerk.errors import DescriptionError
from armwerk.geometry import (
    Box,
    Capsule,
    Cylinder,
    Mesh,
    Shape,
    Sphere,
    nearest_rotation,
    transform,
)
from armwerk.robot.arm import Arm
from armwerk.robot.formats.ros_packages import package_folders
from armwerk.robot.formats.urdf_mimic import chain_followers
from armwerk.robot.formats.urdf_reader import arm_from_urdf, carriers, zero_poses
from armwerk.robot.formats.urdf_tree import (
    UrdfTree,
    attribute_of,
    number_of,
    origin_pose,
    three_of,
    wrong,
)
from armwerk.robot.reading import line_of
from armwerk.robot.references import arm_reference
from armwerk.robot.robot_tree import open_tree

if TYPE_CHECKING:
    from lxml import etree

    Node = etree._Element


UrdfElement: TypeAlias = Literal["collision", "visual"]
"""Which elements of a link are read."""
NO_FILE = "mesh file does not exist"
"""What is wrong with a file of a mesh that is not there."""
OTHER_ARM = "the arm that was read from this file"
"""What is wanted in place of an arm that has other axes than its file."""
_FORMS = ("box", "cylinder", "sphere", "capsule", "mesh")
_SAME = 1e-6  # [m, rad] within which two descriptions of an axis are the same


class UrdfSolids(NamedTuple):
    """What the elements of a robot's file describe.

    Attributes:
        arm: The arm.
        shapes: Its solids by link, "base", "link1", …, each in the frame behind the joint's row.
        owners: Names of the links in the file that these solids belong to, in the same order.
        touching: Pairs of links of the file that may touch, as its SRDF says.
    """

    arm: Arm
    shapes: dict[str, list[Shape]]
    owners: dict[str, list[str]]
    touching: frozenset[frozenset[str]]


def urdf_shapes(
    path: str | Path,
    arm: Arm | None = None,
    tip: str | None = None,
    base_link: str | None = None,
    hulls: bool | None = None,
    element: UrdfElement = "collision",
    below: Path | None = None,
) -> UrdfSolids:
    """Return the arm of a URDF and its solids by link, each in the frame behind the joint's row.

    Args:
        path: The file, also xacro or MJCF, with "#tip" as for `armwerk.load`. Meshes are found
            relative to it; ``package://name/rest`` as `package_folders` finds packages.
        arm: The arm read from it before, also with another tool or other limits; None: it is read.
            Without a tip it is the chain that this arm was read from; its SRDF says what may touch.
        tip: As for `armwerk.load`.
        base_link: As for `armwerk.load`.
        hulls: Whether meshes are replaced by their convex hulls. None: those that are not closed
            or have triangles without area, which bound no solid otherwise. False: these are
            refused.
        element: "collision" for solids that touch, "visual" for what is seen; meshes of the latter
            are taken as they are, whether they bound a solid or not.
        below: Folder that files of meshes must be in, links followed; None: anywhere.

    Returns:
        Arm and solids; none of these when the file has no such element.

    Raises:
        DescriptionError: With file and line, for anything that makes no solid, or when the arm
            is another one.
    """
    meant = arm_reference(path, tip, base_link)
    if arm is not None and arm.file and meant.tip is None and meant.base_link is None:
        known = arm_reference(arm.file)
        meant = known if known.path == meant.path.absolute() else meant
    path = meant.path
    opened = open_tree(path, meant.tip, meant.base_link, "" if arm is None else arm.srdf)
    tree = opened.tree
    try:
        base, way = opened.chain()
        moving = [joint for joint in way if joint.get("type") != "fixed"]
        poses = zero_poses(tree, base, chain_followers(tree, moving))
        carried = carriers(tree, way, poses)
        if arm is None:
            arm = arm_from_urdf(opened.text, path, opened.tip, opened.base_link)
        frames = _frames_at_zero(arm)
        _refuse_other_arm(arm, tree, way, poses, path)
        found: dict[str, list[Shape]] = {}
        owners: dict[str, list[str]] = {}
        for name, pose in poses.items():
            number = carried[name]
            own = np.linalg.inv(frames[number]) @ pose
            key = f"link{number}" if number else "base"
            for node in tree.links[name].findall(element):
                files = _MeshFiles(path, below, hulls, element == "visual")
                found.setdefault(key, []).append(_solid(node, own, name, files))
                owners.setdefault(key, []).append(name)
        semantics = opened.semantics
        touching = frozenset() if semantics is None else semantics.touching
        return UrdfSolids(arm, found, owners, touching)
    except DescriptionError as error:
        raise error.at(path) from None


def touching_shapes(solids: UrdfSolids) -> list[tuple[str, str]]:
    """Return the pairs of an SRDF by the names of the solids of their links."""
    shapes: dict[str, set[str]] = {}
    for key, owners in solids.owners.items():
        for owner, shape in zip(owners, solids.shapes[key], strict=True):
            shapes.setdefault(owner, set()).add(shape.name)
    found = []
    for pair in solids.touching:
        one, two = (*pair, *pair)[:2]
        found += [(a, b) for a in shapes.get(one, ()) for b in shapes.get(two, ())]
    return found


def _frames_at_zero(arm: Arm) -> list[Array]:
    """Return the base's frame and the ones behind the rows of all moving joints."""
    from armwerk.modelling import model

    frames: Array = model(arm).frames(np.zeros(arm.dof))
    moving = [k for k, joint in enumerate(arm.joints, start=1) if joint.kind != "fixed"]
    return [frames[k] for k in (0, *moving)]


def _refuse_other_arm(
    arm: Arm, tree: UrdfTree, way: list[Node], poses: dict[str, Array], path: Path
) -> None:
    """Compare the axes of an arm with those of the file, all at zero."""
    from armwerk.modelling import model

    moving = [joint for joint in way if joint.get("type") != "fixed"]
    problem = ""
    places = [k for k, joint in enumerate(arm.joints) if joint.kind != "fixed"]
    if len(places) != len(moving):
        problem = f"it has {len(places)} moving joints, the file {len(moving)}"
    else:
        frames: Array = model(arm).frames(np.zeros(arm.dof))
        for place, node in zip(places, moving, strict=True):
            pose = poses[tree.end(node, "child")]
            axis = node.find("axis")
            given = ["1", "0", "0"] if axis is None else three_of(axis, "xyz")
            direction = pose[:3, :3] @ np.array([float(piece) for piece in given])
            direction /= np.linalg.norm(direction)
            own = frames[place]
            off = [np.linalg.norm(own[:3, 2] - direction)]
            if node.get("type") != "prismatic":
                off.append(np.linalg.norm(np.cross(pose[:3, 3] - own[:3, 3], direction)))
            if max(off) > _SAME:
                problem = f"its axis '{arm.joints[place].name}' is not that of '{node.get('name')}'"
                break
    if problem:
        raise DescriptionError(
            problem,
            element=f"arm '{arm.name}'",
            allowed=OTHER_ARM,
            file=path,
        )


class _MeshFiles(NamedTuple):
    """Where meshes are found, and what is made of them."""

    path: Path
    below: Path | None
    hulls: bool | None
    open: bool


def _solid(node: Node, own: Array, link: str, files: _MeshFiles) -> Shape:
    """Return the solid of a collision element in the frame that carries it, named."""
    geometry = node.find("geometry")
    forms = [] if geometry is None else [child for child in geometry if child.tag in _FORMS]
    if geometry is None or len(forms) != 1:
        have = None if geometry is None else [str(child.tag) for child in geometry]
        raise wrong(node, "has no geometry of a known form", have, f"one of {', '.join(_FORMS)}")
    form = forms[0]
    name = node.get("name") or link
    try:
        shape = _form(form, files)
    except DescriptionError as error:
        raise error.at(None, None if error.file else line_of(form), f"link '{link}'") from None
    pose = own @ origin_pose(node.find("origin"))
    rigid = transform(nearest_rotation(pose[:3, :3]), pose[:3, 3])
    return _named(shape.moved(rigid), name)


def _named(shape: Shape, name: str) -> Shape:
    from dataclasses import replace

    return replace(shape, name=name)  # type: ignore[type-var]


def _form(form: Node, files: _MeshFiles) -> Shape:
    if form.tag == "box":
        return Box([float(piece) for piece in three_of(form, "size")])
    if form.tag == "sphere":
        return Sphere(number_of(form, "radius"))
    if form.tag == "cylinder":
        return Cylinder(number_of(form, "radius"), number_of(form, "length"))
    if form.tag == "capsule":
        return Capsule(number_of(form, "radius"), number_of(form, "length"))
    scale = [1.0, 1.0, 1.0]
    if form.get("scale") is not None:
        scale = [float(piece) for piece in three_of(form, "scale")]
        if not all(scale):
            raise wrong(form, "flattens the mesh", form.get("scale"), "numbers but 0", "scale")
    file = _mesh_path(form, files.path)
    if files.below is not None and not file.resolve().is_relative_to(files.below.resolve()):
        raise wrong(form, "mesh file is elsewhere", None, "a file below this folder", "filename")
    if files.hulls is True:
        return _scaled(hull(load_surface(file)), scale)
    if files.open:
        return _scaled(load_surface(file), scale)
    try:
        return checked_mesh(_scaled(load_mesh(file), scale))
    except DescriptionError as error:
        if files.hulls is False or not _bounds_nothing(error):
            raise
        return _scaled(hull(load_surface(file)), scale)


def _bounds_nothing(error: DescriptionError) -> bool:
    """Whether a mesh was refused for what it is, not because its file cannot be read."""
    words = ("not closed", "has no area", "uses a vertex twice")
    return any(word in error.problem for word in words)


def _scaled(mesh: Mesh, scale: list[float]) -> Mesh:
    faces = mesh.faces if np.prod(scale) > 0 else mesh.faces[:, ::-1]  # a mirror turns them inwards
    return Mesh(mesh.vertices * np.array(scale), faces, name=mesh.name)


def _mesh_path(form: Node, path: Path) -> Path:
    """Return the file of a mesh element."""
    given = attribute_of(form, "filename").strip()
    folder = path.absolute().parent
    if given.startswith("package://"):
        package, _, rest = given.removeprefix("package://").partition("/")
        places = [around / rest for around in package_folders(package, path)]
    elif given.startswith("file://"):
        places = [Path(given.removeprefix("file://"))]
    elif "://" in given:
        raise wrong(form, "cannot be fetched", given, "a file, file:// or package://", "filename")
    else:
        places = [folder / given]
    for place in places:
        if place.is_file():
            return place
    raise wrong(
        form,
        NO_FILE,
        given,
        "a file relative to the URDF, or package://name/… with a folder 'name' around it",
        "filename",
    )
