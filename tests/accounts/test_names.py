"""Names to sign in with."""

import pytest

from sprout.accounts.names import MAX_NAME, name_key, sign_in_name
from sprout.errors import BadInput


@pytest.mark.parametrize("same", ["Anna", "anna", " ANNA ", "Ａｎｎａ"])
def test_case_and_form_make_no_other_name(same: str) -> None:
    assert name_key(same) == "anna"


@pytest.mark.parametrize("written", ["anna", "Özil.9", "a@b.de", "x" * MAX_NAME, "Ⅷ"])
def test_a_kept_name_stays_the_same_name(written: str) -> None:
    assert name_key(sign_in_name(written)) == name_key(written)


@pytest.mark.parametrize("unfit", ["", " ", "two words", "x" * (MAX_NAME + 1), "a\x00b", "<b>", "a\u200bb", "a\u202eb"])
def test_a_name_that_cannot_be_typed_or_told_apart_is_refused(unfit: str) -> None:
    with pytest.raises(BadInput):
        sign_in_name(unfit)


def test_sharp_s_and_dotted_i_do_not_hide_a_second_account() -> None:
    assert name_key("Strauß") == name_key("STRAUSS")
    assert name_key(name_key("İpek")) == name_key("İpek")
