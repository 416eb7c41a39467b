"""How long a call takes: the median of repeated runs, interleaved so that noise hits every rival alike."""

import time
from collections.abc import Callable
from statistics import median


def medians(rivals: dict[str, Callable[[], object]], repeats: int = 9) -> dict[str, float]:
    """Median seconds of each rival; one untimed call first, for caches and compilers."""
    for call in rivals.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(repeats):
        for name, call in rivals.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return {name: median(times) for name, times in seconds.items()}
