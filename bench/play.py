"""The server of `abut play`: how soon a moved hand is in a frame, frames a second, pace, processor time of the server.

A client on this machine moves the hand 60 times a second, acknowledges every frame, and looks for its target in frames.
"""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from statistics import median, quantiles

import numpy as np
from rich.console import Console
from rich.table import Table
from websockets.sync.client import connect

SECONDS = 6.0
SCENES = {"peg_in_hole": "peg", "chain": None}


def run(console: Console) -> None:
    table = Table("scene", "hand to frame, median [ms]", "p95 [ms]", "frames/s", "pace", "server, cores")
    for scene, body in SCENES.items():
        table.add_row(scene, *measure(scene, body))
    console.print(table)


def measure(scene: str, body: str | None) -> list[str]:
    command = [sys.executable, "-m", "abut", "play", scene, "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        try:
            ages, frames, pace, spent = drive(address.replace("http", "ws", 1).replace("/?", "/ws?"), body, process.pid)
        finally:
            process.send_signal(signal.SIGINT)
    late = quantiles(ages, n=20)[-1]
    figures = (1e3 * median(ages), 1e3 * late, frames / SECONDS, pace, spent / SECONDS)
    return [f"{figure:.3g}" for figure in figures]


def drive(address: str, body: str | None, pid: int) -> tuple[list[float], int, float, float]:
    """Ages of the hand's moves when they come back, frames, the last pace, processor time of the server [s]."""
    with connect(address, compression=None, max_size=None) as socket:
        scene = read_scene(socket.recv())
        index = next(i for i, b in enumerate(scene["bodies"]) if not b["fixed"] and body in (None, b["name"]))
        poses, _ = read_frame(socket.recv())
        start = poses[index, :3]
        say(socket, do="grab", body=index, point=[0, 0, 0], target=start.tolist())
        begun, spent, sent, ages, frames, pace = time.perf_counter(), cpu(pid), {}, [], 0, 0.0
        while (now := time.perf_counter()) < begun + SECONDS:
            target = [start[0], start[1], start[2] + 1e-3 + 1e-6 * len(sent)]
            sent[target[2]] = now
            say(socket, do="move", target=target)
            _, status = read_frame(socket.recv())
            say(socket, do="ack", frame=0)
            frames, pace = frames + 1, status["pace"]
            if status["held"] and (then := sent.pop(status["held"]["target"][2], None)):
                ages.append(time.perf_counter() - then)
        return ages, frames, pace, cpu(pid) - spent


def say(socket, **command) -> None:
    socket.send(json.dumps(command))


def read_scene(message: bytes) -> dict:
    (length,) = struct.unpack_from("<I", message, 4)
    return json.loads(message[8 : 8 + length])


def read_frame(message: bytes) -> tuple[np.ndarray, dict]:
    _, bodies, contacts, _, _, text, edges = struct.unpack_from("<IIIIdII", message)
    after = 32 + 56 * bodies + 112 * contacts + 56 * edges
    return np.frombuffer(message, "<f8", 7 * bodies, 32).reshape(-1, 7), json.loads(message[after : after + text])


def cpu(pid: int) -> float:
    """[s] that a process has taken, on Linux; nan elsewhere."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
