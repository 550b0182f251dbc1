"""Sentences that settle a question, found in the Markdown of the passage, and when they may be seen (Q6)."""

import pytest

from sprout.events import ReadingShown
from sprout.learning.lessons.help_ladder import HelpLadder, HelpLevel
from sprout.learning.lessons.readings import find_piece, literal_pieces, visible_reading

TEXT = """## Light

Light travels in waves. The **electromagnetic spectrum**{: data-type="term"} is the *range* of all
frequencies ([see](#fig-2)). A wavelength is measured from crest to crest.

1. Warm the **yeast**.
2. Add the flour.

| Gas | Share |
|---|---|
| Nitrogen | 78 % |
| Oxygen | 21 % |
"""


@pytest.mark.parametrize(
    ("sentence", "piece"),
    [
        ("Light travels in waves.", "Light travels in waves."),
        (
            "The electromagnetic spectrum is the range of all frequencies.",
            'The **electromagnetic spectrum**{: data-type="term"} is the *range* of all\nfrequencies',
        ),
        ("Warm the yeast. → Add the flour.", "Warm the **yeast**.\n2. Add the flour."),
        ("Oxygen: 21 %", "Oxygen | 21"),
        ("A wavelength is measured from a crest to the next crest.", "A wavelength is measured from crest to crest."),
    ],
)
def test_a_sentence_is_found_in_the_markdown_as_it_is_written_there(sentence: str, piece: str) -> None:
    assert find_piece(TEXT, sentence) == piece
    assert piece in TEXT


def test_what_does_not_stand_there_is_left_out_and_nothing_comes_twice() -> None:
    sentences = ["Light travels in waves.", "Sound needs air or water to travel.", "light travels in waves", ""]
    assert literal_pieces(TEXT, sentences) == ["Light travels in waves."]


def test_Q6_what_settles_a_question_is_seen_with_its_answer_and_not_before() -> None:
    reading = ReadingShown(
        passage_id="p1", document_id="d1", document="light.md", heading="Light", page=None, slides=False, text=TEXT,
        own_words=False, settled_by=["Light travels in waves."],
    )  # fmt: skip
    ladder = HelpLadder()
    for still_open in (ladder, ladder.after_help(), ladder.after_attempt(right=False), ladder.change()):
        shown = visible_reading(reading, still_open)
        assert shown is not None
        assert shown.settled_by == []
    full = HelpLadder(HelpLevel.WORKED_STEP)
    for settled in (ladder.after_attempt(right=True), ladder.show(), full.after_help(), ladder.compare()):
        assert visible_reading(reading, settled) == reading
    assert visible_reading(None, ladder) is None
