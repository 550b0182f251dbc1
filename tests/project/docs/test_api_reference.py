"""The API reference says what the server does: every page is as it is made, and every curl of it is run."""

import json
import re
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from scripts.api_reference.answer_shapes import SCHEMAS, differences, frames, stream_differences
from scripts.api_reference.contract import EVENTS as CONTRACT_EVENTS
from scripts.api_reference.contract import OPERATIONS as CONTRACT_OPERATIONS
from scripts.api_reference.event_pages import (
    MissingDescription,
    check_descriptions,
    event_classes,
    events_page,
    frame_of,
)
from scripts.api_reference.examples import (
    PREAMBLE,
    Example,
    InvalidExample,
    check_complete,
    examples_by_operation,
    load_answers,
    load_story,
    matches_path,
)
from scripts.api_reference.pages import operations, render_reference
from scripts.api_reference.paths import INDEX, PAGES
from scripts.api_reference.sample_events import sample_events
from scripts.api_reference.story_player import RecordedAnswer, play_story
from sprout.events import EVENT, Event, Wire
from sprout.web.reference.openapi import openapi_document
from sprout.web.routes import ENDPOINTS

DOCUMENT = openapi_document(ENDPOINTS, "")
REGISTRY: Registry[Any] = Registry().with_resource(
    "urn:sprout", Resource.from_contents(DOCUMENT, default_specification=DRAFT202012)
)
EVENTS = Draft202012Validator(EVENT.json_schema(by_alias=True, mode="serialization"))


def test_the_committed_pages_are_those_that_are_made() -> None:
    made = render_reference(DOCUMENT, load_story(), load_answers())
    stale = [path.name for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    assert not stale, f"run `make docs`, and commit {', '.join(stale)}"
    assert set(PAGES.glob("*.md")) == made.keys() - {INDEX}


def test_every_endpoint_has_a_curl_and_every_curl_a_recorded_answer() -> None:
    check_complete(DOCUMENT, load_story())
    keys = {example.key for examples in examples_by_operation(load_story()).values() for example in examples}
    assert keys == load_answers().keys(), "run `make docs ARGS=record`"


def test_every_link_within_the_reference_leads_somewhere() -> None:
    made = render_reference(DOCUMENT, load_story(), load_answers())
    places = {path: set(re.findall(r'<a id="([^"]+)">', text)) | headings(text) for path, text in made.items()}
    for path, text in made.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            file, _, place = link.partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), (path.name, link)
            assert not place or place in places[target], (path.name, link)


def headings(text: str) -> set[str]:
    """The anchors that a reader of Markdown makes of headings that are one word."""
    return {heading.lower() for heading in re.findall(r"^#+ ([\w]+)$", text, flags=re.MULTILINE)}


def test_an_endpoint_without_a_curl_is_named_with_the_file_to_edit() -> None:
    without = [step for step in load_story() if not (isinstance(step, Example) and step.operation == "get_api_health")]
    with pytest.raises(InvalidExample, match=r"docs/api/examples\.yaml: add an example for get_api_health\."):
        check_complete(DOCUMENT, without)
    unknown = Example("get_api_nowhere", 1, 200, "", "curl -s $api/nowhere")
    with pytest.raises(InvalidExample, match="there is no operation get_api_nowhere"):
        check_complete(DOCUMENT, [*load_story(), unknown])
    odd = Example("get_api_health", 2, 418, "", "curl -s $api/health")
    with pytest.raises(InvalidExample, match="get_api_health is not described to answer with 418"):
        check_complete(DOCUMENT, [*load_story(), odd])


def test_every_event_has_words_and_an_example() -> None:
    samples: dict[str, Event] = {event.kind: event for event in sample_events()}
    for described in event_classes():
        check_descriptions(described, samples)
    assert samples.keys() == {described.model_fields["kind"].default for described in event_classes()}
    page = "\n".join(events_page())
    for event in samples.values():
        assert frame_of(event) in page
        assert ("id: " in frame_of(event)) == event.durable


def test_an_event_without_words_is_named_with_the_file_to_edit() -> None:
    class Mumbled(Wire):
        kind: str = "mumbled"

    with pytest.raises(MissingDescription, match=r"sprout/events\.py: say in the docstring of Mumbled"):
        check_descriptions(Mumbled, {})


def test_what_is_said_to_be_the_contract_is_there() -> None:
    assert {operation.id for operation in operations(DOCUMENT)} >= CONTRACT_OPERATIONS
    fields: dict[str, Any] = {
        event.kind: json.loads(frame_of(event).partition("data: ")[2]).keys() for event in sample_events()
    }
    for kind, named in CONTRACT_EVENTS.items():
        assert set(named.split(", ")) <= fields[kind]


