"""Stands in for a process that is forked elsewhere. Imported by nobody: it is written into a program of its own."""

import os
import signal
import socket
import sys


def main(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as nursery:
        nursery.connect(address)
        told = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
        signal.pthread_sigmask(signal.SIG_BLOCK, told)
        environment = (name + b"=" + value for name, value in os.environb.items())
        words = (os.fsencode(word) for word in sys.argv[1:])
        order = b"\0".join([os.fsencode(os.path.realpath(".")), str(len(sys.argv) - 1).encode(), *words, *environment])
        socket.send_fds(nursery, [len(order).to_bytes(4, "big")], [0, 1, 2])
        nursery.sendall(order)
        answers = nursery.makefile("r", encoding="ascii")
        child = int(answers.readline())
        for number in told:
            signal.signal(number, lambda number, _: os.kill(child, number))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, told)
        code = int(answers.readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    sys.exit(code)
