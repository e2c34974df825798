"""A URDF as a maker hands it out: loaded, drawn, solved, moved, checked, led round a box."""

from pathlib import Path

import numpy as np

import armwerk as aw

Path("robot.urdf").write_text(
    """<?xml version="1.0"?>
<robot name="six">
  <link name="world"/>
  <joint name="fixed_base" type="fixed"><parent link="world"/><child link="base_link"/></joint>
"""
    + "".join(
        f"""
  <link name="{parent}">
    <visual><geometry><cylinder radius="0.05" length="0.1"/></geometry></visual>
    <collision><geometry><cylinder radius="0.05" length="0.1"/></geometry></collision>
  </link>
  <joint name="{joint}" type="revolute">
    <parent link="{parent}"/><child link="{child}"/>
    <origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>
    <limit lower="-2.9" upper="2.9" velocity="3.0" effort="80"/>
  </joint>"""
        for joint, parent, child, xyz, rpy, axis in [
            ("joint_1", "base_link", "link_1", "0 0 0.33", "0 0 0", "0 0 1"),
            ("joint_2", "link_1", "link_2", "0.05 0 0", "0 0 0", "0 1 0"),
            ("joint_3", "link_2", "link_3", "0 0 0.33", "0 0 0", "0 1 0"),
            ("joint_4", "link_3", "link_4", "0.1 0 0.035", "0 0 0", "1 0 0"),
            ("joint_5", "link_4", "link_5", "0.235 0 0", "0 0 0", "0 1 0"),
            ("joint_6", "link_5", "link_6", "0.08 0 0", "0 0 0", "1 0 0"),
        ]
    )
    + """
  <link name="link_6"/>
  <joint name="flange" type="fixed">
    <parent link="link_6"/><child link="tool0"/><origin xyz="0 0 0" rpy="0 1.5708 0"/>
  </joint>
  <link name="tool0"/>
</robot>
""",
    encoding="utf-8",
)

arm = aw.load("robot.urdf#tool0")
model = aw.model(arm)
start, goal = [0.9, 0.3, 0.2, 0, 0.8, 0], [-0.9, 0.3, 0.2, 0, 0.8, 0]
assert len(model.ik(model.fk(start))) >= 4
nearest = model.ik_nearest(model.fk(start), goal)
assert nearest is not None
assert np.allclose(model.fk(nearest), model.fk(start), atol=1e-9)

motion = aw.ptp(model, start, goal)  # a URDF knows no accelerations: they are assumed, and told
print(f"{motion.duration:.2f} s", motion.notices)
box = aw.Box((0.1, 0.1, 0.8), (0.5, 0, 0.4))
report = aw.check(motion, "robot.urdf", [box])
print(report)
assert not report.free, "the straight way leads through the box"

path = aw.find_path(arm, [box], start, goal, planner="a-star", axes=(0, 1))
print(len(path.q), "waypoints over the box")
over = path.trajectory
assert aw.check(over, arm, [box]).free
