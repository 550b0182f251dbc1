"""Sentences of a text."""

import pytest

from sprout.learning.structure.sentences import sentences_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rains. It pours! Why?", ["It rains.", "It pours!", "Why?"]),
        ("It is 3.14 m long. See Fig. 3 for more.", ["It is 3.14 m long.", "See Fig. 3 for more."]),
        ("J. K. Rowling wrote it, e.g. Harry Potter.", ["J. K. Rowling wrote it, e.g. Harry Potter."]),
        ("Am 3. Oktober, d. h. im Herbst. Dann Dr. Weiß.", ["Am 3. Oktober, d. h. im Herbst.", "Dann Dr. Weiß."]),
        ("In Kapitel 3. Danach mehr.", ["In Kapitel 3.", "Danach mehr."]),
        ("Take $a. B$ here. Then go.", ["Take $a. B$ here.", "Then go."]),
        ("“Stop.” He left.", ["“Stop.”", "He left."]),
        ("M. Myriel était évêque. Il vint.", ["M. Myriel était évêque.", "Il vint."]),
        ("他来了。我走了！", ["他来了。", "我走了！"]),
        ("هل جاء؟ نعم.", ["هل جاء؟", "نعم."]),
        ("A line\nand another", ["A line", "and another"]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences_of(text) == expected
