"""Counting tokens offline."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.loop.context.tokenizer import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("Photosynthesis stores light as sugar.", 7),
        ("I'll ask 12345 times\n\n", 8),
        ("お誕生日おめでとう", 9),
    ],
)
def test_counts_are_those_of_cl100k_base(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_a_special_token_in_a_learners_text_is_only_text() -> None:
    assert count_tokens("<|endoftext|>") > 1


@given(st.text(), st.text())
def test_a_text_has_at_most_as_many_tokens_as_its_parts_have_bytes(left: str, right: str) -> None:
    whole = left + right
    assert count_tokens(whole) <= len(whole.encode())


def test_counting_opens_no_connection() -> None:
    program = (
        "import socket\n"
        "def refuse(*args, **kwargs): raise AssertionError('the network was used')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from sprout.loop.context.tokenizer import count_tokens\n"
        "print(count_tokens('hello world'))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("2\n", "")
