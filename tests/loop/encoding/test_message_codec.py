"""Round trip of stored messages; unreadable ones are refused by name."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.loop.sample_tools import PICTURE, keep_tool, look_tool
from harness.loop.scripted_turn import BEGIN
from sprout.loop.context.view_codec import view_from_json
from sprout.loop.encoding.message_codec import (
    DecodingError,
    input_from_json,
    messages_as_json,
    messages_from_json,
    result_as_text,
    result_from_text,
    texts_as_json,
    texts_from_json,
)
from sprout.loop.journal import Journal, readable_journal
from sprout.loop.model import Image, Message, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from sprout.loop.resume.prompt_digest import prompt_digest
from sprout.loop.turn import run_turn
from tests.loop.resume.crashing_run import Scripted, StoredRun

words = st.one_of(
    st.text(), st.sampled_from(["\ud800", "a\x00b", "§", "§§parts:[]", "§parts:[]", '[{"text": "a"}]', ""])
)
inputs = st.dictionaries(words, st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), words), st.lists))
pictures = st.just(Image("image/png", PICTURE))
texts = st.builds(Text, words)
contents = st.one_of(words, st.lists(st.one_of(texts, pictures), max_size=3).map(tuple))
blocks = st.one_of(
    texts,
    pictures,
    st.builds(Thinking, words, words),
    st.builds(RedactedThinking, words),
    st.builds(ToolUse, words, words, inputs, st.one_of(st.none(), words)),
    st.builds(ToolResult, words, contents, st.booleans()),
)
messages = st.lists(
    st.builds(Message, st.sampled_from(["user", "assistant"]), st.lists(blocks, max_size=4).map(tuple)), max_size=4
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["role", "content", "block", "text", "form", "taken", "made"]), inner),
    ),
)
garbage = st.one_of(st.text(), json_values.map(json.dumps))


@given(messages)
def test_messages_come_back_as_they_were(messages: list[Message]) -> None:
    text = messages_as_json(messages)
    assert messages_from_json(text) == tuple(messages)
    assert "\x00" not in text.encode().decode()


@given(contents)
def test_a_result_comes_back_as_it_was_also_one_that_looks_like_something_else(content: str) -> None:
    text = result_as_text(content)
    assert result_from_text(text) == content
    assert "\x00" not in text.encode().decode()


@given(st.lists(texts, max_size=3).map(tuple))
def test_what_was_said_comes_back_as_it_was(texts: tuple[Text, ...]) -> None:
    assert texts_from_json(texts_as_json(texts)) == texts


def test_a_plain_result_is_kept_as_itself() -> None:
    assert result_as_text('{"saved": true}') == '{"saved": true}'


def outcome(read: Callable[[str], object], text: str) -> str:
    try:
        read(text)
    except DecodingError:
        return "refused"
    return "read"


@given(garbage)
def test_what_cannot_be_read_is_refused_and_nothing_breaks(text: str) -> None:
    for read in (messages_from_json, texts_from_json, input_from_json, result_from_text):
        assert outcome(read, text) in ("read", "refused")


@given(garbage)
def test_a_view_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(DecodingError):
        view_from_json(text, BEGIN)


def test_trap_11_a_view_of_a_later_form_is_refused_with_its_number() -> None:
    with pytest.raises(DecodingError, match="form 2"):
        view_from_json('{"form": 2}', BEGIN)


def test_messages_of_the_first_form_can_still_be_read() -> None:
    first = [
        {"role": "assistant", "content": [{"block": "ToolUse", "id": "a", "name": "look", "input": {"at": "b"}}]},
        {
            "role": "user",
            "content": [
                {
                    "block": "ToolResult",
                    "call_id": "a",
                    "content": [{"text": "seen"}, {"media_type": "image/png", "data": PICTURE}],
                    "is_error": False,
                }
            ],
        },
    ]
    assert messages_from_json(json.dumps(first)) == (
        Message("assistant", (ToolUse("a", "look", {"at": "b"}),)),
        Message("user", (ToolResult("a", (Text("seen"), Image("image/png", PICTURE))),)),
    )


def test_the_journal_of_a_run_comes_back_as_it_was() -> None:
    journal = Journal(objective="Find it", decisions=("Look", "StoredRun"))
    assert readable_journal(journal.model_dump_json()) == journal


def test_K5_the_digest_changes_with_every_letter_and_not_with_the_order_of_a_schema() -> None:
    look, keep = look_tool(), keep_tool([])
    digest = prompt_digest("S", [look, keep], "m")
    assert len(digest) == 64
    assert digest == prompt_digest("S", [look_tool(), keep_tool([])], "m")
    others = [
        prompt_digest("S ", [look, keep], "m"),
        prompt_digest("S", [replace(look, description=look.description + " "), keep], "m"),
        prompt_digest("S", [look], "m"),
        prompt_digest("S", [keep, look], "m"),
        prompt_digest("S", [look, keep], "n"),
    ]
    assert len({digest, *others}) == 6


async def test_a_turn_with_a_view_that_is_not_its_own_does_not_begin() -> None:
    keep = StoredRun()
    resume = replace(keep.resume_point().resume, view='{"form": 9}')
    turn = run_turn(Scripted([], keep), model_name="m", system="s", messages=BEGIN, resume=resume)
    with pytest.raises(DecodingError):
        await anext(turn)
