"""Markdown and plain text, decoded."""

import pytest

from sprout.documents.formats.plain_text import read_plain_text
from sprout.documents.limits import ReadingLimits
from sprout.errors import UnreadableDocument


def text_of(content: bytes, limits: ReadingLimits = ReadingLimits()) -> str:
    return read_plain_text(content, limits).text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"])
def test_text_is_read_whatever_its_encoding(encoding: str) -> None:
    content = "Schüler fragen: „Was heißt Wärme?“".translate({0x201E: '"', 0x201C: '"'}).encode(encoding)
    assert text_of(content) == 'Schüler fragen: "Was heißt Wärme?"'


def test_windows_quotation_marks_survive() -> None:
    assert text_of(b"\x93Heat\x94 \x96 caf\xe9") == "“Heat” – café"


def test_newlines_are_plain_and_what_hides_is_taken_out() -> None:
    content = "a\r\nb\rc\x0cd\u202ee\u200bf\U000e0041g\u2028h".encode()
    assert text_of(content) == "a\nb\nc\ndefg\nh"


@pytest.mark.parametrize("content", [b" \r\n\t\n", "\ufeff\u200b\u202e".encode(), b" " * 70_000])
def test_a_file_without_text_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="no text in the file"):
        text_of(content)


@pytest.mark.parametrize("content", [b"a" * 70_000 + b"\x01\x02\x03" * 2_000, b"a\0b", b"\xff\xfea"])
def test_what_is_binary_only_later_is_refused_all_the_same(content: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="isn't text"):
        text_of(content)


def test_too_much_text_is_refused() -> None:
    assert text_of(b"abcd", ReadingLimits(characters=4)) == "abcd"
    with pytest.raises(UnreadableDocument, match="split it"):
        text_of(b"abcde", ReadingLimits(characters=4))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("A [[003 Permutations|permutation]] of it", "A permutation of it"),
        ("See [[Sets]] and [[001 Sets#Finite sets]].", "See Sets and 001 Sets."),
        ("## On [[Anomalies#Phantom|the phantom]]", "## On the phantom"),
        ("![[drawing.png]]Cells", "Cells"),
        ("## [[Term 4/Number theory/Prime numbers]]", "## Prime numbers"),
        ("See [[TCP/IP]].", "See TCP/IP."),
    ],
)
def test_links_between_notes_are_their_words(written: str, read: str) -> None:
    assert text_of(written.encode()) == read


@pytest.mark.parametrize(
    "code", ["a = [[1, 2]]", "[[0, 1], [1, 0]]", "if [[ -f x ]]; then", 'x[["name"]]', "x[[name]]"]
)
def test_lists_of_lists_are_no_links(code: str) -> None:
    assert text_of(code.encode()) == code


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("###Tides", "### Tides"),
        ("2. ##Tides", "2. ## Tides"),
        ("#tides", "#tides"),
        ("#TIDES (OF THE SEA)#", "# TIDES (OF THE SEA)"),
        ("##Tides##", "## Tides"),
        ("・潮汐\n　・大潮", "- 潮汐\n- 大潮"),
        ("•Tides\n\t•Spring tides", "- Tides\n\t- Spring tides"),
        ("a ##b", "a ##b"),
        ("##Tides## - of the sea", "##Tides## - of the sea"),
    ],
)
def test_a_heading_may_lack_the_space_after_its_marks_and_a_tag_is_none(written: str, read: str) -> None:
    assert read_plain_text(written.encode(), ReadingLimits()).text == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("A &rarr; B &#8594; C &#x2192; D", "A → B → C → D"),
        ("one&nbsp;word", "one word"),
        ("a &lt; b &amp; c, &lt;b&gt;, &#42;", "a < b & c, \\<b>, \\*"),
        ("&gt; 5", "\\> 5"),
        ("`a &lt; b` and &nosuchname;", "`a &lt; b` and &nosuchname;"),
        ("no&#8203;thing&#10;more", "no thing more"),
        ("```\n&lt;\n```", "```\n&lt;\n```"),
    ],
)
def test_a_character_may_be_written_as_an_entity(written: str, read: str) -> None:
    assert text_of(written.encode()) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("{% include setup %}\n\nTides rise.", "Tides rise."),
        ("![moon]({{ site.url }}/moon.png)", "![moon](/moon.png)"),
        ("Use `{% if %}` in a page.", "Use `{% if %}` in a page."),
        ("{{ name }} is filled in.", "{{ name }} is filled in."),
    ],
)
def test_what_a_generator_of_sites_fills_in_is_left_out(written: str, read: str) -> None:
    assert text_of(written.encode()) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("== Cells ==\n\n=== Walls ===\n\nThin.", "## Cells\n\n### Walls\n\nThin."),
        ("====== Cells ======\n\n===== Walls =====\n\nThin.", "# Cells\n\n## Walls\n\nThin."),
        ("== Cells\n\n=== Walls\n\nThin.", "## Cells\n\n### Walls\n\nThin."),
        ("Cells\n=====\n\nThin.", "Cells\n=====\n\nThin."),
        ("a == b and c == d", "a == b and c == d"),
        ("==marked==", "==marked=="),
    ],
)
def test_headings_of_wikis_and_asciidoc_are_headings_whichever_way_their_marks_count(written: str, read: str) -> None:
    assert text_of(written.encode()) == read


@pytest.mark.parametrize("code", ["##Step", "[[a note]]", "{% include setup %}"])
def test_fenced_code_stays_as_it_is(code: str) -> None:
    assert text_of(f"```\n{code}\n```".encode()) == f"```\n{code}\n```"
