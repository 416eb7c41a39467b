"""From a checked definition to a `Scene`: a world with bodies, joints and laws, its drives and its measures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Floats
from ...dynamics import Body, Motor, Spring, World
from ...dynamics.bodies.assembly import renamed
from ...dynamics.moment import Moment
from ...dynamics.snapshots.archive import unpack
from ...dynamics.snapshots.snapshot import VERSIONS
from ...dynamics.snapshots.snapshot_parts import read_parts
from ...dynamics.soft.soft_spec import SoftMoment
from ...errors import AbutError, FileError, meant, unreadable
from ...geometry import FORMULAS, Shape, Solid, is_polyhedron, load_assembly
from .. import parts as part_library
from ..parts import mechanisms
from ..played import PlayedDrive, read_hand_track
from ..played.things import names_of
from ..scenes.scene import Drive, Scene, View
from .drives import Action, Drives, timed_action
from .measures import Measure, make_measure
from .place import pose_of
from .positions import Path
from .problems import Fault, SceneError
from .read import Definition
from .soft_bodies import add_soft

if TYPE_CHECKING:
    from .model import (
        AssemblyTable,
        BodyTable,
        JointTable,
        MaterialTable,
        MotorTable,
        PartTable,
        SoftTable,
        SpringTable,
    )

_PRIMITIVES = ("box", "sphere", "cylinder", "cone", "torus", "extrude", "revolve", "hull", "thread")
_LAWS = ("friction", "restitution")


def library() -> dict[str, Callable[..., Solid]]:
    """What `library =` may name: the parts of the library and the primitives of `Solid`."""
    makers: dict[str, Callable[..., Solid]] = {name: getattr(Solid, name) for name in _PRIMITIVES}
    makers |= {make.__name__: make for make in mechanisms.SHAPES}
    return {**makers, **{name: entry.make for name, entry in part_library.catalogue().items()}}


def build(definition: Definition) -> Scene:
    """The scene that a definition describes."""
    return Builder(definition).build()


class Builder:
    """Makes parts when they are first needed, and notes at which key something did not work out."""

    def __init__(self, definition: Definition) -> None:
        self._definition, self._table = definition, definition.table
        self._parts: dict[str, Solid] = {}
        self._made_of: dict[str, str] = {}
        """Materials of bodies that come from assemblies."""
        self._faults: list[tuple[Path, str]] = []
        world = self._table.world.model_dump(exclude={"duration", "start"})
        self._world = World(**world)

    def build(self) -> Scene:
        """The scene; everything that is wrong with its parts and bodies is told at once."""
        self._add_bodies()
        self._stop_at_faults()
        self._add_assemblies()
        self._stop_at_faults()
        self._set_pairs()
        self._add_joints()
        self._stop_at_faults()
        self._add_soft()
        self._stop_at_faults()
        self._go_on()
        measures = self._measures()
        self._stop_at_faults()
        drive = self._drives()
        with self._at(("played",)):
            drive = self._played(drive)
        self._stop_at_faults()
        return Scene(self._world, self._table.world.duration, drive, self._view(), measures)

    def _played(self, drive: Drive | None) -> Drive | None:
        """What drives the scene, and over it what a hand did, if that was kept."""
        if self._table.played is None:
            return drive
        file = self._definition.sources.folder(("played",)) / self._table.played
        return PlayedDrive(read_hand_track(file, names_of(self._world)), drive)

    @contextmanager
    def _at(self, path: Path) -> Iterator[None]:
        """What goes wrong here is the fault of this key."""
        try:
            yield
        except Fault as fault:
            self._faults.append((fault.path, fault.message))
        except SceneError:
            raise
        except AbutError as error:
            self._faults.append((path, str(error)))

    def _stop_at_faults(self) -> None:
        if self._faults:
            raise SceneError(self._definition.sources.problems(self._faults))

    def _drives(self) -> Drive | None:
        """What pushes, turns, leads and holds bodies; None where nothing does."""
        made: list[tuple[float, float, Action]] = []
        for name, table in self._table.drives.items():
            with self._at(("drives", name)):
                folder = self._definition.sources.folder(("drives", name))
                made.append(timed_action(table, self._definition.values, folder, self._world))
        return Drives(tuple(made)) if made else None

    def _part(self, name: str, above: tuple[str, ...] = ()) -> Solid:
        if name not in self._parts:
            path = ("parts", name)
            if name in above:
                raise Fault(path, f"is made of itself: {' -> '.join((*above, name))}")
            with _blaming(path):
                table = self._table.parts[name]
                solid = self._made(table, path, (*above, name))
                moved = solid if _stays(table) else solid.transformed(pose_of(table))
                self._parts[name] = moved.renamed(name if table.name is None else table.name)
        return self._parts[name]

    def _made(self, table: PartTable, path: Path, above: tuple[str, ...]) -> Solid:
        ways = [way for way in ("file", "library", "union", "subtract", "intersect") if getattr(table, way) is not None]
        if len(ways) != 1:
            found = " and ".join(ways) or "none of them"
            raise Fault(path, f"expected one of file, library, union, subtract, intersect, got {found}")
        if table.library is not None:
            return _from_library(table.library, table.model_extra or {}, path)
        if table.model_extra:
            extra = next(iter(table.model_extra))
            known = list(type(table).model_fields)
            raise Fault(
                (*path, extra), f"there is no such key{meant(extra, known)}; expected one of {', '.join(known)}"
            )
        if table.file is not None:
            return self._loaded(table, path)
        return self._combined(ways[0], table, above)

    def _loaded(self, table: PartTable, path: Path) -> Solid:
        file = self._definition.sources.folder((*path, "file")) / str(table.file)
        if table.exact:
            return _read_exactly(file)
        options: dict[str, Any] = {"unit": table.unit, "repair": table.repair, "flatness": table.flatness}
        if table.tolerance is not None:
            options["tolerance"] = table.tolerance
        with _blaming((*path, "file")):
            return Solid.load(file, **options)

    def _combined(self, way: str, table: PartTable, above: tuple[str, ...]) -> Solid:
        first, *others = [self._part(name, above) for name in getattr(table, way)]
        for other in others:
            first = first | other if way == "union" else first - other if way == "subtract" else first & other
        return first

    def _add_bodies(self) -> None:
        for name, table in self._table.bodies.items():
            with self._at(("bodies", name)):
                self._add_body(name, table)

    def _add_body(self, name: str, table: BodyTable) -> None:
        words = ("mass", "inertia", "velocity", "angular_velocity", "fixed", "kinematic", "group", "locked")
        given = {word: getattr(table, word) for word in (*words, "damping", "angular_damping")}
        laws = ("friction", "restitution") if table.mass is not None else ("density", "friction", "restitution")
        given |= self._laws(table, laws)
        body = self._world.add_body(self._shape(name, table), name, pose=pose_of(table), **given)
        if table.centre is not None:
            self._put_exactly(body, np.array(table.centre))

    def _add_assemblies(self) -> None:
        for name, table in self._table.assemblies.items():
            with self._at(("assemblies", name)):
                self._add_assembly(name, table)

    def _add_assembly(self, name: str, table: AssemblyTable) -> None:
        """The parts of a file; a part whose name is taken is called after the assembly, too."""
        file = self._definition.sources.folder(("assemblies", name, "file")) / table.file
        given = {word: value for word in ("unit", "tolerance") if (value := getattr(table, word)) is not None}
        taken = [body.name for body in self._world.bodies]
        with _blaming(("assemblies", name, "file")):
            parts = renamed(load_assembly(file, **given), taken, name)
        laws = self._laws(table, ("density", "friction", "restitution"))
        bodies = self._world.add_assembly(parts, loosen=table.loosen, fixed=table.fixed, pose=pose_of(table), **laws)
        if table.material is not None:
            self._made_of |= {body.name: table.material for body in bodies}

    def _laws(self, table: BodyTable | AssemblyTable | SoftTable, words: tuple[str, ...]) -> dict[str, float]:
        """What a table says, or its material where that says it for everything."""
        material, given = self._material(table.material), {}
        for word in words:
            own, common = getattr(table, word, None), getattr(material, word, None)
            value = common if own is None and not isinstance(common, dict) else own
            if value is not None:
                given[word] = value
        return given

    def _put_exactly(self, body: Body, centre: Floats) -> None:
        """Put a body's centre of mass where it was to the last bit, if that is where the body is said to be."""
        path = ("bodies", body.name, "centre")
        unit = abs(float(np.linalg.norm(centre[3:])) - 1.0) < 1e-6
        if not unit or float(np.abs(centre - body._centre_pose.row).max()) > 1e-9 * max(1.0, np.abs(centre).max()):
            raise Fault(path, "is not where position and rotation put the body; take centre out to move it")
        body._change(pose=centre, target=centre)

    def _material(self, name: str | None) -> MaterialTable | None:
        return None if name is None else self._table.materials[name]

    def _shape(self, name: str, table: BodyTable) -> Shape:
        if table.part is not None:
            return self._part(table.part)
        shape = FORMULAS[str(table.shape)]
        words = inspect.signature(shape).parameters
        given = {word: getattr(table, word) for word in words if getattr(table, word) is not None}
        for word, argument in words.items():
            if word not in given and argument.default is argument.empty:
                raise Fault(("bodies", name), f"a {table.shape} needs {word} =")
        return shape(**given)

    def _set_pairs(self) -> None:
        """Laws between materials, and what is said of single pairs over them."""
        laws = dict(self._material_pairs())
        rules: dict[frozenset[str], tuple[str, str, str, Path]] = {}
        for i, pair in enumerate(self._table.pairs):
            key = frozenset((pair.a, pair.b))
            own = {law: getattr(pair, law) for law in _LAWS if getattr(pair, law) is not None}
            laws[key] = {**laws.get(key, {}), **own}
            rules[key] = (pair.a, pair.b, pair.rule, ("pairs", i))
        for key, given in laws.items():
            first, second = sorted(key)
            a, b, rule, path = rules.get(key, (first, second, "contact", ("materials",)))
            with self._at(path):
                self._world.set_pair(self._world.body(a), self._world.body(b), rule, **given)

    def _material_pairs(self) -> Iterator[tuple[frozenset[str], dict[str, float]]]:
        """Pairs of bodies whose materials have laws between them."""
        between: dict[frozenset[str], dict[str, float]] = {}
        for law in _LAWS:
            for name, material in self._table.materials.items():
                against = getattr(material, law)
                for other, value in (against if isinstance(against, dict) else {}).items():
                    between.setdefault(frozenset((name, other)), {})[law] = value
        made_of = {name: body.material for name, body in self._table.bodies.items() if body.material is not None}
        made_of |= self._made_of
        for a, b in combinations(made_of, 2) if between else ():
            found = between.get(frozenset((made_of[a], made_of[b])))
            if found:
                yield frozenset((a, b)), found

    def _add_joints(self) -> None:
        for name, table in self._table.joints.items():
            with self._at(("joints", name)):
                self._add_joint(name, table)

    def _add_joint(self, name: str, table: JointTable) -> None:
        words = ("anchor", "axis", "anchor_other", "axis_other", "length", "pitch", "contact")
        given = {word: getattr(table, word) for word in words if getattr(table, word) is not None}
        given["limits"] = table.limits
        given["motor"] = _each(table.motor, _motor)
        given["spring"] = _each(table.spring, _spring)
        other = None if table.other is None else self._world.body(table.other)
        self._world.add_joint(table.type, self._world.body(table.body), other, name=name, **given)

    def _add_soft(self) -> None:
        for name, table in self._table.soft.items():
            path = ("soft", name)
            with self._at(path):
                file = None if table.mesh is None else self._definition.sources.folder((*path, "mesh")) / table.mesh
                add_soft(self._world, name, table, self._part, file, self._laws(table, ("density", "friction")))

    def _go_on(self) -> None:
        """Go on from a snapshot, if it is one of the world that the file describes."""
        start, path = self._table.world.start, ("world", "start")
        if start is None:
            return
        with self._at(path):
            file = self._definition.sources.folder(path) / start
            try:
                blob = file.read_bytes()
            except OSError as error:
                raise Fault(path, str(unreadable(file, error))) from None
            before, options = self._world._now, _options(self._world)
            self._world.load(blob)
            if different := _differences(before, self._world._now, options, _options(self._world)):
                raise Fault(path, f"is of another world: {different}; take start out to begin as the file says")
        self._stop_at_faults()

    def _view(self) -> View:
        table, names = self._table.view, names_of(self._world)
        lists = {word: _matching(names, getattr(table, word)) for word in ("shown", "cut", "clear")}
        return View(table.azimuth, table.elevation, **lists, around=table.around)

    def _measures(self) -> dict[str, Measure]:
        measures = {}
        for name, table in self._table.measures.items():
            with self._at(("measures", name)):
                measures[name] = make_measure(table, self._world)
        return measures


