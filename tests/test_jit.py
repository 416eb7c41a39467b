"""The kernel decorator: its cache never serves machine code built from an older source; compiling is seen."""

import ast
import operator
import os
import re
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import abut
from abut._jit import LANES, add_octets, dot_octets, kernel, lowest_bit, meeting_lanes, prefetch, put_octet
from abut._jit import compiler as kernel_compiler
from abut._jit.cache import _read

SENTENCE = "abut: compiling its kernels for this machine, about a minute; later starts find them ready"


def write_package(folder: Path, factor: str) -> None:
    """A package of three kernel files; `a` calls `b` calls `c`, which multiplies by `factor`."""
    package = folder / "sample"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "c_kernels.py").write_text(
        f"from abut._jit import kernel\n\n@kernel\ndef times(x):\n    return x * {factor}\n"
    )
    (package / "b_kernels.py").write_text(
        "from abut._jit import kernel\nfrom .c_kernels import times\n\n@kernel\ndef middle(x):\n    return times(x)\n"
    )
    (package / "a_kernels.py").write_text(
        "from abut._jit import kernel\nfrom sample.b_kernels import middle\n\n"
        "@kernel\ndef outer(x):\n    return middle(x)\n"
    )


def environment(folder: Path, quiet: str) -> dict[str, str]:
    """In which the sample package is found, and its machine code kept beside it."""
    path = os.pathsep.join([str(Path(abut.__file__).parents[1]), str(folder)])
    return {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder / "cache"), "ABUT_QUIET": quiet}


def execute(folder: Path, program: str, quiet: str = "0") -> subprocess.CompletedProcess:
    """Run a program in a fresh process; without bytecode on disk, which does not tell two edits of one second apart."""
    command = [sys.executable, "-B", "-c", textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, env=environment(folder, quiet), check=True)


def call(folder: Path) -> tuple[float, int]:
    """Result of the outer kernel in a fresh process, and how often it was found in the cache."""
    program = """
        from sample.a_kernels import outer
        result = outer(3.0)
        print(result, sum(outer.stats.cache_hits.values()))
    """
    result, hits = execute(folder, program).stdout.split()
    return float(result), int(hits)


@pytest.mark.needs_jit
def test_an_edit_two_files_away_recompiles_and_no_edit_does_not(tmp_path):
    write_package(tmp_path, factor="2.0")
    assert call(tmp_path) == (6.0, 0)
    assert call(tmp_path) == (6.0, 1)
    write_package(tmp_path, factor="5.0")
    assert call(tmp_path) == (15.0, 0)


@pytest.mark.needs_jit
def test_machine_code_is_loaded_without_what_compiling_needs(tmp_path):
    write_package(tmp_path, factor="2.0")
    program = """
        import sys
        from sample.a_kernels import outer
        print(outer(3.0), "numba.np.arraymath" in sys.modules, "scipy.linalg" in sys.modules)
    """
    assert execute(tmp_path, program).stdout.split() == ["6.0", "True", "True"]
    assert execute(tmp_path, program).stdout.split() == ["6.0", "False", "False"]


@pytest.mark.needs_jit
def test_what_kernels_call_is_compiled_once_for_all_of_them_and_kept(tmp_path):
    write_package(tmp_path, factor="2.0")
    (tmp_path / "sample" / "d_kernels.py").write_text(
        "from abut._jit import kernel\nfrom .b_kernels import middle\nfrom .c_kernels import times\n\n"
        "@kernel\ndef both(x):\n    return middle(x) + times(x)\n"
    )
    program = """
        from numba.core import event
        from sample.{file} import {name}

        class Names(event.Listener):
            on_start = staticmethod(lambda started: print(started.data["dispatcher"].py_func.__name__))
            on_end = staticmethod(lambda ended: None)

        event.register("numba:compile", Names())
        print({name}(3.0))
    """
    first = execute(tmp_path, program.format(file="a_kernels", name="outer")).stdout.split()
    assert first == ["outer", "middle", "times", "6.0"]
    assert execute(tmp_path, program.format(file="d_kernels", name="both")).stdout.split() == ["both", "12.0"]


