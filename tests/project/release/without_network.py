"""Run a program with loopback alone, and count what tried to leave: `python without_network.py sprout …`.

It needs a network namespace of its own (`unshare --net`). In there is no route to anywhere, and the kernel counts each
packet and each connection that found none, whichever library tried it. The last line printed is that count.
"""

import fcntl
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
    """Do what a first user does: open the page, and have a path grown."""
    for address in ("/", "/docs", "/api/status", "/metrics"):
        urlopen(base + address).read()
    branch = post(f"{base}/api/branches", f'{{"userId": "{USER}", "title": "Bayesian reasoning"}}')
    about = f'"type": "root", "title": "Bayesian reasoning", "branchId": "{read_id(branch)}"'
    topic = post(f"{base}/api/nodes", f'{{"userId": "{USER}", {about}}}')
    events = post(f"{base}/api/agents/topics/{read_id(topic)}/run", f'{{"userId": "{USER}", "small": true}}')
    if "event: run_done" not in events or '"status":"completed"' not in events:
        raise SystemExit(f"no path grew: {events[-500:]}")


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
