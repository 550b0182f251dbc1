"""O8, O9: where a model calls no tools and heeds a JSON schema, its calls are asked for in that form."""

import json
from typing import Any

import pytest

from harness.loop.scripted_turn import claude_at
from harness.models.answers_in_form import AnswersInForm
from sprout.llm.calls_in_form import CallsInForm, reply_in_form, request_in_form
from sprout.llm.probe import probe_model
from sprout.llm.probe_requests import MOST_TOKENS, NOTE_NUMBER
from sprout.loop.limits import total_tokens
from sprout.loop.model import (
    BlockDone,
    Image,
    Message,
    ModelRequest,
    ReplyEnded,
    ReplyPart,
    Text,
    Thinking,
    ToolResult,
    ToolSpec,
    ToolUse,
)
from sprout.offline.reply import Body, Reply, TextOut
from sprout.offline.server import running_offline_server
from sprout.runs.model_probes import ModelProbe, require_fit

ADDRESS, MODEL = "http://127.0.0.1:1", "a-local-model"
SHELF = ToolSpec(
    "note_shelf",
    "Note the books.",
    {
        "type": "object",
        "properties": {"books": {"type": "array", "items": {"$ref": "#/$defs/Book"}}},
        "$defs": {"Book": {"type": "object", "properties": {"title": {"type": "string"}}}},
    },
)
TALK = (
    Message("user", (Text("Note 7."),)),
    Message("assistant", (Thinking("Well.", "s"), Text("I note it."), ToolUse("c1", "note_number", {"number": 7}))),
    Message("user", (ToolResult("c1", (Text("noted"), Image("image/png", "AAAA"))), Text("And 8."))),
)


class Answering:
    """A model that gives one text."""

    def __init__(self, text: str, stop_reason: Any = None) -> None:
        self._reply = Reply([TextOut(text)], stop_reason)

    def answer(self, body: Body) -> Reply:
        return self._reply


def asked(*tools: ToolSpec, messages: tuple[Message, ...] = TALK, choice: str = "auto") -> ModelRequest:
    return ModelRequest(MODEL, "You note.", messages, tools, 500, tool_choice=choice)


async def replied(text: str, stop_reason: str | None = None) -> list[ReplyPart]:
    async with running_offline_server(Answering(text, stop_reason)) as server, claude_at(server) as chat:
        return [part async for part in reply_in_form(chat, asked(NOTE_NUMBER, SHELF))]


def blocks(parts: list[ReplyPart]) -> list[tuple[Any, ...]]:
    return [
        (one.block.name, one.block.input, one.problem is not None)
        if isinstance(one.block, ToolUse)
        else (one.block.text,)
        for one in parts
        if isinstance(one, BlockDone) and isinstance(one.block, (Text, ToolUse))
    ]


async def test_O9_an_object_of_calls_becomes_the_calls_and_the_words_beside_them() -> None:
    calls = [{"name": "note_number", "input": {"number": n}} for n in (3, 5)]
    parts = await replied(json.dumps({"words": "Two of them.", "calls": calls}))
    assert blocks(parts) == [
        ("Two of them.",),
        ("note_number", {"number": 3}, False),
        ("note_number", {"number": 5}, False),
    ]
    assert parts[-1] == ReplyEnded("tool_use")
    ids = [one.block.id for one in parts if isinstance(one, BlockDone) and isinstance(one.block, ToolUse)]
    assert len({*ids}) == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"words": "Done.", "calls": []}', [("Done.",)]),
        ('{"words": "", "calls": []}', []),
        ("{'words': '', 'calls': [{'name': 'note_number', 'input': {'number': 3,}}]}",
         [("note_number", {"number": 3}, False)]),
        ('{"words": "", "calls": [{"name": "note_number", "input": 3}]}', [("note_number", {}, True)]),
        ('{"words": "", "calls": [3, {"input": {}}, {"name": ""}]}', []),
        ('{"words": "", "calls": [{"name": "note_number", "input": {"num', [("note_number", {}, True)]),
        ("I cannot answer in JSON.", [("I cannot answer in JSON.",)]),
        ('{"words": "", "calls": [{"name": "x", "input": {"a": "\\ud800"}}]}', [("x", {"a": "\ufffd"}, False)]),
        ("[1, 2]", [("[1, 2]",)]),
    ],
)  # fmt: skip
async def test_O8_an_answer_that_is_nearly_in_form_is_mended_and_another_is_words(
    text: str, found: list[tuple[Any, ...]]
) -> None:
    assert blocks(await replied(text)) == found


