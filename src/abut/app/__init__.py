"""Programs: the only code that prints, draws, serves or writes runs."""
