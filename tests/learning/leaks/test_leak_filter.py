"""The stream behind the check: what is shown does not depend on how the text came."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprout.learning.leaks.leak import LeakForm
from sprout.learning.leaks.leak_filter import MAX_REPLY, LeakFilter, SentenceSplitter
from sprout.learning.leaks.secret import Secret
from tests.learning.leaks.replies import Said, corpus

CORPUS = corpus()
TRAM = next(one.secret for one in CORPUS if one.question == "tram")


def shown_in(pieces: list[str], reply: Said) -> tuple[str, str | None, str]:
    saying = LeakFilter(reply.secret, before=reply.before, level=reply.level)
    shown = "".join([*(saying.feed(piece) for piece in pieces), saying.end()])
    return shown, saying.withheld, saying.recent_text


def cut(text: str) -> list[str]:
    sentences = SentenceSplitter()
    return [piece for letter in text if (piece := sentences.add(letter))] + [sentences.flush()]


@settings(max_examples=40)
@given(st.sampled_from(CORPUS), st.lists(st.integers(0, 400), max_size=30))
def test_H2_every_way_to_part_a_reply_shows_the_same(reply: Said, places: list[int]) -> None:
    text = reply.reply
    edges = [0, *sorted(place for place in places if place < len(text)), len(text)]
    parted = [text[start:end] for start, end in pairwise(edges)]
    assert shown_in(parted, reply) == shown_in([text], reply) == shown_in(list(text), reply)


@given(st.text())
def test_H2_what_is_cut_is_the_text(text: str) -> None:
    assert "".join(cut(text)) == text


@given(st.text())
def test_H2_what_gives_nothing_away_is_shown_whole(text: str) -> None:
    saying = LeakFilter(Secret())
    assert saying.feed(text) + saying.end() == text
    assert saying.withheld is None
    assert saying.recent_text == text


def test_H2_a_sentence_is_shown_as_soon_as_it_is_whole() -> None:
    saying = LeakFilter(TRAM)
    assert saying.feed("Which units do these two numbers have?") == ""
    assert saying.feed(" Write") == "Which units do these two numbers have?"
    assert saying.feed(" them down.") == ""
    assert saying.end() == " Write them down."
    assert saying.withheld is None


def test_H2_the_sentence_that_leaks_and_all_after_it_is_withheld() -> None:
    saying = LeakFilter(TRAM)
    shown = saying.feed("Look at the minutes once more. It is 8.33 m/s, as you will find. What now, my friend? ")
    assert shown == "Look at the minutes once more."
    assert saying.withheld == LeakForm.EXACT
    assert saying.feed("Which units do these two numbers have? ") == ""
    assert saying.end() == ""
    assert saying.recent_text == shown


def test_H2_what_was_said_in_the_replies_before_counts() -> None:
    photosynthesis = next(one.secret for one in CORPUS if one.question == "photosynthesis")
    visible = ""
    withheld = []
    for reply in ["The word begins with photo, as in photograph.", "And it ends in synthesis, as in chemistry."]:
        saying = LeakFilter(photosynthesis, before=visible)
        saying.feed(reply)
        saying.end()
        visible = saying.recent_text
        withheld.append(saying.withheld)
    assert withheld == [None, LeakForm.SPLIT]


@pytest.mark.parametrize(
    "whole",
    [
        "Compare e.g. the first line of it with the second.",
        "Nimm z. B. den Wert 3.5 und setze ihn bzw. sein Doppeltes ein.",
        "The list by Dr. Smith has approx. twenty entries in it.",
        "Am 3. Mai 1808 stand es in der Zeitung.",
        "Take $f(x) = 3. \\cdot x. y$ and go on with it.",
        "Call `print(a. b)? c` once and look at what comes.",
        r"Read \( a. b \) as one formula and then go on.",
    ],
)
def test_H2_abbreviations_numbers_and_formulas_are_not_torn(whole: str) -> None:
    assert cut(f"{whole} What do you see there?") == [whole, " What do you see there?"]


def test_H2_a_displayed_formula_stays_in_one_piece() -> None:
    formula = "$$\na = b + c + d + e + f\n= g + h + i + j + k. \n$$\n"
    assert cut(f"Look at this one, please.\n{formula}And now to you, my friend.") == [
        "Look at this one, please.\n",
        formula,
        "And now to you, my friend.",
    ]


def test_H2_code_is_shown_line_by_line() -> None:
    code = "```python\nfor word in words: # one. by one\n    counts[word] = something_else\n```\n"
    assert cut(code) == [
        "```python\nfor word in words: # one. by one\n",
        "    counts[word] = something_else\n",
        "```\n",
    ]


def test_H2_a_price_does_not_hold_the_text_back_for_ever() -> None:
    text = "It costs $5 in the shop. " + "Then it costs more and more. " * 20
    assert len(cut(text)) > 5


def test_H2_lists_are_shown_item_by_item() -> None:
    items = ["1. Write down the distance.\n", "2. Write down the time, too.\n", "3. Divide the one by the other."]
    assert cut("".join(items)) == items


def test_H2_wide_full_stops_end_a_sentence() -> None:
    sentence = "请先看一下这个问题的最后一个句子里面的那几个字，再想一想它们的意思。"
    assert cut(sentence * 2) == [sentence, sentence, ""]


@pytest.mark.parametrize("piece", ["a", "a. ", "2 ", "\n", "$", "`", "wait. ", "ﷺ"])
def test_H2_an_endless_reply_is_withheld(piece: str) -> None:
    saying = LeakFilter(TRAM)
    text = (piece * 100_000)[:100_000]
    shown = saying.feed(text) + saying.end()
    assert saying.withheld == LeakForm.TOO_LONG
    assert len(shown) <= MAX_REPLY
