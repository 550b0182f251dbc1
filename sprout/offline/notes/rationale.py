"""Rationale of a path from notes, for the learner: where it begins, and what was left out for which reason."""

from collections.abc import Sequence

from sprout.offline.notes.language import Language

MOST_WORDS = 150
NAMED = 8
LONGEST_NAME = 60


def rationale(
    titles: Sequence[str], left_out: Sequence[tuple[str, str]], given: Language, *, more_parts: int, thin: bool
) -> str:
    """One paragraph of at most 150 words.

    Args:
        left_out: headings with the reason in English.
        more_parts: how many parts of the notes the path has no room for.
        thin: the notes are so short that the path is as well.
    """
    say = given.phrases
    start = [say.rationale_start, say.rationale_begins.format(entry=say.quoted.format(titles[0]))]
    end = [say.rationale_short.format(count=more_parts)] if more_parts else [say.rationale_thin] * thin
    end += [say.rationale_end]
    for count in range(min(NAMED, len(left_out)), 0, -1):
        named = [f"{title[:LONGEST_NAME]} ({given.reasons.get(reason, reason)})" for title, reason in left_out[:count]]
        more = f" {say.more.format(count=len(left_out) - count)}" if len(left_out) > count else ""
        sentence = say.rationale_left_out.format(left_out=f"{', '.join(named)}{more}")
        if len(" ".join([*start, sentence, *end]).split()) <= MOST_WORDS:
            return " ".join([*start, sentence, *end])
    return " ".join([*start, *end])
