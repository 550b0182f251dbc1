"""A lesson from the learner's own notes: guided reading of one part, with questions that its passages answer."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import filterfalse

from sprout.learning.lessons.readings import find_piece
from sprout.learning.mastery.mastery import RIGHT_TO_LEARN
from sprout.learning.text.normalization import folded, occurs_in
from sprout.offline.demo.tagged_request import Tag
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.content.help_texts import with_help
from sprout.offline.demo.tutor.content.notes_help import help_candidates
from sprout.offline.demo.tutor.learner_tactics import ReplyStyle, recognize_tactic
from sprout.offline.demo.tutor.lesson import AnswerKind, Chunk, PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.templates import Templates, notes_templates
from sprout.offline.notes.document import documents_of_passages
from sprout.offline.notes.material import Material, NoteQuestion, QuestionKind, Topic
from sprout.offline.notes.path import code_of
from sprout.offline.notes.reading_steps import MOST_WORDS, GivenPassage, ReadingStep, reading_steps
from sprout.offline.notes.scope import own_parts
from sprout.offline.notes.selection import all_questions, changed_form, last_questions, select_questions

LEAST_WORDS = 3  # of notes that can be asked about
MOST_STEPS = 10
_KINDS: dict[str, AnswerKind] = {"mcq": "mcq", "numeric": "number", "open_ended": "text"}
_UNSUITABLE_STYLES = frozenset({ReplyStyle.DATA, ReplyStyle.BACK, ReplyStyle.TRUTH, ReplyStyle.CARE})


def lesson_from_notes(passages: Sequence[Tag], *, title: str, desc: str) -> TutorLesson | None:
    """The lesson on one subconcept, or None where its passages say nothing that could be asked about.

    Its steps are the passages in which it stands, whole and in their order, each with a question that this passage
    answers. Sentences that give orders are not asked about.
    """
    given = (
        GivenPassage(tag.attributes["id"], tag.attributes.get("doc", ""), tag.attributes.get("heading", ""), tag.text)
        for tag in passages
        if tag.text.strip() and tag.attributes.get("id")
    )
    return _build_lesson(tuple(given), title, desc)


@lru_cache(maxsize=32)  # every turn of a conversation brings the same passages
def _build_lesson(passages: tuple[GivenPassage, ...], title: str, desc: str) -> TutorLesson | None:
    documents = documents_of_passages(((one.document, one.heading, one.text) for one in passages), desc=desc)
    code = code_of(documents, desc)
    parts = own_parts(documents, title=title, desc=desc, code=code)
    if sum(part.words for part in parts) < LEAST_WORDS:
        return None
    steps = reading_steps(documents, passages, parts)[:MOST_STEPS]
    own = {id(block) for step in steps for block in step.blocks}
    around = [block for each in documents for block in each.content.all_blocks if id(block) not in own]
    topics = [
        Topic(step.title if step.title and len(steps) > 1 else title, tuple(filter(None, [step.title])), step.blocks)
        for step in steps
    ]
    glossary = [entry for document in documents for entry in document.glossary]
    return _NotesLesson(Material(topics, around, glossary, code, _is_material), steps).build()


class _NotesLesson:
    """The lesson on some steps, which are the topics of the material."""

    def __init__(self, material: Material, steps: Sequence[ReadingStep]) -> None:
        self._material, self._steps = material, steps
        self._frames: Templates = notes_templates(material.code)
        texts = ["\n\n".join(passage.text for passage in step.passages) for step in steps]
        self._drafts = [
            draft
            for draft in all_questions(material)
            if all(find_piece(texts[draft.topic], sentence) for sentence in draft.settles)
            and (draft.kind is not QuestionKind.RECALL or steps[draft.topic].words <= MOST_WORDS)
        ] or last_questions(material)

    def build(self) -> TutorLesson | None:
        chunks = tuple(self._chunks())
        if not chunks:
            return None
        plan = "; ".join(dict.fromkeys(chunk.goal for chunk in chunks))
        summary = self._frames.render("notes_summary", plan=plan)
        return TutorLesson("notes", chunks, summary, self._material.code)

    def _chunks(self) -> Iterator[Chunk]:
        """A chunk for each question; no question comes twice, unless a step has but one."""
        asked = self._asked()
        taken = [*asked]
        goals: dict[str, int] = {}
        for step, questions in self._read(asked):
            goal = _numbered(self._material.topics[questions[0].topic].title, goals)
            for question in questions:
                own = [draft for draft in self._drafts if draft.topic == question.topic]
                again = changed_form(question, own, taken)
                taken += [again] if again else []
                prepared = self._prepare(question, step, goal)
                named = self._frames.render("notes_read", title=goal)
                keeps_secret = LeakCheck(prepared.secret()).passes(named)
                explanation = named if keeps_secret else self._frames.render("notes_read_bare")
                yield Chunk(goal, explanation, prepared, self._prepare(again, step, goal) if again else prepared)

    def _asked(self) -> list[NoteQuestion]:
        """One question for each step that has one, and as many more that code marks as it takes to learn it all."""
        asked = select_questions([*filterfalse(self._is_titled, self._drafts)], most=len(self._steps))
        answered = {one.topic for one in asked}
        asked += select_questions(
            [draft for draft in self._drafts if draft.topic not in answered], most=len(self._steps)
        )
        by_code = [one for one in asked if not one.is_compared]
        settled = {sentence for one in asked for sentence in one.settles}
        more = [draft for draft in self._drafts if not draft.is_compared and not settled & set(draft.settles)]
        asked += select_questions(more, most=max(0, RIGHT_TO_LEARN - len(by_code)))
        return sorted(asked, key=lambda question: question.topic)

    def _is_titled(self, question: NoteQuestion) -> bool:
        """Whether the title over the question is its answer."""
        answer, title = folded(str(question.fields["correct_answer"])), self._material.topics[question.topic].title
        return question.kind in (QuestionKind.TERM, QuestionKind.TYPED_TERM) and occurs_in(answer, folded(title))

    def _read(self, asked: Sequence[NoteQuestion]) -> list[tuple[ReadingStep, list[NoteQuestion]]]:
        """The steps with their questions; one without any is read together with the next, else with the one before.

        Never with one that is told in own words: these are compared with all that is read.
        """
        found: list[tuple[ReadingStep, list[NoteQuestion]]] = []
        unasked: list[ReadingStep] = []
        for at, step in enumerate(self._steps):
            questions = [question for question in asked if question.topic == at]
            if not questions:
                unasked.append(step)
                continue
            if not _is_told(questions):
                step = reduce(ReadingStep.with_next, [*unasked, step])
            elif found and not _is_told(found[-1][1]):
                found[-1] = (reduce(ReadingStep.with_next, unasked, found[-1][0]), found[-1][1])
            unasked = []
            found.append((step, questions))
        if found and not _is_told(found[-1][1]):
            found[-1] = (reduce(ReadingStep.with_next, unasked, found[-1][0]), found[-1][1])
        return found

    def _prepare(self, question: NoteQuestion, step: ReadingStep, goal: str) -> PreparedQuestion:
        fields, frames = question.fields, self._frames
        answer, criteria = str(fields["correct_answer"]), tuple(fields.get("criteria", ()))
        because = frames.render("notes_because", text=" ".join(question.settles))
        if question.kind is QuestionKind.RECALL:  # the passage itself stands beside it
            answer = because = frames.render("notes_recall")
            criteria = ({**criteria[0], "statement": answer}, *criteria[1:])
        kind = _KINDS[fields["format"]]
        wrong = [option for option in fields.get("options", ()) if option != answer]
        task = PreparedQuestion(
            question.prompt,
            kind,
            answer,
            goal,
            wrong=tuple((option, "") for option in wrong),
            criteria=criteria,
            anchors=(answer,) if criteria else (),
            tolerance=float(fields.get("tolerance") or 0),
            unit=fields.get("unit", "") if kind == "number" else "",
            accepted=tuple(fields.get("accepted", ())),
            because=because,
            solution=(because,),
            reading=tuple(passage.id for passage in step.passages),
            settled_by=question.settles,
        )
        return with_help(task, help_candidates(question, step.blocks, frames, self._material.code), frames)


def _is_told(questions: Sequence[NoteQuestion]) -> bool:
    """Whether what is read is told in the learner's own words."""
    return any(question.kind is QuestionKind.RECALL for question in questions)


def _numbered(name: str, counts: dict[str, int]) -> str:
    """The name of what is read in a step, with a number from the second time on."""
    counts[name] = counts.get(name, 0) + 1
    return name if counts[name] == 1 else f"{name} ({counts[name]})"


def _is_material(sentence: str) -> bool:
    """Return False for a sentence that gives orders, as text that is written for a model does."""
    found = recognize_tactic(sentence)
    return found is None or found.style not in _UNSUITABLE_STYLES
