"""Files hold one idea, and folders list features: neither grows beyond what is read in one sitting."""

from pathlib import Path

import abut

ROOT = Path(abut.__file__).parent
MOST_LINES, MOST_FILES = 500, 36


def test_files_are_short():
    lines = {str(file.relative_to(ROOT)): len(file.read_text().splitlines()) for file in ROOT.rglob("*.py")}
    assert {file: n for file, n in lines.items() if n > MOST_LINES} == {}


def test_folders_have_few_files():
    folders = {file.parent for file in ROOT.rglob("*.py")}
    files = {str(folder.relative_to(ROOT)): len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: n for folder, n in files.items() if n > MOST_FILES} == {}


def test_kernel_files_that_hold_laws_are_named_in_tests():
    """The others are glue, which tests reach through the API; the share may only fall."""
    kernels = [file.stem for file in ROOT.rglob("*_kernels.py")]
    tests = "\n".join(file.read_text() for file in Path(__file__).parents[1].rglob("*.py"))
    unnamed = [stem for stem in kernels if stem not in tests]
    assert len(unnamed) <= 0.2 * len(kernels), sorted(unnamed)
