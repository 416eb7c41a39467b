"""Commands on their way to the physics: never waited for, whatever the physics is busy with."""

from __future__ import annotations

import asyncio
from collections import deque
from multiprocessing.connection import Connection
from select import select

from .commands import Command

MOST_WAITING = 200
"""Commands that wait while a step takes long; more are dropped, but for those that let go."""
ALWAYS = ("release", "watched")


class Outbox:
    """Sends commands when the pipe takes them; of places of the hand that wait, the last counts."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._waiting: deque[Command] = deque()

    def change(self, pipe: Connection) -> None:
        """Send to another physics from now on; what waits was not meant for it."""
        self._pipe = pipe
        self._waiting.clear()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, command: Command) -> None:
        """Send a command, now or soon; raises OSError if nobody is there."""
        waiting = self._waiting
        if waiting and waiting[-1].do == command.do and command.do in ("move", "release"):
            waiting.pop()
        if len(waiting) >= MOST_WAITING and command.do not in ALWAYS:
            return
        waiting.append(command)
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as the pipe takes it."""
        while self._waiting and select([], [self._pipe], [], 0.0)[1]:
            self._pipe.send(self._waiting.popleft())

    async def flushing(self) -> None:
        """Go on sending what waits, until cancelled."""
        while True:
            await asyncio.sleep(0.01)
            if self._waiting:
                self.flush()
