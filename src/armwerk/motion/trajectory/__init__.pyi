from armwerk.motion.trajectory.notice import Notice as Notice
from armwerk.motion.trajectory.storage import trajectory_path as trajectory_path
from armwerk.motion.trajectory.summary import Summary as Summary
from armwerk.motion.trajectory.trajectory import Trajectory as Trajectory