@pytest.mark.needs_jit
def test_the_type_of_a_call_is_found_once_and_is_what_numba_finds(monkeypatch):
    from abut._jit.typing_memory import remembering, types

    context, asked = kernel(lambda x: x).targetdescr.typing_context, []
    context.refresh()  # as before anything is compiled
    found, memory = context.resolve_function_type, remembering(context)
    numba = SimpleNamespace(resolve_function_type=lambda *call: asked.append(call[1]) or found(*call))
    monkeypatch.setattr(memory, "_original", numba)
    kinds = [(types.int8, types.float32), (types.int8, types.complex64)]
    signatures = [memory.resolve_function_type(operator.mul, pair, {}) for pair in kinds * 3]
    assert asked == kinds and signatures == [found(operator.mul, pair, {}) for pair in kinds] * 3
    assert signatures[0].return_type != signatures[1].return_type


@pytest.mark.needs_jit
def test_a_callee_is_compiled_once_for_numbers_of_a_kind(tmp_path):
    write_package(tmp_path, factor="2")
    (tmp_path / "sample" / "e_kernels.py").write_text(
        "import numpy as np\nfrom abut._jit import kernel\nfrom .c_kernels import times\n\n"
        "@kernel\ndef four(rows):\n    return times(0) + times(10) + times(rows[0]) + times(np.int64(rows.shape[0]))\n"
    )
    program = """
        import numpy as np
        from sample.c_kernels import times
        from sample.e_kernels import four
        print(four(np.array([300], np.int32)), len(times._callee.overloads))
    """
    assert execute(tmp_path, program).stdout.split() == ["622", "1"]


@pytest.mark.needs_jit
def test_kernels_are_compiled_where_no_folder_can_be_written_to(tmp_path):
    write_package(tmp_path, factor="2.0")
    no_folder = tmp_path / "sample" / "__pycache__"
    no_folder.write_text("")
    program = f"""
        import os
        for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
            os.environ[name] = {str(no_folder / "below")!r}
        from sample.a_kernels import outer
        print(outer(3.0), outer.stats.cache_path)
    """
    assert execute(tmp_path, program).stdout.split() == ["6.0", "None"]


@pytest.mark.needs_jit
def test_a_full_disk_neither_stops_a_kernel_nor_leaves_old_machine_code(tmp_path):
    write_package(tmp_path, factor="2.0")
    assert call(tmp_path) == (6.0, 0)
    write_package(tmp_path, factor="5.0")
    program = """
        from numba.core.caching import IndexDataCacheFile
        from sample.a_kernels import outer

        def full(*_):
            raise OSError("no space left")

        IndexDataCacheFile._save_data = full  # the index, which is written first, still finds room
        print(outer(3.0))
    """
    assert execute(tmp_path, program).stdout == "15.0\n"
    assert call(tmp_path) == (15.0, 0)
    assert call(tmp_path) == (15.0, 1)


@pytest.mark.needs_jit
def test_machine_code_for_a_type_that_is_no_more_is_made_anew(tmp_path):
    """Numba's index names the types of arguments, and is read before it is known to be old."""
    write_package(tmp_path, factor="2.0")
    for name in ("Old", "New"):
        (tmp_path / "sample" / "f_kernels.py").write_text(
            f"from typing import NamedTuple\nfrom abut._jit import kernel\n\nclass {name}(NamedTuple):\n    x: float\n"
            "\n@kernel\ndef half(pair):\n    return 0.5 * pair.x\n"
        )
        program = f"from sample.f_kernels import {name}, half; print(half({name}(6.0)), len(half.stats.cache_hits))"
        assert execute(tmp_path, program).stdout.split() == ["3.0", "0"]
    assert execute(tmp_path, program).stdout.split() == ["3.0", "1"]


class SlowCollector:
    """Stands for `gc`; its answers are old when they come."""

    enabled = True

    def isenabled(self) -> bool:
        answer = self.enabled
        time.sleep(0.1)
        return answer

    def enable(self) -> None:
        self.enabled = True

    def disable(self) -> None:
        self.enabled = False


