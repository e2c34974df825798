"""Arms that work together: one leads, another follows relative to it.

The follower's tool keeps its place in the leader's tool frame, so that both can carry one thing:
T_world_follower(t) = T_world_leader(t) T_leader_follower. Both motions run on one clock; where the
follower could not keep up, both take longer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.control.servo.set_points import NearestInverse
from armwerk.errors import MotionError
from armwerk.geometry.arguments import transform_argument
from armwerk.mechanics.interface import ArmModel
from armwerk.motion.limits import Limits
from armwerk.motion.trajectory.trajectory import Trajectory
from armwerk.operation.player import Player
from armwerk.operation.points import through

_AT_START = 1e-6  # [m, and of the rotation] by which the follower may be beside its place


class Cooperation(NamedTuple):
    """Two motions on one clock.

    Attributes:
        leader: Of the arm that leads.
        follower: Of the arm that follows, just as long.
        stretch: How much longer both take than the leader alone would [1].
    """

    leader: Trajectory
    follower: Trajectory
    stretch: float


def cooperate(
    leader: ArmModel,
    motion: Trajectory,
    follower: ArmModel,
    q: ArrayLike,
    relation: ArrayLike | None = None,
    cycle: float = 0.01,
) -> Cooperation:
    """Return the motions of an arm that leads and of one that follows.

    Args:
        leader: Its model, with its base in the world.
        motion: What it does.
        follower: The other one's model, with its base in the same world.
        q: Where the follower stands [rad or m]. Shape (n,).
        relation: T_leader_follower, from the leader's tool to the follower's. Shape (4, 4).
            None: as they stand.
        cycle: Between the points at which both are solved [s].

    Raises:
        MotionError: Where the follower cannot follow, or does not stand where it should.
    """
    start = np.array(q, dtype=np.float64)
    count = max(8, int(np.ceil(motion.duration / cycle)))
    times = np.linspace(0.0, motion.duration, count + 1)
    rows = motion.sample(times)[0]
    led = leader.fk(rows)
    here = np.linalg.inv(led[0]) @ follower.fk(start)
    T = here if relation is None else transform_argument(relation, "relation")
    away = float(np.abs(T - here).max())
    if away > _AT_START:
        raise MotionError(
            f"the follower stands {away:.4g} m or rad beside its place relative to the leader"
        )
    poses = led @ T
    joints = NearestInverse(follower).joints(poses, start)
    joints[0] = start
    limits = Limits.of(follower)
    followed = through(times, joints, limits, follower)
    stretch = followed.duration / motion.duration if motion.duration > 0.0 else 1.0
    # the leader through the same points, so that both keep one clock between them too
    leading = through(times * stretch, rows, None, leader)
    return Cooperation(leading, followed, stretch)


def apart(pair: Cooperation, leader: ArmModel, follower: ArmModel, count: int = 200) -> Array:
    """Return how far the follower's tool is beside its place along the way [m]. Shape (count,)."""
    times = np.linspace(0.0, pair.leader.duration, count)
    led = leader.fk(pair.leader.sample(times)[0])
    followed = follower.fk(pair.follower.sample(times)[0])
    T = np.linalg.inv(led[0]) @ followed[0]
    return np.asarray(np.linalg.norm((led @ T - followed)[:, :3, 3], axis=1))


def play_together(pair: Cooperation, leader: Player, follower: Player) -> str:
    """Play both motions in the same cycles; when one cannot go on, both stop at once.

    Returns:
        Why they stopped; empty: both have arrived.
    """
    if abs(leader.motors.dt - follower.motors.dt) > 1e-12:
        raise MotionError("both need cycles of the same length")
    leader.load(pair.leader)
    follower.load(pair.follower)
    groups = (
        [leader.motors] if leader.motors is follower.motors else [leader.motors, follower.motors]
    )
    while leader.moving or follower.moving:
        leader.feed()
        follower.feed()
        for motors in groups:
            motors.cycle()
        trouble = leader.trouble() or follower.trouble()
        if trouble:
            for player in (leader, follower):
                player.drop()
                player.motors.halt()
            return trouble
    return ""
