"""Files that hold no part: each gives one sentence that names the file, the fault and a remedy."""

import json
import struct
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from abut import FileError, Solid, load_assembly
from geometry.part_files import write_nested_3mf

trimesh = pytest.importorskip("trimesh")

TRIANGLES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
PLY_HEADER = (
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
)
ASCII_STL = (
    "solid x\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 1 0\n endloop\n endfacet\n"
)


def binary_stl(announced, triangles):
    return b"made by hand".ljust(80, b"\0") + struct.pack("<I", announced) + triangles.tobytes()


def stl_triangles(n, value=0.0):
    rows = np.zeros(n, [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows["corners"] = np.arange(9).reshape(3, 3) ** 2 + value
    return rows


def nested_3mf(old, new):
    """A sound package with one text in its model replaced by another."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nested.3mf"
        write_nested_3mf(path)
        with zipfile.ZipFile(path) as package:
            model = package.read("3D/3dmodel.model").decode()
        assert old in model
        with zipfile.ZipFile(path, "w") as package:
            package.writestr("3D/3dmodel.model", model.replace(old, new))
        return path.read_bytes()


def with_header(glb, change):
    """A binary glTF with a change in its header."""
    size = int.from_bytes(glb[12:16], "little")
    header = json.loads(glb[20 : 20 + size])
    change(header)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    rest = glb[20 + size :]
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest


BOX = trimesh.creation.box().export(file_type="glb")

BAD = {
    "empty file": ("part.stl", b"", "the file is empty; export the part again"),
    "blank file": ("part.obj", b" \n\n", "the file is empty"),
    "truncated binary STL": (
        "part.stl",
        binary_stl(12, stl_triangles(7)),
        "announces 12 triangles but has the bytes of 7",
    ),
    "truncated text STL": ("part.stl", (ASCII_STL + " facet normal 0 0 1\n outer").encode(), "breaks off after 1 of"),
    "text STL without its end": ("part.stl", ASCII_STL.encode(), "it is truncated, export the part again"),
    "STL without triangles": ("part.stl", b"solid x\nendsolid x\n", "holds no faces"),
    "NaN in an STL": ("part.stl", binary_stl(4, stl_triangles(4, np.nan)), "vertex 0 is not finite .nan, nan, nan."),
    "NaN in an OBJ": ("part.obj", TRIANGLES.replace("0 0 1", "0 0 nan").encode(), "vertex 3 is not finite"),
    "infinity in a PLY": (
        "part.ply",
        f"{PLY_HEADER}0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n".encode(),
        "vertex 1 is not finite",
    ),
    "index out of range in an OBJ": ("part.obj", (TRIANGLES + "f 1 2 9\n").encode(), "face 4 refers to vertex 8"),
    "index zero in an OBJ": ("part.obj", (TRIANGLES + "f 0 1 2\n").encode(), "OBJ counts from 1"),
    "index out of range in a PLY": (
        "part.ply",
        f"{PLY_HEADER}0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n".encode(),
        "face 0 refers to",
    ),
    "index out of range in an OFF": (
        "part.off",
        b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n",
        "face 0 refers to vertex -1",
    ),
    "a coordinate whose square is infinite in an OFF": (
        "part.off",
        b"OFF\n4 4 0\n0 0 0\n1e308 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
        r"vertex 1 is beyond 1e\+15 \(1e\+308, 0, 0\)",
    ),
    "a coordinate whose square is infinite in an STL": (
        "part.stl",
        (ASCII_STL.replace("1 0 0", "1e308 0 0") + "endsolid\n").encode(),
        "vertex 1 is beyond",
    ),
    "a facet with two corners in an STL": (
        "part.stl",
        (ASCII_STL.replace("vertex 1 0 0", "") + "endsolid\n").encode(),
        "has 2 lines 'vertex x y z' in 1 facets",
    ),
    "a word for a number in an STL": (
        "part.stl",
        (ASCII_STL.replace("1 0 0", "one 0 0") + "endsolid\n").encode(),
        "a vertex is 'one 0 0', expected three numbers",
    ),
    "a huge index in an OBJ": ("part.obj", (TRIANGLES + f"f 1 2 {10**30}\n").encode(), "face 4 refers to vertex 9999"),
    "an endless index in an OBJ": ("part.obj", (TRIANGLES + f"f 1 2 {'7' * 9000}\n").encode(), "line 9 is not a face"),
    "a huge index in an OFF": (
        "part.off",
        f"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 {10**30}\n".encode(),
        "face 0 refers to vertex 1000",
    ),
    "a huge index in a PLY": (
        "part.ply",
        f"{PLY_HEADER}0 0 0\n1 0 0\n0 1 0\n3 0 1 {10**30}\n".encode(),
        "face 0 refers to vertex 1000",
    ),
    "an infinite index in a PLY": (
        "part.ply",
        f"{PLY_HEADER}0 0 0\n1 0 0\n0 1 0\n3 0 1 inf\n".encode(),
        "face 0 refers to vertex inf",
    ),
    "half an index in a PLY": (
        "part.ply",
        f"{PLY_HEADER}0 0 0\n1 0 0\n0 1 0\n3 0 1 0.5\n".encode(),
        "face 0 refers to vertex 0.5",
    ),
    "a negative count in a PLY": ("part.ply", PLY_HEADER.replace("face 1", "face -1").encode(), "which is not PLY"),
    "two tables of one name in a PLY": ("part.ply", PLY_HEADER.replace("face 1", "vertex 1").encode(), "not PLY"),
    "coordinates that are lists in a PLY": (
        "part.ply",
        f"{PLY_HEADER.replace('float x', 'list uchar float x')}1 0 0 0\n1 1 0 0\n1 0 1 0\n3 0 1 2\n".encode(),
        "names no vertices with x, y and z",
    ),
    "a table of nothing, without end, in a PLY": (
        "part.ply",
        PLY_HEADER.replace("ascii", "binary_little_endian").replace("end_h", f"element void {10**12}\nend_h").encode(),
        "fewer or other data",
    ),
    "negative counts in an OFF": ("part.off", b"OFF\n-3 -1 0\n", "expected the numbers of vertices and faces"),
    "bad UTF-8 in a GLB": ("part.glb", BOX.replace(b"meshes", b"mesh\xff\xfe"), "its JSON header is not valid"),
    "a table larger than its GLB": (
        "part.glb",
        with_header(BOX, lambda header: header["accessors"][0].update(count=10**9)),
        "its JSON header is not valid",
    ),
    "an unknown unit in a 3MF": ("part.3mf", nested_3mf('unit="inch"', 'unit="cubit"'), "states the unit 'cubit'"),
    "an infinite matrix in a 3MF": ("part.3mf", nested_3mf("0 1 5 0 0", "0 1 1e999 0 0"), "row 0 is not finite"),
    "2D sheet": ("part.obj", b"v 0 0 0\nv 1 0 1\nv 1 1 1\nv 0 1 0\nf 1 2 3 4\n", "is a sheet and not a solid; give it"),
    "face with two corners": (
        "part.obj",
        (TRIANGLES + "f 1 2\n").encode(),
        "face 4 has fewer than three distinct corners",
    ),
    "face that repeats a corner": ("part.obj", (TRIANGLES + "f 1 2 2\n").encode(), r"repair=True \(--repair\)"),
    "word for a number": (
        "part.obj",
        TRIANGLES.replace("1 0 0", "one 0 0").encode(),
        "vertex 1 is 'one 0 0', expected",
    ),
    "word for an index": ("part.obj", (TRIANGLES + "f a b c\n").encode(), "line 9 is not a face"),
    "vertices without faces": ("part.obj", b"v 0 0 0\nv 1 0 0\n", "holds no faces"),
    "prose named OBJ": ("part.obj", b"Dear sir,\nplease find\n", "is no OBJ file although its name says so"),
    "prose named STL": ("part.stl", b"Dear sir,\nplease find\n", "is no STL file although its name says so"),
    "prose named STEP": ("part.step", b"Dear sir,\nplease find\n", "is no STEP file although its name says so"),
    "GLB named STL": ("part.stl", BOX, "looks like GLB; rename it to .glb"),
    "STEP named OBJ": ("part.obj", b"ISO-10303-21;\nHEADER;\n", "looks like STEP; rename it to .step"),
    "picture named PLY": ("part.ply", b"\x89PNG\r\n\x1a\n", "looks like PNG; export the part again"),
    "truncated GLB": ("part.glb", BOX[:300], "cannot be read as GLB"),
    "GLB of noise": ("part.glb", b"glTF" + bytes(range(200)), "cannot be read as GLB"),
    "3MF that is no archive": ("part.3mf", b"PK\x03\x04" + bytes(range(200)), "cannot be read as 3MF"),
    "truncated PLY": (
        "part.ply",
        f"{PLY_HEADER}0 0 0\n1 0 0\n".encode(),
        "fewer or other data than its header announces",
    ),
    "PLY without the end of its header": ("part.ply", b"ply\nformat ascii 1.0\n", "its header has no end"),
    "PLY of an unknown type": ("part.ply", PLY_HEADER.replace("float x", "quad x").encode(), "which is not PLY"),
    "truncated OFF": ("part.off", b"OFF\n4 4 6\n0 0 0\n", "announces 4 vertices and 4 faces but has only 1 lines"),
    "OFF without counts": ("part.off", b"OFF\nmany few\n0 0 0\n", "expected the numbers of vertices and faces"),
    "truncated STEP": (
        "part.step",
        b"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n#1=POI",
        "breaks off before END-ISO-10303-21",
    ),
    "STEP without solids": (
        "part.stp",
        b"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n",
        "Open CASCADE finds no solids in it",
    ),
    "unknown ending": ("part.docx", b"words", "abut does not read .docx files; it reads .stl"),
    "no ending": ("part", b"words", "its name has no ending to tell the format; it reads .stl"),
}


@pytest.fixture(params=BAD, ids=list(BAD))
def bad_file(request, tmp_path):
    name, content, message = BAD[request.param]
    path = tmp_path / name
    path.write_bytes(content)
    return path, message


@pytest.mark.parametrize("load", [Solid.load, load_assembly])
def test_a_bad_file_gives_one_sentence_that_names_it(bad_file, load, capfd):
    path, message = bad_file
    with pytest.raises(FileError, match=message) as caught:
        load(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"{path}: ") and "\n" not in sentence and len(sentence) < 400
    assert capfd.readouterr() == ("", "")  # libraries underneath keep quiet


def test_a_directory_and_a_missing_file(tmp_path):
    with pytest.raises(FileError, match="is a folder, expected a file"):
        Solid.load(tmp_path)
    with pytest.raises(FileError, match="there is no such file; check the spelling"):
        Solid.load(tmp_path / "nothing.stl")


def test_repair_leaves_broken_faces_out(tmp_path):
    (tmp_path / "part.obj").write_text(TRIANGLES + "f 1 2\nf 1 2 2\n")
    assert Solid.load(tmp_path / "part.obj", repair=True).volume == pytest.approx(1 / 6)


def test_every_truncation_of_a_binary_file_is_noticed(tmp_path):
    whole = trimesh.creation.box().export(file_type="stl")
    for length in (1, 40, 83, 84, 90, 134, len(whole) - 50, len(whole) - 1):
        (tmp_path / "part.stl").write_bytes(whole[:length])
        with pytest.raises(FileError):
            Solid.load(tmp_path / "part.stl")


def test_a_note_behind_the_triangles_is_passed_over(tmp_path):
    (tmp_path / "part.stl").write_bytes(trimesh.creation.box().export(file_type="stl") + b"made with care")
    assert Solid.load(tmp_path / "part.stl").volume == pytest.approx(1.0)
