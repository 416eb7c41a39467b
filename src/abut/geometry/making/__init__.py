"""Parts from numbers and from other parts."""
