"""What runs in a process of its own, since it crashes on damaged files: Open CASCADE, and nothing of abut.

`python -m abut._cad` reads a STEP file and writes what it found; `reading.py` starts it, and
`geometry/files/step_file.py` takes the answer.
"""
