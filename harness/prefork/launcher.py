"""Stand-in for a process that is forked elsewhere. Never imported: its text is written into a program."""

import os
import signal
import socket
import sys


def main(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as fork_server:
        fork_server.connect(address)
        signals = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        environment = (name + b"=" + value for name, value in os.environb.items())
        words = (os.fsencode(word) for word in sys.argv[1:])
        order = b"\0".join([os.fsencode(os.path.realpath(".")), str(len(sys.argv) - 1).encode(), *words, *environment])
        socket.send_fds(fork_server, [len(order).to_bytes(4, "big")], [0, 1, 2])
        fork_server.sendall(order)
        answers = fork_server.makefile("r", encoding="ascii")
        child = int(answers.readline())
        for number in signals:
            signal.signal(number, lambda number, _: os.kill(child, number))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        code = int(answers.readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    sys.exit(code)
