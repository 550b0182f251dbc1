"""Deployment: the processes, connections and memory that a demand needs, and what of it reaches a limit first."""

from dataclasses import dataclass

from bench.capacity.demand import Demand, round_up
from bench.capacity.measurement import ProcessCost

PLACES = 20  # SPROUT_WORKER_RUNS
BUSY = 0.7  # share of a core, or of a worker's places, that is used on purpose: waits grow steeply above it
REDIS_CPU = 2.0  # what the work costs when jobs and events go through PostgreSQL and Redis, in that of one process
STREAMS = 1_000  # of one web process, as in B7, which had 1,200
CONNECTIONS = 35  # of one process, at most: two pools of five and ten more, and a small one for jobs
STATEMENT_S = 0.001  # for how long a statement holds a connection behind a pooler
KEPT_S = 60.0  # for how long Redis keeps what a run has streamed


@dataclass(frozen=True, slots=True)
class Deployment:
    """Deployment that carries a demand: one process, or web processes and workers with PostgreSQL and Redis."""

    processes: int
    web: int
    workers: int
    memory_bytes: float
    connections: int
    pooled_connections: int
    redis_bytes: float

    @property
    def embedded(self) -> bool:
        return self.web == 0


def deployment_for(demand: Demand, process: ProcessCost) -> Deployment:
    """The least deployment; one process as long as half a core and its places are enough."""
    work = demand.runs_at_once * process.run_bytes + demand.streams * process.stream_bytes
    if demand.cpu_s <= BUSY / 2 and demand.runs_at_once <= PLACES * BUSY and demand.streams <= STREAMS:
        return Deployment(1, 0, 0, process.base_bytes + work, 0, 0, 0.0)
    cores = demand.cpu_s * REDIS_CPU / BUSY
    workers = round_up(max(demand.runs_at_once / (PLACES * BUSY), cores), 2)
    web = round_up(max(demand.streams / STREAMS, cores / 2), 2)
    return Deployment(
        processes=web + workers,
        web=web,
        workers=workers,
        memory_bytes=(web + workers) * process.base_bytes + work,
        connections=(web + workers) * CONNECTIONS,
        pooled_connections=round_up(demand.statements * STATEMENT_S / BUSY, 2),
        redis_bytes=demand.stream_bytes * KEPT_S + demand.runs_at_once * process.stream_bytes,
    )


@dataclass(frozen=True, slots=True)
class Limit:
    """Limit of one part, and what is added when that is not enough. The numbers are assumptions."""

    name: str
    most: float
    remedy: str


LIMITS = (
    Limit(
        "concurrent model calls (SPROUT_RUNS__MODEL_CALLS)",
        32,
        "raise the setting to what the provider allows; ask for more; use several providers or models of your own",
    ),
    Limit(
        "connections of one PostgreSQL",
        500,
        "a pooler",
    ),
    Limit(
        "transactions a second of one PostgreSQL",
        20_000,
        "read replicas first, then shards by learner: no row joins two learners",
    ),
    Limit("the log of one PostgreSQL, bytes a second", 100e6, "shards by learner"),
    Limit(
        "one PostgreSQL's size after a year, bytes",
        4e12,
        "shards by learner; events that are kept for less time (SPROUT_RUNS__KEEP_EVENTS_DAYS)",
    ),
    Limit("events a second of one Redis", 100_000, "several Redis, each with the streams of some runs"),
    Limit("memory of one Redis, bytes", 16e9, "several Redis, each with the streams of some runs"),
)


def shares(demand: Demand, deployment: Deployment) -> list[tuple[Limit, float]]:
    """Share of each limit that the demand uses, the most used first. Redis only counts where there is one."""
    redis = 0.0 if deployment.embedded else 1.0
    used = (
        demand.runs_at_once,
        deployment.connections,
        demand.transactions,
        demand.wal_bytes,
        demand.lasting_bytes_a_year + demand.event_bytes,
        demand.events * redis,
        deployment.redis_bytes,
    )
    found = [(limit, amount / limit.most) for limit, amount in zip(LIMITS, used, strict=True)]
    return sorted(found, key=lambda one: one[1], reverse=True)
