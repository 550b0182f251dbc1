"""The diagnostic questions of a lesson: chosen from all that its text gives, so that they cover it and are mixed."""

from collections.abc import Callable, Iterator, Sequence

from sprout.offline.graph_plan import PlannedEdge, PlannedQuestion
from sprout.offline.notes import multiple_choice, open_questions
from sprout.offline.notes.question_material import NoteQuestion, QuestionKind, QuestionMaterial
from sprout.offline.notes.segments import Unit
from sprout.offline.notes.terms import Lexicon

ENOUGH_QUESTIONS = 5
DRAFTS_OF_A_KIND = 24
CHOICES = frozenset({QuestionKind.DESCRIBED, QuestionKind.MEANING, QuestionKind.CLOZE, QuestionKind.WHICH_REASON})

# A kind → how good its questions are, where one could be asked as well as another. The last ones fill what is left.
KINDS: dict[QuestionKind, tuple[Callable[[QuestionMaterial], Iterator[NoteQuestion]], float]] = {
    QuestionKind.DESCRIBED: (multiple_choice.term_questions, 2.0),
    QuestionKind.REASON: (open_questions.reason_questions, 2.5),
    QuestionKind.OUTCOME: (open_questions.outcome_questions, 2.5),
    QuestionKind.CONSEQUENCE: (open_questions.consequence_questions, 2.5),
    QuestionKind.MEANING: (multiple_choice.meaning_questions, 2.0),
    QuestionKind.WHICH_REASON: (multiple_choice.reason_questions, 2.0),
    QuestionKind.DEFINE: (open_questions.definition_questions, 2.0),
    QuestionKind.NUMBER: (open_questions.numeric_questions, 1.0),
    QuestionKind.RELATE: (open_questions.relation_questions, 1.5),
    QuestionKind.TELL: (open_questions.aspect_questions, 1.0),
    QuestionKind.CLOZE: (multiple_choice.cloze_questions, 0.5),
    QuestionKind.PAIR: (open_questions.pair_questions, 0.0),
}
ONCE = frozenset({QuestionKind.RELATE})
SECOND_OF_A_KIND = 1.5  # what each question of a kind takes from the next one's worth
NEW_LEVEL = 1.0
NEW_UNIT, NEW_ENTRY = 3.0, 9.0


def select_questions(
    units: Sequence[Unit], titles: Sequence[str], links: Sequence[PlannedEdge], lexicon: Lexicon, *, most: int
) -> list[PlannedQuestion]:
    """Up to `most` questions, easy ones first: entries come before other units, new kinds and levels before known ones.

    No sentence is used twice, so no question answers another; at most a third fill a gap unless there would be too few.
    """
    material = QuestionMaterial(units, titles, lexicon)
    drafts = question_drafts(material)
    targets = {link.target for link in links}
    entries = {at for at, title in enumerate(titles) if title not in targets}
    chosen: list[NoteQuestion] = []
    while len(chosen) < most and (fitting := _eligible(drafts, chosen)):
        chosen.append(max(fitting, key=lambda draft: _value(draft, chosen, entries)))
    asked = [{**draft.fields, "tests": [titles[at] for at in draft.units]} for draft in chosen]
    return [PlannedQuestion(fields) for fields in sorted(asked, key=lambda fields: int(fields["difficulty"]))]


def question_drafts(material: QuestionMaterial) -> list[NoteQuestion]:
    """Every question that the material gives, of each kind the first ones."""
    return [draft for make, _ in KINDS.values() for draft in _first_drafts(make(material))]


def hides_answer(draft: NoteQuestion) -> bool:
    """Return True if the prompt does not reveal what it asks for."""
    prompt = str(draft.fields["prompt"]).casefold()
    secret = [draft.fields["correct_answer"], *(row["statement"] for row in draft.fields.get("criteria", ()))]
    return draft.fields["format"] == "numeric" or not any(text.casefold().strip(" .!") in prompt for text in secret)


def _first_drafts(drafts: Iterator[NoteQuestion]) -> Iterator[NoteQuestion]:
    return (draft for _, draft in zip(range(DRAFTS_OF_A_KIND), drafts, strict=False))


def _eligible(drafts: Sequence[NoteQuestion], chosen: Sequence[NoteQuestion]) -> list[NoteQuestion]:
    """Questions left to choose: sentences unused and, where possible, gaps and choices within their share."""
    used = frozenset[str]().union(*(draft.uses for draft in chosen))
    about = {draft.term for draft in chosen if draft.term}
    free = [draft for draft in drafts if not draft.uses & used and draft.term not in about and hides_answer(draft)]
    mixed = [draft for draft in free if _keeps_the_mix(draft, chosen)]
    return mixed or (free if len(chosen) < ENOUGH_QUESTIONS else [])


def _keeps_the_mix(draft: NoteQuestion, chosen: Sequence[NoteQuestion]) -> bool:
    count = len(chosen) + 1
    if draft.kind in ONCE and any(each.kind is draft.kind for each in chosen):
        return False
    gaps = sum(each.kind is QuestionKind.CLOZE for each in [*chosen, draft])
    closed = sum(each.kind in CHOICES for each in [*chosen, draft])
    return (draft.kind is not QuestionKind.CLOZE or gaps * 3 <= count) and (
        draft.kind not in CHOICES or closed * 3 <= count * 2
    )


def _value(draft: NoteQuestion, chosen: Sequence[NoteQuestion], entries: set[int]) -> float:
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
