"""Contact regions of a world: what touches what, with which force, and what became of it in a step."""
