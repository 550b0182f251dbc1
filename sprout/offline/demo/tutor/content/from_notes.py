"""A lesson from the learner's own notes: guided reading of one part, with questions that its passages answer."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, chain, count, filterfalse, islice

from sprout.learning.lessons.readings import find_piece
from sprout.learning.mastery.mastery import RIGHT_TO_LEARN
from sprout.learning.paths.passages import HEADING_SEPARATOR
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.normalization import folded, occurs_in
from sprout.offline.demo.tagged_request import Tag
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.content.help_texts import with_help
from sprout.offline.demo.tutor.content.notes_help import help_candidates
from sprout.offline.demo.tutor.content.reading_steps import MOST_WORDS, GivenPassage, ReadingStep, reading_steps
from sprout.offline.demo.tutor.learner_tactics import ReplyStyle, recognize_tactic
from sprout.offline.demo.tutor.lesson import AnswerKind, Chunk, PreparedQuestion, ReadingAlone, TutorLesson
from sprout.offline.demo.tutor.templates import Templates, notes_templates
from sprout.offline.notes.document import Part, documents_of_passages
from sprout.offline.notes.facts import sentences_in
from sprout.offline.notes.headings import names_subject, says_nothing
from sprout.offline.notes.material import Material, NoteQuestion, QuestionKind, Topic, accepted
from sprout.offline.notes.path import code_of
from sprout.offline.notes.questions import own_words_question, passage_question
from sprout.offline.notes.scope import own_parts
from sprout.offline.notes.selection import all_questions, changed_form, select_questions

LEAST_WORDS = 3  # of notes that can be read
MOST_STEPS = 10
NAME_WORDS = 5
OPENING_WORDS = 45  # of a passage, that are quoted after its question
LEAST_SHARE = 0.6  # of the words of a step, of a section in it that is to be told from there
_KINDS: dict[str, AnswerKind] = {"mcq": "mcq", "numeric": "number", "open_ended": "text"}
_UNSUITABLE_STYLES = frozenset({ReplyStyle.DATA, ReplyStyle.BACK, ReplyStyle.TRUTH, ReplyStyle.CARE})


def lesson_from_notes(passages: Sequence[Tag], *, title: str, desc: str) -> TutorLesson | None:
    """The lesson on one subconcept, or None where its passages say nothing.

    Its steps are the passages in which it stands, whole and in their order, each with the questions that this passage
    answers; where there is none it is only read. Sentences that give orders are not asked about.
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
    uses = Counter(each.path[-1:] for one in documents for each in one.content.iter_parts())
    sections = [
        (_title(each, is_repeated=uses[each.path[-1:]] > 1), each)
        for part in parts
        for each in part.iter_parts()
        if each.title and not each.parts
    ]
    return _NotesLesson(title, Material(topics, around, code, _is_material), steps, sections).build()


