"""Text files that hold a page of HTML."""

from sprout.documents.formats.page_in_text import read_text
from sprout.documents.limits import ReadingLimits

PAGE = """---
title: Water
---
<h2>Rain</h2>
<ul>
<li><strong>Drizzle</strong> is light rain.</li>
<li>A <em>shower</em> is short.</li>
</ul>

Hail is ice,
and it hurts.

Snow is soft.

<h2>Rivers</h2>
<p>They run to the sea.</p>
<p>They begin at springs.</p>
<h2>Seas</h2>
<p>They are salt.</p>
<p>They are deep.</p>
"""
READ = """## Rain

- **Drizzle** is light rain.
- A *shower* is short.

Hail is ice, and it hurts.

Snow is soft.

## Rivers

They run to the sea.

They begin at springs.

## Seas

They are salt.

They are deep."""


def test_a_page_in_a_text_file_is_read_as_what_it_is() -> None:
    assert read_text(PAGE.encode(), ReadingLimits()).text == READ
    assert read_text(PAGE.replace("\n", "\r\n").encode(), ReadingLimits()).text == READ


def test_markdown_with_some_html_in_it_stays_as_it_is() -> None:
    notes = f"# Water\n\n- It is wet.\n\n{PAGE.rpartition('---')[2].strip()}"
    assert read_text(notes.encode(), ReadingLimits()).text == notes


def test_markdown_with_a_large_table_in_html_stays_as_it_is() -> None:
    rows = "\n".join(f"<tr>\n<td>Alcohol {n}</td>\n<td>-ol</td>\n</tr>" for n in range(12))
    notes = f"# Groups\n\nThey have **endings**.\n\n<table>\n{rows}\n</table>\n\n## Ethers\n\nThey end in *ether*."
    assert read_text(notes.encode(), ReadingLimits()).text == notes
