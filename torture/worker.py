"""Cases are judged in a process of its own: what crashes it or never ends is a finding, too."""

from __future__ import annotations

import multiprocessing as mp
import os
import resource
import signal
from multiprocessing.connection import Connection

from .finding import Case, Finding, Verdict

MEMORY = 12 * 2**30
"""[bytes] of address space that a case may use, kernels included."""


FIRST_PATIENCE = 4.0
"""How many times longer than others the first case of a worker may take: kernels may have to be compiled."""
WAITING = 20.0
"""How many times longer than that, by the clock, a case may take on a busy machine."""
START = "spawn"
"""How processes begin: afresh, whatever this one has loaded."""


class Worker:
    """A process that judges one case after the other."""

    def __init__(self) -> None:
        self._process: mp.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._patience = FIRST_PATIENCE

    def judge(self, case: Case, seconds: float) -> Verdict:
        """The verdict on a case; a crash and a case that takes longer, in processor time, are findings."""
        pipe = self._running()
        seconds, self._patience = seconds * self._patience, 1.0
        pipe.send((case, seconds))
        if not pipe.poll(WAITING * seconds):
            self.stop()
            return Verdict([Finding("hang", f"nothing came of it in {WAITING * seconds:.0f} s", size=seconds)])
        try:
            verdict: Verdict = pipe.recv()
        except EOFError:
            return Verdict([self._ended(seconds)])
        return verdict

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = None

    def _running(self) -> Connection:
        if self._process is None or self._pipe is None:
            context = mp.get_context(START)
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs,), daemon=False)
            self._process.start()
            theirs.close()
        return self._pipe

    def _ended(self, seconds: float) -> Finding:
        """Why the process is no more."""
        process, self._process = self._process, None
        code = None
        if process is not None:
            process.join()
            code = process.exitcode
        if code == -signal.SIGXCPU:
            return Finding("hang", f"nothing came of it in {seconds:.0f} s of processor time", size=seconds)
        return Finding("crash", f"the process ended with code {code}")


def _serve(pipe: Connection) -> None:
    """Judge what comes until nothing comes any more."""
    os.environ.setdefault("ABUT_QUIET", "1")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    from .cases import judge

    while True:
        try:
            case, seconds = pipe.recv()
        except EOFError:
            return
        _limit_time(seconds)
        pipe.send(judge(case))


def _limit_time(seconds: float) -> None:
    """Let the process end with SIGXCPU after so much more processor time of all its threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
