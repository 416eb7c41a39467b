"""What a scene file may say: one class a table, with the meaning and unit of every key.

The JSON Schema of `abut schema` is made from these classes. All numbers are in SI units; wherever a number stands, an
expression (`"=2*clearance"`) may stand.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from ...dynamics.joints.joint_types import TYPES
from .expressions import is_expression

_EXPRESSION = {"type": "string", "pattern": r"^\s*="}
_NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, _EXPRESSION]}

Number = Annotated[float, Field(strict=True, allow_inf_nan=False), WithJsonSchema(_NUMBER)]
Positive = Annotated[float, Field(strict=True, gt=0.0, allow_inf_nan=False), WithJsonSchema(_NUMBER)]
NotNegative = Annotated[float, Field(strict=True, ge=0.0, allow_inf_nan=False), WithJsonSchema(_NUMBER)]
Share = Annotated[float, Field(strict=True, ge=0.0, le=1.0), WithJsonSchema(_NUMBER)]
MaybeInfinite = Annotated[float, Field(strict=True), WithJsonSchema(_NUMBER)]
Bound = Annotated[float, Field(strict=True, gt=0.0), WithJsonSchema(_NUMBER)]


def _whole(value: Any) -> Any:
    """Expressions give floats, also where a whole number is wanted."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Count = Annotated[
    int, BeforeValidator(_whole), Field(strict=True), WithJsonSchema({"anyOf": [{"type": "integer"}, _EXPRESSION]})
]
Vector = Annotated[tuple[Number, Number, Number], WithJsonSchema({"type": "array", "items": _NUMBER, "minItems": 3})]
Quaternion = tuple[Number, Number, Number, Number]


def _over_time(value: Any) -> Any:
    if isinstance(value, str) and not is_expression(value):
        raise ValueError("expected a number or an expression over the time t, as '=2*sin(t)'")
    return value


OverTime = Annotated[Number | str, BeforeValidator(_over_time), WithJsonSchema(_NUMBER)]
VectorOverTime = tuple[OverTime, OverTime, OverTime]


Repeat = Count | tuple[Count, Count] | None
_REPEAT: Any = Field(
    None, description="n or [first, end]: makes NAME 0, NAME 1 ...; expressions know the number as i, texts as {i}"
)


