"""The forces of a step: its problem, its islands, and the solvers that suit them."""