def test_a_printed_answer_of_another_shape_is_noticed() -> None:
    true = {"id": "a", "score": 0.5, "nodes": [{"id": "b", "desc": None}]}
    for desc in (None, "a text"):
        assert list(differences({"id": "c", "score": 1, "nodes": [{"id": "d", "desc": desc}]}, true)) == []
    for other in (
        {"id": "c", "score": 1},
        {"id": "c", "score": "1", "nodes": [{"id": "d", "desc": None}]},
        {"id": "c", "score": 1, "nodes": []},
        {"id": "c", "score": 1, "nodes": [{"id": 7, "desc": None}]},
        {"id": "c", "score": 1, "nodes": [{"id": "d", "desc": None}], "more": 1},
    ):
        assert list(differences(other, true))
    one, other_id = {"01a21946-8491-71c7-ab55-2c64619f36a8": 8}, {"01a2194e-4ddc-75b9-85d2-68860b308593": 16}
    assert list(differences(one, other_id)) == [], "ids are never the same"
    assert list(differences({"minutes": 8}, one))
    stream = 'id: 1\nevent: agent_start\ndata: {"agent":"topic"}\n\n'
    assert list(stream_differences(stream, stream)) == []
    assert list(stream_differences(stream, stream.replace("agent_start", "run_started")))
    assert list(stream_differences(stream, stream.replace('"agent"', '"who"')))


async def test_every_curl_of_the_reference_does_what_is_printed(tmp_path: Path) -> None:
    recorded = load_answers()
    assert f"```sh\n{PREAMBLE}```" in INDEX.read_text(encoding="utf-8")
    where = {operation.id: operation for operation in operations(DOCUMENT)}
    run, problems = [], []
    async with aclosing(play_story(load_story(), tmp_path)) as heard_of:
        async for example, heard in heard_of:
            operation = where[example.operation]
            page = (PAGES / f"{operation.group.lower()}.md").read_text(encoding="utf-8")
            assert f"```sh\n{example.curl}\n```" in page
            if heard.method != operation.method or not matches_path(operation.path, heard.url):
                problems.append(f"{example.key}: this asks for {heard.method} {heard.url}")
            problems += [f"{example.key}: {problem}" for problem in wrong(example, heard, recorded[example.key])]
            run.append(example)
    assert not problems, "\n".join(problems)
    assert {example.operation for example in run} == where.keys()


def wrong(example: Example, heard: RecordedAnswer, printed: dict[str, str]) -> Iterator[str]:
    """Differences from the reference."""
    if heard.complaints:
        yield f"the shell says {heard.complaints}"
    if heard.status != example.status:
        yield f"answers {heard.status}, not {example.status}: {heard.body[:300]!r}"
        return
    if heard.media != printed["media"]:
        yield f"answers with {heard.media}, not {printed['media']}"
    elif heard.media == "application/json":
        true = json.loads(heard.body)
        shown = json.loads(printed["text"])
        yield from differences(shown, true, part=example.operation in SCHEMAS)
        yield from (error.message for value in (shown, true) for error in described_by(example).iter_errors(value))
    elif heard.media == "text/event-stream":
        yield from stream_differences(printed["text"], heard.body.decode())
        yield from undescribed_events(printed["text"])
        yield from undescribed_events(heard.body.decode())
    elif bool(heard.body) != bool(printed["text"]) and not heard.media.startswith("application/"):
        yield "has a body, or none, against what is printed"
    elif (
        heard.media == "text/csv" and heard.body.decode().splitlines()[0][:100] != printed["text"].splitlines()[0][:100]
    ):
        yield "the table has other columns"


def described_by(example: Example) -> Draft202012Validator:
    """The schema that the OpenAPI document has for the answer."""
    found = next(one for one in operations(DOCUMENT) if one.id == example.operation)
    path = found.path.replace("~", "~0").replace("/", "~1")
    place = f"{path}/{found.method.lower()}/responses/{example.status}/content/application~1json/schema"
    return Draft202012Validator({"$ref": f"urn:sprout#/paths/{place}"}, registry=REGISTRY)


def undescribed_events(stream: str) -> Iterator[str]:
    """Events that the schema of events does not know, or has other fields for."""
    for kind, data in frames(stream):
        event = {"kind": kind} | {name: value for name, value in data.items() if name != "rootId"}
        yield from (f"{kind}: {error.message}" for error in EVENTS.iter_errors(event))