async def test_O9_an_answer_that_was_cut_says_so() -> None:
    parts = await replied('{"words": "", "calls": [{"name": "note_number", "inp', "max_tokens")
    assert parts[-1] == ReplyEnded("max_tokens")


def test_O9_calls_and_results_of_before_are_told_as_the_model_has_written_them() -> None:
    request = request_in_form(asked(NOTE_NUMBER))
    before, mine, results = request.messages
    assert before == TALK[0]
    (said,) = mine.content
    assert isinstance(said, Text)
    assert json.loads(said.text) == {"words": "I note it.", "calls": [{"name": "note_number", "input": {"number": 7}}]}
    told, picture, words = results.content
    assert isinstance(told, Text)
    assert json.loads(told.text) == {"results": [{"name": "note_number", "result": "noted", "is_error": False}]}
    assert (picture, words) == (Image("image/png", "AAAA"), Text("And 8."))
    assert request.tools == ()
    assert "note_number" in request.system
    assert request.system.startswith("You note.")


def test_O9_each_tool_keeps_the_shapes_that_its_schema_names() -> None:
    twin = ToolSpec("note_case", "Note another.", SHELF.schema)
    schema: Any = request_in_form(asked(SHELF, twin)).output_schema
    assert set(schema["$defs"]) == {"note_shelf.Book", "note_case.Book"}
    one, other = schema["properties"]["calls"]["items"]["anyOf"]
    assert one["properties"]["input"]["properties"]["books"]["items"] == {"$ref": "#/$defs/note_shelf.Book"}
    assert other["properties"]["name"] == {"const": "note_case"}
    assert "$defs" not in one["properties"]["input"]


def test_O9_where_no_tool_may_be_called_the_form_has_no_calls() -> None:
    schema: Any = request_in_form(asked(NOTE_NUMBER, choice="none")).output_schema
    assert schema["properties"]["calls"] == {"type": "array", "maxItems": 0}


class Probes:
    """The probe of one model."""

    def __init__(self, probe: ModelProbe | None) -> None:
        self._probe = probe

    async def of(self, model: str) -> ModelProbe | None:
        return self._probe

    async def all(self) -> list[ModelProbe]:
        return [] if self._probe is None else [self._probe]

    async def save(self, probe: ModelProbe) -> None:
        self._probe = probe


async def test_O7_a_probe_finds_that_a_model_answers_in_form_within_its_cost() -> None:
    async with running_offline_server(AnswersInForm()) as server, claude_at(server) as chat:
        found = await probe_model(chat, MODEL, ADDRESS)
        requests = len(server.requests)
    assert (found.tool_calls, found.calls_in_form, found.calls_in_one_reply, found.nested_input) == (0, 3, 3, True)
    assert found.fitness == "answers_in_form"
    assert requests == 3 + 3 + 4
    assert 0 < total_tokens(found.usage) < MOST_TOKENS
    require_fit(found)


@pytest.mark.parametrize(("calls_in_form", "forms"), [(3, 1), (0, 0), (None, 0)])
async def test_O9_a_model_is_asked_in_form_where_its_probe_says_that_it_must_be(
    calls_in_form: int | None, forms: int
) -> None:
    model = AnswersInForm()
    async with running_offline_server(model) as server, claude_at(server) as chat:
        probe = (await probe_model(chat, MODEL, ADDRESS)).model_copy(update={"calls_in_form": calls_in_form})
        model.bodies.clear()
        request = asked(NOTE_NUMBER, messages=TALK[:1])
        parts = [part async for part in CallsInForm(chat, Probes(probe)).reply(request)]
    assert len(model.bodies) == forms
    assert any(isinstance(one, BlockDone) and isinstance(one.block, ToolUse) for one in parts) is bool(forms)


async def test_O9_a_model_that_calls_tools_is_asked_as_ever() -> None:
    model = AnswersInForm()
    probe = Probes(None)
    async with running_offline_server(model) as server, claude_at(server) as chat:
        for name in (MODEL, "claude-haiku-5-5"):
            wrapped = CallsInForm(chat, probe)
            _ = [part async for part in wrapped.reply(ModelRequest(name, "", TALK[:1], (NOTE_NUMBER,), 500))]
    assert model.bodies == []
