"""A lesson from the learner's own notes: three chunks of their sentences, asked about in their words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sprout.errors import InvalidQuestion
from sprout.learning.questions.questions import validate_draft
from sprout.offline.demo.tagged_request import Tag, note_texts
from sprout.offline.demo.tutor.composition import LeakCheck, first_sentences
from sprout.offline.demo.tutor.content.help_texts import with_help
from sprout.offline.demo.tutor.content.notes_help import QuestionContext, help_candidates
from sprout.offline.demo.tutor.learner_tactics import ReplyStyle, recognize_tactic
from sprout.offline.demo.tutor.lesson import Chunk, PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.templates import Templates, notes_templates
from sprout.offline.notes.concept_scope import concept_sections
from sprout.offline.notes.course_builder import lexicon_of
from sprout.offline.notes.parser import Section, parse_sections, words_of
from sprout.offline.notes.question_material import NoteQuestion, QuestionKind, QuestionMaterial, open_question_fields
from sprout.offline.notes.question_selection import KINDS, hides_answer, question_drafts
from sprout.offline.notes.segments import SegmentationLimits, Unit, units_of
from sprout.offline.notes.title_claims import needs_context
from sprout.offline.notes.titles import titles_of

CHUNKS = 3
MAX_EXPLANATION_SENTENCES = 3
EXPLANATION_WORDS = 80
MAX_CANDIDATES = 4
UNIT_WORDS = 8
_UNSUITABLE_STYLES = frozenset({ReplyStyle.DATA, ReplyStyle.BACK, ReplyStyle.TRUTH, ReplyStyle.CARE})


def lesson_from_notes(passages: Sequence[Tag], *, title: str, desc: str) -> TutorLesson | None:
    """The lesson on one subconcept, or None where the notes say nothing that could be asked about.

    The questions are about its own part of the passages first, then about the text around it.
    Sentences that give orders are no material.
    """
    return _build_lesson(tuple(note_texts(passages)), title, desc)


@lru_cache(maxsize=32)  # every turn of a conversation brings the same passages
def _build_lesson(texts: tuple[str, ...], title: str, desc: str) -> TutorLesson | None:
    around = [_without_instructions(section) for text in texts for section in parse_sections(text)]
    if not any(section.sentences for section in around):
        return None
    own = [section for section in concept_sections(around, title=title, desc=desc) if section.sentences] or around
    notes = _Notes(own, around, title)
    chunks = notes.chunks()
    if not chunks:
        return None
    plan = "; ".join(dict.fromkeys(chunk.goal for chunk in chunks))
    summary = notes.frames.render("notes_summary", title=title, plan=plan)
    sentences = tuple(sentence for section in around for sentence in section.sentences)
    return TutorLesson("notes", chunks, summary, notes.language, sentences=sentences)


def _without_instructions(section: Section) -> Section:
    paragraphs = [[each for each in paragraph if not _is_instruction(each)] for paragraph in section.paragraphs]
    return Section(section.title, section.level, [paragraph for paragraph in paragraphs if paragraph], section.bold)


def _is_instruction(sentence: str) -> bool:
    found = recognize_tactic(sentence)
    return found is not None and found.style in _UNSUITABLE_STYLES


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A question still without help, the number of the unit that it is about, and the sentences that it uses."""

    question: PreparedQuestion
    unit: int
    uses: frozenset[str]
    material: QuestionMaterial