class Table(BaseModel):
    """A table of the file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Parameter(Table):
    """A number with a name, to be used in expressions and set from outside."""

    value: Number
    about: str = Field("", description="what it is, in a sentence")
    unit: str = Field("", description="for people to read")
    least: Number | None = None
    most: Number | None = None


class WorldTable(Table):
    """The world and how long to run it."""

    dt: Positive = Field(1e-3, description="[s] length of a step")
    duration: NotNegative = Field(1.0, description="[s] of a run")
    gravity: Vector = Field((0.0, 0.0, -9.81), description="[m/s^2]")
    friction: NotNegative = Field(0.0, description="coefficient where bodies say nothing")
    restitution: Share = Field(0.0, description="where bodies say nothing")
    contact_gap: Positive | None = Field(None, description="[m] distance at which contacts are held")
    method: Literal["ncp", "velocity", "bilateral", "event", "impulse"] = "ncp"
    solver: Literal["lemke", "gauss-seidel", "jacobi"] | None = None
    level: Literal["geometric", "kinematic", "dynamic"] = "dynamic"
    friction_law: Literal["coulomb", "sliding"] = "coulomb"
    impacts: Literal["newton", "gamma", "sequential"] = "newton"
    threads: Count = Field(1, ge=1)
    kinematic_overlaps: Literal["report", "error"] = Field(
        "report", description="what to do where kinematic bodies go where fixed or other kinematic ones stand"
    )
    start: str | None = Field(
        None, description="snapshot of this world, as written by abut.scene.save, from which it goes on"
    )


class Rotation(Table):
    """One of three ways to say how something is turned."""

    quat_wxyz: Quaternion | None = None
    rotvec: Vector | None = Field(None, description="[rad] axis times angle")
    euler_xyz_deg: Vector | None = Field(None, description="[degrees] about x, then y, then z, of the world")

    @model_validator(mode="after")
    def _one_way(self) -> Rotation:
        given = [name for name in ("quat_wxyz", "rotvec", "euler_xyz_deg") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"expected one of quat_wxyz, rotvec, euler_xyz_deg, got {' and '.join(given)}")
        return self


class Placed(Rotation):
    """Where something is: a position, and a rotation as a table or as a key of its own."""

    position: Vector = Field((0.0, 0.0, 0.0), description="[m] of the origin of the part's own frame")
    rotation: Rotation | None = None

    @model_validator(mode="after")
    def _turned_once(self) -> Placed:
        if self.rotation is not None and (self.quat_wxyz or self.rotvec or self.euler_xyz_deg):
            raise ValueError("is turned twice; expected rotation = { ... } or one of quat_wxyz, rotvec, euler_xyz_deg")
        return self


class PartTable(Placed):
    """A part: from a file, from the library (its arguments stand beside), or combined from other parts."""

    model_config = ConfigDict(extra="allow", frozen=True)

    file: str | None = Field(None, description="beside the scene file; assembly.step#name for one part of an assembly")
    unit: str | None = Field(None, description="of the file's numbers, where it does not say: mm, m, inch ...")
    repair: bool = False
    tolerance: Positive | None = Field(None, description="[m] largest chord error of curved STEP faces")
    exact: bool = Field(False, description="the file is a part to the bit, as written by abut.scene.save")
    flatness: NotNegative | None = Field(None, description="[m] how far corners may lie from the plane of their face")
    name: str | None = Field(None, description="what messages call the part; its key, where it is left out")
    library: str | None = Field(None, description="a part of abut.parts, or box, cylinder, sphere, cone, torus ...")
    union: list[str] | None = Field(None, description="parts to put together")
    subtract: list[str] | None = Field(None, description="parts to take away from the first one")
    intersect: list[str] | None = Field(None, description="parts whose common volume is wanted")
    repeat: Repeat = _REPEAT


class MaterialTable(Table):
    """What a part is made of."""

    density: Positive | None = Field(None, description="[kg/m^3]")
    friction: NotNegative | dict[str, NotNegative] | None = Field(
        None, description="a coefficient, or a table of coefficients against other materials"
    )
    restitution: Share | dict[str, Share] | None = Field(None, description="likewise")


class BodyTable(Placed):
    """A part or a simple shape in the world."""

    part: str | None = Field(None, description="a name of [parts]")
    shape: Literal["half_space", "sphere", "capsule"] | None = None
    radius: Positive | None = Field(None, description="[m] of a sphere or capsule")
    length: Positive | None = Field(None, description="[m] between the centres of a capsule's caps")
    normal: Vector | None = Field(None, description="of a half-space, away from its material")
    offset: Number | None = Field(None, description="[m] of a half-space along its normal")
    material: str | None = Field(None, description="a name of [materials]")
    density: Positive | None = Field(None, description="[kg/m^3]")
    mass: Positive | None = Field(None, description="[kg] instead of a density")
    inertia: tuple[Vector, Vector, Vector] | None = Field(None, description="[kg m^2] about the centre of mass")
    velocity: Vector = Field((0.0, 0.0, 0.0), description="[m/s] of the centre of mass")
    angular_velocity: Vector = Field((0.0, 0.0, 0.0), description="[rad/s]")
    fixed: bool = False
    kinematic: bool = False
    locked: list[Literal["x", "y", "z", "rx", "ry", "rz"]] = Field(default_factory=list)
    group: Count | None = Field(None, description="bodies of one group do not touch each other")
    damping: NotNegative = Field(0.0, description="[1/s]")
    angular_damping: NotNegative = Field(0.0, description="[1/s]")
    friction: NotNegative | None = None
    restitution: Share | None = None
    centre: tuple[Number, Number, Number, Number, Number, Number, Number] | None = Field(
        None, description="exact pose of the centre of mass, x y z qw qx qy qz, as written by abut.scene.save"
    )
    repeat: Repeat = _REPEAT

    @model_validator(mode="after")
    def _one_shape(self) -> BodyTable:
        if (self.part is None) == (self.shape is None):
            raise ValueError(f"expected either part = or shape =, got {'neither' if self.part is None else 'both'}")
        return self

    @model_validator(mode="after")
    def _one_weight(self) -> BodyTable:
        if self.density is not None and self.mass is not None:
            raise ValueError("expected either density = or mass =, got both")
        return self


class AssemblyTable(Placed):
    """All parts of an assembly file, each a body."""

    file: str
    unit: str | None = None
    tolerance: Positive | None = Field(None, description="[m] largest chord error of curved STEP faces")
    loosen: bool | Positive = Field(True, description="set parts free that are drawn touching; a number [m]: at most")
    fixed: list[str] = Field(default_factory=list, description="names or patterns of parts that do not move")
    material: str | None = None
    density: Positive | None = Field(None, description="[kg/m^3]")


class NodesTable(Table):
    """Nodes of a cage at rest: in a box, near a place, or by their numbers."""

    box: tuple[Vector, Vector] | None = Field(None, description="[m] lowest and highest corner, in the part's frame")
    near: Vector | None = Field(None, description="[m] a place in the part's frame: the node nearest to it")
    within: Positive | None = Field(None, description="[m] with near: all nodes that are no farther away")
    nodes: list[Count] | None = Field(None, description="their numbers")

    @model_validator(mode="after")
    def _one_choice(self) -> NodesTable:
        given = [word for word in ("box", "near", "nodes") if getattr(self, word) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of box, near, nodes, got {' and '.join(given) or 'none of them'}")
        if self.within is not None and self.near is None:
            raise ValueError("expected within only beside near")
        return self


class AttachTable(NodesTable):
    """Nodes that move with a rigid body."""

    body: str = Field(description="a name of [bodies]")


class SoftTable(Placed):
    """A soft body: a cage of tetrahedra, made from a part or read from a file, that carries a skin."""

    part: str | None = Field(None, description="a name of [parts], which is filled with tetrahedra")
    cell: Positive | None = Field(None, description="[m] size of the tetrahedra that fill the part")
    fit: Literal["stuffed", "cage", "wild"] = Field("stuffed", description="how they meet its surface")
    mesh: str | None = Field(None, description="file with tetrahedra instead of a part: .msh, .vtk, .vtu, .inp")
    unit: str = Field("m", description="of the numbers of that file")
    repair: bool = Field(False, description="turn tetrahedra of wrong winding round, and drop flat ones")
    exact: bool = Field(False, description="the file holds the body to the bit, as written by abut.scene.save")
    surface: str | None = Field(None, description="a name of [parts]: the skin, where it is neither part nor cage")
    divide: Count = Field(0, ge=0, le=6, description="how often the skin's triangles are divided into four")
    material: str | None = Field(None, description="a name of [materials], for density and friction")
    young: Positive | None = Field(None, description="[Pa] Young's modulus")
    poisson: Number | None = Field(None, ge=0.0, lt=0.5, description="Poisson's ratio")
    density: Positive | None = Field(None, description="[kg/m^3]")
    damping: tuple[NotNegative, NotNegative] = Field(
        (0.0, 0.0), description="Rayleigh's factors of mass [1/s] and of stiffness [s]"
    )
    friction: NotNegative | None = None
    velocity: Vector = Field((0.0, 0.0, 0.0), description="[m/s] of all nodes")
    fixed: list[NodesTable] = Field(default_factory=list, description="nodes that stay where they are")
    attach: list[AttachTable] = Field(default_factory=list, description="nodes that move with bodies")
    repeat: Repeat = _REPEAT

    @model_validator(mode="after")
    def _is_whole(self) -> SoftTable:
        if (self.part is None) == (self.mesh is None):
            raise ValueError(f"expected either part = or mesh =, got {'neither' if self.part is None else 'both'}")
        if self.exact:
            return self._only_its_file()
        if self.part is not None and self.cell is None:
            raise ValueError("expected cell = [m], the size of the tetrahedra that fill the part")
        if self.part is None and self.cell is not None:
            raise ValueError("expected cell only beside part; the tetrahedra of a file are as large as they are")
        missing = [word for word in ("young", "poisson") if getattr(self, word) is None]
        if missing:
            raise ValueError(f"expected {missing[0]} =, which says how stiff it is")
        return self

    def _only_its_file(self) -> SoftTable:
        beside = sorted(self.model_fields_set - {"mesh", "exact", "attach"})
        if beside:
            raise ValueError(f"is whole in its file, so that {beside[0]} cannot stand beside exact = true; take it out")
        return self


class MotorTable(Table):
    """Drives a coordinate of a joint."""

    velocity: Number | None = None
    position: Number | None = None
    max_force: Bound = float("inf")
    max_speed: Bound = float("inf")
    response: NotNegative = 0.0


class SpringTable(Table):
    """Draws a coordinate of a joint to its rest."""

    stiffness: NotNegative
    damping: NotNegative = 0.0
    rest: Number | None = None


Limits = tuple[MaybeInfinite, MaybeInfinite]


class JointTable(Table):
    """What holds two bodies together, or one to the world."""

    type: Literal[tuple(TYPES)]  # type: ignore[valid-type]  # one list of types, where they are made
    body: str
    other: str | None = Field(None, description="the world, where it is left out")
    anchor: Vector | None = Field(None, description="[m] in the world")
    axis: Vector | None = None
    anchor_other: Vector | None = None
    axis_other: Vector | None = None
    length: Positive | None = None
    pitch: Number | None = Field(None, description="[m] of travel for a turn of a screw")
    limits: Limits | dict[str, Limits] | None = Field(None, description="[low, high], or one for each coordinate")
    motor: MotorTable | dict[str, MotorTable] | None = None
    spring: SpringTable | dict[str, SpringTable] | None = None
    contact: bool = Field(False, description="whether the joined bodies may touch each other")
    repeat: Repeat = _REPEAT


class PairTable(Table):
    """How two bodies meet."""

    a: str
    b: str
    rule: Literal["contact", "ignore", "interference"] = "contact"
    friction: NotNegative | None = None
    restitution: Share | None = None


class TrackRow(Placed):
    """A pose at a time."""

    time: Number = Field(description="[s]")


Track = list[TrackRow] | str
"""Rows in ascending time, or a CSV file with columns time x y z qw qx qy qz."""


class ForceRow(Table):
    """A force or torque at a time; between times it changes evenly."""

    time: Number
    value: Vector


Push = VectorOverTime | list[ForceRow]


class HandTable(Placed):
    """A virtual hand: springs between a body and a target."""

    track: Track | None = Field(None, description="where the target is over time, instead of one place")
    point: Vector | None = Field(
        None, description="[m] in the part's own frame: only this point is held, and drawn to the target's position"
    )
    stiffness: Positive | None = Field(None, description="[N/m]")
    angular_stiffness: Positive | None = Field(None, description="[N m/rad]")
    max_force: Bound | None = Field(None, description="[N]")
    max_torque: Bound | None = Field(None, description="[N m]")
    ahead: dict[Literal["x", "y", "z", "rz"], Number] = Field(
        default_factory=dict, description="[m, rad] along these the target stays that far ahead of the body"
    )

    @model_validator(mode="after")
    def _turns_as_it_will(self) -> HandTable:
        """A body that is held by a point turns about it."""
        given = [name for name in ("angular_stiffness", "max_torque", "ahead") if getattr(self, name)]
        if self.point is not None and given:
            raise ValueError(f"expected point or {given[0]}, got both; a body that is held by a point turns freely")
        return self


class DriveTable(Table):
    """What moves a body from outside while the scene runs."""

    body: str = Field(description="a name of [bodies]; a hand with a point may hold one of [soft]")
    force: Push | None = Field(None, description="[N] in the world; numbers, expressions over t, or rows")
    torque: Push | None = Field(None, description="[N m] likewise")
    point: Vector | None = Field(None, description="[m] where the force acts, in the part's own frame")
    velocity: VectorOverTime | None = Field(None, description="[m/s] of a kinematic body")
    angular_velocity: VectorOverTime | None = Field(None, description="[rad/s] of a kinematic body")
    track: Track | None = Field(None, description="the pose over time; a free body is led along it by a hand")
    hand: HandTable | None = None
    start: NotNegative = Field(0.0, description="[s] when it begins")
    end: MaybeInfinite = Field(float("inf"), description="[s] when it ends")
    repeat: Repeat = _REPEAT

    @model_validator(mode="after")
    def _does_something(self) -> DriveTable:
        ways = {
            "force or torque": self.force or self.torque,
            "velocity": self.velocity or self.angular_velocity,
            "track": self.track,
            "hand": self.hand,
        }
        given = [way for way, value in ways.items() if value is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ValueError(f"expected one of force, torque, velocity, track, hand, got {found}")
        return self


class ReachedTable(Placed):
    """Whether and when a body reached a pose."""

    body: str
    within: Positive = Field(1e-4, description="[m] how near counts as reached")
    angle: Positive | None = Field(None, description="[rad] how near in rotation; any, where it is left out")


class PlaceTable(Table):
    """Where a point of a soft body's skin is."""

    body: str = Field(description="a name of [soft]")
    point: Vector = Field(description="[m] in the part's frame at rest; the nearest point of the skin is meant")
    axis: Literal["x", "y", "z"]
    how: Literal["largest", "smallest", "mean", "final"] = "final"


