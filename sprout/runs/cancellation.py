"""Cancellations that a library has lost, as clients of databases do where a connection breaks at the same moment."""

import asyncio


def raise_if_cancelled() -> None:
    """To be called where a loop goes on after an error. Raises CancelledError: the current task was asked to end."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
