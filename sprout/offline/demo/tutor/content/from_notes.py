"""A lesson from the learner's own notes: guided reading of one part, with questions that it answers."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from sprout.learning.structure.plain_view import table_rows, text_of
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.structure.tree import Block, Code, ListBlock, Paragraph, Table
from sprout.offline.demo.tagged_request import Tag, passage_texts
from sprout.offline.demo.tutor.composition import LeakCheck
from sprout.offline.demo.tutor.content.help_texts import with_help
from sprout.offline.demo.tutor.content.notes_help import help_candidates
from sprout.offline.demo.tutor.learner_tactics import ReplyStyle, recognize_tactic
from sprout.offline.demo.tutor.lesson import AnswerKind, Chunk, PreparedQuestion, TutorLesson
from sprout.offline.demo.tutor.templates import Templates, notes_templates
from sprout.offline.notes.document import Part, documents_of_passages
from sprout.offline.notes.language import language
from sprout.offline.notes.lesson_plan import PassageText
from sprout.offline.notes.material import Material, NoteQuestion, Topic
from sprout.offline.notes.path import code_of
from sprout.offline.notes.scope import own_parts
from sprout.offline.notes.selection import all_questions, changed_form, select_questions
from sprout.offline.notes.words import word_count

CHUNKS = 3
EXPLANATION_WORDS = 90
LEAST_WORDS = 3  # of notes that can be asked about
_KINDS: dict[str, AnswerKind] = {"mcq": "mcq", "numeric": "number", "open_ended": "text"}
_UNSUITABLE_STYLES = frozenset({ReplyStyle.DATA, ReplyStyle.BACK, ReplyStyle.TRUTH, ReplyStyle.CARE})


def lesson_from_notes(passages: Sequence[Tag], *, title: str, desc: str) -> TutorLesson | None:
    """The lesson on one subconcept, or None where the notes say nothing that could be asked about.

    The questions are about its own part of the passages; the text around it is asked about only where that part gives
    fewer than two. Sentences that give orders are no material.
    """
    return _build_lesson(tuple(passage_texts(passages)), title, desc)


@lru_cache(maxsize=32)  # every turn of a conversation brings the same passages
def _build_lesson(passages: tuple[PassageText, ...], title: str, desc: str) -> TutorLesson | None:
    documents = documents_of_passages(passages, desc=desc)
    code = code_of(documents, desc)
    parts = own_parts(documents, title=title, desc=desc, code=code)
    blocks = [block for part in parts for block in part.all_blocks]
    around = [
        Topic(part.title or title, part.path[-1:], part.blocks)
        for document in documents
        for part in document.content.iter_parts()
        if not set(part.blocks) <= set(blocks)
    ]
    if sum(part.words for part in parts) < LEAST_WORDS:
        return None
    own = Topic(title, tuple(part.title for part in parts if part.path), tuple(blocks))
    glossary = [entry for document in documents for entry in document.glossary]
    return _NotesLesson(Material([own, *around], (), glossary, code, _is_material), title, parts).build()


class _NotesLesson:
    """The lesson on the first topic of some material."""

    def __init__(self, material: Material, title: str, parts: Sequence[Part]) -> None:
        self._material, self._title = material, title
        self._heading = next((part.title for part in parts if part.title), "")
        self._frames: Templates = notes_templates(material.code)

    def build(self) -> TutorLesson | None:
        chunks = tuple(self._chunks())
        if not chunks:
            return None
        plan = "; ".join(dict.fromkeys(chunk.goal for chunk in chunks))
        sentences = tuple(self._material.all_sentences)
        return TutorLesson(
            "notes",
            chunks,
            self._frames.render("notes_summary", title=self._title, plan=plan),
            self._material.code,
            sentences=sentences,
        )

    def _chunks(self) -> Iterator[Chunk]:
        """Up to three chunks; no question comes twice, unless there is but one."""
        drafts = all_questions(self._material)
        own = [draft for draft in drafts if draft.topic == 0]
        asked = select_questions(own or drafts, most=CHUNKS)
        taken = [*asked]
        for question in asked:
            again = changed_form(question, own, taken) or changed_form(question, drafts, taken)
            if again is None and question is not asked[0]:
                return
            again = again or question
            taken.append(again)
            prepared = self._prepare(question)
            words, sentences = self._explanation(question, prepared)
            yield Chunk(prepared.goal, words, prepared, self._prepare(again), sentences)

    def _prepare(self, question: NoteQuestion) -> PreparedQuestion:
        fields, frames = question.fields, self._frames
        because = frames.render("notes_because", text=" ".join(question.settles))
        criteria = tuple(fields.get("criteria", ()))
        kind = _KINDS[fields["format"]]
        task = PreparedQuestion(
            question.prompt,
            kind,
            fields["correct_answer"],
            frames.render("notes_can", title=question.about),
            wrong=tuple((option, "") for option in fields.get("options", ()) if option != fields["correct_answer"]),
            criteria=criteria,
            anchors=(fields["correct_answer"],) if criteria else (),
            tolerance=float(fields.get("tolerance") or 0),
            unit=fields.get("unit", "") if kind == "number" else "",
            accepted=tuple(fields.get("accepted", ())),
            because=because,
            solution=(because,),
        )
        beside = [one for one in self._material.sentences[question.topic] if one not in question.settles]
        return with_help(task, help_candidates(question, self._heading, beside, frames), frames)

    def _explanation(self, question: NoteQuestion, prepared: PreparedQuestion) -> tuple[str, tuple[str, ...]]:
        """The part of the notes as far as it does not give the answer away, and the sentences that it rests on."""
        check, topic = LeakCheck(prepared.secret()), self._material.topics[question.topic]
        meta = language(self._material.code).patterns.meta
        pieces = [piece for block in topic.blocks for piece in _pieces(block)]
        pieces = [piece for piece in pieces if _is_material(piece) and not meta.search(piece)]
        heading = self._heading if check.passes(self._words(self._heading, ["…"])) else ""
        shown: list[str] = []
        for piece in pieces:
            longer = [*shown, piece]
            if word_count(" ".join(longer)) <= EXPLANATION_WORDS and check.passes(self._words(heading, longer)):
                shown = longer
        return self._words(heading, shown), (*question.settles, *(piece for piece in shown if "\n" not in piece))

    def _words(self, heading: str, shown: Sequence[str]) -> str:
        name = "notes_part" if shown else "notes_alone"
        return self._frames.render(name if heading else f"{name}_bare", heading=heading, text=_joined(shown))


def _pieces(block: Block) -> list[str]:
    """A block in the pieces in which it may be shown: sentences, or the whole of a list, table, formula or code."""
    match block:
        case Paragraph():
            return sentences_of(text_of(block))
        case Code():
            return [f"```{block.language}\n{block.text.rstrip()}\n```"]
        case ListBlock():
            return ["\n".join(f"- {' '.join(text_of(item).split())}" for item in block.items)]
        case Table():
            return ["\n".join(f"- {row}" for row in table_rows(block))]
        case _:
            return [text_of(block)]


def _joined(pieces: Sequence[str]) -> str:
    """Sentences in a row, other pieces in paragraphs of their own."""
    text = ""
    for piece in pieces:
        alone = "\n" in piece or piece.startswith("$$") or "\n" in text.rsplit("\n\n", 1)[-1]
        text += ("\n\n" if alone else " ") + piece if text else piece
    return text


def _is_material(sentence: str) -> bool:
    """Return False for a sentence that gives orders, as text that is written for a model does."""
    found = recognize_tactic(sentence)
    return found is None or found.style not in _UNSUITABLE_STYLES
