"""Retiming: the time law of a path, as fast as every limit of tool and joints allows.

`time_law` finds the law on a grid of arc lengths, `long_law` that of a long run stretch by stretch,
`path_law` is what they find, `quickest_law` makes it as quick as may be, under the torques of
`drive_loads` if wanted. `lowered_limits` has it looked for again where it passes one.
`swept_law` makes a very long run as quick, from what `rough_sweep` finds: `swept_speeds` window by
window of `swept_cells`, and `lowered_speeds` where a limit is passed.
`limit_check` holds it against all limits, `time_run` slows it where one is passed and makes the
piece of a trajectory of it, `slowed_places` tells where joints held it back.
"""
