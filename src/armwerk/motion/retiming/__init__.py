"""Retiming: the time law of a path, as fast as every limit of tool and joints allows.

`time_law` finds the law on a grid of arc lengths, `path_law` is what it finds, `quickest_law` makes
it as quick as may be, under the torques of `drive_loads` if wanted. `time_run` checks it exactly,
slows it where a limit is passed, and makes the piece of a trajectory of it.
"""
