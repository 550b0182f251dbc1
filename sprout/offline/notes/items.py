"""The diagnostic questions of a lesson: chosen from all that its text gives, so that they cover it and are mixed."""

from collections.abc import Callable, Iterator, Sequence

from sprout.offline.notes import choices, open_questions
from sprout.offline.notes.material import Draft, Kind, Material
from sprout.offline.notes.terms import Lexicon
from sprout.offline.notes.units import Unit
from sprout.offline.plan import Item, Link

ENOUGH = 5
DRAFTS_OF_A_KIND = 24
CHOICES = frozenset({Kind.DESCRIBED, Kind.MEANING, Kind.CLOZE, Kind.WHICH_REASON})

# A kind → how good its questions are, where one could be asked as well as another. The last ones fill what is left.
KINDS: dict[Kind, tuple[Callable[[Material], Iterator[Draft]], float]] = {
    Kind.DESCRIBED: (choices.described, 2.0),
    Kind.REASON: (open_questions.reasons, 2.5),
    Kind.OUTCOME: (open_questions.outcomes, 2.5),
    Kind.CONSEQUENCE: (open_questions.consequences, 2.5),
    Kind.MEANING: (choices.meanings, 2.0),
    Kind.WHICH_REASON: (choices.which_reasons, 2.0),
    Kind.DEFINE: (open_questions.definitions, 2.0),
    Kind.NUMBER: (open_questions.numbers, 1.0),
    Kind.RELATE: (open_questions.relations, 1.5),
    Kind.TELL: (open_questions.told, 1.0),
    Kind.CLOZE: (choices.clozes, 0.5),
    Kind.PAIR: (open_questions.pairs, 0.0),
}
ONCE = frozenset({Kind.RELATE})
SECOND_OF_A_KIND = 1.5  # what each question of a kind takes from the next one's worth
NEW_LEVEL = 1.0
NEW_UNIT, NEW_ENTRY = 3.0, 9.0


def items_of(
    units: Sequence[Unit], titles: Sequence[str], links: Sequence[Link], lexicon: Lexicon, *, most: int
) -> list[Item]:
    """Up to `most` questions, easy ones first: entries come before other units, new kinds and levels before known ones.

    No sentence is used twice, so no question answers another; at most a third fill a gap unless there would be too few.
    """
    material = Material(units, titles, lexicon)
    drafts = drafts_of(material)
    targets = {link.target for link in links}
    entries = {at for at, title in enumerate(titles) if title not in targets}
    chosen: list[Draft] = []
    while len(chosen) < most and (fitting := _fitting(drafts, chosen)):
        chosen.append(max(fitting, key=lambda draft: _value(draft, chosen, entries)))
    asked = [{**draft.fields, "tests": [titles[at] for at in draft.units]} for draft in chosen]
    return [Item(fields) for fields in sorted(asked, key=lambda fields: int(fields["difficulty"]))]


def drafts_of(material: Material) -> list[Draft]:
    """Every question that the material gives, of each kind the first ones."""
    return [draft for make, _ in KINDS.values() for draft in _some(make(material))]


def hides(draft: Draft) -> bool:
    """Whether the prompt keeps what it asks for to itself."""
    prompt = str(draft.fields["prompt"]).casefold()
    secret = [draft.fields["correct_answer"], *(row["statement"] for row in draft.fields.get("criteria", ()))]
    return draft.fields["format"] == "numeric" or not any(text.casefold().strip(" .!") in prompt for text in secret)


def _some(drafts: Iterator[Draft]) -> Iterator[Draft]:
    return (draft for _, draft in zip(range(DRAFTS_OF_A_KIND), drafts, strict=False))


def _fitting(drafts: Sequence[Draft], chosen: Sequence[Draft]) -> list[Draft]:
    """What can still be asked: of sentences that are free and, where possible, within the share of gaps and choices."""
    used = frozenset[str]().union(*(draft.uses for draft in chosen))
    about = {draft.term for draft in chosen if draft.term}
    free = [draft for draft in drafts if not draft.uses & used and draft.term not in about and hides(draft)]
    mixed = [draft for draft in free if _keeps_the_mix(draft, chosen)]
    return mixed or (free if len(chosen) < ENOUGH else [])


def _keeps_the_mix(draft: Draft, chosen: Sequence[Draft]) -> bool:
    count = len(chosen) + 1
    if draft.kind in ONCE and any(each.kind is draft.kind for each in chosen):
        return False
    gaps = sum(each.kind is Kind.CLOZE for each in [*chosen, draft])
    closed = sum(each.kind in CHOICES for each in [*chosen, draft])
    return (draft.kind is not Kind.CLOZE or gaps * 3 <= count) and (
        draft.kind not in CHOICES or closed * 3 <= count * 2
    )


def _value(draft: Draft, chosen: Sequence[Draft], entries: set[int]) -> float:
    tested = {at for each in chosen for at in each.units}
    untested = set(draft.units) - tested
    known_levels = {each.fields["difficulty"] for each in chosen}
    return (
        KINDS[draft.kind][1]
        - SECOND_OF_A_KIND * sum(each.kind is draft.kind for each in chosen)
        + (NEW_LEVEL if draft.fields["difficulty"] not in known_levels else 0.0)
        + (NEW_UNIT if untested else 0.0)
        + (NEW_ENTRY if untested & entries else 0.0)
    )