class _Notes:
    """The notes on one subconcept, cut into units, with the text around them."""

    def __init__(self, own: Sequence[Section], around: Sequence[Section], title: str) -> None:
        self._lexicon = lexicon_of(around)
        self.language = self._lexicon.language
        self.frames: Templates = notes_templates(self.language)
        self._units = units_of(own, self._lexicon, SegmentationLimits(CHUNKS, CHUNKS, UNIT_WORDS, 1, inside=True))
        titles = titles_of(self._units, self._lexicon, claims=True, besides=title)
        self._own = QuestionMaterial(self._units, titles, self._lexicon)
        units = [Unit(each.title, each.level, tuple(each.sentences)) for each in around if each.sentences]
        self._around = QuestionMaterial(units, [unit.heading or title for unit in units], self._lexicon)

    def chunks(self) -> tuple[Chunk, ...]:
        """Three chunks, or none where nothing can be asked; where there is little to ask, questions come again."""
        made = self._questions()
        taken: list[_Candidate] = []
        found: list[Chunk] = []
        for at in range(CHUNKS if len(made) > 1 else 0):
            unit = min(at, len(self._units) - 1)
            first = self._best(made, unit, taken, closed=at != 1)
            again = self._best([one for one in made if one is not first], unit, [*taken, first], closed=True)
            taken += [first, again]
            says, rests_on = self._explanation(first)
            found.append(Chunk(first.question.goal, says, self._add_help(first), self._add_help(again), rests_on))
        return tuple(found)

    def _questions(self) -> list[_Candidate]:
        """All questions that can be asked, those about the subconcept itself first; no two with the same prompt."""
        made: dict[str, _Candidate] = {}
        known = frozenset(sentence for unit in self._units for sentence in unit.sentences)
        for draft in _ranked(question_drafts(self._own)):
            made.setdefault(draft.fields["prompt"], self._build_candidate(self._own, draft, draft.units[0]))
        for draft in _ranked(question_drafts(self._around)):
            unit = self._unit_with(draft.uses) if draft.uses & known else self._outside_units(draft.uses)
            made.setdefault(draft.fields["prompt"], self._build_candidate(self._around, draft, unit))
        for at in range(len(self._units)):
            for draft in self._term_questions(at):
                made.setdefault(draft.fields["prompt"], self._build_candidate(self._own, draft, at))
        return [one for one in made.values() if _is_accepted(one.question)]

    def _best(self, made: Sequence[_Candidate], unit: int, taken: Sequence[_Candidate], *, closed: bool) -> _Candidate:
        """The question for a unit: not asked yet, on sentences not asked about, of its unit, of the kind wanted."""
        used = frozenset[str]().union(*(one.uses for one in taken))

        def cost(one: _Candidate) -> tuple[bool, bool, int, bool]:
            is_closed = one.question.kind in ("mcq", "number")
            return (one in taken, bool(one.uses & used), abs(one.unit - unit), is_closed is not closed)

        return min(made, key=cost)

    def _explanation(self, asked: _Candidate) -> tuple[str, tuple[str, ...]]:
        """Sentences that stand around what is asked and do not give it away; where there are none, their place.

        Beside the words, the sentences that they rest on.
        """
        part = self._source_unit(asked.uses)
        own = self._units[asked.unit].sentences if asked.unit < len(self._units) else ()
        check = LeakCheck(asked.question.secret())
        chosen: list[str] = []
        for sentence in dict.fromkeys([*own, *part.sentences]):
            vague = needs_context(sentence, self.language) and not chosen
            if sentence in asked.uses or vague or len(chosen) == MAX_EXPLANATION_SENTENCES:
                continue
            if check.passes(" ".join([*chosen, sentence])):
                chosen.append(sentence)
        name = "notes_part" if chosen else "notes_alone"
        text = first_sentences(" ".join(chosen), EXPLANATION_WORDS)
        named = self.frames.render(name, heading=part.heading, text=text)
        words = named if part.heading and check.passes(named) else self.frames.render(f"{name}_bare", text=text)
        return words, tuple(chosen) or tuple(sorted(asked.uses))

    def _source_unit(self, uses: frozenset[str]) -> Unit:
        """The part of the notes that a question is about."""
        return next((unit for unit in self._around.units if uses & set(unit.sentences)), self._around.units[0])

    def _build_candidate(self, material: QuestionMaterial, draft: NoteQuestion, unit: int) -> _Candidate:
        fields = draft.fields
        numeric = fields["format"] == "numeric"
        because = self.frames.render("notes_because", text=" ".join(sorted(draft.uses)))
        task = PreparedQuestion(
            fields["prompt"],
            "number" if numeric else "mcq" if fields["format"] == "mcq" else "text",
            fields["correct_answer"],
            self.frames.render("notes_can", title=material.titles[draft.units[0]]),
            wrong=tuple((row["option"], row["misconception"]) for row in fields.get("misconceptions", ())),
            criteria=tuple(fields.get("criteria", ())),
            anchors=(fields["correct_answer"],) if fields.get("criteria") else (),
            tolerance=float(fields.get("tolerance") or 0),
            unit=fields.get("unit", "") if numeric else "",
            because=because,
            solution=(because,),
        )
        return _Candidate(task, unit, draft.uses, material)

    def _add_help(self, made: _Candidate) -> PreparedQuestion:
        place = QuestionContext(
            made.question, made.uses, self._source_unit(made.uses).heading, self._beside(made.uses), self.language
        )
        return with_help(made.question, help_candidates(place, made.material, self.frames), self.frames)

    def _term_questions(self, at: int) -> Iterator[NoteQuestion]:
        """An open question on each term of the unit: where nothing else can be asked, this can."""
        unit = self._units[at]
        for key in self._lexicon.in_text(unit.text):
            sentence = next((each for each in unit.sentences if key in self._lexicon.in_text(each)), "")
            if len(words_of(sentence)) >= UNIT_WORDS:
                term = self._own.quoted(key)
                names = ("notes_retell", "notes_retell_label", "notes_retell_named", "notes_retell_states")
                prompt, label, named, states = (self.frames.render(name, term=term) for name in names)
                fields = open_question_fields(prompt, sentence, [(label, sentence, 0.8), (named, states, 0.2)], 2)
                yield NoteQuestion(QuestionKind.TELL, (at,), frozenset({sentence}), key, fields)

    def _outside_units(self, uses: frozenset[str]) -> int:
        """Units around those of the subconcept: text under one of their headings comes before the rest of the notes."""
        near = self._source_unit(uses).heading in {unit.heading for unit in self._units}
        return len(self._units) + (0 if near else CHUNKS)

    def _unit_with(self, uses: frozenset[str]) -> int:
        return next(at for at, unit in enumerate(self._units) if uses & set(unit.sentences))

    def _beside(self, uses: frozenset[str]) -> tuple[str, ...]:
        """The sentences that stand right before and after those that a question uses, and then all others."""
        all_said = [sentence for unit in self._around.units for sentence in unit.sentences]
        places = [at for at, sentence in enumerate(all_said) if sentence in uses]
        beside = [at + step for at in places for step in (-1, 1) if 0 <= at + step < len(all_said)]
        order = [*beside, *(at for at in range(len(all_said)) if at not in beside)]
        return tuple(dict.fromkeys(all_said[at] for at in order if all_said[at] not in uses))


def _ranked(drafts: Sequence[NoteQuestion]) -> list[NoteQuestion]:
    """Those that hide what they ask for, the better kinds first; one on two parts at once is for a diagnostic."""
    fitting = [draft for draft in drafts if hides_answer(draft) and draft.kind is not QuestionKind.RELATE]
    return sorted(fitting, key=lambda draft: -KINDS[draft.kind][1])


def _is_accepted(task: PreparedQuestion) -> bool:
    """Return True if the server accepts the question."""
    try:
        validate_draft(task.draft())
    except InvalidQuestion:
        return False
    return True
