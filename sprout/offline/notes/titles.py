"""The titles of units: the heading where it says something, else what the text itself claims; 2 to 8 words, unique."""

from collections.abc import Iterator, Sequence

from sprout.offline.notes.language import empty_titles, phrases
from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.parser import words_of
from sprout.offline.notes.segments import Unit, common_terms, sentence_scores, term_counts
from sprout.offline.notes.terms import Lexicon
from sprout.offline.notes.title_claims import MOST_TITLE_WORDS, TitleForm, find_claims, find_definition, needs_context

LEAST_DEFINED_WORDS = 3


def titles_of(units: Sequence[Unit], lexicon: Lexicon, *, claims: bool, besides: str = "") -> list[str]:
    """A unique title for each unit; with `claims` its own statement goes before its heading, `besides` only if need be.

    `besides` is the title of the concept that the units are parts of.
    """
    taken: set[str] = set()
    common = common_terms(units, lexicon)
    titles = []
    for unit in units:
        found = _claims_first(unit, lexicon, besides) if claims else _heading_first(unit, lexicon)
        title = next(
            (each for each in found if 2 <= len(each.split()) <= MOST_TITLE_WORDS and each.casefold() not in taken), ""
        )
        title = title or _last_resort(unit, lexicon, common, taken)
        taken.add(title.casefold())
        titles.append(title)
    return titles


def matches_heading(title: str, heading: str) -> bool:
    """Return True if the title is a heading, or a heading of one word and what that is."""
    bare = _shortened(heading).casefold()
    after = title.casefold().removeprefix(bare)
    return bool(bare) and (title.casefold() == bare or (after != title.casefold() and after.lstrip().startswith(": ")))


def _claims_first(unit: Unit, lexicon: Lexicon, besides: str) -> Iterator[str]:
    yield from sorted(_claims(unit, lexicon), key=lambda title: title == besides)
    yield from _headings(unit, lexicon)


def _heading_first(unit: Unit, lexicon: Lexicon) -> Iterator[str]:
    if unit.whole:
        yield from _headings(unit, lexicon)
        if unit.heading and unit.heading.casefold() not in empty_titles():
            yield phrases(lexicon.language).what_notes_say.format(term=unit.heading.strip(" :."))
    yield from _claims(unit, lexicon)
    yield from _headings(unit, lexicon)


def _headings(unit: Unit, lexicon: Lexicon) -> Iterator[str]:
    """The heading; one of a single word with what the text says that it is."""
    heading = unit.heading.strip(" :.")
    if not heading or heading.casefold() in empty_titles():
        return
    if len(heading.split()) > 1:
        yield _shortened(heading)
        return
    for sentence in unit.sentences:
        if meaning := _defined_as(heading, sentence, lexicon):
            yield f"{heading}: {meaning}"


def _claims(unit: Unit, lexicon: Lexicon) -> list[str]:
    """Claims of the sentences, best forms first, and within each form from the most informative sentence."""
    worths = sentence_scores(unit, lexicon)
    ranked = [
        (claim.form is TitleForm.TRIMMED, -worths[at], claim.form, claim.title)
        for at, sentence in enumerate(unit.sentences)
        for claim in find_claims(sentence, lexicon)
    ]
    ranked.sort(key=lambda each: each[:3])
    return [title for *_, title in ranked]


def _defined_as(heading: str, sentence: str, lexicon: Lexicon) -> str:
    """The beginning of what a sentence defines the heading as, up to where it can end; empty if it does not."""
    defined = find_definition(sentence, lexicon)
    if defined is None or defined.key != lexicon.key_of(heading):
        return ""
    words = defined.what.split()
    given = words_in(lexicon.language)
    if given.may_lose_article and words[0].lower() in given.words.articles:
        words = words[1:]
    for end in range(min(len(words), MOST_TITLE_WORDS - 1), LEAST_DEFINED_WORDS - 1, -1):
        ends_here = end == len(words) or words[end] in given.words.trimmed_at or words[end - 1].endswith(",")
        if ends_here and words_of(words[end - 1]) and words_of(words[end - 1])[-1] not in given.stopwords:
            return " ".join(words[:end]).strip(" ,;:.")
    return ""


def _last_resort(unit: Unit, lexicon: Lexicon, common: frozenset[str], taken: set[str]) -> str:
    """“Lag time: what the notes say”, or the text's first words where it has no terms."""
    say = phrases(lexicon.language).what_notes_say
    counts = term_counts(unit, lexicon)
    ranked = sorted(counts, key=lambda key: (key in common, -min(6.0, lexicon.weight[key]) * counts[key], key))
    names = [_upper(say.format(term=lexicon.display_forms[key])) for key in ranked]
    opening = next((each for each in unit.sentences if not needs_context(each, lexicon.language)), unit.sentences[0])
    words = (unit.heading or opening).split()
    names += [_shortened(" ".join(words[: MOST_TITLE_WORDS - 1]))]
    free = [name for name in names if name.casefold() not in taken and 2 <= len(name.split()) <= MOST_TITLE_WORDS]
    return free[0] if free else _numbered(" ".join(words[: MOST_TITLE_WORDS - 1])[:60], taken)


def _numbered(name: str, taken: set[str]) -> str:
    return next(each for n in range(2, len(taken) + 3) if (each := f"{name} {n}").casefold() not in taken)


def _shortened(title: str) -> str:
    return " ".join(title.split()[:MOST_TITLE_WORDS]).strip(" ,;:.–-")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
