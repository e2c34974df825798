"""The kernels of an accelerator: the map of a planar arm, and a grid of joint values.

`planar_map` tests every cell by separating axes, one program per piece of a line; `joint_sweep`
walks all configurations of a grid, a block of them per program; `fit_solutions` brings solutions of
poses within the joint limits and makes them configurations to walk.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def planar_map(
    line,  # (lines, 4): x, y, cosine, sine
    on,  # (parts, 4, places)
    half,  # (parts, 2)
    body,  # (bodies, 6): x, y, cosine, sine, half lengths
    allowance,  # (parts, bodies)
    level,  # (parts, bodies), 0 or 1
    base,  # (lines,), int32: what every cell of a line holds beforehand
    out,  # (lines, places), any kind of whole number
    hits,  # one number per program, int32
    places,
    PARTS: tl.constexpr,
    BODIES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Write the sum of body number + 1 over the contacts of each cell, and the base of its line."""
    i = tl.program_id(0)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = j < places
    X = tl.load(line + i * 4)
    Y = tl.load(line + i * 4 + 1)
    C1 = tl.load(line + i * 4 + 2)
    S1 = tl.load(line + i * 4 + 3)
    cell = tl.zeros([BLOCK], dtype=tl.int32) + tl.load(base + i)
    count = tl.zeros([BLOCK], dtype=tl.int32)
    for p in range(PARTS):
        u = tl.load(on + (p * 4) * places + j, mask=inside, other=0.0)
        v = tl.load(on + (p * 4 + 1) * places + j, mask=inside, other=0.0)
        c2 = tl.load(on + (p * 4 + 2) * places + j, mask=inside, other=1.0)
        s2 = tl.load(on + (p * 4 + 3) * places + j, mask=inside, other=0.0)
        x = X + C1 * u - S1 * v
        y = Y + S1 * u + C1 * v
        c = C1 * c2 - S1 * s2
        s = S1 * c2 + C1 * s2
        a = tl.load(half + p * 2)
        b = tl.load(half + p * 2 + 1)
        for k in range(BODIES):
            met = tl.load(level + p * BODIES + k) != 0
            limit = tl.load(allowance + p * BODIES + k)
            C = tl.load(body + k * 6 + 2)
            S = tl.load(body + k * 6 + 3)
            A = tl.load(body + k * 6 + 4)
            B = tl.load(body + k * 6 + 5)
            dx = x - tl.load(body + k * 6)
            dy = y - tl.load(body + k * 6 + 1)
            cosine = tl.abs(c * C + s * S)
            sine = tl.abs(s * C - c * S)
            one = tl.abs(dx * C + dy * S) - (A + a * cosine + b * sine)
            two = tl.abs(dy * C - dx * S) - (B + a * sine + b * cosine)
            three = tl.abs(dx * c + dy * s) - (a + A * cosine + B * sine)
            four = tl.abs(dy * c - dx * s) - (b + A * sine + B * cosine)
            contact = (one <= limit) & (two <= limit) & (three <= limit) & (four <= limit)
            contact = contact & met & inside
            cell += tl.where(contact, k + 1, 0)
            count += contact.to(tl.int32)
    tl.store(out + i.to(tl.int64) * places + j, cell, mask=inside)
    tl.store(hits + i * tl.num_programs(1) + tl.program_id(1), tl.sum(count, axis=0))


@triton.jit
def _first_row(one, K):
    """Return one row of the base frame, the same in every configuration."""
    return one * tl.load(K), one * tl.load(K + 1), one * tl.load(K + 2), one * tl.load(K + 3)


