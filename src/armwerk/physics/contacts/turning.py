"""Contacts of pads, cups and magnets on hands that turn.

MuJoCo lets a contact aim at an acceleration J v', but points of two bodies that turn together also
have the accelerations J' v of their turning: w × (w × r) and the like. What J v' lacks of them
is made up for by a gap or a depth of J' v / k, some 30 µm in a quick turn. Pads that sink in less
than that would lift off on one side, and rock. So the rows of their contacts aim at J' v less.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import inner
from armwerk.physics.contacts.address_table import (
    AddressTable,
    lines_at,
    numbers_at,
    whole_at,
)
from armwerk.physics.contacts.step_view import (
    PadView,
    Small,
    axis_of,
    first_row,
    geoms_of,
    point_of,
    row_count,
)


class Motions(NamedTuple):
    """How bodies move, as MuJoCo keeps it.

    Args:
        body: Of every geom. Shape (g,).
        pad: 1 for geoms of pads, cups and magnets. Shape (g,).
        parent: Of every body, as the next two. Shape (b,).
        first_dof: Of its joints.
        dofs: Their number.
        root: The body each tree is counted under. Shape (b,).
        com: Centres of mass of the trees [m]. Shape (b, 3).
        cvel: (w, v) of bodies, taken there. Shape (b, 6).
        cdof_dot: How the directions of motion change. Shape (nv, 6).
        qvel: Velocities. Shape (nv,).
    """

    body: Small
    pad: Small
    parent: Small
    first_dof: Small
    dofs: Small
    root: Small
    com: Array
    cvel: Array
    cdof_dot: Array
    qvel: Array


def motions(model: mujoco.MjModel, data: mujoco.MjData, pads: list[int]) -> Motions:
    """Return the motions of a simulation, seen where MuJoCo keeps them."""
    pad = np.zeros(model.ngeom, dtype=np.int32)
    pad[pads] = 1
    return Motions(
        model.geom_bodyid,
        pad,
        model.body_parentid,
        model.body_dofadr,
        model.body_dofnum,
        model.body_rootid,
        data.subtree_com,
        data.cvel,
        data.cdof_dot,
        data.qvel,
    )


@inner
def _turning(motions: Motions, body: int, point: Array, sign: float, out: Array) -> None:
    """Add the acceleration of a point of a body that its velocities alone give, times a sign."""
    if body == 0:
        return
    qvel, com, root = motions.qvel, motions.com, motions.root
    ax = ay = az = bx = by = bz = 0.0  # angular, linear
    carrier = body
    while carrier > 0:
        first = motions.first_dof[carrier]
        for j in range(first, first + motions.dofs[carrier]):
            row, speed = motions.cdof_dot[j], qvel[j]
            ax += row[0] * speed
            ay += row[1] * speed
            az += row[2] * speed
            bx += row[3] * speed
            by += row[4] * speed
            bz += row[5] * speed
        carrier = motions.parent[carrier]
    x, y, z = (
        point[0] - com[root[body], 0],
        point[1] - com[root[body], 1],
        point[2] - com[root[body], 2],
    )
    v = motions.cvel[body]
    vx = v[3] + v[1] * z - v[2] * y
    vy = v[4] + v[2] * x - v[0] * z
    vz = v[5] + v[0] * y - v[1] * x
    out[0] += sign * (bx + ay * z - az * y + v[1] * vz - v[2] * vy)
    out[1] += sign * (by + az * x - ax * z + v[2] * vx - v[0] * vz)
    out[2] += sign * (bz + ax * y - ay * x + v[0] * vy - v[1] * vx)


@inner
def open_motions(table: AddressTable) -> Motions:
    """Return the motions whose arrays a table holds, in the order of `Motions`."""
    return Motions(
        whole_at(table, 0),
        whole_at(table, 1),
        whole_at(table, 2),
        whole_at(table, 3),
        whole_at(table, 4),
        whole_at(table, 5),
        lines_at(table, 6, 3),
        lines_at(table, 7, 6),
        lines_at(table, 8, 6),
        numbers_at(table, 9),
    )


@inner
def follow_turning(view: PadView, motions: Motions) -> None:
    """Let the contacts of pads follow the turning of the hand; call when all else is aimed at.

    Args:
        view: Contacts and rows of the step.
        motions: How bodies move.
    """
    off = np.empty(3)
    pad, body = motions.pad, motions.body
    for i in range(view.contacts.length):
        one, two = geoms_of(view.contacts, i)
        row = first_row(view.contacts, i)
        if row < 0 or one < 0 or two < 0 or pad[one] == pad[two]:
            continue
        point = point_of(view.contacts, i)
        off[:] = 0.0
        _turning(motions, body[two], point, 1.0, off)
        _turning(motions, body[one], point, -1.0, off)
        for r in range(min(row_count(view.contacts, i), 3)):
            axis = axis_of(view.contacts, i, r)
            view.rows.reference[row + r] -= axis[0] * off[0] + axis[1] * off[1] + axis[2] * off[2]
