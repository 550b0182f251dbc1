"""O9: thinking in tags is no answer, however it is cut into pieces."""

import pytest

from sprout.llm.tagged_thinking import TaggedThinking, without_thinking


@pytest.mark.parametrize("size", [1, 2, 5, 7, 100])
@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("<think>I count.</think>\n\nOne, two.", "One, two."),
        ("\n<THINKING>a < b</THINKING>One.", "One."),
        ("<think>never ends", ""),
        ("<think></think>One.", "One."),
        ("<thin ice> is thin.", "<thin ice> is thin."),
        ("One. <think>late</think> Two.", "One. <think>late</think> Two."),
        ("  One.", "  One."),
    ],
)
def test_O9_thinking_in_tags_is_left_out(written: str, answer: str, size: int) -> None:
    thinking = TaggedThinking()
    pieces = [written[at : at + size] for at in range(0, len(written), size)]
    assert "".join(thinking.feed(piece) for piece in pieces) == answer
    assert without_thinking(written) == answer
