"""A server of `abut play` and clients without a browser."""

import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import time

import numpy as np
from websockets.sync.client import connect

PATIENCE = 300.0


@contextlib.contextmanager
def served(*arguments, cwd=None):
    """The process of a server and the address it printed."""
    command = [sys.executable, "-m", "abut", "play", *map(str, arguments), "--no-browser", "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, cwd=cwd, env={**os.environ, "DISPLAY": ""}) as process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10.0)
            process.kill()


def socket_address(address):
    return address.replace("http", "ws", 1).replace("/?", "/ws?")


class Client:
    """A page that only listens and speaks."""

    def __init__(self, address, **options):
        self.socket = connect(socket_address(address), compression=None, max_size=None, close_timeout=0.3, **options)
        self.scene = read_scene(self.socket.recv(PATIENCE))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def say(self, **command):
        self.socket.send(json.dumps(command))

    def frame(self):
        """The next frame: poses, status, and whether this page drives."""
        while True:
            message = self.socket.recv(PATIENCE)
            if struct.unpack_from("<I", message)[0] == 0xAB07:
                self.say(do="ack", frame=0)
                return read_frame(message)
            self.scene = read_scene(message)

    def until(self, holds):
        """The first frame of which something holds."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.frame()
            if holds(found):
                return found
        raise AssertionError(f"not within {PATIENCE} s: {found}")


def read_scene(message):
    (length,) = struct.unpack_from("<I", message, 4)
    return json.loads(message[8 : 8 + length])


def read_frame(message):
    _, bodies, contacts, number, at, text, edges, soft, _ = struct.unpack_from("<IIIIdIIII", message)
    after = 40 + 56 * bodies + 112 * contacts + 56 * edges + soft
    status = json.loads(message[after : after + text])
    poses = np.frombuffer(message, "<f8", 7 * bodies, 40).reshape(-1, 7)
    driving, watchers = message[after + text], message[after + text + 1]
    return {**status, "poses": poses, "number": number, "time": at, "driving": bool(driving), "watchers": watchers}
