"""Draw the assembly that ships with abut and write it as STEP: `python docs/make_step.py`; needs the extra `cad`.

A shaft in two brackets that are bolted to a plate, 18 solids of seven products, all drawn touching: bolts as thick as
their holes, dowels in blind holes, washers under heads, collars against the brackets. Lengths in millimetres.
"""

import re
from math import cos, pi, sin
from pathlib import Path

from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakePolygon
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakePrism
from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
from OCP.Quantity import Quantity_Color, Quantity_TypeOfColor
from OCP.ShapeUpgrade import ShapeUpgrade_UnifySameDomain
from OCP.STEPCAFControl import STEPCAFControl_Writer
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDocStd import TDocStd_Document
from OCP.TopLoc import TopLoc_Location
from OCP.XCAFDoc import XCAFDoc_ColorType, XCAFDoc_DocumentTool

FILE = Path(__file__).parents[1] / "src/abut/scene/scenes/demonstrations/assembly.step"
UP, ALONG = (0, 0, 1), (1, 0, 0)
BOLTS = [(14, -12), (14, 12)]
"""Where a bracket is bolted down, in its own frame."""
DOWELS = [(24, -12), (24, 12)]
SIDES = {"left": (-50, 0.0), "right": (50, pi)}
"""Where the brackets stand, and how they are turned about z."""


def box(low, high):
    """A box between two corners."""
    return BRepPrimAPI_MakeBox(gp_Pnt(*low), gp_Pnt(*high)).Shape()


def cylinder(radius, start, length, axis=UP):
    """A cylinder from a point along an axis."""
    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(*start), gp_Dir(*axis)), radius, length).Shape()


def hexagon(across, bottom, height):
    """A hexagonal prism, `across` its flats."""
    outline = BRepBuilderAPI_MakePolygon()
    for k in range(6):
        r, angle = across / 3**0.5, k * pi / 3
        outline.Add(gp_Pnt(r * cos(angle), r * sin(angle), bottom))
    outline.Close()
    return BRepPrimAPI_MakePrism(BRepBuilderAPI_MakeFace(outline.Wire()).Face(), gp_Vec(0, 0, height)).Shape()


def joined(*shapes):
    """One solid of several, with faces that lie in one plane united."""
    whole = shapes[0]
    for shape in shapes[1:]:
        whole = BRepAlgoAPI_Fuse(whole, shape).Shape()
    united = ShapeUpgrade_UnifySameDomain(whole, True, True, False)
    united.Build()
    return united.Shape()


def cut(shape, *tools):
    """A solid without others."""
    for tool in tools:
        shape = BRepAlgoAPI_Cut(shape, tool).Shape()
    return shape


def on_plate(places):
    """Places of holes in the plate, for both brackets."""
    return [(x + side * px, side * py) for x, side in ((-50, 1), (50, -1)) for px, py in places]


def products():
    """The seven products, each in its own frame, and their colours."""
    through = [cylinder(3, (x, y, -20), 40) for x, y in on_plate(BOLTS)]
    blind = [cylinder(2, (x, y, -8), 20) for x, y in on_plate(DOWELS)]
    foot = [cylinder(3, (x, y, -1), 10) for x, y in BOLTS] + [cylinder(2, (x, y, -1), 10) for x, y in DOWELS]
    angle = joined(box((0, -20, 0), (32, 20, 6)), box((0, -20, 0), (6, 20, 40)))
    return {
        "plate": (cut(box((-60, -30, -10), (60, 30, 0)), *through, *blind), (0.55, 0.58, 0.62)),
        "bracket": (cut(angle, *foot, cylinder(5, (-1, 0, 26), 10, ALONG)), (0.25, 0.45, 0.75)),
        "bolt": (joined(hexagon(10, 7.5, 4), cylinder(3, (0, 0, -10), 17.5)), (0.85, 0.65, 0.25)),
        "washer": (cut(cylinder(6, (0, 0, 6), 1.5), cylinder(3, (0, 0, 5), 4)), (0.8, 0.8, 0.8)),
        "dowel": (cylinder(2, (0, 0, -8), 14), (0.7, 0.3, 0.3)),
        "shaft": (cylinder(5, (-62, 0, 26), 124, ALONG), (0.75, 0.75, 0.78)),
        "collar": (cut(cylinder(9, (-6, 0, 0), 6, ALONG), cylinder(5, (-7, 0, 0), 8, ALONG)), (0.3, 0.6, 0.4)),
    }


def instances():
    """Product, name, place [mm] and turn about z of every part."""
    yield "plate", "plate", (0, 0, 0), 0.0
    for side, (x, turn) in SIDES.items():
        yield "bracket", f"bracket_{side}", (x, 0, 0), turn
    for product, places in (("bolt", BOLTS), ("washer", BOLTS), ("dowel", DOWELS)):
        for k, (x, y) in enumerate(on_plate(places), 1):
            yield product, f"{product}_{k}", (x, y, 0), 0.0
    yield "shaft", "shaft", (0, 0, 0), 0.0
    for side, (x, turn) in SIDES.items():
        yield "collar", f"collar_{side}", (x, 0, 26), turn


def placed(place, turn):
    """A rigid motion."""
    rotation, shift = gp_Trsf(), gp_Trsf()
    rotation.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), turn)
    shift.SetTranslation(gp_Vec(*place))
    return TopLoc_Location(shift.Multiplied(rotation))


def name(label, text):
    """Name a product or an instance."""
    TDataStd_Name.Set_s(label, TCollection_ExtendedString(text))


def write(file):
    """The assembly as a STEP file."""
    document = TDocStd_Document(TCollection_ExtendedString("XmlOcaf"))
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    colours = XCAFDoc_DocumentTool.ColorTool_s(document.Main())
    labels = {}
    for product, (shape, colour) in products().items():
        labels[product] = shapes.AddShape(shape, False)
        name(labels[product], product)
        shade = Quantity_Color(*colour, Quantity_TypeOfColor.Quantity_TOC_sRGB)
        colours.SetColor(labels[product], shade, XCAFDoc_ColorType.XCAFDoc_ColorSurf)
    whole = shapes.NewShape()
    name(whole, "shaft_in_brackets")
    for product, instance, place, turn in instances():
        name(shapes.AddComponent(whole, labels[product], placed(place, turn)), instance)
    shapes.UpdateAssemblies()
    writer = STEPCAFControl_Writer()
    writer.Transfer(document)
    writer.Write(str(file))
    header = "FILE_NAME('shaft_in_brackets','2026-01-01T00:00:00',('abut'),(''),'','','CC0 1.0');"
    file.write_text(re.sub(r"FILE_NAME\(.*?\);", header, file.read_text(), count=1, flags=re.DOTALL))


if __name__ == "__main__":
    write(FILE)
