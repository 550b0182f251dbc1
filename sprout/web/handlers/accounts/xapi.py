"""Statements of xAPI: as files, and to the record store of a class."""

import json
from collections.abc import AsyncIterator, Sequence

from pydantic import JsonValue
from starlette.responses import Response, StreamingResponse

from sprout.accounts.lrs.record_stores import RecordStoreFailed, StoreAnswer, StoreChange, trouble
from sprout.web.http.dependencies import RecordRepositories
from sprout.web.http.endpoint import Call, json_response, no_content
from sprout.web.schemas.class_requests import RecordStoreChange, StatementsQuery
from sprout.web.schemas.requests import NoFields, UserRequest

JSON = "application/json"
MOST_VERSIONS, MOST_SIGNS = 20, 20


async def download_own(call: Call[RecordRepositories, UserRequest]) -> Response:
    """What the caller did in a path of theirs."""
    needs = call.dependencies
    facts = await needs.facts.of_path(call.id, user_id=call.user_id)
    return _file(_once(needs.writer.statements(facts)), "sprout-xapi.json")


async def download_class(call: Call[RecordRepositories, StatementsQuery]) -> Response:
    """What the learners of a class did in a path that was given to it, learner after learner."""
    learners = await call.dependencies.facts.learners(call.id, call.ids["given_id"], teacher_id=call.user_id)
    return _file(_of_learners(call, learners), "sprout-class-xapi.json")


async def get_store(call: Call[RecordRepositories]) -> Response:
    """The record store of a class and what it has, or null."""
    found = await call.dependencies.stores.one(call.id, teacher_id=call.user_id)
    return Response("null", media_type=JSON) if found is None else json_response(found)


async def set_store(call: Call[RecordRepositories, NoFields, RecordStoreChange]) -> Response:
    """The record store, to which sending begins within a minute."""
    return json_response(await call.dependencies.stores.set(call.id, _change(call.body), teacher_id=call.user_id))


async def remove_store(call: Call[RecordRepositories]) -> Response:
    """204 once nothing is sent any more."""
    await call.dependencies.stores.remove(call.id, teacher_id=call.user_id)
    return no_content()


async def test_store(call: Call[RecordRepositories, NoFields, RecordStoreChange]) -> Response:
    """What a record store says of itself; nothing is sent there, and nothing is kept."""
    access = await call.dependencies.stores.access(call.id, _change(call.body), teacher_id=call.user_id)
    try:
        versions = await call.dependencies.client.about(access)
    except RecordStoreFailed as error:
        return json_response(StoreAnswer(ok=False, versions=[], problem=trouble(error.code)))
    shown = [one[:MOST_SIGNS] for one in versions[:MOST_VERSIONS]]
    return json_response(StoreAnswer(ok=True, versions=shown, problem=None))


def _change(asked: RecordStoreChange) -> StoreChange:
    return StoreChange(asked.endpoint, asked.key, asked.secret or None, asked.names)


def _file(parts: AsyncIterator[Sequence[JsonValue]], name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(_array(parts), media_type=JSON, headers=headers)


async def _once(statements: Sequence[JsonValue]) -> AsyncIterator[Sequence[JsonValue]]:
    yield statements


async def _of_learners(
    call: Call[RecordRepositories, StatementsQuery], learners: Sequence[str]
) -> AsyncIterator[Sequence[JsonValue]]:
    needs, given_id = call.dependencies, call.ids["given_id"]
    for learner_id in learners:
        facts = await needs.facts.of_learner(call.id, given_id, learner_id, teacher_id=call.user_id)
        yield needs.writer.statements(facts, with_names=call.query.names == "true")


async def _array(parts: AsyncIterator[Sequence[JsonValue]]) -> AsyncIterator[str]:
    """One JSON array of all parts, a statement on each line."""
    before = "[\n"
    async for statements in parts:
        if statements:
            yield before + ",\n".join(json.dumps(one, ensure_ascii=False) for one in statements)
            before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"
