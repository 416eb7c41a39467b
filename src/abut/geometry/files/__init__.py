"""Parts from files and into files."""
