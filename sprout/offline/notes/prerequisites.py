"""Prerequisites in a text: a unit builds on the earlier units whose terms it uses."""

from collections.abc import Iterator, Sequence

from sprout.offline.graph_plan import PlannedEdge, connected_components, transitive_reduction
from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.language import phrases
from sprout.offline.notes.parser import WORD, words_of
from sprout.offline.notes.segments import Unit, common_terms, distinctive_terms
from sprout.offline.notes.terms import Lexicon, stem

TERMS_INTRODUCED = 6
MOST_SOURCES = 2
LEAST_SUPPORT = 2.0
LEAST_WORD = 4


def find_edges(units: Sequence[Unit], titles: Sequence[str], lexicon: Lexicon) -> list[PlannedEdge]:
    """Links from earlier units to later ones, without shortcuts, that hold all units together.

    A link needs a term that the source is about and that the target's sentences use. Where that leaves a group of units
    alone, one of them is tied to an earlier unit by the weightiest word that both use, and it says so.
    """
    introduced = _introduced(units, lexicon)
    links = [
        PlannedEdge(titles[source], titles[target], _why(titles[source], titles[target], term, lexicon))
        for target in range(1, len(units))
        for source, term in _sources(units, target, introduced, lexicon)
    ]
    links = transitive_reduction(links)
    while len(parts := connected_components(titles, links)) > 1:
        links.append(_bridging_edge(units, titles, parts[1], lexicon))
    return transitive_reduction(links)


def _introduced(units: Sequence[Unit], lexicon: Lexicon) -> list[list[str]]:
    """For each unit its leading terms that no earlier unit is already about."""
    taken: set[str] = set()
    found = []
    for own in distinctive_terms(units, lexicon):
        new = [key for key in own if key not in taken][:TERMS_INTRODUCED]
        taken.update(new)
        found.append(new)
    return found


def _sources(
    units: Sequence[Unit], target: int, introduced: Sequence[Sequence[str]], lexicon: Lexicon
) -> list[tuple[int, str]]:
    """The earlier units whose terms this one uses most, each with the term that it uses most; best first."""
    uses = [set(lexicon.in_text(sentence)) for sentence in units[target].sentences]
    found = []
    for source in range(target):
        support = {
            key: sum(key in sentence for sentence in uses) * (2.0 - rank / TERMS_INTRODUCED)
            for rank, key in enumerate(introduced[source])
            if lexicon.weight[key] > 1
        }
        best = max(support, key=lambda key: support[key], default="")
        # A single mention in a long unit is a passing one.
        least = LEAST_SUPPORT if len(uses) > 3 else LEAST_SUPPORT / 2
        if best and sum(support.values()) >= least:
            found.append((sum(support.values()), source, best))
    found.sort(key=lambda entry: (-entry[0], -entry[1]))
    return [(source, term) for _, source, term in found[:MOST_SOURCES]]


def _bridging_edge(units: Sequence[Unit], titles: Sequence[str], group: Sequence[str], lexicon: Lexicon) -> PlannedEdge:
    """A link into a group that nothing ties to the units before it, by the best word that goes on; else by order."""
    say = phrases(lexicon.language)
    inside = {titles.index(title) for title in group}
    pairs = [(source, target) for target in sorted(inside) for source in range(target) if source not in inside]
    common = common_terms(units, lexicon)
    tied = [
        (-value, target - source, source, target, word)
        for source, target in pairs
        for value, word in _shared(units[source], units[target], common, lexicon)
    ]
    if tied:
        *_, source, target, word = min(tied)
        why = say.shares.format(source=titles[source], target=titles[target], term=say.quoted.format(word))
    else:
        target = min(inside)
        source = target - 1
        why = say.beside.format(source=titles[source], target=titles[target])
    return PlannedEdge(titles[source], titles[target], why)


def _shared(one: Unit, other: Unit, common: frozenset[str], lexicon: Lexicon) -> Iterator[tuple[float, str]]:
    """Words that both units use, each with how much it ties them: own terms most, then common ones, then any word."""
    both = set(lexicon.in_text(one.text)) & set(lexicon.in_text(other.text))
    for key in both:
        weight = min(6.0, lexicon.weight[key]) + len(key.split())
        yield (weight if key in common else 10 + weight), lexicon.display_forms[key]
    if not both:
        theirs = _words(other, lexicon)
        yield from ((1.0, word) for stemmed, word in _words(one, lexicon).items() if stemmed in theirs)


def _words(unit: Unit, lexicon: Lexicon) -> dict[str, str]:
    """The content words of a unit by their stems; in German its nouns."""
    given = words_in(lexicon.language)
    return {
        stem(word.casefold(), lexicon.language): word
        for word in WORD.findall(unit.text)
        if len(word) >= LEAST_WORD
        and words_of(word)[0] not in given.stopwords
        and stem(word.casefold(), lexicon.language) not in given.words.generic
        and word[0].isalpha()
        and (lexicon.language != "de" or word[0].isupper())
    }


def _why(source: str, target: str, term: str, lexicon: Lexicon) -> str:
    say = phrases(lexicon.language)
    return say.uses.format(source=source, target=target, term=say.quoted.format(lexicon.display_forms[term]))
