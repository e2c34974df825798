"""The one root in a bracket, to the last bit."""

from __future__ import annotations

from collections.abc import Callable


def rising_root(f: Callable[[float], float], low: float, high: float) -> float:
    """Return where ``f`` passes zero from below to above, between f(low) <= 0 <= f(high).

    False position with halved weights, and a bisection whenever that shrinks the bracket too
    little: about ten calls on smooth functions, sixty at worst. The end of the last bracket where
    the function is smaller in size is returned.
    """
    f_low, f_high = f(low), f(high)
    if f_high <= 0.0:
        return high
    if f_low >= 0.0:
        return low
    best_low, best_high = f_low, f_high
    for _ in range(200):
        width = high - low
        x = high - f_high * width / (f_high - f_low)
        if not low < x < high:
            x = 0.5 * (low + high)
        y = f(x)
        if y == 0.0:
            return x
        if y < 0.0:
            low, f_low, best_low = x, y, y
            f_high *= 0.5
        else:
            high, f_high, best_high = x, y, y
            f_low *= 0.5
        if high - low > 0.5 * width:
            x = 0.5 * (low + high)
            if not low < x < high:
                break
            y = f(x)
            if y < 0.0:
                low, f_low, best_low = x, y, y
            else:
                high, f_high, best_high = x, y, y
    return low if -best_low < best_high else high