@pytest.mark.needs_jit
def test_machine_code_that_an_interrupt_kept_from_being_saved_is_used(tmp_path):
    """An exception in the call by which LLVM hands it over is lost; Numba finds nothing to save after that."""
    write_package(tmp_path, factor="2.0")
    program = """
        from numba.core import codegen
        def interrupted(cls, *given):
            raise KeyboardInterrupt
        codegen.CPUCodeLibrary._object_compiled_hook = classmethod(interrupted)
        from sample.a_kernels import outer
        print(outer(3.0))
    """
    assert execute(tmp_path, program).stdout.split() == ["6.0"]


def test_garbage_is_looked_for_again_after_two_threads_compiled(monkeypatch):
    collector, begun = SlowCollector(), threading.Event()
    monkeypatch.setattr(kernel_compiler, "gc", collector)

    def compile_second() -> None:
        begun.wait()
        with kernel_compiler.garbage_kept():
            assert not collector.enabled

    second = threading.Thread(target=compile_second)
    second.start()
    with kernel_compiler.garbage_kept():
        begun.set()
        time.sleep(0.05)
        assert not collector.enabled
    second.join()
    assert collector.enabled


def imports(tree: ast.AST) -> set[tuple[int, str, str]]:
    """Dots, module and name of everything that is imported by name."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {(node.level, node.module or "", alias.name) for node in nodes for alias in node.names}


@pytest.mark.parametrize("package", ["math", "geometry", "query", "contact", "solve", "dynamics", "app", "_jit"])
def test_the_pattern_finds_the_imports_that_a_parser_finds(package):
    for source in (Path(abut.__file__).parent / package).rglob("*.py"):
        found = {(len(dots), module, name) for dots, module, names in _read(str(source))[1] for name in names.split()}
        wanted = imports(ast.parse(source.read_text()))
        found = {(dots, module, name.strip("(),")) for dots, module, name in found}
        assert wanted <= found and {row[:2] for row in wanted} == {row[:2] for row in found}, source


def test_the_pattern_reads_imports_in_every_form(tmp_path):
    source = tmp_path / "forms.py"
    source.write_text(
        "from . import a\nfrom ..b.c import (  # not (d)\n    e as f,\n    g,\n)\nfrom .h import i, \\\n    j\n"
        "def k():\n    from .l import m\n# from .n import o\n"
    )
    found = [(dots, module, set(re.findall(r"\w+", names)) - {"as"}) for dots, module, names in _read(str(source))[1]]
    assert found == [
        (".", "", {"a"}),
        ("..", "b.c", {"e", "f", "g"}),
        (".", "h", {"i", "j"}),
        (".", "l", {"m"}),
    ]


SLOW_CALLS = """
    from abut._jit import progress
    from sample.a_kernels import outer
    from sample.b_kernels import middle

    progress.SHOWN_AFTER, progress.REDRAWN_EVERY = {after}, 0.01
    outer(3.0)
    middle(3.0)
