"""Brings up servers in no time: everything is imported once, then each server is forked from here.

`python -m faults.harness.nursery` reads one JSON object a line: the environment of a server, and where it logs to. It
answers with the process id of the server and, when that has ended, with its exit code (negative: the signal). Where
its own input ends, so does the server that is still there.
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

from faults.harness.topics import asking_topic, deadly_topic
from faults.harness.warm import warm_up
from sprout import crashing
from sprout.config import load_settings
from sprout.serving import serve
from sprout.telemetry.logs import set_up


def main() -> None:
    """Bear one server after the other until the input ends."""
    warm_up()
    say("ready")
    for line in sys.stdin:
        order = json.loads(line)
        ended, here = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ended)
            _live(order)
        os.close(here)  # only the child holds the other end: it closes when the child dies
        say(str(child))
        say(str(_outlived(child, ended)))
        os.close(ended)


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def _outlived(child: int, ended: int) -> int:
    """The exit code of the child, which is killed where nobody listens any more."""
    ready, _, _ = select.select([ended, sys.stdin], [], [])
    if ended not in ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _live(order: dict[str, Any]) -> None:
    """Be a server as `sprout serve` is one, in an environment of its own."""
    code = 1
    try:
        os.environ.clear()
        os.environ.update(order["environment"])
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever began all this may ignore it
        importlib.reload(crashing)  # it has read where to die from the environment before
        with Path(order["log"]).open("ab", buffering=0) as log, Path(os.devnull).open("rb") as nothing:
            for stream, number in ((nothing, 0), (log, 1), (log, 2)):
                os.dup2(stream.fileno(), number)
        settings = load_settings()
        set_up(settings.log_level, settings.log_format)
        serve(settings, extra_agents=[asking_topic if order["asks"] else deadly_topic])
        code = 0
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
