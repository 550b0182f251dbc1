"""The `learn` command: creates a path from a topic and documents, and shows its run in the terminal."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass

from rich.console import Console
from rich.live import Live
from rich.text import Text

from sprout.commands.terminal import END_TEXTS, RunView
from sprout.events import EVENT, WaitingOnHuman
from sprout.learning.paths.repository import DEFAULT_USER_ID, NewDocument, PathRepository
from sprout.runs.ending import early_ending, ending_words
from sprout.runs.live_runs import LiveRuns
from sprout.runs.state import Run, RunState

REFRESHES_A_SECOND = 8
INTERRUPTED = 130


async def create_path(
    library: PathRepository,
    runs: LiveRuns,
    topic: str,
    documents: Sequence[NewDocument],
    *,
    small: bool,
    console: Console,
) -> int:
    """Create a path and show it; the exit code: 0 completed, 1 failed, 130 stopped by Ctrl-C.

    The first Ctrl-C cancels the run and keeps saved work, the second one quits at once.
    """
    branch = await library.create_branch(topic, user_id=DEFAULT_USER_ID)
    root = await library.create_node(
        user_id=DEFAULT_USER_ID, type="root", title=topic, branch_id=branch.id, parent_id=None, desc=None
    )
    if documents:
        await library.add_documents(root.id, documents, user_id=DEFAULT_USER_ID)
    run = (await runs.start("topic", node=root, user_id=DEFAULT_USER_ID, small=small)).run
    view = RunView(topic)
    async with _cancel_on_interrupt(runs, run, console) as interrupts:
        await _follow(runs, run, view, console)
    ended = await runs.run(run.id, user_id=DEFAULT_USER_ID)
    _print_result(ended, view, console)
    console.print(Text(f"Write it to a file: sprout export {branch.id}", style="dim"))
    if interrupts.count:
        return INTERRUPTED
    return 0 if ended.state is RunState.COMPLETED else 1


@dataclass(slots=True)
class _Interrupts:
    count: int = 0


@asynccontextmanager
async def _cancel_on_interrupt(runs: LiveRuns, run: Run, console: Console) -> AsyncIterator[_Interrupts]:
    loop, here, interrupts = asyncio.get_running_loop(), asyncio.current_task(), _Interrupts()
    async with asyncio.TaskGroup() as tasks:

        def interrupted() -> None:
            interrupts.count += 1
            if interrupts.count == 1:
                console.print(Text("Stopping; saved work is kept. Press Ctrl-C again to quit now.", style="yellow"))
                tasks.create_task(runs.cancel(run.id, user_id=DEFAULT_USER_ID))
            elif here is not None:
                here.cancel()

        with suppress(NotImplementedError):  # Windows: there the first Ctrl-C leaves
            loop.add_signal_handler(signal.SIGINT, interrupted)
        try:
            yield interrupts
        finally:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGINT)


async def _follow(runs: LiveRuns, run: Run, view: RunView, console: Console) -> None:
    # A file or a pipe gets the lines alone: a status that is redrawn means nothing there.
    live = Live(get_renderable=view.status, console=console, refresh_per_second=REFRESHES_A_SECOND, transient=True)
    followed = runs.follow(run.root_id)
    with live if console.is_terminal else nullcontext():
        async with aclosing(followed) as batches:
            async for batch in batches:
                for message in batch:
                    event = EVENT.validate_python(json.loads(message.data) | {"kind": message.kind})
                    for line in view.update(event):
                        console.print(line)
                    if isinstance(event, WaitingOnHuman):
                        return  # the terminal cannot answer, and the run waits indefinitely


def _print_result(run: Run, view: RunView, console: Console) -> None:
    words, style = END_TEXTS.get(run.state, ("The run has not ended", "yellow"))
    early = run.error is None and early_ending(run.reason or "", run.reached_limit) is not None
    if early:
        words, style = "The path is not complete", "yellow"
    paragraphs = [view.path()] if view.nodes else []
    if view.rationale:
        paragraphs.append(Text(view.rationale))
    if run.error is not None:
        paragraphs.append(Text(run.error.message, style="red"))
    if early:
        paragraphs.append(Text(ending_words(run) or "", style="yellow"))
    for paragraph in paragraphs:
        console.print()
        console.print(paragraph)
    console.print()
    console.print(Text(f"{words}. ", style=style).append(view.figures(), style="dim"))
