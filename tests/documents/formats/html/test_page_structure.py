"""Structure of web pages."""

import pytest

from sprout.documents.formats.web_page import read_web_page
from sprout.documents.limits import ReadingLimits
from sprout.errors import UnreadableDocument


def text_of(body: str, head: str = "") -> str:
    return read_web_page(f"<html><head>{head}</head><body>{body}</body></html>".encode(), ReadingLimits()).text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>A <b>bold</b>, an <i>italic</i> and <code>a*b</code>.", "A **bold**, an *italic* and `a*b`."),
        ("<p>H<sub>2</sub>O, 10<sup>6</sup>, the 1<sup>st</sup>", "H₂O, 10⁶, the 1st"),
        ('<p><b style="font-weight:normal">No <span style="font-weight:700">yes</span></b>', "No **yes**"),
        ("<h2><b>All</b></h2><p>x_1 * 2 &lt;b&gt; $5", "## All\n\nx_1 * 2 \\<b> \\$5"),
        ("<p>He said <q>go</q>, <ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>", "He said “go”, 漢(かん)"),
        ("<p>one<br><br>two", "one\n\ntwo"),
        ("<p>1. not a list", "1\\. not a list"),
    ],
)
def test_inline_content(body: str, expected: str) -> None:
    assert text_of(body) == expected


MATH = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
TEX = '<semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics>'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"<p>so {MATH} is", "so $x^{2}$ is"),
        (f'<p>so <math display="block">{TEX}</math> is', "so\n\n$$x^2$$\n\nis"),
        (r"<p>so \(x^2\) and \[y\] is", "so $x^2$ and\n\n$$y$$\n\nis"),
        ('<p>so <script type="math/tex">x^2</script>', "so $x^2$"),
        (
            '<p>so <span class="MathJax">x2</span><script type="math/tex; mode=display">x^2</script>',
            "so\n\n$$x^2$$",
        ),
        (
            (
                f'<p>so <span class="katex"><span class="katex-mathml"><math>{TEX}</math></span>'
                '<span class="katex-html" aria-hidden="true">x2</span></span>'
            ),
            "so $x^2$",
        ),
        (
            '<p>so <span class="mwe-math-element"><span style="display: none;"><math>' + TEX + "</math></span>"
            r'<img class="mwe-math-fallback-image-inline" alt="{\displaystyle x^2}"></span>',
            "so $x^2$",
        ),
        (r'<p>so <img alt="{\displaystyle x^2}"> is', "so $x^2$ is"),
        (r'<p>so <span class="math inline">\(x^2\)</span>, <span class="math inline">y</span>', "so $x^2$, $y$"),
        ("<p>costs $5 or $6", "costs \\$5 or \\$6"),
        ("<p>see <code>\\(x\\)</code>", "see `\\(x\\)`"),
    ],
)
def test_formulas(body: str, expected: str) -> None:
    assert text_of(body) == expected


def test_dollars_are_formulas_where_the_page_says_so() -> None:
    script = """<script>MathJax = {tex: {inlineMath: [['$', '$']]}}</script>"""
    assert text_of("<p>so $x^2$ costs $5 $$y$$", script) == "so $x^2$ costs \\$5\n\n$$y$$"


@pytest.mark.parametrize(
    "block",
    [
        '<pre class="language-python"><code>{}</code></pre>',
        '<pre><code class="hljs python">{}</code></pre>',
        '<div class="highlight-python3 notranslate"><div class="highlight"><pre><span></span>{}</pre></div></div>',
        '<div class="highlight highlight-source-python"><pre>{}</pre></div>',
        '<pre class="sourceCode python"><code class="sourceCode python">{}</code></pre>',
        '<pre data-lang="python">{}</pre>',
        '<pre class="brush: python; toolbar: false">{}</pre>',
    ],
)
def test_code_has_its_language(block: str) -> None:
    assert text_of(block.format("<span class='k'>if</span> a:\n    b")) == "```python\nif a:\n    b\n```"


def test_code_has_neither_line_numbers_nor_lost_lines() -> None:
    numbers, code = '<td class="linenos"><pre>1\n2</pre></td>', "<td><pre>a\nb</pre></td>"
    assert text_of(f'<table class="highlighttable"><tr>{numbers}{code}</tr></table>') == "```\na\nb\n```"
    assert text_of("<pre><div>a</div><div>b</div></pre>") == "```\na\nb\n```"


