"""`abut play`: a scene, an assembly or parts in the browser, to take in the hand."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import secrets
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ...errors import InputError
from .asked import Asked, Begun
from .guard import LOCAL

if TYPE_CHECKING:
    from .dropped import Drops
    from .server import Hub

PORT = 8321
"""Where the page is, if nothing else is asked for; the next free one where it is taken."""
TRIED = 20
"""Ports that are tried."""
SILENCE = 10.0
"""[s] after which a word is said on what takes so long."""
DROPPED_UNIT = "mm"
"""Of dropped files that do not say theirs, where the command line does not."""
DROPPED_PATIENCE = 120.0
"""[s] that opening dropped files may take."""


def play(
    what: list[str] | None = typer.Argument(
        None,
        metavar="WHAT",
        help="A scene file (.toml), a STEP assembly, files with parts, or a demo; without it, choose on the page.",
    ),
    port: int | None = typer.Option(None, min=0, max=65535, help=f"Port of the page; {PORT} or the next free one."),
    host: str = typer.Option("127.0.0.1", help="Address to listen on; any other than this machine's needs --token."),
    token: str | None = typer.Option(None, help="Secret that the address must hold; made up if left out."),
    browser: bool = typer.Option(True, help="Open the page in the browser."),
    unit: str | None = typer.Option(None, help="Of files that do not say theirs, such as STL: mm, m, in, ..."),
    drive: bool = typer.Option(False, "--drive", help="Let the scene's own hands and forces act from the start."),
    keep_in: Path = typer.Option(Path("played"), help="Folder for what the hand did, when the page keeps it (K)."),
) -> None:
    """Play with parts in the browser: drag them, watch what they touch and how hard.

    Prints the address of the page; Ctrl-C ends it.
    """
    asked = Asked(tuple(what or ()), driven=drive, unit=unit, keep_in=str(keep_in))
    show(asked, port=port, host=host, token=token, browser=browser)


def show(
    asked: Asked,
    *,
    port: int | None = None,
    host: str = "127.0.0.1",
    token: str | None = None,
    browser: bool = True,
    hinted: bool = False,
) -> None:
    """Serve the page until Ctrl-C; if `hinted`, say what to try before the address."""
    if host not in LOCAL and not token:
        raise InputError(f"--host {host}: others could reach the page there; give a secret with --token as well")
    if token is not None and (
        len(token) < 8 or not token.isascii() or not token.replace("-", "").replace("_", "").isalnum()
    ):
        raise InputError("--token: expected at least 8 letters, digits, - or _")
    secret = token or secrets.token_urlsafe(16)
    with _physics(asked) as (pipe, scene, begun), contextlib.suppress(KeyboardInterrupt):
        if hinted:
            typer.echo(f"Try this: {begun.hint}.")
        asyncio.run(_serve(asked, pipe, scene, begun, host, port, secret, browser))


@contextlib.contextmanager
def _physics(asked: Asked, patience: float | None = None) -> Iterator[tuple[Connection, bytes, Begun]]:
    """The process of the physics, when it has opened what is named: its pipe, the scene and what it said first."""
    from .start import serve

    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(asked, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        import_module(".server", __package__)  # while the physics begins
        if patience is None and not ours.poll(SILENCE):
            typer.echo(f"abut: opening {', '.join(asked.names)} ...; large parts can take minutes", err=True)
        begun = _answer(ours, patience)
        yield ours, _answer(ours, patience), begun
    finally:
        ours.close()
        _end(process)


def _answer(pipe: Connection, patience: float | None) -> Any:
    if not pipe.poll(patience):
        raise InputError(f"opening it takes longer than {patience:g} s; try it with abut play and the name of the file")
    try:
        kind, content = pipe.recv()
    except EOFError:
        raise InputError("the process of the physics ended before it began; its message is above") from None
    if kind == "failed":
        raise InputError(content)
    return content


def _end(process: BaseProcess) -> None:
    process.join(2.0)
    if process.is_alive():
        process.terminate()
        process.join(2.0)


async def _serve(
    asked: Asked,
    pipe: Connection,
    scene: bytes,
    begun: Begun,
    host: str,
    port: int | None,
    token: str,
    browser: bool,
) -> None:
    from .dropped import Drops
    from .server import Hub

    def simulated(
        names: tuple[str, ...], library: bool = False
    ) -> contextlib.AbstractContextManager[tuple[Connection, bytes, Begun]]:
        unit = asked.unit or DROPPED_UNIT
        return _physics(replace(asked, names=names, driven=False, unit=unit, library=library), DROPPED_PATIENCE)

    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # a browser that leaves is no news
    hub, loop, stop = Hub(pipe, scene, begun.bodies), asyncio.get_running_loop(), asyncio.Event()
    drops = Drops(hub, simulated, begun.choices)
    loop.add_reader(pipe.fileno(), hub.listen)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with contextlib.AsyncExitStack() as stack:
        found = await _bound(stack, hub, drops, host, port, token)
        address = f"http://{_shown(host)}:{found}/?token={token}"
        typer.echo(address)
        sys.stdout.flush()
        if browser and has_display():
            await asyncio.to_thread(webbrowser.open, address)
        passing = asyncio.create_task(hub.pass_on())
        ends = [asyncio.create_task(event.wait()) for event in (stop, hub.ended)]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        passing.cancel()
    hub.forget_reader()
    drops.end()
    if not stop.is_set():
        raise InputError(hub.failed or "the process of the physics has ended; its message is above")


async def _bound(
    stack: contextlib.AsyncExitStack, hub: Hub, drops: Drops, host: str, port: int | None, token: str
) -> int:
    """Serve at the port that was asked for, or at the first free one; returns it."""
    from .guard import Guard
    from .server import serving

    reason = ""
    for number in [port] if port is not None else range(PORT, PORT + TRIED):
        try:
            chosen = number or _free_port(host)
            await stack.enter_async_context(serving(hub, drops, Guard(token, host, chosen), host, chosen))
        except OSError as error:
            reason = error.strerror or str(error)
            continue
        return chosen
    where = f"port {port}" if port is not None else f"ports {PORT} to {PORT + TRIED - 1}"
    raise InputError(f"{where} of {host}: cannot be used ({reason}); name another with --port, or another --host")


def _free_port(host: str) -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _shown(host: str) -> str:
    """The host as an address has it."""
    name = "localhost" if host in ("0.0.0.0", "::") else host
    return f"[{name}]" if ":" in name else name


def has_display() -> bool:
    """Whether a browser can be opened here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
