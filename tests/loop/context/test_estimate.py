"""Estimate of the share of the window that a view takes."""

import struct
from base64 import b64decode, b64encode
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.events import Usage
from sprout.loop.context.estimate import (
    EXACT_COUNT_CHARACTERS,
    MAX_FACTOR,
    MAX_IMAGE_TOKENS,
    START_FACTOR,
    TOOLS_TOKENS,
    UNREADABLE_IMAGE_TOKENS,
    Estimator,
    Size,
    block_size,
    fixed_tokens,
    image_edges,
    image_tokens,
    text_tokens,
)
from sprout.loop.context.tokenizer import count_tokens
from sprout.loop.model import Image, Message, RedactedThinking, Text, Thinking, ToolResult, ToolSpec, ToolUse


def png(width: int, height: int) -> Image:
    header = b"IHDR" + struct.pack(">II", width, height) + b"\x08\x06\x00\x00\x00"
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", crc32(header))
    return Image("image/png", b64encode(b"\x89PNG\r\n\x1a\n" + chunk + bytes(4) + b"IDAT").decode())


def jpeg(width: int, height: int, *, frame: int = 0xC0) -> Image:
    opening = b"\xff\xd8\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + bytes(9)
    table = b"\xff\xc4" + struct.pack(">H", 6) + bytes(4)
    header = b"\xff" + bytes([frame]) + struct.pack(">HBHHB", 11, 8, height, width, 1) + bytes(3)
    return Image("image/jpeg", b64encode(opening + table + header).decode())


@pytest.mark.parametrize("image", [png(640, 480), jpeg(640, 480), jpeg(640, 480, frame=0xC2)])
def test_a_picture_costs_by_its_width_and_height(image: Image) -> None:
    assert image_edges(image) == (640, 480)
    assert image_tokens(image) == 410


def test_a_long_colour_profile_before_the_size_of_a_picture_is_passed_over() -> None:
    plain = b64decode(jpeg(640, 480).data)
    profile = (b"\xff\xe2" + struct.pack(">H", 65_002) + bytes(65_000)) * 9
    assert image_edges(Image("image/jpeg", b64encode(plain[:2] + profile + plain[2:]).decode())) == (640, 480)


def test_a_large_picture_costs_what_it_has_after_scaling_down() -> None:
    assert image_tokens(png(20_000, 20_000)) == MAX_IMAGE_TOKENS
    assert image_tokens(png(25_760, 100)) == image_tokens(png(2_576, 10))


@pytest.mark.parametrize(
    "data", ["", "?", "abc", b64encode(b"GIF89a").decode(), png(0, 5).data, png(5, 5).data[:20], "/9j/"]
)
def test_a_picture_that_cannot_be_read_costs_a_fixed_number(data: str) -> None:
    assert image_tokens(Image("image/png", data)) == UNREADABLE_IMAGE_TOKENS


