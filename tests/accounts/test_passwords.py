"""Passwords that are taken and refused, and their hashes."""

import pytest

from sprout.accounts.passwords import MAX_LENGTH, check_password, hash_password, is_outdated, verify_password
from sprout.errors import BadInput


@pytest.mark.parametrize(
    "good",
    [
        "correct horse battery",
        "Blau-Tasse-Fjord",
        "x7#kQ9!mZ2pL",
        "пароль-из-слов",
        "我喜欢在雨里慢慢地走路",
        "a" * 5 + "bcdefgh",
    ],
)
def test_a_password_that_is_not_guessed_first_is_taken(good: str) -> None:
    check_password(good, "anna")


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("short", "password_short"),
        ("ninechars", "password_short"),
        ("x y" * MAX_LENGTH, "password_long"),
        ("password123!", "password_common"),
        ("P@ssw0rd2026", "password_common"),
        ("1234567890", "password_common"),
        ("0987654321", "password_common"),
        ("qwertzuiop", "password_common"),
        ("aaaaaaaaaaaa", "password_common"),
        ("abcabcabcabc", "password_common"),
        ("Willkommen1!", "password_common"),
        ("annaanna2026", "password_common"),
        ("margarethe12", "password_common"),
    ],
)
def test_a_password_that_is_guessed_first_is_refused(bad: str, code: str) -> None:
    with pytest.raises(BadInput) as refused:
        check_password(bad, "margarethe" if bad.startswith("marg") else "anna")
    assert refused.value.code == code


def test_a_hash_verifies_its_password_alone() -> None:
    kept = hash_password("correct horse battery")
    assert kept.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert verify_password(kept, "correct horse battery")
    assert not verify_password(kept, "correct horse batterz")
    assert hash_password("correct horse battery") != kept


def test_the_same_characters_typed_otherwise_are_the_same_password() -> None:
    assert verify_password(hash_password("Äpfel und Birnen"), "A\u0308pfel und Birnen")


def test_what_no_hash_takes_is_no_error() -> None:
    assert verify_password(hash_password("\ud800 unpaired surrogate"), "\ud800 unpaired surrogate")
    assert not verify_password("not a hash", "anything")


def test_a_hash_of_another_cost_is_outdated() -> None:
    assert is_outdated("$argon2id$v=19$m=8192,t=1,p=1$c29tZXNhbHRzb21l$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ")
    assert not is_outdated(hash_password("correct horse battery"))
