"""Text made fit to keep, and folded to be compared."""

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.text.normalization import folded, occurs_in, one_line, tidy


@given(st.text())
def test_tidy_text_stays_as_it_is(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)
    assert one_line(one_line(text)) == one_line(text)
    assert "\n" not in one_line(text)


@given(st.text())
def test_tidy_text_can_be_stored_and_sent_everywhere(text: str) -> None:
    tidied = tidy(text)
    assert tidied.encode() is not None
    assert not {"\0", "\r", "\x1b", "\u2028"} & set(tidied)


@given(st.text(alphabet="\u200b\u202e\ufeff\x00\x07\U000e0041\xad\ud800"))
def test_text_that_only_hides_is_no_text(text: str) -> None:
    assert tidy(text) == folded(text) == ""


def test_joiners_that_shape_letters_stay_where_text_is_kept_and_do_not_count_where_it_is_compared() -> None:
    persian = "می\u200cخواهم"
    assert tidy(persian) == persian
    assert folded(persian) == folded("میخواهم")


def test_a_phrase_occurs_as_whole_words() -> None:
    assert occurs_in("the same", "is it the same?")
    assert not occurs_in("the same", "is it the sameness?")
    assert not occurs_in("cat", "concatenate")
    assert occurs_in("光合", "什么是光合作用")
