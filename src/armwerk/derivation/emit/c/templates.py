"""The parts of the C source that are the same for every arm."""

from __future__ import annotations

from armwerk.derivation.runtime import tolerances

CHOLESKY = """\
/* Solve A x = b for a positive definite A (row by row) by Cholesky; x comes back in b. */
static int solve_positive(int n, double *A, double *b)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; ++k)
                sum -= A[i * n + k] * A[j * n + k];
            if (i == j) {
                if (!(sum > 0.0))
                    return 0;
                A[i * n + i] = sqrt(sum);
            } else {
                A[i * n + j] = sum / A[j * n + j];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k)
            b[i] -= A[i * n + k] * b[k];
        b[i] /= A[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k)
            b[i] -= A[k * n + i] * b[k];
        b[i] /= A[i * n + i];
    }
    return 1;
}
"""

SEARCH = f"""\
#define PI 3.141592653589793
#define SHARP {tolerances.SHARP * tolerances.POSITION!r} /* [m], [rad] a solution may miss by */
#define CLOSE {tolerances.CLOSE!r} /* [m], [rad] a miss that is rounding near a singularity */
#define ROOT_ZERO {tolerances.ROOT_ZERO!r} /* share of its usual size, for radicands */
#define TURN_NOISE {tolerances.TURN_NOISE!r} /* share of its usual size below any rounding */
#define TURN_FREE {tolerances.TURN_FREE!r} /* share of its usual size where angles are free */
#define SLACK {tolerances.LIMIT!r} /* [rad], [m] a joint beyond its limit may be put on it */
#define SAME {tolerances.SAME!r} /* [rad], [m] within which two solutions are one */

/* What the branches share: the goal, what was found, what to do with a free angle. */
typedef struct {{
    const double *pose;
    double *solutions;
    int room, count;
    int loose; /* whether sine and cosine of some angle vanished */
    double free_share, free_angle;
}} search;

/* The angle in (-pi, pi] that an angle of (-3 pi, 3 pi) is. */
static double wrapped(double angle)
{{
    if (angle > PI)
        return angle - 2.0 * PI;
    return angle <= -PI ? angle + 2.0 * PI : angle;
}}
"""

TURN = """\
/* Angle, cosine and sine of the direction (x, y); the free angle where both vanish. */
static double turned(search *s, double y, double x, double usual, double *cosine, double *sine)
{
    const double length = sqrt(x * x + y * y);
    if (!(length >= TURN_FREE * usual))
        s->loose = 1;
    if (length <= s->free_share * usual) {
        *cosine = cos(s->free_angle);
        *sine = sin(s->free_angle);
        return wrapped(s->free_angle);
    }
    *cosine = x / length;
    *sine = y / length;
    return wrapped(atan2(y, x));
}
"""

