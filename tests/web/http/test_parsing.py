"""Reading requests strictly."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.errors import BadInput, NotFound
from sprout.web.http.parsing import WrongType, check_json_content_type, parse_json, validate, validate_id
from sprout.web.schemas.requests import NewNode, NodeChange

BAD_JSON = {
    "nothing": b"",
    "only spaces": b" \n ",
    "cut off": b'{"title": "a',
    "not JSON": b"title=a",
    "two values": b"{} {}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "invalid UTF-8": b'{"title": "\xff"}',
    "UTF-16": '{"title": "a"}'.encode("utf-16"),
    "a raw control character": b'{"title": "a\x01"}',
    "too deep for the parser": b"[" * 100_000,
    "closed, and too deep for the parser": b"[" * 100_000 + b"]" * 100_000,
    "deeper than is read": b'{"a":' * 60 + b"1" + b"}" * 60,
    "a key that stands twice": b'{"userId": "me", "userId": "you"}',
    "a key that stands twice, written in two ways": b'{"a": [{"b": 1, "\\u0062": 2}]}',
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": Infinity}',
    "minus Infinity": b'{"a": -Infinity}',
    "infinite by its exponent": b'{"a": 1e999}',
    "an integer of 5000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "an integer of 30 digits": b'{"a": -' + b"9" * 30 + b"}",
    "half a surrogate pair": b'{"a": "\\ud800"}',
    "half a surrogate pair in a key": b'{"\\udfff": 1}',
    "a NUL character": b'{"a": ["\\u0000"]}',
    "a NUL character in a key": b'{"a\\u0000": 1}',
}


@pytest.mark.parametrize("body", BAD_JSON.values(), ids=BAD_JSON.keys())
def test_D17_json_that_cannot_be_stored_or_sent_on_is_refused(body: bytes) -> None:
    with pytest.raises(BadInput):
        parse_json(body)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": "\\ud83c\\udf31"}', {"a": "🌱"}),
        ('{"ü": "🌱"}'.encode(), {"ü": "🌱"}),
        (b"[" * 50 + b"]" * 50, None),
        (b'{"a": 999999999999999999, "b": -0.5e-3}', {"a": 999999999999999999, "b": -0.0005}),
    ],
)
def test_json_that_is_only_unusual_is_read(body: bytes, value: object) -> None:
    assert value is None or parse_json(body) == value


@given(st.binary(max_size=200))
def test_B3_any_bytes_are_read_or_refused(body: bytes) -> None:
    with suppress(BadInput):
        parse_json(body)


@given(st.recursive(st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.text(), st.lists, max_leaves=20))
def test_what_is_read_can_be_written_again(value: object) -> None:
    body = json.dumps(value).encode()
    try:
        read = parse_json(body)
    except BadInput:
        return
    assert read == value
    json.dumps(read, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize("id_", ["", "a" * 101, "a\0b", "a\nb", "\u202eabc", "a\x7f"])
def test_B4_what_can_never_be_an_id_is_not_found(id_: str) -> None:
    with pytest.raises(NotFound) as refusal:
        validate_id(id_)
    assert str(refusal.value).isprintable()


def test_an_id_is_taken_as_it_is() -> None:
    assert validate_id("not-a-uuid") == "not-a-uuid"


@pytest.mark.parametrize("content_type", ["application/json", "Application/JSON; charset=UTF-8", "application/a+json"])
def test_json_media_types_are_taken(content_type: str) -> None:
    check_json_content_type(content_type)


@pytest.mark.parametrize("content_type", ["", "text/plain", "text/json", "application/json; charset=latin-1"])
def test_other_media_types_are_refused(content_type: str) -> None:
    with pytest.raises(BadInput):
        check_json_content_type(content_type)


@pytest.mark.parametrize(
    ("values", "refusal", "text"),
    [
        ({"type": "root"}, BadInput, "title: is required"),
        ({"type": "root", "title": None}, BadInput, "title: is required"),
        ({"type": "root", "title": "", "userId": "u"}, BadInput, "title: is required and must not be empty"),
        ({"type": "root", "title": "  ", "userId": "u"}, BadInput, "title: is required and must not be empty"),
        (
            {"type": "root", "title": "a" * 301, "userId": "u"},
            BadInput,
            "title: string should have at most 300 characters",
        ),
        ({"type": "root", "title": 5, "userId": "u"}, WrongType, "title: must be text"),
        ({"type": "root", "title": ["a"], "userId": "u"}, WrongType, "title: must be text"),
        (
            {"type": "leaf", "title": "a", "userId": "u"},
            WrongType,
            "type: input should be 'root', 'concept' or 'subconcept'",
        ),
    ],
)
def test_a_refusal_names_the_field_and_tells_missing_from_wrong(
    values: dict[str, object], refusal: type[BadInput], text: str
) -> None:
    with pytest.raises(BadInput) as caught:
        validate(NewNode, values)
    assert type(caught.value) is refusal
    assert str(caught.value) == text


def test_unknown_fields_are_ignored_and_nothing_is_converted() -> None:
    change = validate(NodeChange, {"id": "x", "user_id": "x", "accuracy_score": 0.5, "accuracyScore": 1})
    assert change.model_dump(exclude_none=True) == {"accuracy_score": 1}
    with pytest.raises(WrongType):
        validate(NodeChange, {"accuracyScore": "0.5"})
    with pytest.raises(WrongType):
        validate(NodeChange, {"accuracyScore": 1.5})
