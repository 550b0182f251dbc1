"""Decoding the learner's words out of JSON that is still being written (loop.md T9)."""

import json

from hypothesis import given
from hypothesis import strategies as st

from sprout.loop.model_call.partial_json import StringFieldDecoder

TEXT = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@given(
    TEXT,
    st.dictionaries(TEXT.filter(lambda name: name != "say"), VALUES, max_size=3),
    st.dictionaries(TEXT.filter(lambda name: name != "say"), VALUES, max_size=3),
    st.booleans(),
    st.integers(1, 7),
)
def test_T9_the_field_is_heard_exactly_however_the_json_is_cut(
    text: str, before: dict[str, object], after: dict[str, object], ascii_only: bool, size: int
) -> None:
    raw = json.dumps(
        {**before, "say": text, **{k: v for k, v in after.items() if k not in before}}, ensure_ascii=ascii_only
    )
    field = StringFieldDecoder("say")
    heard = "".join(field.feed(raw[at : at + size]) for at in range(0, len(raw), size))
    assert heard == text


def test_T9_what_is_heard_grows_with_every_piece() -> None:
    field = StringFieldDecoder("say")
    assert [field.feed(piece) for piece in ('{"sa', 'y": "Hel', "lo\\", "n\\u00", 'e9"', ', "more": "x"}')] == [
        "",
        "Hel",
        "lo",
        "\n",
        "é",
        "",
    ]


def test_T9_several_fields_are_heard_one_after_another() -> None:
    fields = StringFieldDecoder("say", "ask")
    pieces = ('{"say": "Hel', 'lo.", "secret": "x", "as', 'k": "Wh', 'y?", "key": "because"}')
    assert [fields.feed(piece) for piece in pieces] == ["Hel", "lo.", "\n\nWh", "y?"]


def test_T9_a_field_of_that_name_deeper_down_is_not_heard() -> None:
    field = StringFieldDecoder("say")
    assert field.feed('{"other": {"say": "no"}, "list": ["say", "no"], "say": "yes"}') == "yes"


def test_T9_half_a_surrogate_pair_is_marked_and_not_passed_on() -> None:
    field = StringFieldDecoder("say")
    assert field.feed('{"say": "a\\ud83dz\\ude00"}') == "a\ufffdz\ufffd"
