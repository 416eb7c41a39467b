"""Work that must not hold up a step: done by a thread of its own, in the order in which it was given."""

from __future__ import annotations

from collections.abc import Callable
from queue import Queue
from threading import Thread

Job = Callable[[], None]


class Background:
    """A thread that does jobs, at most so many of which wait; who gives more waits, too.

    What it does should leave Python to others: compressing and writing do. After a job that failed no more are done,
    and who gives or awaits one is told why.
    """

    def __init__(self, name: str, most: int) -> None:
        self._jobs: Queue[Job | None] = Queue(most)
        self._fault: Exception | None = None
        # A daemon, so that a program which forgets to close a record can end.
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def do(self, job: Job) -> None:
        """Have something done."""
        self.check()
        self._jobs.put(job)

    def check(self) -> None:
        """Tell of a job that failed."""
        if self._fault is not None:
            raise self._fault

    def wait(self) -> None:
        """Until all is done that was given so far."""
        self._jobs.join()
        self.check()

    def finish(self) -> None:
        """Wait until all is done, and end the thread."""
        self.stop()
        self.check()

    def stop(self) -> None:
        """The same, whatever failed."""
        if self._thread.is_alive():
            self._jobs.put(None)
            self._thread.join()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if self._fault is None:
                try:
                    job()
                except Exception as error:  # raised again when the next job is given
                    self._fault = error
            del job  # and what it holds, while waiting for the next
            self._jobs.task_done()