"""


@pytest.mark.needs_jit
def test_a_log_gets_one_sentence_and_only_when_something_is_compiled(tmp_path):
    write_package(tmp_path, factor="2.0")
    program = SLOW_CALLS.format(after=0.0)
    cold, warm = execute(tmp_path, program), execute(tmp_path, program)
    assert cold.stderr.splitlines() == [SENTENCE] and cold.stdout == ""
    assert warm.stderr == warm.stdout == ""


@pytest.mark.needs_jit
@pytest.mark.parametrize(("after", "quiet"), [(100.0, "0"), (0.0, "1")])
def test_what_is_compiled_soon_and_those_who_want_it_quiet_see_nothing(tmp_path, after, quiet):
    write_package(tmp_path, factor="2.0")
    assert execute(tmp_path, SLOW_CALLS.format(after=after), quiet).stderr == ""


@pytest.mark.needs_jit
def test_a_terminal_has_one_line_that_names_kernels_and_is_wiped(tmp_path):
    pty = pytest.importorskip("pty")  # not on Windows
    write_package(tmp_path, factor="2.0")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SLOW_CALLS.format(after=0.0))],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(tmp_path, "0") | {"COLUMNS": "80"},
    ) as process:
        os.close(theirs)
        shown = read_to_end(ours)
        assert process.stdout.read() == b""
    lines = shown.split("\r")
    assert "\n" not in shown and all(len(line) < 80 for line in lines)
    assert lines[1].startswith("abut: compiling kernels, once for this machine: ")
    assert {line.split(", ")[-1].strip() for line in lines} >= {"outer", "middle"}
    assert lines[-2].strip() == lines[-1] == ""


@pytest.mark.needs_jit
def test_what_compiling_takes_is_counted_also_where_it_is_quiet(tmp_path):
    write_package(tmp_path, factor="2.0")
    program = """
        import time
        from abut._jit import progress
        from sample.a_kernels import outer

        assert progress.seconds_compiled() == 0.0
        start = time.perf_counter()
        outer(3.0)
        taken, compiled = time.perf_counter() - start, progress.seconds_compiled()
        outer(3.0)
        assert progress.seconds_compiled() == compiled
        print(0.0 < compiled <= taken, compiled > 0.01)
    """
    cold, warm = execute(tmp_path, program, "1"), execute(tmp_path, program, "1")
    assert cold.stdout == "True True\n" and warm.stdout == "False False\n"


def read_to_end(terminal: int) -> str:
    """Everything a process writes to its terminal until it ends."""
    pieces = []
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other side was closed
            piece = b""
        if not piece:
            os.close(terminal)
            return b"".join(pieces).decode()
        pieces.append(piece)


@pytest.mark.needs_jit
def test_a_display_of_ones_own_shows_it_instead_and_other_functions_do_not_count(tmp_path):
    write_package(tmp_path, factor="2.0")
    program = """
        import numba
        from abut._jit import progress
        from sample.a_kernels import outer

        progress.SHOWN_AFTER, progress.REDRAWN_EVERY = 0.0, 0.001
        with progress.shown_by(lambda line: print(line, flush=True)):
            numba.njit(lambda x: x + 1.0)(2.0)
            print("nothing yet")
            outer(3.0)
    """
    done = execute(tmp_path, program)
    first, *lines = done.stdout.splitlines()
    assert first == "nothing yet" and done.stderr == "" and lines[-1] == ""
    assert max(int(line.split(": ")[1].split(",")[0]) for line in lines if line) == 3


@kernel
def gathered(table, rows):
    total = 0.0
    for k in range(rows.shape[0]):
        prefetch(table, rows[min(k + 8, rows.shape[0] - 1)])
        total += table[rows[k], 1]
    return total


@pytest.mark.parametrize("integer", [np.int32, np.uint32, np.int64])
def test_what_is_fetched_ahead_is_only_read(rng, integer):
    table, rows = rng.normal(size=(1000, 3)), rng.integers(0, 1000, 500).astype(integer)
    assert gathered(table, rows) == pytest.approx(table[rows, 1].sum())


@kernel
def lanes_one_by_one(codes, group, box, lanes_out):
    n, found = 0, meeting_lanes(codes, group, box)
    while found != 0:
        lanes_out[n] = lowest_bit(found)
        found &= found - 1
        n += 1
    return n


def test_boxes_compared_all_at_once_meet_as_they_do_one_by_one(rng):
    """Coarse coordinates, so that boxes often just touch."""
    corners = np.sort(rng.integers(-4, 5, (50, 2, 3, LANES)), axis=1)
    codes, lanes = 8000 * corners.reshape(50, 6, LANES).astype(np.int16), np.empty(LANES, np.int64)
    met = 0
    for group in range(50):
        box = 8000 * np.sort(rng.integers(-4, 5, (2, 3)), axis=0)
        low, high = codes[group, :3], codes[group, 3:]
        expected = np.flatnonzero(((low <= box[1][:, None]) & (high >= box[0][:, None])).all(axis=0))
        n = lanes_one_by_one(codes, group, tuple(np.int16(c) for c in box.ravel()), lanes)
        np.testing.assert_array_equal(lanes[:n], expected)
        met += n
    assert 100 < met < 700


@kernel
def with_octets(table, row, shift, i, j, factor):
    value = dot_octets(table, row, shift, i, j)
    add_octets(factor, table, row, shift, i, j)
    return value


@kernel
def product_as_octet(matrix, start, vectors, i, first, table, row, octet):
    put_octet(matrix, start, vectors, i, first, table, row, octet)


def test_octets_are_multiplied_and_added(rng):
    table, shift = rng.normal(size=(5, 32)), rng.normal(size=(4, 8))
    before = shift.copy()
    value = with_octets(table, 2, shift, np.int32(1), 3, 0.7)
    np.testing.assert_allclose(value, table[2, :8] @ before[1] + table[2, 8:16] @ before[3], rtol=1e-14)
    before[1] += 0.7 * table[2, 16:24]
    before[3] += 0.7 * table[2, 24:]
    np.testing.assert_array_equal(shift, before)


@pytest.mark.needs_jit
@pytest.mark.parametrize("shift", [np.zeros((2, 16))[:, ::2], np.zeros((2, 8), np.float32)])
def test_octets_do_not_read_what_is_not_side_by_side(shift):
    with pytest.raises(Exception, match="dot_octets"):
        with_octets(np.zeros((1, 32)), 0, shift, 0, 1, 1.0)


def test_two_octets_may_be_the_same(rng):
    """What is added to a row twice is there twice."""
    table, shift = rng.normal(size=(1, 32)), np.zeros((2, 8))
    with_octets(table, 0, shift, 1, 1, 2.0)
    np.testing.assert_allclose(shift[1], 2.0 * (table[0, 16:24] + table[0, 24:]), rtol=1e-14)


def test_a_product_of_matrix_and_vector_is_put_into_an_octet(rng):
    matrix, vectors, table = rng.normal(size=(20, 8)), rng.normal(size=(3, 12)), np.zeros((2, 32))
    product_as_octet(matrix, np.int32(7), vectors, np.int32(2), 6, table, 1, 3)
    np.testing.assert_allclose(table[1, 24:], vectors[2, 6:] @ matrix[7:13], rtol=1e-13)
    assert not table[0].any() and not table[1, :24].any()


PLAIN = """
    import numpy as np
    import numba
    from numba.core import untyped_passes
    {change}
    import abut
    from abut._jit import dot_octets, kernel, lean_kernel, lowest_bit, parallel_kernel, prange

    @lean_kernel
    def scaled(table, row, zero_at):
        return 0.1 * dot_octets(table, row, table, row, row) / (row - zero_at)

    @kernel
    def total(table):
        sum_ = float(lowest_bit(8))
        for row in range(table.shape[0]):
            sum_ += scaled(table, row, 1.5)
        return sum_

    @parallel_kernel
    def rows(table, out):
        for row in prange(table.shape[0]):
            out[row] = scaled(table, row, 1.0)

    table = np.random.default_rng(5).normal(size=(6, 16))
    out = np.empty(6)
    rows(table, out)
    mass = abut.Solid.box((0.1, 0.2, 0.3)).volume
    print(repr((total(table), out.tolist(), mass)), type(total).__name__)
"""


@pytest.mark.needs_jit
def test_another_numba_inside_gives_the_same_answers_and_one_line(tmp_path):
    """Names that are hooked into may be missing, or the version may be one that nobody has tried."""
    known = execute(tmp_path, PLAIN.format(change=""), quiet="1")
    answers, kind = known.stdout.rsplit(maxsplit=1)
    assert kind == "Kernel" and answers.count("inf") == 1 and known.stderr == ""
    for change, why in (
        ("del untyped_passes.RewriteDynamicRaises", "has no attribute 'RewriteDynamicRaises'"),
        ("numba.__version__ = '0.99.0'", "versions 0.63 to 0.68 are known"),
    ):
        other = execute(tmp_path, PLAIN.format(change=change))
        assert other.stdout.rsplit(maxsplit=1) == [answers, "CPUDispatcher"]
        said = [line for line in other.stderr.splitlines() if line != SENTENCE]
        assert len(said) == 1 and said[0].startswith("abut: Numba 0.") and why in said[0]
