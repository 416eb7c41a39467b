"""The server of the page: hands out one file, passes commands to the physics and frames to the pages.

Of frames, the newest wins: a page that is slow gets fewer of them, never old ones, and no more than three that it has
not yet acknowledged. One page drives, the others watch and can take the hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from .commands import HEAVY, LONGEST, Command, Refused, parse
from .dropped import Drops
from .guard import HEAVY_BURST, HEAVY_PER_SECOND, Guard, Rate, page_headers
from .outbox import Outbox

PAGE = Path(__file__).parent / "page" / "index.html"
IN_FLIGHT = 3
"""Frames that a page has not acknowledged."""
MOST_PAGES = 16
FAREWELL = 2.0
"""[s] that a page has to answer when it is sent away."""
MOST_WRONG = 20
"""Messages that are no commands, after which a page is sent away."""


@dataclass(eq=False)
class Client:
    """A page that watches."""

    socket: ServerConnection
    fresh: asyncio.Event = field(default_factory=asyncio.Event)
    credit: int = IN_FLIGHT
    rate: Rate = field(default_factory=Rate)
    heavy: Rate = field(default_factory=lambda: Rate(HEAVY_PER_SECOND, HEAVY_BURST))
    wrong: int = 0
    scene: int = -1
    """Number of the scene that it was told."""


class Hub:
    """Pages on one side, the physics on the other."""

    def __init__(self, pipe: Connection, scene: bytes, bodies: int) -> None:
        self._pipe, self._scene, self._bodies, self._scenes = pipe, scene, bodies, 0
        self._outbox = Outbox(pipe)
        self._frame = b""
        self._clients: list[Client] = []
        self._driver: Client | None = None
        self.ended = asyncio.Event()
        self.choose: Callable[[int], None] = lambda number: None
        """Shows another scene of the library."""
        self.failed = ""
        """Why the physics has ended, if it said so."""

    def listen(self) -> None:
        """Hear what the physics tells; called when there is something to read."""
        try:
            while self._pipe.poll():
                kind, content = self._pipe.recv()
                if kind == "scene":
                    self._scene, self._scenes = content, self._scenes + 1
                elif kind == "frame":
                    self._frame = content
                elif kind == "begun":
                    self._bodies = content.bodies
                elif kind == "failed":
                    self.failed = content
                    self.ended.set()
        except (EOFError, OSError):
            self.ended.set()
        for client in self._clients:
            client.fresh.set()

    def change(self, pipe: Connection, scene: bytes, bodies: int) -> None:
        """Show what another physics simulates."""
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._pipe.fileno())
        self._pipe.close()
        self._pipe, self._scene, self._bodies, self._frame = pipe, scene, bodies, b""
        self._scenes += 1
        self._outbox.change(pipe)
        loop.add_reader(pipe.fileno(), self.listen)
        self._tell(Command("watched", {"on": bool(self._clients)}))
        for client in self._clients:
            client.fresh.set()

    def forget_reader(self) -> None:
        """Hear no more of the physics."""
        if not self._pipe.closed:
            asyncio.get_running_loop().remove_reader(self._pipe.fileno())

    async def welcome(self, socket: ServerConnection) -> None:
        """Serve a page until it leaves; if it drives, its hand lets go then."""
        if len(self._clients) >= MOST_PAGES:
            await socket.close(1013, "too many pages are open")
            return
        client = Client(socket)
        self._clients.append(client)
        if self._driver is None:
            self._driver = client
        self._tell(Command("watched", {"on": True}))
        sending = asyncio.create_task(self._send_frames(client))
        reason = ""
        try:
            reason = await self._hear(client)
        except ConnectionClosed:
            pass
        finally:
            sending.cancel()
            self._leave(client)  # before the farewell, for which a rude page may let one wait
        if reason:
            await socket.close(1008, reason)

    def _leave(self, client: Client) -> None:
        self._clients.remove(client)
        if self._driver is client:
            self._tell(Command("release"))
            self._driver = self._clients[0] if self._clients else None
        if not self._clients:
            self._tell(Command("watched", {"on": False}))

    async def _hear(self, client: Client) -> str:
        """Do what a page asks for; returns why it is sent away."""
        async for message in client.socket:
            if not client.rate.allows():
                return "too many messages"
            try:
                self._obey(client, parse(message, self._bodies))
            except Refused:
                client.wrong += 1
                if client.wrong > MOST_WRONG:
                    return "too many messages that are no commands"
        return ""

    def _obey(self, client: Client, command: Command) -> None:
        if command.do == "ack":
            client.credit = min(client.credit + 1, IN_FLIGHT)
            client.fresh.set()
        elif command.do == "take":
            self._tell(Command("release"))
            self._driver = client
        elif client is self._driver and (command.do not in HEAVY or client.heavy.allows()):
            if command.do == "open":
                self.choose(command["number"])
            else:
                self._tell(command)

    def say(self, sentence: str) -> None:
        """Let pages show a sentence."""
        self._tell(Command("tell", {"sentence": sentence}))

    async def _send_frames(self, client: Client) -> None:
        shown = b""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await client.fresh.wait()
                client.fresh.clear()
                if client.scene != self._scenes:
                    client.scene = self._scenes
                    await client.socket.send(self._scene)
                if client.credit > 0 and self._frame and self._frame is not shown:
                    shown, client.credit = self._frame, client.credit - 1
                    await client.socket.send(b"".join((shown, self._role(client))))

    def _role(self, client: Client) -> bytes:
        """Whether the page drives, and how many watch: two bytes behind each frame."""
        return bytes((1 if client is self._driver else 0, min(len(self._clients), 255)))

    def _tell(self, command: Command) -> None:
        try:
            self._outbox.put(command)
        except OSError:
            self.ended.set()

    async def pass_on(self) -> None:
        """Pass on to the physics what it had no time for at once; until cancelled."""
        try:
            await self._outbox.flushing()
        except OSError:
            self.ended.set()


@contextlib.asynccontextmanager
async def serving(hub: Hub, drops: Drops, guard: Guard, host: str, port: int) -> AsyncIterator[Server]:
    """A server of the page, of its socket, and of the one through which dropped files come."""
    page = PAGE.read_bytes()
    headers = page_headers(page)

    def answer(connection: ServerConnection, request: Request) -> Response | None:
        if refused := guard.refusal(request):
            return connection.respond(http.HTTPStatus.FORBIDDEN, refused + "\n")
        path = urlsplit(request.path).path
        if path in ("/ws", "/drop"):
            return None
        if path != "/":
            return connection.respond(http.HTTPStatus.NOT_FOUND, "there is only one page here: /\n")
        return Response(200, "OK", headers, page)

    async def greet(socket: ServerConnection) -> None:
        request = socket.request
        dropping = request is not None and urlsplit(request.path).path == "/drop"
        await (drops.take(socket) if dropping else hub.welcome(socket))

    async with serve(
        greet,
        host,
        port,
        compression=None,
        process_request=answer,
        max_size=LONGEST,
        max_queue=64,
        close_timeout=FAREWELL,
    ) as server:
        yield server
