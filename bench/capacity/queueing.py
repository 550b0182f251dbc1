"""Queueing: how long runs wait for a place of a worker, by formula and by an event-driven simulation."""

import heapq
import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_RUNS, RUNS_A_PLACE = 2_000_000, 200
WARM_UP, BATCHES = 10, 50


@dataclass(frozen=True, slots=True)
class Waiting:
    """Waits in a queue before a number of places.

    Args:
        mean_s: of all runs, those that did not wait included.
        p95_s: that 95 of 100 runs waited at most.
        busy: places in use, on average.
        error_s: standard error of the mean; 0 where it is computed.
    """

    mean_s: float
    p95_s: float
    busy: float
    error_s: float = 0.0


def erlang_c(load: float, places: int) -> float:
    """The chance to wait before `places` servers with an offered load in Erlangs; 1 if the load is too much.

    Source: Erlang's delay formula; computed by the recursion of his loss formula, which does not overflow.
    """
    if load >= places:
        return 1.0
    blocked = 1.0
    for count in range(1, places + 1):
        blocked = load * blocked / (count + load * blocked)
    return blocked / (1 - load / places * (1 - blocked))


def expected_waiting(arrivals: float, service_s: Sequence[float], places: int) -> Waiting:
    """Waits by formula, for arrivals a second at random moments and service times like these.

    Source: M/M/c, the mean scaled by (1 + cv²) / 2 for other than exponential times (Allen and Cunneen). The tail is
    taken as exponential. Infinite where the load is too much.
    """
    mean_service_s = statistics.fmean(service_s)
    load = arrivals * mean_service_s
    if load >= places:
        return Waiting(math.inf, math.inf, places)
    chance = erlang_c(load, places)
    variation = statistics.pvariance(service_s) / mean_service_s**2
    wait_s = mean_service_s / (places - load) * (1 + variation) / 2  # of one that waits
    p95_s = wait_s * math.log(chance / 0.05) if chance > 0.05 else 0.0
    return Waiting(chance * wait_s, p95_s, load)


def simulated_waiting(
    arrivals: float, service_s: Sequence[float], places: int, *, least_runs: int = LEAST_RUNS, seed: int = 1
) -> Waiting:
    """Waits of many runs, first come first served, with times drawn from the measured ones.

    The first tenth is left out: the places are empty at first. What one run waits says much of what the next one does,
    so that the mean of a million is known to a percent at best; its error is that of the means of `BATCHES`.
    """
    runs = max(least_runs, RUNS_A_PLACE * places)
    chance = random.Random(seed)
    took_s = chance.choices(service_s, k=runs)
    free_at_s = [0.0] * places  # a heap
    now_s, began_at_s, waits = 0.0, 0.0, []
    for at, one_s in enumerate(took_s):
        now_s += chance.expovariate(arrivals)
        if at == runs // WARM_UP:
            began_at_s = now_s
        wait_s = max(free_at_s[0] - now_s, 0.0)
        heapq.heapreplace(free_at_s, now_s + wait_s + one_s)
        waits.append(wait_s)
    del waits[: runs // WARM_UP]
    busy = sum(took_s[runs // WARM_UP :]) / (now_s - began_at_s)
    size = len(waits) // BATCHES
    means_s = [statistics.fmean(waits[at * size : (at + 1) * size]) for at in range(BATCHES)]
    error_s = statistics.stdev(means_s) / math.sqrt(BATCHES)
    waits.sort()
    return Waiting(statistics.fmean(waits), waits[int(0.95 * len(waits))], busy, error_s)
