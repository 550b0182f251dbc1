"""Run a program with loopback alone, and count what tried to leave: `python without_network.py sprout …`.

It needs a network namespace of its own (`unshare --net`). In there is no route to anywhere, and the kernel counts each
packet and each connection that found none, whichever library tried it. The last line printed is that count.
"""

import fcntl
import json
import re
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1
PAGE_FILES = re.compile(r'(?:src|href)="(/static/[^"]+)"')
USER = "00000000-0000-0000-0000-000000000000"


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", IFF_UP, b""))


def unrouted_packets() -> int:
    """Number of packets without a route, over IPv4 and IPv6."""
    heads, values = (line.split() for line in Path("/proc/net/snmp").read_text().splitlines() if line.startswith("Ip:"))
    newer = re.findall(r"^Ip6OutNoRoutes\s+(\d+)$", Path("/proc/net/snmp6").read_text(), re.MULTILINE)
    return int(values[heads.index("OutNoRoutes")]) + sum(map(int, newer))


def use_server(base: str) -> None:
    """Do what a first user does: open the page, and have a path of a suggested course grown."""
    for address in ("/docs", "/metrics", *PAGE_FILES.findall(get(f"{base}/"))):
        get(base + address)
    status = json.loads(get(f"{base}/api/status"))
    if not status["model"]["offline"]:
        raise SystemExit(f"there is another model: {status['model']}")
    title = json.dumps(status["suggestions"][0]["title"])
    branch = post(f"{base}/api/branches", f'{{"userId": "{USER}", "title": {title}}}')
    about = f'"type": "root", "title": {title}, "branchId": "{read_id(branch)}"'
    topic = post(f"{base}/api/nodes", f'{{"userId": "{USER}", {about}}}')
    events = post(f"{base}/api/agents/topics/{read_id(topic)}/run", f'{{"userId": "{USER}", "small": true}}')
    told = set(re.findall(r"^event: (\w+)$", events, re.MULTILINE))
    if not {"node_created", "question_ready", "run_done"} <= told or '"status":"completed"' not in events:
        raise SystemExit(f"no path grew: {events[-500:]}")


def get(address: str) -> str:
    """The text of an answer of 200. Raises HTTPError."""
    answer: bytes = urlopen(address, timeout=120).read()
    return answer.decode(errors="replace")


def post(address: str, body: str) -> str:
    answer: bytes = urlopen(Request(address, body.encode(), {"content-type": "application/json"}), timeout=120).read()
    return answer.decode()


def read_id(body: str) -> str:
    return str(re.findall(r'"id": ?"([^"]+)"', body)[0])


def main() -> None:
    raise_loopback()
    program = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    for line in program.stdout:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            use_server(found[0])
            program.send_signal(signal.SIGTERM)
    code = program.wait()
    sys.stdout.write(f"code {code}, left {unrouted_packets()}\n")


if __name__ == "__main__":
    main()
