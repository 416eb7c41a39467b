"""Other ways to the forces of a step, chosen by name."""
