"""What trajectory generators in C have besides where drives move several joints."""

from __future__ import annotations

AXES_HEADER = """\
 *
 * Positions here are values of the axes, and limits those of their drives; a joint that follows
 * several axes keeps its own limits too.
"""

LEAVING = """ So it is when a joint that
 *     follows several axes would leave its limits on the way: a straight motion never does."""

ANGLES = """\
#define LOOKS 200 /* places of a motion at which joints are held against their limits */
#define SLACK 1e-9 /* [m], [rad] beyond a limit that is rounding */

/* Whether the joints that axes move keep their limits. */
static int keep_limits(const double axes[DOF])
{
    double angles[@BIG@_DOF];
    @arm@_jointAngles(axes, angles);
    for (int i = 0; i < @BIG@_DOF; ++i)
        if (angles[i] < @arm@_limits[i][0] - SLACK || angles[i] > @arm@_limits[i][1] + SLACK)
            return 0;
    return 1;
}

"""

LOOKS = """\
    for (int k = 0; k <= LOOKS; ++k) {
        double positions[DOF], velocities[DOF], accelerations[DOF];
        @arm@_ptpAt(&plan, plan.duration * k / LOOKS, positions, velocities, accelerations);
        if (!keep_limits(positions))
            return 0;
    }
"""

SOLVER = """\
/* Axis values of the solution whose joints are nearest to where the axes put them. */
static int axes_for(@taken@double positions[DOF], const double pose[16])
{
    double angles[@BIG@_DOF], again[@BIG@_DOF], axes[DOF];
    @arm@_jointAngles(positions, angles);
    if (!@arm@_inverseKinematics(@own@angles, pose))
        return 0;
    @arm@_axisValues(angles, axes);
    @arm@_jointAngles(axes, again);
    for (int i = 0; i < @BIG@_DOF; ++i)
        if (!(fabs(again[i] - angles[i]) < 1e-7)) /* rods do not let this joint go there */
            return 0;
    for (int i = 0; i < DOF; ++i) {
        const double low = @limits@[i][0], high = @limits@[i][1];
        if (axes[i] < low - SLACK || axes[i] > high + SLACK)
            return 0;
        axes[i] = fmin(fmax(axes[i], low), high);
    }
    for (int i = 0; i < DOF; ++i)
        positions[i] = axes[i];
    return 1;
}

"""
