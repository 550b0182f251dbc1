"""A web page as text."""

import pytest

from sprout.documents.formats.web_page import read_web_page
from sprout.documents.limits import ReadingLimits
from sprout.documents.splitting.passage_spans import split_into_spans
from sprout.errors import UnreadableDocument

PAGE = """<!doctype html><html><head><meta charset="{0}"><title>Wasser</title><style>p {{}}</style></head><body>
<nav>Start | Impressum</nav><h2>Über <b>Wasser</b></h2>Text ohne Absatz
<p>Ein   Absatz<br>in zwei Zeilen</p>
<ul><li>eins<ul><li>eins a</li></ul></li><li><p>zwei</p><p>mehr</p></li></ul><ol><li>a<li>b</ol>
<pre>x = 1
  y = 2</pre>
<table><tr><th>A<th>B<tr><td>1|2<td>3</table>
<script>alert(1)</script><template>no</template><p hidden>no</p><div style="Display : none">no</div>
<p aria-hidden="true">no</p><svg><text>no</text></svg><iframe src="https://example.org/">no</iframe>
<p># no heading</p><!-- no --></body></html>"""
TEXT = """# Wasser

## Über **Wasser**

Text ohne Absatz

Ein Absatz
in zwei Zeilen

- eins
  - eins a
- zwei

  mehr

1. a
2. b

```
x = 1
  y = 2
```

| A | B |
| --- | --- |
| 1\\|2 | 3 |

\\# no heading"""


def text_of(content: bytes, limits: ReadingLimits = ReadingLimits()) -> str:
    return read_web_page(content, limits).text


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "windows-1252"])
def test_a_page_becomes_the_text_that_is_seen_whatever_its_encoding(encoding: str) -> None:
    assert text_of(PAGE.format(encoding).encode(encoding)) == TEXT


def test_slides_that_a_drawing_frames_are_read() -> None:
    slides = "".join(
        f"<svg viewBox='0 0 9 5'><style>b {{}}</style><foreignObject width='9'><section><h2>{title}</h2>"
        f"<p>{title} rise.</p></section></foreignObject></svg>"
        for title in ("Tides", "Winds")
    )
    page = f"<!doctype html><html><body><div>{slides}<svg><text>no</text></svg></div></body></html>"
    assert text_of(page.encode()) == "## Tides\n\nTides rise.\n\n## Winds\n\nWinds rise."


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_mark_at_the_beginning_names_the_encoding(encoding: str) -> None:
    assert text_of(PAGE.format("iso-8859-1").encode(encoding)) == TEXT


def test_its_pieces_stand_under_its_headings() -> None:
    (piece,) = split_into_spans(TEXT)
    assert piece.heading == "Wasser › Über Wasser"


def test_what_stands_before_the_page_for_a_generator_of_sites_is_no_text() -> None:
    assert text_of(b"---\nlayout: lesson\ntitle: Water\n---\n<h1>All of water</h1><p>Wet.") == "# All of water\n\nWet."


def test_a_title_is_not_doubled_where_the_page_has_a_first_heading() -> None:
    assert text_of(b"<title>Water</title><h1>All of water</h1><p>Wet.") == "# All of water\n\nWet."


@pytest.mark.parametrize("page", [b"<p></p>", b"<html><script>a</script>", b"<!doctype html><p hidden>a</p>"])
def test_a_page_without_words_has_no_text(page: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="no text in the file"):
        text_of(page)


@pytest.mark.parametrize("depth", [400, 3_000, 300_000])
def test_B10_a_page_that_is_nested_without_end_is_refused_and_not_cut(depth: int) -> None:
    with pytest.raises(UnreadableDocument, match="could harm a reader"):
        text_of(b"<html><p>start</p>" + b"<div>" * depth + b"deep" + b"</div>" * depth + b"<p>end</p>")


def test_deep_pages_that_people_write_are_whole() -> None:
    assert text_of(b"<html>" + b"<div>" * 200 + b"deep" + b"</div>" * 200 + b"<p>end</p>") == "deep\n\nend"


def test_entities_that_would_grow_do_not() -> None:
    laughs = b'<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><html><p>&b; &amp; &xxe;</p>'
    assert "hahaha" not in text_of(laughs)


def test_code_with_fences_of_its_own_stays_code() -> None:
    assert text_of(b"<pre>```\n# a\n```</pre>") == "````\n```\n# a\n```\n````"


def test_too_much_text_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="too much text"):
        text_of(b"<p>" + b"word " * 100, ReadingLimits(characters=100))
