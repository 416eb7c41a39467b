"""Worlds as bytes of arrays and JSON, and back."""