class MeasureTable(Table):
    """A number that a run reports, said in a table."""

    reached: ReachedTable | None = None
    place: PlaceTable | None = None

    @model_validator(mode="after")
    def _asks_one_thing(self) -> MeasureTable:
        if (self.reached is None) == (self.place is None):
            raise ValueError("expected either reached = or place =")
        return self


class ViewTable(Table):
    """How the scene is best looked at."""

    azimuth: Number = Field(30.0, description="[degrees]")
    elevation: Number = Field(20.0, description="[degrees]")
    shown: list[str] = Field(default_factory=list, description="bodies that must be in the picture")
    cut: list[str] = Field(default_factory=list, description="bodies cut open")
    clear: list[str] = Field(default_factory=list, description="bodies drawn translucent")
    around: tuple[Number, Number, Number, Number] | None = Field(None, description="[m] middle and height")


class SceneTable(Table):
    """A scene file."""

    title: str = Field("", description="what happens, in a sentence")
    include: list[str] = Field(default_factory=list, description="scene files that this one adds to and overrules")
    parameters: dict[str, Number | Parameter] = Field(default_factory=dict)
    world: WorldTable = Field(default_factory=WorldTable)
    parts: dict[str, PartTable] = Field(default_factory=dict)
    materials: dict[str, MaterialTable] = Field(default_factory=dict)
    bodies: dict[str, BodyTable] = Field(default_factory=dict)
    assemblies: dict[str, AssemblyTable] = Field(default_factory=dict)
    soft: dict[str, SoftTable] = Field(default_factory=dict)
    joints: dict[str, JointTable] = Field(default_factory=dict)
    pairs: list[PairTable] = Field(default_factory=list)
    drives: dict[str, DriveTable] = Field(default_factory=dict)
    played: str | None = Field(None, description="file with what a hand did step by step, as abut play keeps it")
    measures: dict[str, str | MeasureTable] = Field(default_factory=dict)
    view: ViewTable = Field(default_factory=ViewTable)


def schema() -> dict[str, Any]:
    """JSON Schema of scene files."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **SceneTable.model_json_schema()}
