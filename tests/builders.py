"""Small valid objects."""

from dataclasses import replace
from typing import Any, Literal

from sprout.events import Caps, Event, NodeRow, Reasoning, RunDone, Usage
from sprout.ids import new_id
from sprout.learning.library import DEFAULT_USER_ID
from sprout.runs.log import Entry
from sprout.runs.state import ENDED, Run, RunState
from sprout.store.columns import utc_now
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore


def a_run(node: NodeRow, **changes: Any) -> Run:
    """A queued root run of the topic agent on the node."""
    run_id = new_id()
    run = Run(
        id=run_id,
        root_id=run_id,
        parent_id=None,
        user_id=node.user_id,
        agent="topic",
        label="topic",
        lane=f"topic:{node.id}",
        node_id=node.id,
        branch_id=node.branch_id,
        small=False,
        model="sprout-offline",
        offline=True,
        caps=Caps(iterations=15),
        created_at=utc_now(),
    )
    return replace(run, **changes)


def a_child(root: Run, node: NodeRow, **changes: Any) -> Run:
    """A queued run of the subconcept agent under a root run."""
    child = a_run(node, agent="subconcept", label=f"subconcept_bootstrap:{node.title}", lane=f"concept:{node.id}")
    return replace(child, root_id=root.id, parent_id=root.id, **changes)


def a_thought(text: str = "Light first.") -> Event:
    return Reasoning(block_id="b1", text=text)


def the_end(status: Any = "completed", reason: str = "end_turn") -> Event:
    return RunDone(status=status, reason=reason, usage=Usage())


async def a_topic(library: SqlLibrary, title: str = "Photosynthesis", *, user_id: str = DEFAULT_USER_ID) -> NodeRow:
    """A branch with its root, for a user who is made where there is none."""
    await library.ensure_user(user_id)
    branch = await library.create_branch(title, user_id=user_id)
    return await library.create_node(
        user_id=user_id, type="root", title=title, branch_id=branch.id, parent_id=None, desc=None
    )


async def a_concept(library: SqlLibrary, parent: NodeRow, title: str) -> NodeRow:
    """A child of the node, made by its user."""
    kind: Literal["concept", "subconcept"] = "concept" if parent.type == "root" else "subconcept"
    return await library.create_node(
        user_id=parent.user_id, type=kind, title=title, branch_id=parent.branch_id, parent_id=parent.id, desc=None
    )


async def ended(runs: SqlRunStore, run: Run, state: RunState = RunState.COMPLETED, *entries: Entry) -> Run:
    """The run, settled; a root with its closing event."""
    closing = [the_end(state.value)] if run.id == run.root_id and state in ENDED else []
    return await runs.settle(
        run, state, reason="end_turn", usage=Usage(input_tokens=7), error=None, entries=[*entries, *closing]
    )
