"""The parts of the Python module that are the same for every arm."""

from __future__ import annotations

from armwerk.derivation.runtime import tolerances

SEARCH = f"""
SHARP = {tolerances.SHARP * tolerances.POSITION!r}  # [m], [rad] a solution may miss the pose by
CLOSE = {tolerances.CLOSE!r}  # [m], [rad] a miss that is rounding near a singularity
ROOT_ZERO = {tolerances.ROOT_ZERO!r}  # share of its usual size at which a radicand is zero
TURN_NOISE = {tolerances.TURN_NOISE!r}  # share of its usual size that is less than rounding
TURN_FREE = {tolerances.TURN_FREE!r}  # share of its usual size at which an angle may be free
SAME = {tolerances.SAME!r}  # [rad], [m] within which two solutions are one
"""

CLASS = '''

def wrapped(angle):
    """Return the angle in (-pi, pi] that an angle of (-3 pi, 3 pi) is."""
    if angle > pi:
        return angle - 2.0 * pi
    return angle + 2.0 * pi if angle <= -pi else angle


class Search:
    """What the branches share: the goal, what was found, what to do with a free angle."""

    def __init__(self, pose, room):
        self.pose = np.asarray(pose, dtype=float)
        self.room = room
        self.solutions = []
        self.loose = False  # whether sine and cosine of some angle vanished
        self.free_share = TURN_NOISE
        self.free_angle = 0.0

    def turned(self, y, x, usual):
        """Return cosine, sine and angle of the direction (x, y); free where both vanish."""
        length = sqrt(x * x + y * y)
        if not length >= TURN_FREE * usual:
            self.loose = True
        if length <= self.free_share * usual:
            return cos(self.free_angle), sin(self.free_angle), wrapped(self.free_angle)
        return x / length, y / length, wrapped(atan2(y, x))

    def missed(self, q):
        """Return distance [m] plus angle [rad] to the goal, and the error (v, w)."""
        now = direct_kinematics(q)
        turn = self.pose[:3, :3] @ now[:3, :3].T
        error = np.empty(6)
        error[:3] = self.pose[:3, 3] - now[:3, 3]
        error[3:] = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0],
                                    turn[1, 0] - turn[0, 1]])
        gap = float(np.sum((self.pose[:3, :3] - now[:3, :3]) ** 2))
        return float(np.linalg.norm(error[:3])) + 2.0 * asin(min(1.0, sqrt(gap / 8.0))), error

    def polished(self, q, miss, error):
        """Improve joint values by Newton's method, damped: near a singularity digits are lost."""
        best, least = q, miss
        for _ in range(50):
            if miss <= 1e-14:
                break
            J = compute_jacobian(q)
            square = J @ J.T
            damping = float(error @ error) + 1e-15 * float(np.trace(square))
            q = q + J.T @ np.linalg.solve(square + damping * np.eye(6), error)
            miss, error = self.missed(q)
            if miss < least:
                best, least = q, miss
        return best, least

    def offer(self, *values):
        """Keep a branch when direct kinematics confirms it and it is new."""
        q = np.array(values)
        if not np.isfinite(q).all():
            return
        miss, error = self.missed(q)
        if not miss <= 2.0 * CLOSE:
            return
        if miss > SHARP:
            q, miss = self.polished(q, miss, error)
        if not miss <= SHARP:
            return
        q = np.array([wrapped(v) if t else v for v, t in zip(q, REVOLUTE)])
        for other in self.solutions:
            gaps = [remainder(g, 2.0 * pi) if t else g for g, t in zip(q - other, REVOLUTE)]
            if max(map(abs, gaps)) <= SAME:
                return
        if len(self.solutions) < self.room:
            self.solutions.append(q)
'''

COLLECT = '''

def _collect(pose{given}, wished=()):
    """Return all solutions; a free angle is tried at the wished ones, 0, then the circle."""
    search = Search(pose, MAX_SOLUTIONS * (DOF + 2) if wished else MAX_SOLUTIONS)
    _branches(search{given})
    if search.loose:
        search.free_share = TURN_FREE
        for angle in wished:
            search.free_angle = remainder(angle, 2.0 * pi)
            _branches(search{given})
        for k in range(24):
            if k and search.solutions:
                break
            search.free_angle = pi / 12.0 * ((k + 1) // 2) * (1.0 if k % 2 else -1.0)
            _branches(search{given})
    return search.solutions


def all_inverse_kinematics(pose{given}):
    """Return all solutions, angles in (-pi, pi], limits not considered. Shape (k, {dof}).

    Each has been checked against direct kinematics to 1e-9; none when the pose is out of reach.
    In a singular pose a joint may be free; then one or more of infinitely many are given.{free}

    Args:
        pose: Tool pose in the world. Shape (4, 4).{given_doc}
    """
    return np.array(_collect(pose{given})).reshape(-1, {dof})


def inverse_kinematics(positions, pose{given}):
    """Return the solution within the limits nearest to where the arm stands; None: none is.

    Args:
        positions: Where the arm stands. Shape ({dof},).
        pose: Wanted tool pose in the world. Shape (4, 4).{given_doc}
    """
    wished = [{wished}]
    best, least = None, inf
    for q in _collect(pose{given}, wished):
        distance = 0.0
        for k, (low, high) in enumerate(LIMITS):
            if REVOLUTE[k]:
                q[k] += 2.0 * pi * round((positions[k] - q[k]) / (2.0 * pi))
                if q[k] > high:
                    q[k] -= 2.0 * pi * ceil((q[k] - high) / (2.0 * pi))
                elif q[k] < low:
                    q[k] += 2.0 * pi * ceil((low - q[k]) / (2.0 * pi))
            inside = low <= q[k] <= high
            distance += (WEIGHTS[k] * (q[k] - positions[k])) ** 2 if inside else inf
        if distance < least:
            best, least = q, distance
    return best
'''

DIRECT_DYNAMICS = '''

def direct_dynamics(positions, velocities, torques):
    """Return the accelerations that joint forces cause, without friction. Shape ({dof},)."""
    rest = inverse_dynamics(positions, velocities, np.zeros({dof}))
    return np.linalg.solve(mass_matrix(positions), np.asarray(torques) - rest)
'''
