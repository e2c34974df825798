"""The configuration space of my own planar arm among boxes, with a path in it."""

import armwerk as aw

joints = [
    aw.Joint("revolute", a=0.4, limits=(-3.1, 3.1)),
    aw.Joint("revolute", a=0.3, limits=(-2.8, 2.8)),
]
arm = aw.Arm.from_dh(joints, name="mine")
bodies = [
    aw.Box((0.1, 0.1, 0.2), (0.45, 0.3, 0), name="post"),
    aw.Box((0.3, 0.1, 0.2), (-0.4, -0.3, 0), name="shelf"),
]
space = aw.cspace(arm, bodies, shape=(360, 360))
print(space)
path = aw.find_path(arm, bodies, [0.0, 0.0], [1.6, 0.0], planner="a-star")
print(len(path.q), "waypoints")
space.plot("map.png", route=path.q)
