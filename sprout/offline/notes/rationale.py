"""Rationale of a path from notes, for the learner: where it starts and forks, what was merged or left out."""

from collections.abc import Iterator, Sequence

from sprout.offline.graph_plan import PlannedEdge
from sprout.offline.notes.language import Phrases

MOST_WORDS = 150
NAMED = 3
FORKS = 2


def rationale(
    titles: Sequence[str],
    links: Sequence[PlannedEdge],
    say: Phrases,
    *,
    merged: Sequence[str],
    left_out: Sequence[str],
    thin: bool,
) -> str:
    """One paragraph of at most 150 words; what is said of single forks and headings gives way first."""
    targets = {link.target for link in links}
    entries = [title for title in titles if title not in targets]
    entry = say.rationale_entry if len(entries) == 1 else say.rationale_entries
    start = [say.rationale_start, entry.format(entries=_few(entries, say))]
    end = [say.rationale_thin] * thin + [say.rationale_end]
    sentences: list[str] = []
    for sentence in _optional(titles, links, say, merged, left_out):
        if len(" ".join([*start, *sentences, sentence, *end]).split()) <= MOST_WORDS:
            sentences.append(sentence)
    return " ".join([*start, *sentences, *end])


def _optional(
    titles: Sequence[str], links: Sequence[PlannedEdge], say: Phrases, merged: Sequence[str], left_out: Sequence[str]
) -> Iterator[str]:
    after = {title: [link.target for link in links if link.source == title] for title in titles}
    forks = [
        say.rationale_fork.format(source=source, targets=_few(found, say))
        for source, found in after.items()
        if len(found) > 1
    ]
    yield from forks[:1]
    if merged:
        yield say.rationale_merged.format(headings=_few(merged, say))
    if left_out:
        yield say.rationale_left_out.format(headings=_few(left_out, say))
    yield from forks[1:FORKS]


def _few(texts: Sequence[str], say: Phrases) -> str:
    if len(texts) <= NAMED:
        return say.listed(texts)
    named = ", ".join(say.quoted.format(text) for text in texts[:NAMED])
    return f"{named} {say.more.format(count=len(texts) - NAMED)}"
