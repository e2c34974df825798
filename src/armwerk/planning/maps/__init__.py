"""How configuration spaces are filled: grid, motion of the parts, and the ways of testing them."""
