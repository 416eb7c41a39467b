"""`abut play`: how soon a moved hand acts and is seen, frames a second, pace, processor time and memory of the server.

Clients on this machine move the hand as a pointer would, acknowledge every frame, and look for their targets in frames.
Wanted: a target acts within 5 ms (median) and 20 ms (95 %), is drawn within 50 ms (median), 60 frames a second and real
time with 20 moving parts and 30 with 100, less than 0.15 of a core beside the physics, a first picture of 18 solids
within 3 s.
"""

import contextlib
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

import numpy as np
from rich.console import Console
from rich.table import Table
from websockets.sync.client import connect

SECONDS = 6.0
MOVES = 125.0
"""A second, as of a mouse."""
PARTS = """
[world]
gravity = [0, 0, 0]
[parts.block]
library = "box"
size = [0.02, 0.02, 0.02]
[bodies.block]
part = "block"
position = ["=0.05*(i%10)", "=0.05*floor(i/10)", 0]
velocity = ["=1e-3*sin(i)", "=1e-3*cos(i)", 0]
angular_velocity = [0.3, 0.2, 0.1]
repeat = {n}
"""
FLAGS = (
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--ignore-gpu-blocklist", "--disable-background-networking"),
)


def run(console: Console) -> None:
    console.print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        scenes = {"peg_in_hole": "peg_in_hole", **{f"{n} parts": many_parts(Path(folder), n) for n in (20, 100)}}
        heads = ("acts after, median (ms)", "p95 (ms)", "in a frame after (ms)", "frames/s", "pace", "server, cores")
        table = Table("scene", *heads)
        for name, scene in scenes.items():
            table.add_row(name, *(f"{figure:.3g}" for figure in measure(scene)))
        console.print(table)
        first_pictures(console, Path(folder))
    drawn(console)
    memory(console)


def many_parts(folder: Path, n: int) -> str:
    file = folder / f"{n}.toml"
    file.write_text(PARTS.format(n=n))
    return str(file)


@contextlib.contextmanager
def served(scene: str):
    """A server and the address of its page."""
    command = [sys.executable, "-m", "abut", "play", scene, "--no-browser", "--port", "0"]
    given = {**os.environ, "DISPLAY": ""}
    given.pop("PYTHONDONTWRITEBYTECODE", None)  # people have bytecode of abut on their disks
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=given) as process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)


def measure(scene: str) -> list[float]:
    """Figures of a hand that moves the first free part."""
    with served(scene) as (process, address), connected(address) as socket:
        known = read_scene(socket.recv())
        index = next(i for i, body in enumerate(known["bodies"]) if not body["fixed"])
        poses, status = next_frame(socket)
        while status["said"]:
            poses, status = next_frame(socket)
        return dragged(socket, process.pid, index, poses[index, :3])


def dragged(socket, pid: int, index: int, start: np.ndarray) -> list[float]:
    """Median and p95 of the time until a target acts [ms], median until it is in a frame, frames/s, pace, cores."""
    say(socket, do="grab", body=index, point=[0, 0, 0], target=start.tolist())
    begun, spent, sent, acted, seen, frames = time.monotonic(), cpu(pid), {}, [], [], 0
    following = begun
    while (now := time.monotonic()) < begun + SECONDS:
        if now >= following:
            following += 1.0 / MOVES
            target = float(start[2]) + 1e-3 + 1e-6 * len(sent)
            sent[target] = now
            say(socket, do="move", target=[start[0], start[1], target])
        with contextlib.suppress(TimeoutError):
            _, status = next_frame(socket, max(following - time.monotonic(), 1e-4))
            frames += 1
            if status["held"] and (then := sent.get(status["held"]["target"][2])):
                acted.append(status["held"]["heard"] - then)
                seen.append(time.monotonic() - then)
    took = time.monotonic() - begun
    late = quantiles(acted, n=20)[-1]
    return [
        1e3 * median(acted),
        1e3 * late,
        1e3 * median(seen),
        frames / took,
        status["pace"],
        (cpu(pid) - spent) / took,
    ]


def first_pictures(console: Console, folder: Path) -> None:
    """[s] from the command to the first picture."""
    files = {"peg_in_hole": "peg_in_hole"}
    with contextlib.suppress(ImportError):
        files["STEP assembly of 18 solids"] = bolted(folder / "bolted.step")
    table = Table("first picture", "s, best of two", "ready to be dragged, s")
    for name, scene in files.items():
        times = [_first_picture(scene) for _ in range(2)]
        table.add_row(name, *(f"{min(column):.2f}" for column in zip(*times, strict=True)))
    console.print(table)


def _first_picture(scene: str) -> tuple[float, float]:
    begun = time.monotonic()
    with served(scene) as (_, address), connected(address) as socket:
        socket.recv()
        _, status = next_frame(socket)
        first = time.monotonic() - begun
        while status["said"]:
            _, status = next_frame(socket)
        return first, time.monotonic() - begun


