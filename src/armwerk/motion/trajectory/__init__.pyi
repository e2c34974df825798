from armwerk.motion.trajectory.storage import trajectory_path as trajectory_path
from armwerk.motion.trajectory.summary import Notice as Notice, Summary as Summary
from armwerk.motion.trajectory.trajectory import Trajectory as Trajectory
