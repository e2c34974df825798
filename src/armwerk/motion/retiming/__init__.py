"""Retiming: the time law of a path, as fast as every limit of tool and joints allows.

`time_law` finds the law on a grid of arc lengths, `long_law` that of a long run stretch by stretch,
`path_law` is what they find, `quickest_law` makes it as quick as may be, under the torques of
`drive_loads` if wanted, `swept_law` does so window by window, from what `rough_sweep` finds.
`lowered_limits` has it looked for again where it passes one.
`limit_check` holds it against all limits, `time_run` slows it where one is passed and makes the
piece of a trajectory of it, `slowed_places` tells where joints held it back.
"""
