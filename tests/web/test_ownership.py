"""Ownership of mixed requests: my parent with your child, and fields that no request may set (Z3, Z10)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic.alias_generators import to_camel
from sqlalchemy import (
    Column,
    ColumnElement,
    Executable,
    Float,
    Integer,
    Row,
    Table,
    Text,
    case,
    cast,
    func,
    or_,
    select,
)

from harness.database.empty_sqlite import create_empty_database
from harness.requests.seeded_world import USER, SeededWorld, give_away, seed_world
from harness.servers.chosen_settings import ChosenSettings
from harness.servers.in_process import serve_app
from sprout.app import Sprout, open_app, web_dependencies
from sprout.store.schema.columns import TableModel
from sprout.web.http.endpoint import AnyEndpoint
from sprout.web.routes import ENDPOINTS, web_app
from tests.web.test_bad_input import GOOD, TAKING_JSON, by_name

REACHED = {200, 201, 202, 204, 400, 409, 422}  # no 404: it is one's own that is asked for
NUMBER, SHARE, WORDS = 987_654_321, 0.987_654_321, "mass-assigned"

Pair = tuple[str, str, str | None, dict[str, str]]
# Foreign key → requests that say both ends of it: method, path, whose id is in the path, fields by what they name.
PAIRS: dict[str, list[Pair]] = {
    "nodes.branch_id": [("POST", "/api/nodes", None, {"branchId": "branches", "parentId": "nodes"})],
    "assessments.target_node_id": [("POST", "/api/assessments", None, {"targetNodeId": "concepts"})],
    "questions.node_id": [("POST", "/api/assessments/{id}/questions", "assessments", {"nodeId": "concepts"})],
    "answers.question_id": [("POST", "/api/assessments/{id}/answers", "assessments", {"questionId": "questions"})],
    "chat_sessions.node_id": [("POST", "/api/chat/sessions", None, {"nodeId": "nodes"})],
    "hint_events.session_id": [("POST", "/api/chat/hints", None, {"nodeId": "nodes", "sessionId": "sessions"})],
    "hint_events.request_message_id": [
        ("POST", "/api/chat/hints", None, {"nodeId": "nodes", "requestMessageId": "messages"})
    ],
    "hint_events.response_message_id": [
        ("POST", "/api/chat/hints", None, {"nodeId": "nodes", "responseMessageId": "messages"})
    ],
    "placements.branch_id": [("POST", "/api/placements", None, {"branchId": "branches"})],
    "placements.node_id": [("POST", "/api/placements", None, {"nodeId": "nodes"})],
    "user_node_progress.node_id": [("POST", "/api/progress", None, {"nodeId": "nodes"})],
    "topic_documents.node_id": [
        ("DELETE", "/api/nodes/{id}/documents/{document_id}", "nodes", {"document_id": "documents"}),
        ("POST", "/api/nodes/{id}/documents/{document_id}/retry", "nodes", {"document_id": "documents"}),
    ],
}
SAME_AS = {  # keys that are set by a request of another key
    "nodes.parent_id": "nodes.branch_id",
    "hint_events.node_id": "hint_events.session_id",
    "answers.assessment_id": "answers.question_id",
    "questions.assessment_id": "questions.node_id",
}
ONE_END = {  # what is made belongs to what the address names: there is no second end to mix up
    "node_contents.node_id", "node_generations.node_id", "chat_messages.session_id", "runs.node_id",
}  # fmt: skip
BY_THE_SERVER = {  # no request says any end of these
    "graph_operations.branch_id", "node_edges.source_node_id", "node_edges.target_node_id", "node_edges.parent_id",
    "runs.branch_id", "runs.root_id", "runs.parent_id", "checkpoints.run_id", "idempotency_keys.run_id",
    "passages.document_id", "run_events.root_id", "tool_calls.run_id", "chat_sessions.pending_question_id",
    "citations.passage_id", "citations.node_id", "chat_messages.answer_id", "concerns.session_id",
    "drawings.session_id", "message_citations.passage_id", "message_citations.message_id",
    "question_tests.question_id", "question_tests.node_id", "readings.question_id", "readings.message_id",
    "review_cards.node_id", "reviews.node_id", "reviews.answer_id", "review_items.session_id",
    "review_items.node_id", "review_items.question_id", "review_items.answer_id", "misconceptions.topic_id",
    "placement_items.placement_id", "placement_items.node_id", "placement_items.question_id",
    "placement_findings.placement_id", "placement_findings.node_id",
    "account_sessions.user_id", "access_tokens.user_id", "one_time_codes.user_id",
    "passkeys.user_id", "linked_identities.user_id", "sign_in_attempts.user_id",
    "classes.user_id", "class_members.class_id", "class_members.user_id",
    "given_paths.class_id", "given_paths.branch_id", "path_copies.given_id", "path_copies.user_id",
    "path_copies.branch_id",
    "desk_decisions.question_id", "desk_decisions.answer_id", "desk_decisions.class_id",
    "desk_decisions.cause_id", "shared_lessons.session_id", "shared_lessons.class_id",
    "contrasts.given_id", "contrast_recipients.contrast_id", "contrast_recipients.user_id",
    "contrast_recipients.question_id", "review_items.contrast_id",
    "record_stores.class_id", "sent_statements.class_id", "sent_statements.user_id",
}  # fmt: skip
KINDS = {"branches": "branches", "nodes": "nodes", "changes": "changes", "assessments": "assessments",
         "questions": "questions", "sessions": "sessions", "memories": "memories", "progress": "progress",
         "runs": "runs", "concepts": "concepts", "topics": "topics", "answers": "answers",
         "documents": "documents", "reviews": "reviews", "placements": "placements"}  # fmt: skip
FIELDS = {"nodeId": "nodes", "targetNodeId": "concepts", "questionId": "questions", "branchId": "branches",
          "itemId": "reviewItems"}  # fmt: skip
PLACEMENT_FIELDS = {**FIELDS, "nodeId": "parts", "itemId": "placementItems"}


@dataclass(frozen=True)
class SharedServer:
    """A server with the data of two learners: the one who sends the requests, and another."""

    client: httpx2.AsyncClient
    sprout: Sprout
    mine: SeededWorld
    theirs: SeededWorld


@pytest.fixture(scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SharedServer]:
    folder: Path = tmp_path_factory.mktemp("shared")
    create_empty_database(folder)
    async with (
        open_app(ChosenSettings.model_validate({"data_dir": folder, "offline_tokens_per_s": 100_000})) as sprout,
        serve_app(web_app(web_dependencies(sprout))) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=60, verify=False) as client,
    ):
        theirs = await seed_world(client, sprout, "Marmalade")
        await give_away(sprout)
        yield SharedServer(client, sprout, await seed_world(client, sprout, "Chutney"), theirs)


def foreign_keys() -> set[str]:
    """Every reference among rows but those to their owner."""
    return {
        f"{table.name}.{key.parent.name}"
        for table in TableModel.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name != "users"
    }


def test_Z3_every_foreign_key_is_tried_or_is_set_by_nobody_outside() -> None:
    known = [*PAIRS, *SAME_AS, *ONE_END, *BY_THE_SERVER]
    assert sorted(known) == sorted(foreign_keys())
    assert set(SAME_AS.values()) <= PAIRS.keys()


@pytest.mark.parametrize("key", PAIRS)
async def test_Z3_my_parent_with_your_child_and_the_other_way_round_are_not_there(
    shared: SharedServer, key: str
) -> None:
    for method, path, kind, fields in PAIRS[key]:
        ends = ([kind] if kind else []) + list(fields)
        await still(shared.client)
        before = await rows_of(shared.sprout)
        for foreign in ends:
            address = path
            if kind:
                address = address.replace("{id}", (shared.theirs if foreign == kind else shared.mine).ids_of(kind)[0])
            given = {
                name: (shared.theirs if name == foreign else shared.mine).ids_of(of)[0] for name, of in fields.items()
            }
            address = address.replace("{document_id}", given.pop("document_id", ""))
            body = GOOD.get(body_of(method, path), {}) | USER | given
            if path == "/api/nodes":
                body |= {"type": "concept"}
            answer = await shared.client.request(method, address, json=body if method == "POST" else None)
            assert answer.status_code == 404, f"{method} {address} {given}: {answer.status_code} {answer.text}"
        assert await rows_of(shared.sprout) == before


async def still(client: httpx2.AsyncClient) -> None:
    """Stop whatever is going, so that nobody else makes rows."""
    for run in (await client.get("/api/runs", params=USER)).raise_for_status().json():
        await client.post(f"/api/runs/{run['id']}/cancel")
        await client.get(f"/api/runs/{run['id']}/events")


def body_of(method: str, path: str) -> str:
    return next(one.body.__name__ for one in ENDPOINTS if (one.method, one.path) == (method, path))


async def rows_of(sprout: Sprout) -> dict[str, int]:
    """Row counts of the tables that these requests can write."""
    made = {key.partition(".")[0] for key in PAIRS}
    return {
        table.name: await _counted(sprout, table) for table in TableModel.metadata.sorted_tables if table.name in made
    }


async def _counted(sprout: Sprout, table: Table) -> int:
    (count,) = await _row(sprout, select(func.count()).select_from(table))
    return int(count)


async def _row(sprout: Sprout, asked: Executable) -> Row[Any]:
    return await sprout.database.read_tx(lambda read: read.execute(asked).one())


# The others: test_people_and_tokens.py and test_classes.py, on a server on which people sign in.
OF_LEARNING = [endpoint for endpoint in TAKING_JSON if endpoint.tag not in {"Accounts", "Classes"}]


@pytest.mark.parametrize("endpoint", OF_LEARNING, ids=by_name)
async def test_Z10_no_name_of_a_column_in_a_body_sets_what_it_names(
    shared: SharedServer, endpoint: AnyEndpoint
) -> None:
    parts = endpoint.path.split("/{id}")[0].split("/")
    kind = "reviews" if "reviews" in parts else next((part for part in reversed(parts) if part in KINDS), "nodes")
    address = endpoint.path.replace("{id}", shared.mine.ids_of(KINDS[kind])[0])
    added = "{name}" in endpoint.path  # an agent that somebody has added: here there is none
    body: dict[str, Any] = dict(GOOD[endpoint.body.__name__])
    fields = PLACEMENT_FIELDS if kind == "placements" else FIELDS
    body |= {name: shared.mine.ids_of(fields[name])[0] for name in body if name in fields}
    known = {field.alias or name for name, field in endpoint.body.model_fields.items()} | set(body) | {"userId"}
    extra = {name: value for name, value in poisons().items() if name not in known and to_camel(name) not in known}
    assert len(extra) > 100
    query = {"wait": "false"}
    answer = await shared.client.request(endpoint.method, address, json=extra | body, params=query)
    assert answer.status_code in REACHED | ({404} if added else set()), answer.text
    assert WORDS not in answer.text or answer.status_code == 400
    assert str(NUMBER) not in answer.text
    assert await poisoned(shared.sprout) == []


def poisons() -> dict[str, object]:
    """A value that can be found again for the name of every column, as the database and as the wire has it."""
    found: dict[str, object] = {}
    for table in TableModel.metadata.sorted_tables:
        for column in table.columns:
            value: object = WORDS
            if isinstance(column.type, Integer):
                value = NUMBER
            elif isinstance(column.type, Float):
                value = SHARE
            found[column.name] = found[to_camel(column.name)] = value
    return found


async def poisoned(sprout: Sprout) -> list[str]:
    """The columns in which such a value has come to stand."""
    found = []
    for table in TableModel.metadata.sorted_tables:
        holding = select(*[func.count(case((_is_poison(column), 1))) for column in table.columns])
        counts = await _row(sprout, holding)
        found += [f"{table.name}.{column.name}" for column, count in zip(table.columns, counts, strict=True) if count]
    return found


def _is_poison(column: Column[Any]) -> ColumnElement[bool]:
    numbers = [column == value for value in (NUMBER, SHARE)] if isinstance(column.type, Integer | Float) else []
    return or_(cast(column, Text()).contains(WORDS), *numbers)


async def test_Z10_a_value_that_was_taken_would_be_found(shared: SharedServer) -> None:
    address = f"/api/branches/{shared.mine.ids_of('branches')[0]}"
    title = (await shared.client.get(address)).json()["title"]
    for searched, found in ((WORDS, ["branches.title"]), (title, [])):
        assert (await shared.client.patch(address, json={"title": searched})).status_code == 200
        assert await poisoned(shared.sprout) == found