@triton.jit
def _moves(at, inside, i, start, size, table):
    """Return cosine, sine and shift of a joint in each configuration."""
    first = tl.load(start + i)
    row = first + (at // tl.load(size + i + 1)) % (tl.load(start + i + 1) - first)
    c = tl.load(table + row * 3, mask=inside, other=1.0)
    s = tl.load(table + row * 3 + 1, mask=inside, other=0.0)
    d = tl.load(table + row * 3 + 2, mask=inside, other=0.0)
    return c, s, d


@triton.jit
def _advance_row(a, b, z, p, K, c, s, shift):
    """Multiply one row (a, b, z, p) of the frames by a joint's motion and a constant."""
    x = c * a + s * b
    y = c * b - s * a
    k03 = tl.load(K + 3)
    k13 = tl.load(K + 7)
    k23 = tl.load(K + 11)
    na = x * tl.load(K) + y * tl.load(K + 4) + z * tl.load(K + 8)
    nb = x * tl.load(K + 1) + y * tl.load(K + 5) + z * tl.load(K + 9)
    nz = x * tl.load(K + 2) + y * tl.load(K + 6) + z * tl.load(K + 10)
    return na, nb, nz, p + (x * k03 + y * k13 + z * (k23 + shift))


@triton.jit
def _touching(a0, b0, z0, p0, a1, b1, z1, p1, a2, b2, z2, p2, hit, sphere, first, last, box, boxes):
    """Return which configurations touch a box with one of the spheres of a frame."""
    for n in range(first, last):
        u = tl.load(sphere + n * 4)
        v = tl.load(sphere + n * 4 + 1)
        w = tl.load(sphere + n * 4 + 2)
        reach = tl.load(sphere + n * 4 + 3)
        x = a0 * u + b0 * v + z0 * w + p0
        y = a1 * u + b1 * v + z1 * w + p1
        z = a2 * u + b2 * v + z2 * w + p2
        for k in range(boxes):
            B = box + k * 15
            dx = x - tl.load(B)
            dy = y - tl.load(B + 1)
            dz = z - tl.load(B + 2)
            along = dx * tl.load(B + 3) + dy * tl.load(B + 4) + dz * tl.load(B + 5)
            a = tl.maximum(tl.abs(along) - tl.load(B + 12), 0.0)
            along = dx * tl.load(B + 6) + dy * tl.load(B + 7) + dz * tl.load(B + 8)
            b = tl.maximum(tl.abs(along) - tl.load(B + 13), 0.0)
            along = dx * tl.load(B + 9) + dy * tl.load(B + 10) + dz * tl.load(B + 11)
            c = tl.maximum(tl.abs(along) - tl.load(B + 14), 0.0)
            hit = hit | (a * a + b * b + c * c <= reach)
    return hit


@triton.jit
def joint_sweep(
    begin,
    end,
    constants,  # (n + 1, 3, 4)
    turns,  # (n,), int32
    start,  # (n + 1,), int64
    size,  # (n + 1,), int64: configurations behind each joint
    table,  # (rows, 3)
    sphere,  # (spheres, 4)
    spheres_of,  # (n + 2,), int32
    box,  # (boxes, 15)
    boxes,
    corner,  # (3,), then the edge of a voxel
    shape,  # (3,), int64
    reached,  # (voxels,), int32
    best,  # (voxels,), int64: the bits of the best dexterity
    touched,  # one number per program, int32
    known,  # one number per configuration of the first joints, int8: whether those touch
    known_from,  # the first of these configurations
    JOINTS: tl.constexpr,
    KNOWN: tl.constexpr,
    KEEP: tl.constexpr,
    VOXELS: tl.constexpr,
    RANK: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Count contacts, and free configurations and best dexterity per voxel.

    With KEEP, whether each configuration touches is written to ``known``; with KNOWN, that is read
    for the first KNOWN joints instead of tested.
    """
    at = begin + tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < end
    one = tl.full([BLOCK], 1.0, dtype=tl.float64)
    a0, b0, z0, p0 = _first_row(one, constants)
    a1, b1, z1, p1 = _first_row(one, constants + 4)
    a2, b2, z2, p2 = _first_row(one, constants + 8)
    hit = at < 0
    if KNOWN == 0:
        low = tl.load(spheres_of)
        high = tl.load(spheres_of + 1)
        hit = _touching(
            a0, b0, z0, p0, a1, b1, z1, p1, a2, b2, z2, p2, hit, sphere, low, high, box, boxes
        )
    else:
        behind = at // tl.load(size + KNOWN) - known_from
        hit = tl.load(known + behind, mask=inside, other=1) != 0
    for i in tl.static_range(JOINTS):
        c, s, d = _moves(at, inside, i, start, size, table)
        K = constants + (i + 1) * 12
        a0, b0, z0, p0 = _advance_row(a0, b0, z0, p0, K, c, s, d)
        a1, b1, z1, p1 = _advance_row(a1, b1, z1, p1, K, c, s, d)
        a2, b2, z2, p2 = _advance_row(a2, b2, z2, p2, K, c, s, d)
        if i >= KNOWN:
            low = tl.load(spheres_of + i + 1)
            high = tl.load(spheres_of + i + 2)
            # Neighbours share their first joints: a block that touches as a whole is done.
            free = tl.sum((inside & (hit == 0)).to(tl.int32), axis=0)
            high = tl.where(free > 0, high, low)
            hit = _touching(
                a0, b0, z0, p0, a1, b1, z1, p1, a2, b2, z2, p2, hit, sphere, low, high, box, boxes
            )
    tl.store(touched + tl.program_id(0), tl.sum((hit & inside).to(tl.int32), axis=0))
    if KEEP:
        tl.store(known + (at - begin), hit.to(tl.int8), mask=inside)
    if VOXELS:
        cell = tl.load(corner + 3)
        u = tl.floor((p0 - tl.load(corner)) / cell).to(tl.int64)
        v = tl.floor((p1 - tl.load(corner + 1)) / cell).to(tl.int64)
        w = tl.floor((p2 - tl.load(corner + 2)) / cell).to(tl.int64)
        nu = tl.load(shape)
        nv = tl.load(shape + 1)
        nw = tl.load(shape + 2)
        counts = inside & (hit == 0)
        counts = counts & (u >= 0) & (u < nu) & (v >= 0) & (v < nv) & (w >= 0) & (w < nw)
        voxel = tl.where(counts, (u * nv + v) * nw + w, 0)
        tl.atomic_add(reached + voxel, counts.to(tl.int32), mask=counts)
        if RANK > 0:
            # The tool is known now: a second walk sums J J' over the joints.
            px, py, pz = p0, p1, p2
            a0, b0, z0, p0 = _first_row(one, constants)
            a1, b1, z1, p1 = _first_row(one, constants + 4)
            a2, b2, z2, p2 = _first_row(one, constants + 8)
            xx = one * 0.0
            yy = one * 0.0
            zz = one * 0.0
            xy = one * 0.0
            xz = one * 0.0
            yz = one * 0.0
            for i in tl.static_range(JOINTS):
                dx = px - p0
                dy = py - p1
                dz = pz - p2
                revolute = tl.load(turns + i) != 0
                ja = tl.where(revolute, z1 * dz - z2 * dy, z0)
                jb = tl.where(revolute, z2 * dx - z0 * dz, z1)
                jc = tl.where(revolute, z0 * dy - z1 * dx, z2)
                xx += ja * ja
                yy += jb * jb
                zz += jc * jc
                xy += ja * jb
                xz += ja * jc
                yz += jb * jc
                c, s, d = _moves(at, inside, i, start, size, table)
                K = constants + (i + 1) * 12
                a0, b0, z0, p0 = _advance_row(a0, b0, z0, p0, K, c, s, d)
                a1, b1, z1, p1 = _advance_row(a1, b1, z1, p1, K, c, s, d)
                a2, b2, z2, p2 = _advance_row(a2, b2, z2, p2, K, c, s, d)
            square = xx + yy + zz
            if RANK == 2:
                square = (xx * yy - xy * xy) + (xx * zz - xz * xz) + (yy * zz - yz * yz)
            if RANK == 3:
                one_by_one = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz)
                square = one_by_one + xz * (xy * yz - yy * xz)
            dexterity = tl.sqrt(tl.maximum(square, 0.0))
            # Bits of numbers that are not negative sort as the numbers do.
            tl.atomic_max(best + voxel, dexterity.to(tl.int64, bitcast=True), mask=counts)


@triton.jit
def _full(value: tl.constexpr):
    return tl.full((), value, tl.float64)


@triton.jit
def _whole_turns(q, near, low, high, slack):
    """Do what `armwerk.mechanics.kernels.turns.turned_into` does."""
    turn = _full(6.283185307179586)
    q = q + turn * tl.floor((near - q) / turn + _full(0.5))
    down = q - turn * tl.ceil((q - high - slack) / turn)
    down = tl.where(low - down > down + turn - high, down + turn, down)
    up = q + turn * tl.ceil((low - slack - q) / turn)
    up = tl.where(up - high > low - (up - turn), up - turn, up)
    return tl.where(q > high + slack, down, tl.where(q < low - slack, up, q))


@triton.jit
def _cosine_and_sine(x, series):
    """Do what `armwerk.planning.kernels.turning.cosine_and_sine` does."""
    n = tl.floor(x * tl.load(series) + _full(0.5))
    r = x - n * tl.load(series + 1)
    r = r - n * tl.load(series + 2)
    r = r - n * tl.load(series + 3)
    z = r * r
    sine = z * _full(0.0) + tl.load(series + 11)
    cosine = z * _full(0.0) + tl.load(series + 20)
    for k in tl.static_range(7):
        sine = sine * z + tl.load(series + 10 - k)
    for k in tl.static_range(8):
        cosine = cosine * z + tl.load(series + 19 - k)
    sine = r + r * z * sine
    cosine = _full(1.0) + z * cosine
    quadrant = n - _full(4.0) * tl.floor(n * _full(0.25))
    odd = (quadrant == _full(1.0)) | (quadrant == _full(3.0))
    a = tl.where(odd, cosine, sine)
    b = tl.where(odd, -sine, cosine)
    back = quadrant >= _full(2.0)
    a = tl.where(back, -a, a)
    b = tl.where(back, -b, b)
    return b + _full(0.0), a + _full(0.0)


@triton.jit(do_not_specialize=["each", "rows"])
def fit_solutions(
    solutions,  # (poses, LEAVES, JOINTS)
    counts,  # (poses,), int8
    care,  # (poses,), int8: poses that somebody else looks at
    voxel,  # (places,), int64: the voxel of each place
    each,  # poses of a place
    rows,  # poses
    limits,  # (JOINTS, 3): low, high, where to be close to
    slack,  # one number
    turns,  # (JOINTS,), int32
    series,  # two over pi, pi/2 in three parts, the series of sine and cosine
    table,  # (JOINTS, poses LEAVES, 3): cosine, sine, shift
    left_out,  # (poses LEAVES,), int8
    oriented,  # (voxels,), int32: poses with a solution within limits
    LEAVES: tl.constexpr,
    JOINTS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Shift solutions by whole turns into the limits; what stays outside is left out."""
    p = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = p < rows
    count = tl.load(counts + p, mask=inside, other=0)
    count = tl.where(tl.load(care + p, mask=inside, other=1) != 0, 0, count)
    total = tl.full((), 1, tl.int64) * rows * LEAVES
    gap = tl.load(slack)
    reached = p < 0
    for leaf in tl.static_range(LEAVES):
        good = inside & (leaf < count)
        at = p * LEAVES + leaf
        for j in tl.static_range(JOINTS):
            low = tl.load(limits + j * 3)
            high = tl.load(limits + j * 3 + 1)
            near = tl.load(limits + j * 3 + 2)
            turning = tl.load(turns + j) != 0
            q = tl.load(solutions + at * JOINTS + j, mask=good, other=0.0)
            q = tl.where(turning, _whole_turns(q, near, low, high, gap), q)
            q = tl.where((high < q) & (q <= high + gap), high, q)
            q = tl.where((low - gap <= q) & (q < low), low, q)
            good = good & (low <= q) & (q <= high)
            c, s = _cosine_and_sine(q, series)
            row = table + (j * total + at) * 3
            tl.store(row, tl.where(turning, c, _full(1.0)), mask=inside)
            tl.store(row + 1, tl.where(turning, s, _full(0.0)), mask=inside)
            tl.store(row + 2, tl.where(turning, q * _full(0.0), q), mask=inside)
        tl.store(left_out + at, (good == 0).to(tl.int8), mask=inside)
        reached = reached | good
    place = tl.load(voxel + p // each, mask=inside, other=0)
    tl.atomic_add(oriented + place, reached.to(tl.int32), mask=reached)
