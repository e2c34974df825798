"""Robots as MJCF, the description of MuJoCo, said again as URDF.

A file comes in, a URDF text with the same links, joints, masses and geometries goes out; from there
on both are one. MuJoCo itself reads the file, with its defaults, includes and compiler options. A
body is a link; its sites are links fixed to it, for naming a tip. A body that floats freely is
taken as standing where the file puts it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.robot.axes import zyx_angles

if TYPE_CHECKING:
    import mujoco
    from lxml import etree

    Node = etree._Element

FRAME = "frame"
"""Attribute ``role`` of a link that only marks a place; no chain ends there unnamed."""
_EQUAL_JOINTS = 2  # mjtEq
_FREE, _BALL, _SLIDE, _HINGE = range(4)  # mjtJoint
_SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(2, 8)  # mjtGeom
# A comment ends at its first end, else a thousand of them could be read in 2^1000 ways.
_OUTERMOST = re.compile(
    r"\ufeff?(?:\s|<!--(?:(?!-->).)*-->|<\?(?:(?!\?>).)*\?>)*<([\w.:-]+)", re.DOTALL
)
_HERE = 1e-12  # [m] below which two places are one


def is_mjcf(text: str) -> bool:
    """Whether an XML text is MJCF, by its outermost element."""
    found = _OUTERMOST.match(text)
    return found is not None and found.group(1) == "mujoco"


def urdf_from_mjcf(path: Path) -> str:
    """Return a URDF text of the robot in an MJCF file; files of meshes are named in full.

    Raises:
        DescriptionError: When MuJoCo cannot read the file; in its words.
    """
    import mujoco
    from lxml import etree

    try:
        spec = mujoco.MjSpec.from_file(str(path))
        model = spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        words = " ".join(str(error).split())
        raise DescriptionError(
            f"MuJoCo cannot read it ({words})", element="file", allowed="MJCF", file=path
        ) from None
    root = etree.Element("robot", name=spec.modelname or path.stem)
    writer = _BodyWriter(root, model, _mesh_files(spec, path))
    for body in range(model.nbody):
        writer.add_body(body)
    for site in range(model.nsite):
        writer.add_site(site)
    writer.add_followers()
    return str(etree.tostring(root, encoding="unicode"))


def _mesh_files(spec: mujoco.MjSpec, path: Path) -> dict[str, tuple[Path, str]]:
    """Return file and scale of meshes by name."""
    folder = path.absolute().parent / (spec.meshdir or "")
    found: dict[str, tuple[Path, str]] = {}
    for mesh in spec.meshes:
        if mesh.file:
            name = mesh.name or Path(mesh.file).stem
            found[name] = (folder / mesh.file, _row(mesh.scale))
    return found


class _BodyWriter:
    """Writes the bodies of a compiled model as links and joints."""

    def __init__(
        self, root: Node, model: mujoco.MjModel, meshes: dict[str, tuple[Path, str]]
    ) -> None:
        self.root = root
        self.model = model
        self.meshes = meshes
        self.names: dict[int, str] = {}
        self.joints: dict[int, Node] = {}
        self.taken: set[str] = set()
        touching = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        self.touching = touching
        self.all_seen = bool(touching.all())  # no geometry is there for the eye alone

    def free_name(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def add_body(self, body: int) -> None:
        model = self.model
        name = self.free_name(model.body(body).name or f"body{body}")
        self.names[body] = name
        link = self.link(name)
        self.inertial(link, body)
        start = int(model.body_geomadr[body])
        for geom in range(start, start + int(model.body_geomnum[body])):
            self.geometry(link, geom)
        if body == 0:
            return
        pose = _pose(model.body_pos[body], model.body_quat[body])
        parent = self.names[int(model.body_parentid[body])]
        first = int(model.body_jntadr[body])
        joints = [
            joint
            for joint in range(first, first + int(model.body_jntnum[body]))
            if model.jnt_type[joint] != _FREE
        ]
        before = np.zeros(3)
        for place, joint in enumerate(joints, start=1):
            at = np.array(model.jnt_pos[joint])
            is_last = place == len(joints) and np.abs(at).max() < _HERE
            child = name if is_last else self.free_name(f"{name}__{place}")
            if not is_last:
                self.link(child)
            origin = pose @ _pose(at - before)
            self.moving(joint, parent, child, origin, name)
            pose, parent, before = np.eye(4), child, at
        if parent != name:
            self.fixed(parent, name, pose @ _pose(-before))

    def link(self, name: str, **more: str) -> Node:
        from lxml import etree

        return etree.SubElement(self.root, "link", {"name": name, **more})

    def add_site(self, site: int) -> None:
        model = self.model
        if not model.site(site).name:
            return
        name = self.free_name(model.site(site).name)
        self.link(name, role=FRAME)
        pose = _pose(model.site_pos[site], model.site_quat[site])
        self.fixed(self.names[int(model.site_bodyid[site])], name, pose)

    def fixed(self, parent: str, child: str, pose: Array) -> None:
        from lxml import etree

        node = etree.SubElement(self.root, "joint", name=f"{child}_fixed", type="fixed")
        _origin(node, pose)
        etree.SubElement(node, "parent", link=parent)
        etree.SubElement(node, "child", link=child)

    def moving(self, joint: int, parent: str, child: str, pose: Array, body: str) -> None:
        from lxml import etree

        model = self.model
        kind = int(model.jnt_type[joint])
        limited = bool(model.jnt_limited[joint])
        words = {_HINGE: "revolute" if limited else "continuous", _SLIDE: "prismatic"}
        name = model.joint(joint).name or f"{body}_joint{joint}"
        node = etree.SubElement(self.root, "joint", name=name, type=words.get(kind, "floating"))
        self.joints[joint] = node
        axis = np.array(model.jnt_axis[joint])
        reference = 0.0 if kind == _BALL else float(model.qpos0[model.jnt_qposadr[joint]])
        if reference:  # MuJoCo counts from there, a URDF from where the link is drawn
            pose = pose @ _back(axis, reference, kind)
        _origin(node, pose)
        etree.SubElement(node, "parent", link=parent)
        etree.SubElement(node, "child", link=child)
        if kind == _BALL:
            return
        etree.SubElement(node, "axis", xyz=_row(axis))
        limit = {}
        if limited:
            low, high = (float(value) for value in model.jnt_range[joint])
            limit = {"lower": repr(low), "upper": repr(high)}
        if model.jnt_actfrclimited[joint]:
            limit["effort"] = repr(float(np.abs(model.jnt_actfrcrange[joint]).max()))
        if limit:
            etree.SubElement(node, "limit", limit)
        freedom = int(model.jnt_dofadr[joint])
        damping = float(np.ravel(model.dof_damping[freedom])[0])
        friction = float(model.dof_frictionloss[freedom])
        if damping or friction:
            etree.SubElement(node, "dynamics", damping=repr(damping), friction=repr(friction))

    def add_followers(self) -> None:
        """Say equalities of two joints as ``mimic``, those by a straight line.

        q - q0 = c0 + c1 (leader - leader0), as MuJoCo has it.
        """
        from lxml import etree

        model = self.model
        start = [float(model.qpos0[place]) for place in model.jnt_qposadr]
        for number in range(model.neq):
            joint, leader = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
            if model.eq_type[number] != _EQUAL_JOINTS or leader < 0:
                continue
            c0, c1, *rest = (float(value) for value in model.eq_data[number, :5])
            node, other = self.joints.get(joint), self.joints.get(leader)
            is_known = node is None or other is None or node.find("mimic") is not None
            if not model.eq_active0[number] or any(rest) or not c1 or is_known:
                continue
            assert node is not None
            assert other is not None
            offset = start[joint] + c0 - c1 * start[leader]
            words = {"multiplier": repr(c1), "offset": repr(offset)}
            etree.SubElement(node, "mimic", {"joint": str(other.get("name")), **words})

    def inertial(self, link: Node, body: int) -> None:
        from lxml import etree

        model = self.model
        mass = float(model.body_mass[body])
        if not mass:
            return
        node = etree.SubElement(link, "inertial")
        _origin(node, _pose(model.body_ipos[body], model.body_iquat[body]))
        etree.SubElement(node, "mass", value=repr(mass))
        x, y, z = (repr(float(value)) for value in model.body_inertia[body])
        etree.SubElement(node, "inertia", ixx=x, iyy=y, izz=z, ixy="0", ixz="0", iyz="0")

    def geometry(self, link: Node, geom: int) -> None:
        from lxml import etree

        model = self.model
        kind = int(model.geom_type[geom])
        pose = _pose(model.geom_pos[geom], model.geom_quat[geom])
        x, y, z = (float(value) for value in model.geom_size[geom])
        form: tuple[str, dict[str, str]]
        if kind == _SPHERE:
            form = ("sphere", {"radius": repr(x)})
        elif kind in (_CAPSULE, _CYLINDER):
            form = (
                "capsule" if kind == _CAPSULE else "cylinder",
                {"radius": repr(x), "length": repr(2.0 * y)},
            )
        elif kind in (_BOX, _ELLIPSOID):  # URDF has no ellipsoid; the box around it is safe
            form = ("box", {"size": _row((2.0 * x, 2.0 * y, 2.0 * z))})
        elif kind == _MESH:
            mesh = int(model.geom_dataid[geom])
            known = self.meshes.get(model.mesh(mesh).name)
            if known is None:
                return  # corners within the file: drawn links stand for it
            inner = _pose(model.mesh_pos[mesh], model.mesh_quat[mesh])
            pose = pose @ np.linalg.inv(inner)  # MuJoCo moves meshes to their centre of mass
            form = ("mesh", {"filename": f"file://{known[0].as_posix()}", "scale": known[1]})
        else:
            return  # planes and height fields are no part of a robot
        tags = []
        if self.touching[geom]:
            tags.append("collision")
        if self.all_seen or not self.touching[geom]:
            tags.append("visual")
        for tag in tags:
            node = etree.SubElement(link, tag)
            _origin(node, pose)
            etree.SubElement(etree.SubElement(node, "geometry"), form[0], form[1])


def _pose(position: Array, quaternion: Array | None = None) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = position
    if quaternion is not None:
        w, x, y, z = np.asarray(quaternion, dtype=np.float64)
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        pose[:3, :3] = np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross
    return pose


def _back(axis: Array, value: float, kind: int) -> Array:
    """Return the motion of a joint by minus a value."""
    if kind == _SLIDE:
        return _pose(-value * axis)
    half = -0.5 * value
    return _pose(np.zeros(3), np.array([np.cos(half), *(np.sin(half) * axis)]))


def _origin(node: Node, pose: Array) -> None:
    from lxml import etree

    z, y, x = zyx_angles(pose[:3, :3])
    etree.SubElement(node, "origin", xyz=_row(pose[:3, 3]), rpy=_row((x, y, z)))


def _row(values: Array | tuple[float, ...]) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)
