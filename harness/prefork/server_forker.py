"""Fork server of Sprout servers: everything is imported once, then each server is forked from it.

`python -m harness.prefork.server_forker` reads one JSON object a line: a server's command and environment, its log file
and the file of its played clock, or null. It answers with the process id of the server and, when that has ended, with
its exit code (negative: the signal). Where its own input ends, so does the server that is still there.
"""

import importlib
import json
import os
import select
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from harness.models.topic_agents import asking_topic, deadly_topic
from harness.prefork.played_clock import play_clock
from harness.prefork.preload import preload
from sprout import failpoints
from sprout.config import load_settings
from sprout.roles import role_of_server, role_of_worker
from sprout.serving import serve
from sprout.telemetry.logs import configure_logging

ROLES = {"serve": role_of_server, "worker": role_of_worker}


def main() -> None:
    """Bear one server after the other until the input ends."""
    preload()
    write_line("ready")
    for line in sys.stdin:
        order = json.loads(line)
        ended, here = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ended)
            _run_server(order)
        os.close(here)  # only the child holds the other end: it closes when the child dies
        write_line(str(child))
        write_line(str(_wait_for_exit(child, ended)))
        os.close(ended)


def write_line(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def _wait_for_exit(child: int, ended: int) -> int:
    """Exit code of the child, which is killed when the connection closes."""
    ready, _, _ = select.select([ended, sys.stdin], [], [])
    if ended not in ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _run_server(order: dict[str, Any]) -> None:
    """Be a server as `sprout serve` is one, in an environment of its own."""
    code = 1
    try:
        os.environ.clear()
        os.environ.update(order["environment"])
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the parent may ignore it
        importlib.reload(failpoints)  # it has read where to die from the environment before
        with Path(order["log"]).open("ab", buffering=0) as log, Path(os.devnull).open("rb") as nothing:
            for stream, number in ((nothing, 0), (log, 1), (log, 2)):
                os.dup2(stream.fileno(), number)
        if order["clock"]:
            play_clock(Path(order["clock"]))
        settings = load_settings()
        configure_logging(settings.log_level, settings.log_format)
        role = ROLES[order["command"]](settings)
        serve(settings, role=role, extra_agents=[asking_topic if order["asks"] else deadly_topic])
        code = 0
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
