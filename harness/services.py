"""Services that some tests need beside Python; a missing one is a skip with a reason, or a failure."""

import os
import shutil
import socket
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import pytest

POSTGRES = os.environ.get("SPROUT_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
REDIS = os.environ.get("SPROUT_TEST_REDIS", "redis://127.0.0.1:6379")
# The headless shell is the same engine without the browser around it: half the processor time.
CHROMIUM = next(
    (
        found
        for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    None,
)
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CADDY = shutil.which("caddy")
PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
TOPOLOGIES = ("embedded", "scaled")
TOPOLOGY = os.environ.get("SPROUT_TEST_TOPOLOGY") or "embedded"
SCALED = TOPOLOGY == "scaled"
WHOLE_CORPORA = bool(os.environ.get("SPROUT_TEST_WHOLE_CORPORA"))
SERVICES = ("postgres", "redis", "browser", "nginx", "caddy", "pgbouncer")
REQUIRED = frozenset(filter(None, (name.strip() for name in os.environ.get("SPROUT_REQUIRE", "").split(","))))

if not set(SERVICES) >= REQUIRED:
    raise ValueError(f"SPROUT_REQUIRE names {sorted(REQUIRED - set(SERVICES))}: there are {', '.join(SERVICES)}")
if TOPOLOGY not in TOPOLOGIES:
    raise ValueError(f"SPROUT_TEST_TOPOLOGY is {TOPOLOGY!r}: there are {', '.join(TOPOLOGIES)}")


def require(name: str) -> None:
    """Skip the test with the reason when the service is missing; fail it where SPROUT_REQUIRE names the service.

    Raises ValueError: no such service.
    """
    require_part(name, reason_missing(name))


def require_part(name: str, missing: str | None) -> None:
    """As `require`, for a part of the service: `missing` is what it lacks, None if it is there."""
    if missing is None:
        return
    if name in REQUIRED:
        pytest.fail(f"SPROUT_REQUIRE names {name}, but {missing}", pytrace=False)
    pytest.skip(missing)


def skip_unless_required(lacking: str) -> NoReturn:
    """Skip the test because the machine lacks something that is no service; fail it where SPROUT_REQUIRE is set."""
    if REQUIRED:
        pytest.fail(f"SPROUT_REQUIRE is set, but {lacking}", pytrace=False)
    pytest.skip(lacking)


def reason_missing(name: str) -> str | None:
    """Why the service cannot be used, None if it can. Raises ValueError: no such service."""
    match name:
        case "postgres":
            return _unreachable(POSTGRES, 5432)
        case "redis":
            return _unreachable(REDIS, 6379)
        case "browser":
            return None if CHROMIUM and Path(CHROMIUM).exists() else "there is no Chromium here"
        case "nginx":
            return None if NGINX else "there is no nginx here"
        case "caddy":
            return None if CADDY else "there is no Caddy here"
        case "pgbouncer":
            return None if PGBOUNCER else "there is no PgBouncer here"
    raise ValueError(f"no service is called {name!r}: there are {', '.join(SERVICES)}")


def _unreachable(url: str, port: int) -> str | None:
    address = urlsplit(url)
    host = address.hostname or "127.0.0.1"
    try:
        socket.create_connection((host, address.port or port), timeout=3).close()
    except OSError as error:
        return f"nothing answers at {host}:{address.port or port} ({error.strerror or error})"
    return None
