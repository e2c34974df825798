"""Import: programs of a maker's language, in the subset that exports write, become IRL."""