class _NotesLesson:
    """The lesson on some steps, which are the topics of the material.

    Args:
        title: what all of it is about.
        sections: those with nothing below them, each with its name.
    """

    def __init__(
        self, title: str, material: Material, steps: Sequence[ReadingStep], sections: Sequence[tuple[str, Part]]
    ) -> None:
        self._title, self._material, self._steps, self._sections = title, material, steps, sections
        self._frames: Templates = notes_templates(material.code)
        texts = ["\n\n".join(passage.text for passage in step.passages) for step in steps]
        self._drafts = [
            draft
            for draft in all_questions(material)
            if all(find_piece(texts[draft.topic], sentence) for sentence in draft.settles)
            and not self._stands_above(draft)
        ]

    def build(self) -> TutorLesson:
        asked = select_questions([*filterfalse(self._is_titled, self._drafts)], most=len(self._steps) + RIGHT_TO_LEARN)
        asked += select_questions(self._not_about(asked), most=len(self._steps))
        asked += self._told({question.topic for question in asked})
        taken = [*asked]
        chunks: list[Chunk] = []
        readings: list[ReadingAlone] = []
        for at, (step, goal) in enumerate(zip(self._steps, self._goals(), strict=True)):
            questions = [question for question in asked if question.topic == at]
            for question in questions:
                again = changed_form(question, [draft for draft in self._drafts if draft.topic == at], taken)
                taken += [again] if again else []
                chunks.append(self._chunk(question, again, step, goal))
            if not questions:
                named = self._frames.render("notes_read", title=goal)
                readings.append(ReadingAlone(goal, named, _ids(step), before=len(chunks)))
        lesson = TutorLesson("notes", tuple(chunks), "", self._material.code, readings=tuple(readings))
        return replace(lesson, summary=self._frames.render("notes_summary", plan="; ".join(lesson.goals)))

    def _goals(self) -> Iterator[str]:
        """The name of each step: no two are alike."""
        given = set[str]()
        for at in range(len(self._steps)):
            name = next(one for one in self._names(at) if one not in given)
            given.add(name)
            yield name

    def _names(self, at: int) -> Iterator[str]:
        """Names for a step, the best first: its title, and with it what it says, unless that gives an answer away."""
        title = self._material.topics[at].title
        yield title
        answers = [folded(str(draft.fields["correct_answer"])) for draft in self._drafts if draft.topic == at]
        for sentence in sentences_in(self._steps[at].blocks, self._material.code):
            words = " ".join(sentence.split()[:NAME_WORDS])
            if not any(occurs_in(answer, folded(words)) for answer in answers):
                yield self._frames.render("notes_step", title=title, words=words)
        yield from (f"{title} ({number})" for number in count(2))

    def _chunk(self, question: NoteQuestion, again: NoteQuestion | None, step: ReadingStep, goal: str) -> Chunk:
        prepared = self._prepare(question, step, goal)
        named = self._frames.render("notes_read", title=goal)
        keeps_secret = LeakCheck(prepared.secret()).passes(named)
        explanation = named if keeps_secret else self._frames.render("notes_read_bare")
        return Chunk(goal, explanation, prepared, self._prepare(again, step, goal) if again else prepared)

    def _not_about(self, asked: Sequence[NoteQuestion]) -> list[NoteQuestion]:
        """The drafts about the steps that are not asked about."""
        topics = {question.topic for question in asked}
        return [draft for draft in self._drafts if draft.topic not in topics]

    def _told(self, asked: Collection[int]) -> list[NoteQuestion]:
        """The one question in own words on steps that are not asked about otherwise: on the longest section that stands
        in one, failing that on the longest one itself."""
        left = [at for at in range(len(self._steps)) if at not in asked]
        sections = [(at, *named) for at in left for named in self._whole_sections(self._steps[at])]
        sections.sort(key=lambda one: -one[2].words)
        on_sections = (
            own_words_question(self._material, at, title=title, blocks=section.blocks)
            for at, title, section in sections
        )
        short = sorted((-self._steps[at].words, at) for at in left if self._steps[at].words <= MOST_WORDS)
        on_steps = (
            passage_question(self._material, at, blocks=self._steps[at].blocks, about=self._subject(at))
            for _, at in short
        )
        return [*islice(accepted(one for one in chain(on_sections, on_steps) if one is not None), 1)]

    def _subject(self, at: int) -> str:
        return self._title if self._steps[at].is_mixed else self._material.topics[at].title

    def _whole_sections(self, step: ReadingStep) -> list[tuple[str, Part]]:
        """Sections that a step holds from their heading to their end, of a minute or two each, and that are most of its
        text."""
        begun_before = set() if step.passages[0].text.lstrip().startswith("#") else {*step.blocks[:1]}
        here = {*step.blocks} - begun_before
        least = LEAST_SHARE * step.words
        return [one for one in self._sections if least <= one[1].words <= MOST_WORDS and here.issuperset(one[1].blocks)]

    def _is_titled(self, question: NoteQuestion) -> bool:
        """Whether the title over the question is its answer."""
        answer, title = folded(str(question.fields["correct_answer"])), self._material.topics[question.topic].title
        return question.kind is not QuestionKind.CELL and occurs_in(answer, folded(title))

    def _stands_above(self, question: NoteQuestion) -> bool:
        """Whether a term that is to be typed is what all of the text is about: it stands in a heading further up."""
        answer = folded(str(question.fields["correct_answer"]))
        above = [one.heading.rpartition(HEADING_SEPARATOR)[0] for one in self._steps[question.topic].passages]
        return "accepted" in question.fields and any(occurs_in(answer, folded(heading)) for heading in above)

    def _prepare(self, question: NoteQuestion, step: ReadingStep, goal: str) -> PreparedQuestion:
        fields, frames = question.fields, self._frames
        answer, criteria = str(fields["correct_answer"]), tuple(fields.get("criteria", ()))
        settles = question.settles or (_opening(answer),)
        because = solution = frames.render("notes_because", text=" ".join(settles))
        if question.kind is QuestionKind.OWN_WORDS:  # the passage itself stands beside it, and is no secret
            answer = solution = frames.render("notes_recall")
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
            anchors=(answer,) if question.kind is QuestionKind.OWN_WORDS else (),
            tolerance=float(fields.get("tolerance") or 0),
            unit=fields.get("unit", "") if kind == "number" else "",
            accepted=tuple(fields.get("accepted", ())),
            because=because,
            solution=(solution,),
            reading=_ids(step),
            settled_by=question.settles,
        )
        return with_help(task, help_candidates(question, step.blocks, frames, self._material.code), frames)


def _title(section: Part, *, is_repeated: bool) -> str:
    """The title of a section, behind the one above if others have the same or it is but a word: "Synapses: Types"."""
    above = [one for one in section.path[-2:-1] if names_subject(one) and not says_nothing(one)]
    needs_above = (is_repeated or len(section.title.split()) == 1) and section.path[-1:] == (section.title,)
    return ": ".join((*above, section.title)) if needs_above else section.title


def _opening(text: str) -> str:
    """The first lines or sentences of what is told in own words, at least one."""
    pieces = text.splitlines() if "\n" in text else sentences_of(text)
    lengths = accumulate(len(piece.split()) for piece in pieces)
    kept = pieces[: max(1, sum(length <= OPENING_WORDS for length in lengths))]
    joined = " ".join(piece if piece[-1:] in ".:;!?…" else f"{piece};" for piece in kept).rstrip(";")
    return joined if len(kept) == len(pieces) else f"{joined} …"


def _ids(step: ReadingStep) -> tuple[str, ...]:
    return tuple(passage.id for passage in step.passages)


def _is_material(sentence: str) -> bool:
    """Return False for a sentence that gives orders, as text that is written for a model does."""
    found = recognize_tactic(sentence)
    return found is None or found.style not in _UNSUITABLE_STYLES