LINES = """\
/* Two lines a cos x + b sin x = e that hold the zeros of
   k0 + k1 cos x + k2 sin x + k3 cos 2x + k4 sin 2x: a conic that has the same points with the unit
   circle is a pair of lines for a root of a cubic. */
static void line_pair(double k0, double k1, double k2, double k3, double k4, double *a1, double *b1,
    double *e1, double *a2, double *b2, double *e2)
{
    const double size = fmax(fmax(fmax(fabs(k0), fabs(k1)), fmax(fabs(k2), fabs(k3))), fabs(k4));
    *a1 = *b1 = *e1 = *a2 = *b2 = *e2 = 0.0;
    if (!(size > 0.0))
        return;
    const double p = 0.5 * k1 / size, r = 0.5 * k2 / size;
    k0 /= size;
    k3 /= size;
    k4 /= size;
    const double square = k3 * k3 + k4 * k4, sigma = p * p + r * r;
    const double rho = sqrt(square), rest = k3 * (r * r - p * p) - 2.0 * k4 * p * r;
    const double third = k0 / 3.0, q = sigma - square - k0 * third;
    const double g = (third * third - square) * (third - k0) + sigma * third + rest;
    const double under = 0.25 * g * g + q * q * q / 27.0;
    double root;
    if (under < 0.0) {
        const double reach = 2.0 * sqrt(-q / 3.0);
        const double turn = acos(fmax(-1.0, fmin(1.0, 3.0 * g / (q * reach)))) / 3.0;
        const double high = reach * cos(turn), low = reach * cos(turn + 2.0943951023931953);
        const double middle = -high - low;
        const int upper = high - middle > middle - low;
        root = middle + third < -rho || (upper && middle + third <= rho) ? high : low;
    } else {
        const double big = cbrt(0.5 * fabs(g) + sqrt(under));
        root = (big > 0.0 ? big - q / (3.0 * big) : 0.0) * (g > 0.0 ? -1.0 : 1.0);
    }
    root = fmax(-rho, fmin(rho, root + third));
    double slope = 0.0;
    for (int k = 0; k < 2; ++k) {
        slope = 2.0 * root * (root - k0) + root * root - square + sigma;
        const double value = (root * root - square) * (root - k0) + sigma * root + rest;
        const double step = fabs(slope) > 0.0 ? value / slope : 0.0;
        root = fmax(-rho, fmin(rho, fabs(step) < 1e-3 ? root - step : root));
    }
    const double a = root + k3, b = k4, c = root - k3, f = k0 - root;
    /* v with v v' = minus the adjugate of the matrix of the pair; M + [v]x is then of rank one */
    const double xx = r * r - c * f, yy = p * p - a * f, zz = (rho - root) * (rho + root);
    const double xy = b * f - p * r, xz = c * p - b * r, yz = a * r - b * p;
    const double most = fmax(xx, fmax(yy, zz)), length = sqrt(fmax(most, 0.0));
    const double way = length > 0.0 ? 1.0 / length : 0.0;
    double x, y, z;
    if (zz >= xx && zz >= yy) {
        x = xz * way;
        y = yz * way;
        z = length;
    } else if (yy >= xx) {
        x = xy * way;
        y = length;
        z = yz * way;
    } else {
        x = length;
        y = xy * way;
        z = xz * way;
    }
    const double m[3][3] = {{a, b - z, p + y}, {b + z, c, r - x}, {p - y, r + x, f}};
    double rows[3], columns[3];
    for (int k = 0; k < 3; ++k) {
        rows[k] = m[k][0] * m[k][0] + m[k][1] * m[k][1] + m[k][2] * m[k][2];
        columns[k] = m[0][k] * m[0][k] + m[1][k] * m[1][k] + m[2][k] * m[2][k];
    }
    int i = 0, j = 0;
    for (int k = 1; k < 3; ++k) {
        i = rows[k] > rows[i] ? k : i;
        j = columns[k] > columns[j] ? k : j;
    }
    const double one = rows[i] > 0.0 ? 1.0 / sqrt(rows[i]) : 0.0;
    const double two = columns[j] > 0.0 ? 1.0 / sqrt(columns[j]) : 0.0;
    *a1 = m[i][0] * one;
    *b1 = m[i][1] * one;
    *e1 = -m[i][2] * one;
    *a2 = m[0][j] * two;
    *b2 = m[1][j] * two;
    *e2 = -m[2][j] * two;
    if (fmin(fabs(slope), x * x + y * y + z * z) < 1e-6) {
        /* three angles meet, or two and two: digits are lost; a line that passes the circle closely
           is moved onto it, and Newton's method decides */
        const double near1 = sqrt(*a1 * *a1 + *b1 * *b1), near2 = sqrt(*a2 * *a2 + *b2 * *b2);
        if (near1 < fabs(*e1) && fabs(*e1) < 1.01 * near1)
            *e1 *= near1 / fabs(*e1);
        if (near2 < fabs(*e2) && fabs(*e2) < 1.01 * near2)
            *e2 *= near2 / fabs(*e2);
    }
}
"""

