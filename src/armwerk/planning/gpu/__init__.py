"""The heavy sweeps on an accelerator: the same arrays in, the same numbers out.

Every kernel does the operations of its compiled counterpart in the same order, in 64 bit and
without fusing multiplications with additions, so that results are equal to the last bit. Sines
and cosines come from the host as tables for the same reason.
"""
