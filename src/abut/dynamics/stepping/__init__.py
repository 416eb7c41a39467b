"""One step from its prediction to its checked motion, and what stops it."""
