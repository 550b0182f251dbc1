"""Selection of questions: mixed, about every subconcept, and no sentence asked about twice."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from sprout.learning.structure.tree import Block
from sprout.offline.notes import questions
from sprout.offline.notes.material import Material, NoteQuestion, QuestionKind, Topic, accepted

DRAFTS_OF_A_KIND = 40
SECOND_OF_A_KIND = 0.8  # what each question of a kind takes from the next one's worth
NEW_TOPIC = 4.0
MOST_OF_A_KIND = 3
ENOUGH = 5  # questions, from which on the learner's own words are asked for only where nothing else asks

# A kind → its questions, and how good they are where one could be asked as well as another.
KINDS: dict[QuestionKind, tuple[Callable[[Material], Iterator[NoteQuestion]], float]] = {
    QuestionKind.MEANING: (questions.meaning_questions, 3.0),
    QuestionKind.CELL: (questions.cell_questions, 2.5),
    QuestionKind.TERM: (questions.term_questions, 2.5),
    QuestionKind.TYPED_TERM: (questions.typed_term_questions, 2.0),
    QuestionKind.OWN_WORDS: (questions.own_words_questions, 0.5),
    QuestionKind.RECALL: (questions.recall_questions, 0.0),
}


def all_questions(material: Material) -> list[NoteQuestion]:
    """Every question that the material gives and the server accepts, of each kind the first ones; no prompt twice."""
    found: dict[str, NoteQuestion] = {}
    for make, _ in KINDS.values():
        for question in accepted(islice(make(material), DRAFTS_OF_A_KIND)):
            found.setdefault(question.prompt, question)
    return [*found.values()] or last_questions(material)


def last_questions(material: Material) -> list[NoteQuestion]:
    """Questions that fit any text that says something: for when there is nothing else."""
    return [*accepted(questions.recall_questions(material, of_any_text=True))]


@lru_cache(maxsize=512)  # neighbours are merged one by one
def asks_something(title: str, blocks: tuple[Block, ...], code: str) -> bool:
    """Whether there is anything in the blocks that could be asked about; they stand under this title, if any."""
    material = Material([Topic(title, tuple(filter(None, [title])), blocks)], [], [], code)
    return any(any(accepted(make(material))) for make, _ in KINDS.values())


def select_questions(drafts: Sequence[NoteQuestion], *, most: int) -> list[NoteQuestion]:
    """Up to `most` of the questions in the order of their worth, none on a sentence that another one rests on."""
    taken: list[NoteQuestion] = []
    while len(taken) < most:
        fitting = [draft for draft in drafts if not _repeats(draft, taken) and _is_wanted(draft, taken)]
        if not fitting:
            break
        taken.append(max(fitting, key=lambda draft: _worth(draft, taken)))
    return taken


def changed_form(
    question: NoteQuestion, drafts: Sequence[NoteQuestion], taken: Sequence[NoteQuestion]
) -> NoteQuestion | None:
    """Another question on what settles this one; failing that, one on what no taken question rests on.

    Its sentence has just been said then, so it is not asked for in the learner's own words.
    """
    left = [draft for draft in drafts if all(draft.prompt != one.prompt for one in taken)]
    beside = [one for one in taken if one is not question]
    others = [draft for draft in left if not _repeats(draft, beside)]
    same = [
        draft
        for draft in others
        if set(draft.settles) & set(question.settles) and draft.kind is not question.kind and not draft.is_compared
    ]
    others = [draft for draft in others if not _repeats(draft, [question])]
    return max(same or others, key=lambda draft: KINDS[draft.kind][1], default=None)


def _repeats(draft: NoteQuestion, taken: Sequence[NoteQuestion]) -> bool:
    return any(set(draft.settles) & set(one.settles) or draft.prompt == one.prompt for one in taken)


def _is_wanted(draft: NoteQuestion, taken: Sequence[NoteQuestion]) -> bool:
    if not draft.is_compared:
        return sum(one.kind is draft.kind for one in taken) < MOST_OF_A_KIND
    is_last_resort = draft.kind is QuestionKind.RECALL or len(taken) >= ENOUGH
    return not any(one.topic == draft.topic and (one.is_compared or is_last_resort) for one in taken)


def _worth(draft: NoteQuestion, taken: Sequence[NoteQuestion]) -> float:
    same_kind = sum(one.kind is draft.kind for one in taken)
    is_new = all(one.topic != draft.topic for one in taken)
    return KINDS[draft.kind][1] - SECOND_OF_A_KIND * same_kind + (NEW_TOPIC if is_new else 0.0)
