"""Branch and bound over two hierarchies: what is still open, in which order, and what the last search left."""
