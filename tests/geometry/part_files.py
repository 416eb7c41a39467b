"""Writers of part files for tests: polygons in text and binary formats, and assemblies."""

import zipfile

import numpy as np
import pytest

trimesh = pytest.importorskip("trimesh")


def write_obj(path, vertices, faces):
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + ["f " + " ".join(str(i + 1) for i in f) for f in faces]
    path.write_text("\n".join(lines))


def write_off(path, vertices, faces):
    rows = [*(f"{x} {y} {z}" for x, y, z in vertices), *(f"{len(f)} " + " ".join(map(str, f)) for f in faces)]
    path.write_text("\n".join(["OFF", "# a comment", f"{len(vertices)} {len(faces)} 0", *rows]))


def write_ply(path, vertices, faces, order):
    head = f"ply\nformat {order} 1.0\nelement vertex {len(vertices)}\n"
    head += "".join(f"property double {axis}\n" for axis in "xyz")
    head += f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    if order == "ascii":
        body = "\n".join(
            [*(f"{x} {y} {z}" for x, y, z in vertices), *(f"{len(f)} " + " ".join(map(str, f)) for f in faces)]
        )
        path.write_bytes((head + body + "\n").encode())
        return
    mark = "<" if order == "binary_little_endian" else ">"
    data = np.asarray(vertices, mark + "f8").tobytes()
    data += b"".join(bytes([len(f)]) + np.asarray(f, mark + "i4").tobytes() for f in faces)
    path.write_bytes(head.encode() + data)


def write_nested_3mf(path):
    """A tetrahedron twice inside an object that is itself turned and moved, in inches."""
    vertices = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
    corners = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in corners)
    mesh = f"<mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh>"
    model = f"""<?xml version="1.0" encoding="UTF-8"?>
    <model unit="inch" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>
    <object id="1" name="tip" type="model">{mesh}</object>
    <object id="2" name="pair" type="model"><components><component objectid="1"/>
    <component objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/></components></object>
    </resources><build><item objectid="2" transform="0 1 0 -1 0 0 0 0 1 0 0 2"/></build></model>"""
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("3D/3dmodel.model", model.strip())


def assembly():
    scene = trimesh.Scene()
    box = trimesh.creation.box((1, 2, 3))
    turn = trimesh.transformations.rotation_matrix(0.3, (1, 2, 3), (0.5, 0, 0))
    scene.add_geometry(box, node_name="frame", geom_name="box", transform=turn)
    inner = trimesh.transformations.translation_matrix((5, 0, 0))
    scene.add_geometry(box, node_name="arm", geom_name="box", parent_node_name="frame", transform=inner)
    return scene, turn, turn @ inner
