"""From start to goal through free space: the problem, planners that solve it, smoothing, result."""
