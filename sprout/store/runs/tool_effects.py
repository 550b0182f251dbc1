"""Tool effects: the events and the result that commit with a change of the domain."""

import json
from collections.abc import Sequence

from pydantic import JsonValue

from sprout.errors import Conflict
from sprout.events import Event
from sprout.failpoints import failpoint
from sprout.learning.actor import Actor
from sprout.runs.run_store import CallEnded
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs.checkpoints import close_call_once
from sprout.store.runs.event_log import EventLog
from sprout.store.runs.fencing import Author


def record_effect(
    tx: WriteTransaction, log: EventLog, actor: Actor, events: Sequence[Event], *, result: dict[str, JsonValue]
) -> None:
    """Write the events into the log of the actor's run, and end its call with a result that names the change.

    The loop overwrites the result with the model's wording; they differ only if the run is cut off in between.
    Raises Conflict: the call has ended, so its effect is there already; or it was not begun.
    """
    if actor.run_id is None or actor.root_run_id is None:
        return
    log.append(tx, Author(actor.run_id, actor.root_run_id, actor.agent or "", actor.epoch), events)
    if actor.call_id is None:
        return
    failpoint("effect_uncommitted")
    tx.after_commit(lambda: failpoint("effect_committed"))
    ended = CallEnded(actor.call_id, json.dumps(result, ensure_ascii=False), is_error=False, attempts=1)
    if not close_call_once(tx.connection, actor.run_id, ended, log.now()):
        raise Conflict(f"tool call {actor.call_id!r} was not begun, or has ended: nothing was changed")
