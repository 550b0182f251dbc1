"""Selection of questions that code marks: mixed, about every subconcept, and no sentence asked about twice."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from sprout.offline.notes import questions
from sprout.offline.notes.material import Material, NoteQuestion, QuestionKind, accepted

DRAFTS_OF_A_KIND = 40
SECOND_OF_A_KIND = 0.8  # what each question of a kind takes from the next one's worth

# A kind → its questions, and how good they are where one could be asked as well as another.
KINDS: dict[QuestionKind, tuple[Callable[[Material], Iterator[NoteQuestion]], float]] = {
    QuestionKind.CELL: (questions.cell_questions, 2.5),
    QuestionKind.TERM: (questions.term_questions, 2.5),
    QuestionKind.LABEL: (questions.label_questions, 2.2),
    QuestionKind.TYPED_TERM: (questions.typed_term_questions, 2.0),
}


def all_questions(material: Material) -> list[NoteQuestion]:
    """Every question that the material gives and the server accepts, of each kind the first ones; no prompt twice."""
    found: dict[str, NoteQuestion] = {}
    for make, _ in KINDS.values():
        for question in accepted(islice(make(material), DRAFTS_OF_A_KIND)):
            found.setdefault(question.prompt, question)
    return [*found.values()]


def select_questions(drafts: Sequence[NoteQuestion], *, most: int) -> list[NoteQuestion]:
    """Up to `most` of the questions: new topics first, kinds in turn, none on a sentence that another rests on."""
    taken: list[NoteQuestion] = []

    def worth(draft: NoteQuestion) -> tuple[bool, float]:
        alike = sum(one.kind is draft.kind for one in taken)
        return all(one.topic != draft.topic for one in taken), KINDS[draft.kind][1] - SECOND_OF_A_KIND * alike

    while len(taken) < most and (left := [draft for draft in drafts if not _repeats(draft, taken)]):
        taken.append(max(left, key=worth))
    return taken


def changed_form(
    question: NoteQuestion, drafts: Sequence[NoteQuestion], taken: Sequence[NoteQuestion]
) -> NoteQuestion | None:
    """Another question on what settles this one; failing that, one on what no taken question rests on."""
    left = [draft for draft in drafts if all(draft.prompt != one.prompt for one in taken)]
    others = [draft for draft in left if not _repeats(draft, [one for one in taken if one is not question])]
    same = [one for one in others if set(one.settles) & set(question.settles) and one.kind is not question.kind]
    others = [draft for draft in others if not _repeats(draft, [question])]
    return max(same or others, key=lambda draft: KINDS[draft.kind][1], default=None)


def _repeats(draft: NoteQuestion, taken: Sequence[NoteQuestion]) -> bool:
    return any(set(draft.settles) & set(one.settles) or draft.prompt == one.prompt for one in taken)
