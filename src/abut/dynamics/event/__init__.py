"""Event-driven motion: smooth between events, which are found in time and resolved one after another."""
