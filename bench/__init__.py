"""Measurements of abut beside other libraries: `python -m bench [topic ...]`."""
