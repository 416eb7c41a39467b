"""What `import abut` costs, and that every public name can be reached."""

import subprocess
import sys

import pytest

import abut

HEAVY = ("numba", "scipy", "trimesh", "manifold3d", "OCP", "websockets", "PIL", "networkx")


@pytest.mark.parametrize("statement", ["import abut", "import abut; abut.Pose((0, 0, 1))"])
def test_importing_does_not_start_the_compiler(statement):
    program = f"{statement}; import sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_exists_and_is_listed():
    for name in abut.__all__:
        assert getattr(abut, name) is not None
    assert dir(abut) == sorted(abut.__all__), "tab completion offers what users may use, and nothing else"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Liquid'"):
        _ = abut.Liquid
