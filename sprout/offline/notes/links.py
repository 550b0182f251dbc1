"""What builds on what in a text: a unit that uses the terms of an earlier one."""

from collections.abc import Sequence

from sprout.offline.notes.language import phrases
from sprout.offline.notes.terms import Lexicon
from sprout.offline.notes.units import Unit, own_terms
from sprout.offline.plan import Link, groups, without_shortcuts

TERMS_INTRODUCED = 6
MOST_SOURCES = 2
LEAST_SUPPORT = 2.0


def links_of(units: Sequence[Unit], titles: Sequence[str], lexicon: Lexicon) -> list[Link]:
    """Links from earlier units to later ones, without shortcuts, that hold all units together.

    A link needs a term that the source is about and that the target's sentences use. Where that leaves a unit alone,
    it follows the unit before it.
    """
    introduced = _introduced(units, lexicon)
    links = [
        Link(titles[source], titles[target], _why(titles[source], titles[target], term, lexicon))
        for target in range(1, len(units))
        for source, term in _sources(units, target, introduced, lexicon)
    ]
    links = without_shortcuts(links)
    return without_shortcuts([*links, *_bridges(titles, links, lexicon)])


def _introduced(units: Sequence[Unit], lexicon: Lexicon) -> list[list[str]]:
    """For each unit its leading terms that no earlier unit is already about."""
    taken: set[str] = set()
    found = []
    for own in own_terms(units, lexicon):
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


def _bridges(titles: Sequence[str], links: Sequence[Link], lexicon: Lexicon) -> list[Link]:
    """For each group of units that nothing ties to the rest, a link from the unit just before its first."""
    place = {title: at for at, title in enumerate(titles)}
    bridges = []
    for group in groups(titles, links):
        first = min(place[title] for title in group)
        if first:
            source, target = titles[first - 1], titles[first]
            why = phrases(lexicon.language).next_in_notes.format(source=source, target=target)
            bridges.append(Link(source, target, why))
    return bridges


def _why(source: str, target: str, term: str, lexicon: Lexicon) -> str:
    say = phrases(lexicon.language)
    return say.uses.format(source=source, target=target, term=say.quoted.format(lexicon.shown[term]))
