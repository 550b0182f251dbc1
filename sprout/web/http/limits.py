"""Limits of requests, waits and event streams, and the addresses that this machine has without configuration."""

from dataclasses import dataclass

from sprout.web.http.parsing import JSON_MAX_DEPTH
from sprout.web.http.rate_limits import RateLimit

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
PROBES = ("/healthz", "/readyz", "/metrics")
LOCAL_ORIGINS = tuple(f"{scheme}://{host}:*" for scheme in ("http", "https") for host in LOCAL_HOSTS)


@dataclass(frozen=True, slots=True)
class WebLimits:
    """Size of a request, duration of each wait, number of open streams, and rates.

    Args:
        run_wait_s: how long a request waits for a run before it is answered with the run itself.
        turn_wait_s: how long a request waits for the tutor's turn, with a sign of life every `progress_s`.
        request_rate: of one account, or of one address of others; None is without limit.
        run_rate: of runs that one learner starts; None is without limit.
        upload_rate: of one learner's uploads; None is without limit.
    """

    json_max_bytes: int = 1_000_000
    json_max_depth: int = JSON_MAX_DEPTH
    turn_max_bytes: int = 16 * 1024 * 1024
    graph_max_bytes: int = 4_000_000
    upload_max_bytes: int = 10 * 1024 * 1024
    upload_max_files: int = 5
    body_idle_s: float = 30.0
    send_timeout_s: float = 30.0
    ping_s: float = 15.0
    shutdown_grace_s: float = 3.0
    run_wait_s: float = 25.0
    turn_wait_s: float = 900.0
    progress_s: float = 5.0
    streams_per_learner: int = 200
    streams_per_address: int = 400
    request_rate: RateLimit | None = None
    run_rate: RateLimit | None = None
    upload_rate: RateLimit | None = None