def test_definitions() -> None:
    page = (
        "<dl><dt>Heat</dt><dt>Warmth</dt><dd><p>Energy<p>that moves</dd><dd>Noise<dt>Cold<dd><pre>0</pre></dl><p>After"
    )
    assert text_of(page) == "Heat, Warmth\n: Energy\n\n  that moves\n: Noise\n\nCold\n: ```\n  0\n  ```\n\nAfter"


@pytest.mark.parametrize(
    "page",
    [
        (
            '<p>Heat<a href="#fn1" role="doc-noteref"><sup>1</sup></a> rises.<section class="footnotes"><hr><ol>'
            '<li id="fn1"><p>It does.<a href="#fnref1" role="doc-backlink">↩</a></p></li></ol></section>'
        ),
        (
            '<p>Heat<sup id="cite_ref-1"><a href="#cite_note-1">[1]</a></sup> rises.<ol><li id="cite_note-1">'
            '<span class="mw-cite-backlink"><a href="#cite_ref-1">^</a></span> It does.</li></ol>'
        ),
        (
            '<p>Heat<a class="footnote-reference brackets" href="#id2" id="id1">1</a> rises.<aside id="id2">'
            '<span class="label"><span class="fn-bracket">[</span><a href="#id1">1</a>]</span><p>It does.</p></aside>'
        ),
        (
            '<p>Heat<a href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a> rises.<div><p>'
            '<a href="#_ftnref1" name="_ftn1">[1]</a> It does.</p></div>'
        ),
    ],
)
def test_footnotes(page: str) -> None:
    assert text_of(page) == "Heat[^1] rises.\n\n[^1]: It does."


def test_a_raised_link_to_a_section_is_no_footnote() -> None:
    assert text_of('<p>See<sup><a href="#two">2</a></sup><h2 id="two">Two</h2>') == "See²\n\n## Two"


def test_figures() -> None:
    numbered = '<figure><img src="a.png" alt="x"><figcaption>Figure 1: <b>Heat</b></figcaption></figure>'
    assert text_of(numbered) == "Figure 1: **Heat**"
    assert text_of("<figure><img src=a.png><figcaption>Heat rises</figcaption></figure>") == "![Heat rises]()"
    assert text_of('<figure><img alt="Heat rises"></figure>') == "![Heat rises]()"
    assert text_of('<p><img alt="Warm air that rises"></p><p><a><img alt="build is passing"></a>x') == (
        "![Warm air that rises]()\n\nx"
    )


@pytest.mark.parametrize(
    "box",
    [
        "<blockquote>{}</blockquote>",
        "<aside>{}</aside>",
        '<div class="admonition note">{}</div>',
        '<div class="callout callout-tip">{}</div>',
        '<section class="theorem">{}</section>',
    ],
)
def test_boxes_are_quotes(box: str) -> None:
    assert text_of(box.format('<p class="admonition-title">Note<p>Hot.')) == "> **Note**\n>\n> Hot."


def test_a_box_that_begins_with_a_heading_ends_where_it_ends() -> None:
    box = "<div class='callout editable'><h3>To your health</h3><p>Radon is heavy.</div>"
    assert text_of(f"<h2>Gases</h2><p>Gases move.{box}<p>They fill a room.") == (
        "## Gases\n\nGases move.\n\n> **To your health**\n>\n> Radon is heavy.\n\nThey fill a room."
    )
    assert "### Second" in text_of("<div class='callout'><h3>First</h3><p>Hot.<h3>Second</h3><p>Cold.</div>")


def test_tables() -> None:
    data = "<table><caption>Melting</caption><tr><th>A<th>B<tr><td rowspan=2>1<td>2<tr><td>3</table>"
    assert text_of(data) == "Melting\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |"
    sides = "<table><tr><th>A<td>1<tr><th>B<td>2</table>"
    assert text_of(sides) == "|  |  |\n| --- | --- |\n| **A** | 1 |\n| **B** | 2 |".replace("**", "")
    unmarked = "<table><tr><td>A<td>1<tr><td>B<td>2</table>"
    assert text_of(unmarked) == text_of(sides)
    for layout in ("<table><tr><td>a<td>b</table>", "<table><tr><td>a<tr><td>b</table>"):
        assert text_of(layout) == "a\n\nb"
    assert text_of("<table><tr><td>a<td><table><tr><td>b<td>c</table></table>") == "a\n\nb\n\nc"