def _read_exactly(file: FilePath) -> Solid:
    """A part as abut.scene.save wrote it, with all that is known of it."""
    try:
        blob = file.read_bytes()
    except OSError as error:
        raise unreadable(file, error) from None
    sections = unpack(blob, VERSIONS)
    found = read_parts(sections["parts"], sections.get("facts"), {}) if "parts" in sections else []
    if len(found) != 1 or not is_polyhedron(found[0]):
        raise FileError(f"{file}: expected one part, as abut.scene.save writes it")
    return found[0]


def _options(world: World) -> dict[str, Any]:
    names = ("dt", "method", "solver", "level", "friction_law", "impacts", "kinematic_overlaps", "contact_gap")
    return {**{name: getattr(world, name) for name in names}, "gravity": np.asarray(world.gravity).tolist()}


def _differences(built: Moment, saved: Moment, options: dict[str, Any], saved_options: dict[str, Any]) -> str:
    """The first thing in which a snapshot says something else than the file."""
    for word, value in options.items():
        if saved_options[word] != value:
            return f"its {word} is {saved_options[word]}, that of the file {value}"
    for spec, other in zip(built.setup.specs, saved.setup.specs, strict=True):
        if not spec.says_the_same(other):
            return f"its body '{spec.name}' has another part, mass or setting"
    if not built.setup.laws.says_the_same(saved.setup.laws) or built.setup.rules != saved.setup.rules:
        return "bodies and pairs have other friction, restitution or rules"
    for word in ("pose", "twist"):
        other_rows = (getattr(built.state, word) != getattr(saved.state, word)).any(axis=1)
        if other_rows.any():
            return f"body '{built.setup.specs[int(other_rows.argmax())].name}' stands or moves differently"
    if different := _soft_differences(built.soft, saved.soft):
        return different
    names = [{spec.name: spec.type for spec in moment.joints.specs.values()} for moment in (built, saved)]
    return "" if names[0] == names[1] else f"its joints are {', '.join(names[1]) or 'none'}"


