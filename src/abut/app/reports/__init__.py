"""Reports of runs: what happened, in figures and on one page that works without a network."""

from .figures import figures
from .page import write_report

__all__ = ["figures", "write_report"]