def test_a_list_keeps_its_blocks_and_its_numbers() -> None:
    page = "<p>Steps:<ol start=3><li>a<pre>x</pre>b<ul><li>c</ul><li>d</ol>"
    assert text_of(page) == "Steps:\n\n3. a\n\n   ```\n   x\n   ```\n\n   b\n   - c\n4. d"
    assert text_of("<ul><li><h3>One</h3>first<li><h3>Two</h3>second</ul>") == "### One\n\nfirst\n\n### Two\n\nsecond"


CONTENT = "Heat rises, because warm air is lighter than cold air. " * 6


@pytest.mark.parametrize(
    "furniture",
    [
        "<nav>Home</nav>",
        '<div role="navigation">Home</div>',
        '<div class="breadcrumb">Home / Heat</div>',
        '<div class="cookie-banner">We use cookies</div>',
        '<a class="skip-link" href="#c">Skip to content</a>',
        '<a href="/edit">Edit on GitHub</a>',
        "<aside><ul><li><a>One</a><li><a>Two</a></ul></aside>",
        '<div class="sidebar"><a>One</a> <a>Two</a></div>',
        '<ul class="docnav"><li><a>Prev</a><li><a>Next</a></ul>',
        "<footer>© 2026 Somebody. <a>Imprint</a></footer>",
        "<header><a>Home</a> <a>News</a></header>",
    ],
)
def test_furniture_is_left_out(furniture: str) -> None:
    assert text_of(f"{furniture}<h1>Heat</h1><p>{CONTENT}</p>") == f"# Heat\n\n{CONTENT.strip()}"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<h2 class="accordion"><button>The skin</button></h2>', "## The skin"),
        (
            "<ul><li><button>Dermis</button><span>: a layer of the skin</span></li></ul>",
            "- Dermis: a layer of the skin",
        ),
        ("<h2><button>▸</button></h2>", ""),
        ("<h2>The skin <button>Copy</button></h2>", "## The skin"),
        ("<ul><li><button>Play</button> The song of a bird</li></ul>", "- The song of a bird"),
        ("<p><button>Print</button></p>", ""),
    ],
)
def test_a_button_that_opens_and_closes_a_text_is_its_heading_or_term(page: str, expected: str) -> None:
    assert text_of(f"<p>{CONTENT}</p>{page}") == f"{CONTENT.strip()}\n\n{expected}".strip()


@pytest.mark.parametrize(
    "kept",
    [
        "<footer>Sources: a book on heat, second edition, and two papers on air.</footer>",
        '<header><h1>Heat</h1><p class="lead">Why it rises</p></header>',
        "<aside>Mind the gap.</aside>",
        '<div class="sidebar"><p>A box beside the text that explains it.</p></div>',
        '<section id="cookies"><h2>Cookies</h2><p>How to bake them</p></section>',
    ],
)
def test_what_could_be_content_is_kept(kept: str) -> None:
    words = "Sources Why Mind explains bake".split()
    assert any(word in text_of(f"{kept}<p>{CONTENT}</p>") for word in words)


def test_the_main_element_is_the_content() -> None:
    page = f"<div>Subscribe now!</div><main><h2>Heat</h2><p>{CONTENT}</p></main><div>More stories</div>"
    assert text_of(f"<h1>Physics</h1>{page}") == f"# Physics\n\n## Heat\n\n{CONTENT.strip()}"
    assert text_of(f"<div>Subscribe now!</div><article><p>{CONTENT}</p></article>") == CONTENT.strip()
    two = f"<article><p>{CONTENT}</p></article><article><p>Second</p></article><p>Third</p>"
    assert "Second\n\nThird" in text_of(two)
    assert text_of("<main><p></p></main><p>Outside</p>") == "Outside"


def test_hostile_formulas_and_tables_are_bounded() -> None:
    with pytest.raises(UnreadableDocument):
        text_of("<p>x<math>" + "<msqrt>" * 100 + "</msqrt>" * 100 + "</math>")
    wide = "<table><tr><td colspan=9999999>a<td rowspan=9999999>b<tr><td>c<td>d</table>"
    assert len(text_of(wide)) < 1_000
    assert text_of("<p>" + "\\(" * 20_000).count("\\") >= 20_000