OFFER = """\
/* By how much joint values miss the goal: distance [m] plus angle [rad], and the error itself. */
static double missed(const search *s, const double q[DOF], double error[6])
{{
    double pose[16], gap = 0.0;
    {name}_directKinematics({mine}q, pose);
    for (int r = 0; r < 3; ++r) {{
        error[r] = s->pose[4 * r + 3] - pose[4 * r + 3];
        for (int c = 0; c < 3; ++c) {{
            const double d = s->pose[4 * r + c] - pose[4 * r + c];
            gap += d * d;
        }}
    }}
    for (int k = 0; k < 3; ++k) {{
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        error[3 + k] = 0.0;
        for (int c = 0; c < 3; ++c)
            error[3 + k] += 0.5 * (s->pose[4 * j + c] * pose[4 * i + c]
                                   - s->pose[4 * i + c] * pose[4 * j + c]);
    }}
    return sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2])
        + 2.0 * asin(fmin(1.0, sqrt(gap / 8.0)));
}}

/* Newton's method, damped, for the digits that a root loses near a singularity. What is held
   does not move; 0: everything does. */
static double polished(const search *s, double q[DOF], const int *held, double miss,
    double error[6])
{{
    double J[6 * DOF], A[36], best[DOF];
    for (int k = 0; k < DOF; ++k)
        best[k] = q[k];
    double least = miss;
    for (int step = 0; step < 50 && miss > 1e-14; ++step) {{
        double damping = 0.0;
        {name}_computeJacobian({mine}q, J);
        for (int k = 0; k < 6 * DOF; ++k)
            if (held && held[k % DOF])
                J[k] = 0.0;
        for (int i = 0; i < 6; ++i)
            damping += error[i] * error[i];
        double trace = 0.0;
        for (int i = 0; i < 6; ++i) {{
            for (int j = 0; j < 6; ++j) {{
                A[6 * i + j] = 0.0;
                for (int k = 0; k < DOF; ++k)
                    A[6 * i + j] += J[i * DOF + k] * J[j * DOF + k];
            }}
            trace += A[7 * i];
        }}
        for (int i = 0; i < 6; ++i)
            A[7 * i] += damping + 1e-15 * trace;
        if (!solve_positive(6, A, error))
            break;
        for (int k = 0; k < DOF; ++k)
            for (int i = 0; i < 6; ++i)
                q[k] += J[i * DOF + k] * error[i];
        miss = missed(s, q, error);
        if (miss < least) {{
            least = miss;
            for (int k = 0; k < DOF; ++k)
                best[k] = q[k];
        }}
    }}
    for (int k = 0; k < DOF; ++k)
        q[k] = best[k];
    return least;
}}

/* Keep a branch when direct kinematics confirms it and it is new. */
static void offer(search *s, double q[DOF])
{{
    static const int turns[DOF] = {{{turns}}};
    double error[6];
{start}    double miss = missed(s, q, error);
    if (!(miss <= 2.0 * CLOSE){unless})
        return;
    if (miss > SHARP)
        miss = polished(s, q, 0, miss, error);
    if (!(miss <= SHARP))
        return;
    for (int k = 0; k < DOF; ++k)
        if (turns[k])
            q[k] = wrapped(q[k]);
    for (int row = 0; row < s->count; ++row) {{
        double gap = 0.0;
        for (int k = 0; k < DOF; ++k) {{
            const double d = q[k] - s->solutions[row * DOF + k];
            gap = fmax(gap, fabs(turns[k] ? remainder(d, 2.0 * PI) : d));
        }}
        if (gap <= {same})
            return;
    }}
    if (s->count == s->room)
        return;
    for (int k = 0; k < DOF; ++k)
        s->solutions[s->count * DOF + k] = q[k];
    ++s->count;
}}
"""

COLLECT = """\
/* All solutions; where an angle is free, the given ones are tried, then 0, then the circle. */
static int collect(search *s{given}, const double wished[], int wishes)
{{
    s->count = s->loose = 0;
    s->free_angle = 0.0;
    s->free_share = TURN_NOISE;
    branches(s{passed});
    if (!s->loose)
        return s->count;
    s->free_share = TURN_FREE;
    for (int k = 0; k < wishes; ++k) {{
        s->free_angle = remainder(wished[k], 2.0 * PI);
        branches(s{passed});
    }}
    for (int k = 0; k < 24 && (k == 0 || s->count == 0); ++k) {{
        s->free_angle = PI / 12.0 * ((k + 1) / 2) * (k % 2 ? 1.0 : -1.0);
        branches(s{passed});
    }}
{last}    return s->count;
}}
"""

FAR_FIELD = """\
    int far; /* whether branches are starts for Newton's method, however far off */
"""

FAR_START = """\
    for (int k = 0; s->far && k < DOF; ++k)
        q[k] = fabs(q[k]) < 1e3 ? q[k] : 0.0;
"""

FAR_LAST = """\
    /* where a formula fixes nothing the pose may still have single solutions, which Newton's method
       finds from branches all around the circle and from starts spread over all joint values */
    s->far = !endless(s);
    for (int k = 0; s->far && k < 24; ++k) {{
        s->free_angle = PI / 12.0 * k;
        branches(s{passed});
    }}
    for (int k = 1; s->far && k <= 64; ++k) {{
        static const double reach[DOF] = {{{reach}}};
        double q[DOF];
        for (int i = 0; i < DOF; ++i)
            q[i] = reach[i] * (1.0 - 2.0 * fmod(k * pow(0.8986537126286993, i + 1), 1.0));
        offer(s, q);
    }}
    s->far = 0;
"""

FOLLOW = """\
    if (s.loose) { /* no value that is tried need be the nearest: all joints move from here */
        double q[DOF];
        for (int k = 0; k < DOF; ++k)
            q[k] = positions[k];
        const double miss = missed(&s, q, error);
        polished(&s, q, 0, miss, error);
        s.room = ROOM + 1;
        offer(&s, q);
    }
"""

