"""Programs at work: their threads and whose turn it is, and what a program sees of its cell."""
