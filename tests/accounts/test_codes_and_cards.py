"""Class codes and cards: what they look like, and how differently they may be typed."""

import re

import pytest

from sprout.accounts.cards import card_digest, new_card
from sprout.accounts.class_codes import ALPHABET, LENGTH, class_code, new_class_code
from sprout.accounts.names import MAX_NAME, name_of_nickname, sign_in_name


def test_a_class_code_has_eight_characters_without_look_alikes() -> None:
    codes = {new_class_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(len(code) == LENGTH and set(code) <= set(ALPHABET) for code in codes)
    assert not set(ALPHABET) & set("0O1I5286AEIOU")


@pytest.mark.parametrize("typed", ["BCDZSLG4", " bcdz-slg4 ", "8CD2-5164", "bcd z5 ig4", "ｂｃｄｚｓｌｇ４"])
def test_a_class_code_may_be_typed_in_any_way_that_looks_the_same(typed: str) -> None:
    assert class_code(typed) == "BCDZSLG4"


def test_what_is_no_code_stays_another_text() -> None:
    assert class_code("") == ""
    assert class_code("ß" * 20 + "\x00") == "S" * 40


def test_a_card_has_eighty_random_bits_in_five_words() -> None:
    cards = {new_card() for _ in range(200)}
    assert len(cards) == 200
    assert all(re.fullmatch(r"(?:[b-z][aiou][b-z][aiou][b-z] ?){5}", card) for card in cards)


def test_a_card_may_be_typed_with_any_signs_and_capitals_between() -> None:
    kept = card_digest("lusab babad gutih tugad bofan")
    assert card_digest(" Lusab-BABAD, gutih\ntugad.bofan") == kept
    assert card_digest("lusab babad gutih tugad bofam") != kept
    assert "lusab" not in kept


@pytest.mark.parametrize("nickname", ["Mila", "Ms. Mila Ö", "🙂", "x" * 200, "a b\x00c"])
def test_any_nickname_gives_a_name_to_sign_in_with(nickname: str) -> None:
    name = name_of_nickname(nickname, "0123456789ab")
    assert sign_in_name(name) == name
    assert len(name) <= MAX_NAME
