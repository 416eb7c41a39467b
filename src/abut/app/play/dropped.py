"""What is shown instead of what is shown: files that are dropped on a page, or scenes of the library.

Files are taken into an empty folder, and opened by a process of their own.

A page says the names and sizes of the files first, waits until it is told to go on, then sends their bytes. Names are
plain, so that nothing is written anywhere else. A scene may name parts of the library and files that were dropped with
it, and nothing else. What cannot be opened is answered in words, while the physics that is shown goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from ...errors import AbutError, InputError
from .asked import Begun

if TYPE_CHECKING:
    from .server import Hub

MOST_FILES = 20
MOST_BYTES = 256 * 2**20
"""Of all files together."""
PARTS = (".step", ".stp", ".stl", ".ply", ".off", ".glb", ".3mf")
"""Kinds of files with parts; none of them makes a reader look for other files."""
KINDS = (*PARTS, ".toml", ".csv")
PATIENCE, LONGEST = 30.0, 600.0
"""[s] to wait for the next piece of a file, and for all of them."""
_NAME = re.compile(r"\w[\w .()+-]{0,99}")

Physics = AbstractContextManager[tuple[Connection, bytes, Begun]]
"""A process that simulates something, as long as it is needed: its pipe, the scene, what it said first."""


class Announced(NamedTuple):
    """A file that is to come."""

    name: str
    size: int
    """[bytes]."""


class Drops:
    """Takes files and shows them instead of what is shown; one drop at a time."""

    def __init__(self, hub: Hub, simulated: Callable[..., Physics], choices: Sequence[str] = ()) -> None:
        self._hub, self._simulated, self._choices = hub, simulated, choices
        self._busy = asyncio.Lock()
        self._kept = contextlib.ExitStack()
        self._choosing: asyncio.Task[None] | None = None
        hub.choose = self.choose

    def choose(self, number: int) -> None:
        """Show a scene of the library, unless something is being opened."""
        if 0 <= number < len(self._choices) and not self._busy.locked():
            self._choosing = asyncio.create_task(self._show(self._choices[number]))

    async def _show(self, name: str) -> None:
        async with self._busy:
            try:
                with contextlib.ExitStack() as stack:
                    await self._change(stack, self._simulated((name,), library=True))
            except AbutError as error:
                self._hub.say(str(error))

    async def take(self, socket: ServerConnection) -> None:
        """Take the files of one drop, and say what came of them."""
        with contextlib.suppress(ConnectionClosed):
            problem = await self._taken(socket)
            await socket.send(json.dumps({"problem": problem}))

    def end(self) -> None:
        """End what was opened, and take its files away."""
        self._kept.close()

    async def _taken(self, socket: ServerConnection) -> str:
        """Hear which files are to come, then take and open them; returns what is wrong with them."""
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="abut-dropped-")))
            try:
                files = announced(await _message(socket))
                if self._busy.locked():
                    return "other files are being opened; drop these again when they are shown"
                async with self._busy:
                    names = tuple(map(str, to_open(await received(socket, files, folder))))
                    await self._change(stack, self._simulated(names))
            except AbutError as error:
                return str(error).replace(f"{folder}/", "")
        return ""

    async def _change(self, stack: contextlib.ExitStack, physics: Physics) -> None:
        """Show another simulation, and end the one before; the stack holds what it needs."""
        pipe, scene, begun = await asyncio.to_thread(stack.enter_context, physics)
        self._hub.change(pipe, scene, begun.bodies)
        before, self._kept = self._kept, stack.pop_all()
        await asyncio.to_thread(before.close)


async def received(socket: ServerConnection, files: list[Announced], folder: Path) -> list[Path]:
    """Let a page send the files that it announced, and write them into a folder."""
    await socket.send(json.dumps({"ready": True}))
    try:
        async with asyncio.timeout(LONGEST):
            for file in files:
                await _write(socket, file, folder / file.name)
    except TimeoutError:
        raise InputError(f"the files did not come within {LONGEST:g} s; drop them again") from None
    return [folder / file.name for file in files]


async def _write(socket: ServerConnection, file: Announced, place: Path) -> None:
    with place.open("xb") as out:
        while out.tell() < file.size:
            piece = await _message(socket)
            if not isinstance(piece, bytes) or not 0 < len(piece) <= file.size - out.tell():
                raise InputError(f"{file.name}: came incomplete; drop it again")
            out.write(piece)


async def _message(socket: ServerConnection) -> str | bytes:
    try:
        return await asyncio.wait_for(socket.recv(), PATIENCE)
    except TimeoutError:
        raise InputError("the files did not come; drop them again") from None


def announced(message: str | bytes) -> list[Announced]:
    """The files that a page says it will send."""
    try:
        files = [Announced(file["name"], file["size"]) for file in json.loads(message)["files"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError("the page sent something else than files") from None
    if not 0 < len(files) <= MOST_FILES:
        raise InputError(f"{len(files)} files were dropped; expected 1 to {MOST_FILES}")
    for file in files:
        _check(file)
    if len({file.name.lower() for file in files}) < len(files):
        raise InputError("two files have the same name; rename one of them")
    if sum(file.size for file in files) > MOST_BYTES:
        raise InputError(f"the files have more than {MOST_BYTES // 2**20} MB together; drop fewer or smaller ones")
    return files


def _check(file: Announced) -> None:
    if not isinstance(file.name, str) or not _NAME.fullmatch(file.name) or ".." in file.name:
        raise InputError("a file has a name with other characters than letters, digits, space and . _ - + ( )")
    if not file.name.lower().endswith(KINDS):
        raise InputError(f"{file.name}: expected a file of the kinds {', '.join(KINDS)}")
    if not isinstance(file.size, int) or isinstance(file.size, bool) or file.size < 1:
        raise InputError(f"{file.name}: is empty")


def to_open(files: list[Path]) -> list[Path]:
    """The scene among the files, or the parts."""
    scenes = [file for file in files if file.suffix.lower() == ".toml"]
    if len(scenes) > 1:
        raise InputError(f"{', '.join(file.name for file in scenes)}: only one scene can be opened at a time")
    if scenes:
        check_scene(scenes[0])
        return scenes
    parts = [file for file in files if file.suffix.lower() in PARTS]
    if not parts:
        raise InputError(f"{files[0].name}: there is neither a scene nor a part among the files")
    return parts


def check_scene(file: Path) -> None:
    """Refuse a scene that names a file elsewhere."""
    try:
        tree = tomllib.loads(file.read_bytes().decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file.name}: is no TOML ({error})") from None
    if "include" in tree:
        raise InputError(f"{file.name}: includes other scenes, which a dropped scene cannot; put all into one file")
    for text in _texts(tree):
        if not (file.parent / text).resolve().is_relative_to(file.parent.resolve()):
            raise InputError(f"{file.name}: names {text!r}; a dropped scene can only name files dropped with it")


def _texts(value: Any) -> list[str]:
    """All texts of a tree that could name a file."""
    if isinstance(value, str):
        return [value] if "\0" not in value else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in _texts(each)]
