"""What several files of tests of the page ask for."""

import pytest

from browser import chromium


@pytest.fixture(scope="module")
def browser():
    """Chromium, started once for a file of tests."""
    with chromium() as found:
        yield found
