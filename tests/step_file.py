"""STEP files of polyhedra, written by hand: the least that a CAD kernel takes for solids."""

import numpy as np

HEADER = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('','',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
"""
FOOTER = "ENDSEC;\nEND-ISO-10303-21;\n"


def write_step(path, solids):
    """Write named solids as products of their own, in millimetres."""
    step = _Step()
    context = step.context()
    for solid in solids:
        step.product(solid, context)
    path.write_text(HEADER + "\n".join(step.lines) + "\n" + FOOTER)


class _Step:
    def __init__(self):
        self.lines = []

    def add(self, text):
        self.lines.append(f"#{len(self.lines) + 1}={text};")
        return f"#{len(self.lines)}"

    def context(self):
        length = self.add("(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))")
        angle = self.add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))")
        solid_angle = self.add("(NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT())")
        closest = self.add(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-7),{length},'distance','')")
        return self.add(
            "(GEOMETRIC_REPRESENTATION_CONTEXT(3) "
            f"GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({closest})) "
            f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid_angle})) REPRESENTATION_CONTEXT('',''))"
        )

    def product(self, solid, context):
        application = self.add("APPLICATION_CONTEXT('automotive design')")
        setting = self.add(f"PRODUCT_CONTEXT('',{application},'mechanical')")
        product = self.add(f"PRODUCT('{solid.name}','{solid.name}','',({setting}))")
        formation = self.add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
        stage = self.add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{application},'design')")
        definition = self.add(f"PRODUCT_DEFINITION('design','',{formation},{stage})")
        shape = self.add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
        frame = self.placement((0, 0, 0), (0, 0, 1), (1, 0, 0))
        body = self.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({frame},{self.brep(solid)}),{context})")
        self.add(f"SHAPE_DEFINITION_REPRESENTATION({shape},{body})")

    def brep(self, solid):
        points = [self.point(1e3 * v) for v in solid.vertices]
        corners = [self.add(f"VERTEX_POINT('',{point})") for point in points]
        edges = {}
        faces = [self.face(solid, f, points, corners, edges) for f in range(len(solid.faces))]
        shell = self.add(f"CLOSED_SHELL('',({','.join(faces)}))")
        return self.add(f"MANIFOLD_SOLID_BREP('',{shell})")

    def face(self, solid, f, points, corners, edges):
        bounds = []
        for k, loop in enumerate(solid.faces.polygons(f)):
            sides = [
                self.side(solid, int(a), int(b), points, corners, edges)
                for a, b in zip(loop, np.roll(loop, -1), strict=True)
            ]
            ring = self.add(f"EDGE_LOOP('',({','.join(sides)}))")
            bounds.append(self.add(f"FACE_{'OUTER_' if k == 0 else ''}BOUND('',{ring},.T.)"))
        a, b = solid.vertices[solid.faces.polygons(f)[0][:2]]
        plane = self.add(f"PLANE('',{self.placement(1e3 * a, solid.faces.normal[f], b - a)})")
        return self.add(f"ADVANCED_FACE('',({','.join(bounds)}),{plane},.T.)")

    def side(self, solid, a, b, points, corners, edges):
        key = (min(a, b), max(a, b))
        if key not in edges:
            along = 1e3 * (solid.vertices[key[1]] - solid.vertices[key[0]])
            vector = self.add(f"VECTOR('',{self.direction(along)},1.)")
            line = self.add(f"LINE('',{points[key[0]]},{vector})")
            edges[key] = self.add(f"EDGE_CURVE('',{corners[key[0]]},{corners[key[1]]},{line},.T.)")
        return self.add(f"ORIENTED_EDGE('',*,*,{edges[key]},{'.T.' if key == (a, b) else '.F.'})")

    def placement(self, origin, z, x):
        return self.add(f"AXIS2_PLACEMENT_3D('',{self.point(origin)},{self.direction(z)},{self.direction(x)})")

    def point(self, p):
        return self.add(f"CARTESIAN_POINT('',({_numbers(p)}))")

    def direction(self, d):
        return self.add(f"DIRECTION('',({_numbers(np.asarray(d) / np.linalg.norm(d))}))")


def _numbers(values):
    return ",".join(f"{float(x):.15E}" for x in values)
