"""`python -m abut` is `abut`."""

from .app.cli import main

main()
