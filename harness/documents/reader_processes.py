"""The processes that read files, as a test sees them."""

import asyncio

import psutil

from sprout.documents.sandbox.extractor import CHILD_MODULE
from sprout.sandbox.child import bootstrap


def readers(pid: int | None = None) -> list[psutil.Process]:
    """Those of this process, or of another, that have not ended."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        try:
            if process.status() != psutil.STATUS_ZOMBIE and bootstrap(CHILD_MODULE) in process.cmdline():
                found.append(process)
        except psutil.NoSuchProcess:
            continue  # it ended between the two looks
    return found


async def running_reader(*, within_s: float = 60.0) -> psutil.Process:
    """A reader of this process that has been given its file: it holds no network of ours any more."""
    async with asyncio.timeout(within_s):
        while True:
            for process in readers():
                if process.nice() > psutil.Process().nice():  # the last but one that it does before it reads
                    return process
            await asyncio.sleep(0)
