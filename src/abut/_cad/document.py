"""The tree of a STEP file: products, their solids, and every place where the assembly puts one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder
from OCP.collections import Sequence_TDF_Label
from OCP.IFSelect import IFSelect_ReturnStatus
from OCP.Quantity import Quantity_Color, Quantity_TypeOfColor
from OCP.STEPCAFControl import STEPCAFControl_Reader
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_Label
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Compound
from OCP.XCAFDoc import XCAFDoc_ColorTool, XCAFDoc_ColorType, XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

MM = 1e-3
"""[m] Open CASCADE's unit of length, whatever the file's."""

_COLOURS = (XCAFDoc_ColorType.XCAFDoc_ColorSurf, XCAFDoc_ColorType.XCAFDoc_ColorGen)

Colour = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Shape:
    """One solid of a product, or all of its faces that belong to no solid."""

    name: str
    """Of the product."""
    shape: Any
    colour: Colour | None


@dataclass(frozen=True, eq=False)
class Instance:
    """One place where the assembly puts a shape."""

    shape: int
    names: list[str]
    """What the file calls it, the best first: this instance, its product, the assemblies around it from the inside."""
    matrix: NDArray[np.float64]
    """(4, 4), in millimetres."""
    colour: Colour | None


@dataclass(frozen=True, eq=False)
class Document:
    """Everything a file holds."""

    shapes: list[Shape] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    entities: Any = None
    """Open CASCADE's map from shapes to what stands in the file."""
    keep: Any = None
    """The reader's own document, which must live as long as its shapes."""


def read_document(path: str) -> Document | None:
    """Read a file; None where Open CASCADE makes nothing of it."""
    handle = TDocStd_Document(TCollection_ExtendedString("abut"))
    reader = STEPCAFControl_Reader()
    reader.SetNameMode(True)
    reader.SetColorMode(True)
    if reader.ReadFile(path) != IFSelect_ReturnStatus.IFSelect_RetDone or not reader.Transfer(handle):
        return None
    return _Walk(handle, reader).document


class _Walk:
    """From the roots of the tree to its leaves."""

    def __init__(self, handle: Any, reader: Any) -> None:
        self.document = Document(entities=reader.Reader().WS().TransferReader(), keep=(handle, reader))
        self.colours = XCAFDoc_DocumentTool.ColorTool_s(handle.Main())
        self.known: dict[str, list[int]] = {}
        roots = Sequence_TDF_Label()
        XCAFDoc_DocumentTool.ShapeTool_s(handle.Main()).GetFreeShapes(roots)
        for root in roots:
            self.visit(root, np.eye(4), [], None)

    def visit(self, label: Any, matrix: NDArray[np.float64], around: list[str], colour: Colour | None) -> None:
        matrix = matrix @ _matrix(XCAFDoc_ShapeTool.GetLocation_s(label))
        product = _referred(label)
        names = list(dict.fromkeys([_name(label), _name(product)]))
        colour = self.colour(label) or colour
        if XCAFDoc_ShapeTool.IsAssembly_s(product):
            components = Sequence_TDF_Label()
            XCAFDoc_ShapeTool.GetComponents_s(product, components)
            for component in components:
                self.visit(component, matrix, [*names, *around], colour)
            return
        for shape in self.shapes_of(product):
            own = self.document.shapes[shape].colour
            self.document.instances.append(Instance(shape, [*names, *around], matrix, colour or own))

    def shapes_of(self, product: Any) -> list[int]:
        """The solids of a product, each listed once in the document."""
        key = _entry(product)
        if key not in self.known:
            start, colour = len(self.document.shapes), self.colour(product)
            for shape in _solids(XCAFDoc_ShapeTool.GetShape_s(product)):
                own = colour or self.colour(shape) or self.colour_of_faces(shape)
                self.document.shapes.append(Shape(_name(product), shape, own))
            self.known[key] = list(range(start, len(self.document.shapes)))
        return self.known[key]

    def colour(self, thing: Any) -> Colour | None:
        """That of a label or of a shape."""
        colour = Quantity_Color()
        look = XCAFDoc_ColorTool.GetColor_s if isinstance(thing, TDF_Label) else self.colours.GetColor
        if any(look(thing, kind, colour) for kind in _COLOURS):
            red, green, blue = colour.Values(Quantity_TypeOfColor.Quantity_TOC_sRGB)
            return round(red, 6), round(green, 6), round(blue, 6)
        return None

    def colour_of_faces(self, shape: Any) -> Colour | None:
        """The colour that most faces have."""
        found = [colour for face in faces_of(shape) if (colour := self.colour(face))]
        return max(found, key=found.count) if found else None


def faces_of(shape: Any, *, outside_solids: bool = False) -> list[Any]:
    """The faces of a shape in their order; or those that belong to no solid."""
    avoid = TopAbs_ShapeEnum.TopAbs_SOLID if outside_solids else TopAbs_ShapeEnum.TopAbs_SHAPE
    return [TopoDS.Face(face) for face in _found(shape, TopAbs_ShapeEnum.TopAbs_FACE, avoid)]


def _solids(shape: Any) -> list[Any]:
    solids = _found(shape, TopAbs_ShapeEnum.TopAbs_SOLID)
    loose = faces_of(shape, outside_solids=True)
    if not loose:
        return solids
    builder, rest = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(rest)
    for face in loose:
        builder.Add(rest, face)
    return [*solids, rest]


def _found(shape: Any, kind: Any, avoid: Any = TopAbs_ShapeEnum.TopAbs_SHAPE) -> list[Any]:
    explorer, found = TopExp_Explorer(shape, kind, avoid), []
    while explorer.More():
        found.append(explorer.Current())
        explorer.Next()
    return found


def _referred(label: Any) -> Any:
    product = TDF_Label()
    is_instance = XCAFDoc_ShapeTool.IsReference_s(label) and XCAFDoc_ShapeTool.GetReferredShape_s(label, product)
    return product if is_instance else label


def _name(label: Any) -> str:
    name = TDataStd_Name()
    return str(name.Get().ToExtString()) if label.FindAttribute(TDataStd_Name.GetID_s(), name) else ""


def _entry(label: Any) -> str:
    """The place of a label in its tree."""
    tags = []
    while not label.IsRoot():
        tags.append(str(label.Tag()))
        label = label.Father()
    return ":".join(tags)


def _matrix(location: Any) -> NDArray[np.float64]:
    placed, matrix = location.Transformation(), np.eye(4)
    matrix[:3] = [[placed.Value(i, j) for j in range(1, 5)] for i in range(1, 4)]
    return matrix
