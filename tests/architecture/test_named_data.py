"""What has a name is read by it: tuples of `_tables` files by their fields, never by number."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import abut

ROOT = Path(abut.__file__).parent
KERNEL_FILES = sorted(ROOT.rglob("*_kernels.py"))
TABLES = {
    node.name
    for file in ROOT.rglob("*_tables.py")
    for node in ast.parse(file.read_text()).body
    if isinstance(node, ast.ClassDef)
}


def targets_and_values(tree):
    """Single assignments of a syntax tree; those of tuples one by one."""
    for node in ast.walk(tree):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(target.elts, node.value.elts, strict=False)
            else:
                yield target, node.value


def named(tree):
    """Variables that are made as a tuple with named fields; those of one letter are vectors in most places."""
    for target, value in targets_and_values(tree):
        made = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
        if isinstance(target, ast.Name) and len(target.id) > 1 and made in TABLES:
            yield target.id


def reads_by_number(tree, names):
    """Places where one of these is asked for its n-th entry."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)):
            continue
        if isinstance(node.slice.value, int) and isinstance(node.value, ast.Name) and node.value.id in names:
            yield f"line {node.lineno}: {ast.unparse(node)}"


def poses_by_number(tree):
    """Places where a pose is asked for its n-th entry: its fields are R and p, whatever letters say of what it is."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)):
            continue
        asked = node.value.func if isinstance(node.value, ast.Call) else node.value
        name = getattr(asked, "id", None) or getattr(asked, "attr", "")
        if re.fullmatch(r"X(_\w+)?|load_(pose|pose_row|frame|motion)", name) and node.slice.value in (0, 1):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def in_rooms():
    """Kernel files by folder, as a word means one thing in a folder."""
    rooms = defaultdict(list)
    for file in KERNEL_FILES:
        rooms[file.parent].append(file)
    return rooms


@pytest.mark.parametrize("room", in_rooms(), ids=lambda room: str(room.relative_to(ROOT)))
def test_tuples_with_names_are_read_by_name(room):
    trees = {file: ast.parse(file.read_text()) for file in in_rooms()[room]}
    names = {name for tree in trees.values() for name in named(tree)}
    found = {file.name: sorted(reads_by_number(tree, names)) for file, tree in trees.items()}
    assert {file: places for file, places in found.items() if places} == {}


@pytest.mark.parametrize("file", KERNEL_FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_poses_are_read_by_name(file):
    assert list(poses_by_number(ast.parse(file.read_text()))) == []


def test_a_pose_read_by_number_is_found():
    tree = ast.parse("a, b, c, d, e = X_a[0], pair.X_b[1], load_pose(pose, i)[0], X_a.R[0], table[0]")
    assert [place.split(": ")[1] for place in poses_by_number(tree)] == [
        "X_a[0]",
        "pair.X_b[1]",
        "load_pose(pose, i)[0]",
    ]


def test_a_read_by_number_is_found():
    tree = ast.parse("def f(pair, v):\n    pair, n = Plane(*pair), 3\n    return pair[0], v[0], pair.kind, pair[n]\n")
    assert list(named(tree)) == ["pair"]
    assert list(reads_by_number(tree, {"pair"})) == ["line 3: pair[0]"]


def test_tables_say_what_they_are():
    for file in ROOT.rglob("*_tables.py"):
        for table in (node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef)):
            assert ast.get_docstring(table), f"{file.name}: {table.name}"