def bolted(file: Path) -> str:
    """A plate with bolts through it and washers under their heads, 18 solids."""
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
    from OCP.STEPControl import STEPControl_StepModelType, STEPControl_Writer

    def cylinder(x: float, y: float, z: float, radius: float, height: float):
        return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, y, z), gp_Dir(0, 0, 1)), radius, height).Shape()

    places = [(20.0 + 40.0 * i, 20.0 + 40.0 * j) for i in range(4) for j in range(2)]
    plate = BRepPrimAPI_MakeBox(gp_Pnt(0, 0, 0), 160.0, 80.0, 20.0).Shape()
    solids = [BRepPrimAPI_MakeBox(gp_Pnt(70, 30, 20.1), 20.0, 20.0, 10.0).Shape()]
    for x, y in places:
        plate = BRepAlgoAPI_Cut(plate, cylinder(x, y, -1.0, 5.5, 30.0)).Shape()
        washer = BRepAlgoAPI_Cut(cylinder(x, y, 20.1, 10.0, 2.0), cylinder(x, y, 20.0, 5.5, 3.0)).Shape()
        bolt = BRepAlgoAPI_Fuse(cylinder(x, y, -5.0, 5.0, 30.0), cylinder(x, y, 22.2, 9.0, 6.0)).Shape()
        solids += [washer, bolt]
    writer = STEPControl_Writer()
    with quiet():
        for solid in [plate, *solids]:
            writer.Transfer(solid, STEPControl_StepModelType.STEPControl_AsIs)
        writer.Write(str(file))
    return str(file)


@contextlib.contextmanager
def quiet():
    """Without what libraries print past Python."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


WATCH = """
() => {
  const pending = new Map(); window.late = []
  const send = WebSocket.prototype.send
  WebSocket.prototype.send = function (text) {
    const told = typeof text === 'string' ? JSON.parse(text) : {}
    if (told.do === 'move') pending.set(told.target.join(), performance.now())
    return send.call(this, text)
  }
  const look = () => {
    const key = window.abut?.state(false).held?.target.join()
    if (pending.has(key)) { window.late.push(performance.now() - pending.get(key)); pending.delete(key) }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
"""


def drawn(console: Console) -> None:
    """[ms] from a pointer that moves to the pose that is drawn for it, in Chromium without a graphics card."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        console.print("target to drawn pose: not measured, there is no Chromium or no playwright")
        return
    with served("peg_in_hole") as (_, address), sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1000, "height": 700})
        page.goto(address)
        while not page.evaluate("window.abut ? window.abut.state(false).frame > 5 : false"):
            time.sleep(0.1)
        page.evaluate(WATCH)
        place = page.evaluate("window.abut.state().parts.find(p => p.name === 'peg').screen")
        page.mouse.move(*place)
        page.mouse.down()
        for k in range(200):
            page.mouse.move(place[0] + 0.3 * k, place[1] - 0.3 * k)
            time.sleep(0.02)
        late = page.evaluate("window.late")
        browser.close()
    console.print(
        f"target to drawn pose: median {median(late):.3g} ms, p95 {quantiles(late, n=20)[-1]:.3g} ms ({len(late)})"
    )


def memory(console: Console) -> None:
    """Growth of memory in simulated play, with drags, undo and a hand that never rests."""
    from abut.app.play.commands import Command
    from abut.app.play.session import Session
    from abut.app.play.sources import open_source

    session = Session(open_source(["peg_in_hole"]))
    index = session.world.body("peg").index
    start = np.array(session.world.body("peg").pose.position)
    sizes, steps = [], 0
    for drag in range(60):
        session.obey(Command("grab", {"body": index, "point": (0.0, 0.0, 0.0), "target": tuple(start)}))
        for k in range(500):
            if k % 8 == 0:
                way = 0.01 * np.array((np.sin(0.02 * k), np.cos(0.03 * k), -1.0))
                session.obey(Command("move", {"target": tuple(start + way)}))
            session.step()
            steps += 1
        session.frame(1.0)
        session.obey(Command("release", {}))
        session.obey(Command("undo" if drag % 3 else "reset", {}))
        sizes.append(resident())
    grown = sizes[-1] - sizes[19]
    console.print(
        f"memory in {steps * session.world.dt:.0f} s of play: {sizes[19]:.0f} MB after a third, {grown:+.1f} MB since"
    )


def resident() -> float:
    """[MB] of this process, on Linux; nan elsewhere."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return float("nan")


def connected(address: str):
    return connect(address.replace("http", "ws", 1).replace("/?", "/ws?"), compression=None, max_size=None)


def say(socket, **command) -> None:
    socket.send(json.dumps(command))


def next_frame(socket, timeout: float | None = None) -> tuple[np.ndarray, dict]:
    """Poses and status of the next frame, acknowledged."""
    while True:
        message = socket.recv(timeout)
        if struct.unpack_from("<I", message)[0] == 0xAB07:
            say(socket, do="ack", frame=0)
            return read_frame(message)


def read_scene(message: bytes) -> dict:
    (length,) = struct.unpack_from("<I", message, 4)
    return json.loads(message[8 : 8 + length])


def read_frame(message: bytes) -> tuple[np.ndarray, dict]:
    _, bodies, contacts, _, _, text, edges, soft, _ = struct.unpack_from("<IIIIdIIII", message)
    after = 40 + 56 * bodies + 112 * contacts + 56 * edges + soft
    return np.frombuffer(message, "<f8", 7 * bodies, 40).reshape(-1, 7), json.loads(message[after : after + text])


def cpu(pid: int) -> float:
    """[s] that a process has taken, on Linux; nan elsewhere."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