ENDLESS = """\
/* Whether an arm that has reached its goal can move on without leaving it. */
static int endless(const search *s)
{{
    for (int row = 0; row < s->count; ++row) {{
        const double *here = s->solutions + row * DOF;
        double J[6 * DOF], A[DOF * DOF], v[DOF], q[DOF], error[6], trace = 0.0, left = 0.0;
        {name}_computeJacobian({mine}here, J);
        for (int k = 0; k < 6 * DOF; ++k)
            trace += J[k] * J[k];
        for (int k = 0; k < DOF; ++k)
            v[k] = 1.0 / (1.0 + k);
        for (int round = 0; round < 4; ++round) {{ /* towards what J takes to nothing */
            double length = 0.0;
            for (int i = 0; i < DOF; ++i)
                for (int j = 0; j < DOF; ++j) {{
                    A[i * DOF + j] = i == j ? 1e-14 * trace : 0.0;
                    for (int r = 0; r < 6; ++r)
                        A[i * DOF + j] += J[r * DOF + i] * J[r * DOF + j];
                }}
            if (!solve_positive(DOF, A, v))
                break;
            for (int k = 0; k < DOF; ++k)
                length += v[k] * v[k];
            for (int k = 0; k < DOF; ++k)
                v[k] /= sqrt(length);
        }}
        for (int r = 0; r < 6; ++r) {{
            double along = 0.0;
            for (int k = 0; k < DOF; ++k)
                along += J[r * DOF + k] * v[k];
            left += along * along;
        }}
        if (!(left < 1e-10 * trace))
            continue;
        for (int k = 0; k < DOF; ++k)
            q[k] = here[k] + 0.05 * v[k];
        double away = 0.0;
        const double miss = missed(s, q, error);
        const double least = polished(s, q, 0, miss, error);
        for (int k = 0; k < DOF; ++k)
            away = fmax(away, fabs(q[k] - here[k]));
        if (least <= SHARP && away > 0.01)
            return 1;
    }}
    return 0;
}}
"""

COLLECT_PLAIN = """\
/* All solutions. */
static int collect(search *s{given})
{{
    s->count = s->loose = 0;
    branches(s{passed});
    return s->count;
}}
"""

ALL = """\
int {name}_allInverseKinematics({taken}const double pose[16]{given},
    double solutions[MAX_SOLUTIONS * DOF])
{{
    search s = {{{own}pose, solutions, MAX_SOLUTIONS, 0, 0, 0.0, 0.0{more}}};
    return collect(&s{passed}{none});
}}
"""

NEAREST = """\
/* Weight of each joint in the distance [1/rad]; negative for slides [1/m]. */
static const double weights[DOF] = {{{weights}}};

/* Turn joint values into the limits and a slack; 0: outside, 2: inside once put on a limit. */
static int settled(double q[DOF], const double positions[DOF], double slack, int held[DOF])
{{
    int state = 1;
    for (int k = 0; k < DOF; ++k) {{
        held[k] = 0;
        const double low = {name}_limits[k][0], high = {name}_limits[k][1];
        if (weights[k] > 0.0) {{
            q[k] += 2.0 * PI * round((positions[k] - q[k]) / (2.0 * PI));
            if (q[k] > high + slack)
                q[k] -= 2.0 * PI * ceil((q[k] - high - slack) / (2.0 * PI));
            else if (q[k] < low - slack)
                q[k] += 2.0 * PI * ceil((low - slack - q[k]) / (2.0 * PI));
        }}
        if (q[k] >= low && q[k] <= high)
            continue;
        if (q[k] < low - slack || q[k] > high + slack)
            return 0;
        q[k] = q[k] < low ? low : high;
        held[k] = 1;
        state = 2;
    }}
    return state;
}}

int {name}_inverseKinematics({taken}double positions[DOF], const double pose[16]{given})
{{
    /* where an angle is free there are solutions for every value that is tried */
    enum {{ ROOM = MAX_SOLUTIONS * {tries} }};
    double solutions[(ROOM + 1) * DOF], least = INFINITY, error[6];
    search s = {{{own}pose, solutions, ROOM, 0, 0, 0.0, 0.0{more}}};
{wished}    collect(&s{passed}{wishes});
{follow}    int best = -1;
    for (int row = 0; row < s.count; ++row) {{
        double *q = solutions + row * DOF, before[DOF], distance = 0.0;
        for (int k = 0; k < DOF; ++k)
            before[k] = q[k];
        int held[DOF], state = settled(q, positions, SLACK, held);
        if (state == 2) {{
            const double miss = missed(&s, q, error);
            if (miss > 2.0 * SHARP && polished(&s, q, held, miss, error) > 2.0 * SHARP)
                for (int k = 0; k < DOF; ++k)
                    q[k] = before[k];
            state = settled(q, positions, 0.0, held);
        }}
        for (int k = 0; k < DOF; ++k) {{
            const double step = weights[k] * (q[k] - positions[k]);
            distance += step * step;
        }}
        if (state && distance < least) {{
            least = distance;
            best = row;
        }}
    }}
    if (best < 0)
        return 0;
    for (int k = 0; k < DOF; ++k)
        positions[k] = solutions[best * DOF + k];
    return 1;
}}
"""
