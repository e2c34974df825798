"""What happens where things touch: compiled kernels around one MuJoCo step.

MuJoCo's contacts alone bounce inexactly, let balls roll for ever, drag rolling balls with a belt at
2/7 of its speed and stumble over the seams of touching surfaces. The hooks mend that by impulses
and by forces. Positions are touched only in free flight, where MuJoCo's step misses the parabola.
"""
