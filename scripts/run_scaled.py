"""The distributed form on this machine, in the foreground: migration, two workers, web processes behind nginx.

Without nginx there is one web process. `make run-scaled` needs PostgreSQL (DATABASE_URL) and Redis (REDIS_URL). Ctrl-C
stops everything, and so does the end of one process.
"""

import http.client
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from sprout.config import load_settings

ROOT = Path(__file__).resolve().parent.parent
NGINX_SETTINGS = ROOT / "deploy" / "nginx" / "nginx.conf"
WEB, WORKERS = 2, 2
STOP_S = 60
READY_S = 120
POLL_S = 0.2
BEHIND_NGINX = ["env", "SPROUT_TRUSTED_PROXIES=127.0.0.1"]  # it says from where a learner comes


class Ended(Exception):
    """A process has ended that should go on."""


def main() -> int:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    settings = load_settings()
    if settings.database_url is None or settings.redis_url is None:
        print("Set DATABASE_URL and REDIS_URL: docs/scale.md says how.", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, _interrupt)
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    try:
        return run(port, nginx)
    except KeyboardInterrupt:
        return 0
    except Ended as error:
        print(error, file=sys.stderr)
        return 1


def run(port: int, nginx: str | None) -> int:
    """Start everything and wait until it is stopped. Raises Ended."""
    if failed := subprocess.run(sprout("migrate"), cwd=ROOT, check=False).returncode:
        return failed
    web = [port + number for number in range(1, WEB + 1)] if nginx else [port]
    workers = [port + WEB + number for number in range(1, WORKERS + 1)]
    told = BEHIND_NGINX if nginx else []
    with ExitStack() as stack:
        processes = [stack.enter_context(running(sprout("worker", at))) for at in workers]
        processes += [stack.enter_context(running([*told, *sprout("serve", at)])) for at in web]
        for at in web + workers:
            wait_ready(at, processes)
        if nginx:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sprout-nginx-")))
            write_settings(folder, port, web)
            command = [nginx, "-p", str(folder), "-c", str(folder / "nginx.conf")]
            processes.append(stack.enter_context(running(command)))
        print(f"{len(web)} web and {len(workers)} workers are ready: open http://127.0.0.1:{port}", flush=True)
        print(f"Their metrics: {', '.join(f'http://127.0.0.1:{at}/metrics' for at in web + workers)}", flush=True)
        while True:
            check(processes)
            time.sleep(POLL_S)


def sprout(command: str, port: int | None = None) -> list[str]:
    """A command of Sprout, on a port of this machine."""
    where = [] if port is None else ["--host", "127.0.0.1", "--port", str(port)]
    return [sys.executable, "-m", "sprout", command, *where]


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process until the block ends: it may drain first. In a group of its own, so that Ctrl-C reaches only us."""
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()


def wait_ready(port: int, processes: list[subprocess.Popen[bytes]]) -> None:
    """Wait until the process on this port says that it is ready. Raises Ended."""
    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        check(processes)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            if connection.getresponse().status == http.HTTPStatus.OK:
                return
        except OSError:
            pass  # it does not listen yet
        finally:
            connection.close()
        time.sleep(POLL_S)
    raise Ended(f"what should be at port {port} is not ready after {READY_S} s")


def check(processes: list[subprocess.Popen[bytes]]) -> None:
    """Raise Ended if one of the processes has ended."""
    for process in processes:
        if process.poll() is not None:
            raise Ended(f"{process.args!r} has ended, with {process.returncode}")


def write_settings(folder: Path, port: int, web: list[int]) -> None:
    """The settings of nginx for these web processes."""
    shutil.copy(NGINX_SETTINGS, folder)
    servers = " ".join(
        f"server 127.0.0.1:{at} {kind};" for kind in ("max_fails=1 fail_timeout=2s", "max_fails=0 backup") for at in web
    )
    upstream = f"upstream sprout {{ least_conn; {servers} keepalive 64; keepalive_timeout 4s; }}\n"
    (folder / "upstream.conf").write_text(upstream, encoding="utf-8")
    (folder / "listen.conf").write_text(f"listen 127.0.0.1:{port};\n", encoding="utf-8")


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