@given(st.binary(max_size=200), st.sampled_from([b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n"]))
def test_no_header_breaks_the_reading(data: bytes, start: bytes) -> None:
    assert 1 <= image_tokens(Image("image/png", b64encode(start + data).decode())) <= MAX_IMAGE_TOKENS


def test_every_kind_of_block_is_counted() -> None:
    text = "Plants make sugar from light, water and air."
    words = count_tokens(text)
    assert block_size(Text(text)) == Size(words)
    assert block_size(ToolResult("c", text)).words > words
    assert block_size(ToolResult("c", (Text(text), png(640, 480)))) == Size(
        block_size(ToolResult("c", text)).words, 410
    )
    assert block_size(ToolUse("c", "look", {"at": text})).words > words
    assert block_size(Thinking(text, "s")).words == words
    assert block_size(Thinking("", "s" * 4_000)).words == 1_000
    assert block_size(RedactedThinking("d" * 4_000)).words == 1_000


def test_tools_are_counted_with_their_schemas() -> None:
    spec = ToolSpec("look", "Look at something.", {"type": "object", "properties": {"at": {"type": "string"}}})
    alone, one, two = (fixed_tokens("Be kind.", tools) for tools in ((), (spec,), (spec, spec)))
    assert alone == count_tokens("Be kind.")
    assert one - alone > TOOLS_TOKENS
    assert 0 < two - one < one - alone


def test_the_estimate_begins_at_the_factor_and_is_corrected_by_what_the_api_counted() -> None:
    estimator = Estimator(100)
    size = estimator.size([Message("user", (Text(" word" * 896), png(750, 100)))])
    assert size == Size(900, 100)
    assert estimator.tokens(size) == 1_000 * START_FACTOR + 100
    estimator.calibrate(Usage(input_tokens=50, cache_read_tokens=1_000, cache_write_tokens=250), size)
    assert estimator.tokens(size) == 1_300
    assert estimator.tokens(size.plus(Size(300))) == 1_700


@pytest.mark.parametrize("usage", [Usage(), Usage(output_tokens=900)])
def test_a_server_that_counts_nothing_corrects_nothing(usage: Usage) -> None:
    estimator = Estimator(100)
    estimator.calibrate(usage, Size(900))
    assert estimator.factor == START_FACTOR


def test_a_report_out_of_all_proportion_is_not_believed() -> None:
    estimator = Estimator(0)
    estimator.calibrate(Usage(input_tokens=10**9), Size(10))
    assert estimator.tokens(Size(10)) == MAX_FACTOR * 10


def test_two_reports_tell_the_factor_apart_from_what_stands_before_the_messages() -> None:
    estimator = Estimator(1_000)
    for words in (100, 2_000, 2_100):
        estimator.calibrate(Usage(input_tokens=400 + 2 * words), Size(words))
    assert estimator.tokens(Size(10_000)) == 20_400
    assert estimator.tokens(Size(0)) == 400


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**7)), max_size=6), st.integers(0, 10**5))
def test_whatever_is_reported_the_estimate_stays_in_proportion_and_grows_with_the_words(
    reports: list[tuple[int, int]], fixed: int
) -> None:
    estimator = Estimator(fixed)
    for words, counted in reports:
        estimator.calibrate(Usage(input_tokens=counted), Size(words))
        if counted and words:
            assert 0 < estimator.tokens(Size(words)) <= MAX_FACTOR * (fixed + words) + 1
    assert estimator.tokens(Size(2_000)) > estimator.tokens(Size(1_000))


def test_the_estimate_of_what_followed_a_report_is_within_15_percent() -> None:
    """Trap 41, for a tokenizer that makes 1.6 tokens of each: only the view before the tail has been counted by it."""
    estimator = Estimator(200)
    view = [Message("user", (Text("Explain photosynthesis to a beginner, please. " * 40),))]
    estimator.calibrate(Usage(input_tokens=round(1.6 * (200 + estimator.size(view).words))), estimator.size(view))
    tail = [Message("assistant", (ToolUse("c", "look", {"at": "leaves"}),)), Message("user", (png(1_000, 750),))]
    size = estimator.size(view + tail)
    assert estimator.tokens(size) == pytest.approx(1.6 * (200 + size.words) + 1_000, rel=0.15)


def test_a_very_long_text_is_counted_by_slices_and_well_enough() -> None:
    part = "The light reactions take place in the thylakoid membranes. 1234 äöü\n"
    text = part * (3 * EXACT_COUNT_CHARACTERS // len(part))
    assert text_tokens(text) == pytest.approx(count_tokens(text), rel=0.02)


def test_each_block_is_counted_once_and_forgotten_with_its_message() -> None:
    estimator = Estimator(0)
    kept, gone = Message("user", (Text("kept"),)), Message("user", (Text("gone"),))
    before = estimator.size([kept, gone])
    estimator.forget_except([kept])
    assert estimator.size([kept, gone]) == before