def _soft_differences(built: SoftMoment, saved: SoftMoment) -> str:
    if [spec.name for spec in built.specs] != [spec.name for spec in saved.specs]:
        return f"its soft bodies are {', '.join(spec.name for spec in saved.specs) or 'none'}"
    for spec, other in zip(built.specs, saved.specs, strict=True):
        if not spec.says_the_same(other):
            return f"its soft body '{spec.name}' has another cage, skin or material"
    for spec, state, other_state in zip(built.specs, built.states, saved.states, strict=True):
        if any(a.tobytes() != b.tobytes() for a, b in zip(state, other_state, strict=True)):
            return f"soft body '{spec.name}' stands or moves differently"
    for spec, links, others in zip(built.specs, built.attached, saved.attached, strict=True):
        if [(link.body, link.nodes.tolist()) for link in links] != [(o.body, o.nodes.tolist()) for o in others]:
            return f"nodes of its soft body '{spec.name}' are attached differently"
    return ""


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Errors in here are the fault of this key."""
    try:
        yield
    except AbutError as error:
        raise Fault(path, str(error)) from None


def _stays(table: PartTable) -> bool:
    """Whether a part is left where it was made, to the bit."""
    turned = table.rotation or table.quat_wxyz or table.rotvec or table.euler_xyz_deg
    return not turned and table.position == (0.0, 0.0, 0.0)


def _from_library(name: str, arguments: Mapping[str, Any], path: Path) -> Solid:
    makers = library()
    if name not in makers:
        known = ", ".join(makers)
        raise Fault((*path, "library"), f"there is no {name!r} in the library{meant(name, makers)}; it has {known}")
    accepted = [word for word in inspect.signature(makers[name]).parameters if word != "name"]
    for word in arguments:
        if word not in accepted:
            known = ", ".join(accepted) or "none"
            raise Fault((*path, word), f"{name} takes no such argument{meant(word, accepted)}; it takes {known}")
    whole = {
        word: int(v) if isinstance(v, float) and v.is_integer() and _counts(makers[name], word) else v
        for word, v in arguments.items()
    }
    try:
        return makers[name](**whole)
    except TypeError as error:
        raise Fault(path, f"{name} cannot be made of these arguments ({error})") from None


def _counts(make: Callable[..., Solid], word: str) -> bool:
    """Whether an argument is a whole number; expressions give floats."""
    return "int" in str(inspect.signature(make).parameters[word].annotation)


def _matching(names: list[str], patterns: list[str]) -> tuple[str, ...]:
    return tuple(name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns))


def _each(given: Any, make: Callable[[Any], Any]) -> Any:
    """What is said of one coordinate, or of several by name."""
    if given is None:
        return None
    return {name: make(table) for name, table in given.items()} if isinstance(given, dict) else make(given)


def _motor(table: MotorTable) -> Motor:
    return Motor(**table.model_dump())


def _spring(table: SpringTable) -> Spring:
    return Spring(**table.model_dump())
