"""A notebook: an arm, its solutions, a motion; everything shows itself."""
