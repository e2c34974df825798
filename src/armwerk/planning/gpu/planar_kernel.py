"""The map of a planar arm: every cell by separating axes, one program per piece of a line."""

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
    out,  # (lines, places), any kind of whole number
    hits,  # one number per program, int32
    places,
    PARTS: tl.constexpr,
    BODIES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Write the sum of body number + 1 over the contacts of each cell."""
    i = tl.program_id(0)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = j < places
    X = tl.load(line + i * 4)
    Y = tl.load(line + i * 4 + 1)
    C1 = tl.load(line + i * 4 + 2)
    S1 = tl.load(line + i * 4 + 3)
    cell = tl.zeros([BLOCK], dtype=tl.int32)
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
