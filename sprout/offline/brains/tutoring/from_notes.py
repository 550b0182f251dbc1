"""A lesson from the learner's own notes: three chunks of their sentences, asked about in their words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sprout.errors import QuestionRefused
from sprout.learning.questions.questions import checked
from sprout.offline.brains.request import Tag, note_texts
from sprout.offline.brains.tutoring.frames import Frames, notes_frames
from sprout.offline.brains.tutoring.notes_help import Place, help_candidates
from sprout.offline.brains.tutoring.prepared import with_help
from sprout.offline.brains.tutoring.speech import Check, shortened
from sprout.offline.brains.tutoring.tactics import Manner, tried
from sprout.offline.brains.tutoring.teaching import Chunk, Task, Teaching
from sprout.offline.notes.claims import starts_vaguely
from sprout.offline.notes.extent import own_part
from sprout.offline.notes.items import KINDS, drafts_of, hides
from sprout.offline.notes.material import Draft, Kind, Material, open_fields
from sprout.offline.notes.path import lexicon_of
from sprout.offline.notes.reading import Section, read_sections, words_of
from sprout.offline.notes.titles import titles_of
from sprout.offline.notes.units import Cut, Unit, units_of

CHUNKS = 3
MOST_SAID = 3
SAID_WORDS = 80
MOST_TRIED = 4
UNIT_WORDS = 8
_POWERLESS = frozenset({Manner.DATA, Manner.BACK, Manner.TRUTH, Manner.CARE})


def taught_from_notes(passages: Sequence[Tag], *, title: str, desc: str) -> Teaching | None:
    """The lesson on one subconcept, or None where the notes say nothing that could be asked about.

    The questions are about its own part of the passages as far as that goes, then about what stands around it.
    Sentences that give orders are no material.
    """
    return _taught(tuple(note_texts(passages)), title, desc)


@lru_cache(maxsize=32)  # every turn of a conversation brings the same passages
def _taught(texts: tuple[str, ...], title: str, desc: str) -> Teaching | None:
    around = [_without_orders(section) for text in texts for section in read_sections(text)]
    if not any(section.sentences for section in around):
        return None
    own = [section for section in own_part(around, title=title, desc=desc) if section.sentences] or around
    notes = _Notes(own, around, title)
    chunks = notes.chunks()
    if not chunks:
        return None
    plan = "; ".join(dict.fromkeys(chunk.can for chunk in chunks))
    summary = notes.frames.say("notes_summary", title=title, plan=plan)
    told = tuple(sentence for section in around for sentence in section.sentences)
    return Teaching("notes", chunks, summary, notes.language, told=told)


def _without_orders(section: Section) -> Section:
    kept = [[each for each in paragraph if not _gives_orders(each)] for paragraph in section.paragraphs]
    return Section(section.title, section.level, [paragraph for paragraph in kept if paragraph], section.bold)


def _gives_orders(sentence: str) -> bool:
    found = tried(sentence)
    return found is not None and found.manner in _POWERLESS


@dataclass(frozen=True, slots=True)
class _Made:
    """A question still without help, the number of the unit that it is about, and the sentences that it uses."""

    task: Task
    unit: int
    uses: frozenset[str]
    material: Material


class _Notes:
    """The notes on one subconcept, cut into units, with what stands around them."""

    def __init__(self, own: Sequence[Section], around: Sequence[Section], title: str) -> None:
        self._lexicon = lexicon_of(around)
        self.language = self._lexicon.language
        self.frames: Frames = notes_frames(self.language)
        self._units = units_of(own, self._lexicon, Cut(CHUNKS, CHUNKS, UNIT_WORDS, 1, inside=True))
        titles = titles_of(self._units, self._lexicon, claims=True, besides=title)
        self._own = Material(self._units, titles, self._lexicon)
        units = [Unit(each.title, each.level, tuple(each.sentences)) for each in around if each.sentences]
        self._around = Material(units, [unit.heading or title for unit in units], self._lexicon)

    def chunks(self) -> tuple[Chunk, ...]:
        """Three chunks, or none where nothing can be asked; where there is little to ask, questions come again."""
        made = self._questions()
        taken: list[_Made] = []
        found: list[Chunk] = []
        for at in range(CHUNKS if len(made) > 1 else 0):
            unit = min(at, len(self._units) - 1)
            first = self._best(made, unit, taken, closed=at != 1)
            again = self._best([one for one in made if one is not first], unit, [*taken, first], closed=True)
            taken += [first, again]
            says, rests_on = self._says(first)
            found.append(Chunk(first.task.can, says, self._helped(first), self._helped(again), rests_on))
        return tuple(found)

    def _questions(self) -> list[_Made]:
        """All questions that can be asked, those about the subconcept itself first; no two with the same prompt."""
        made: dict[str, _Made] = {}
        known = frozenset(sentence for unit in self._units for sentence in unit.sentences)
        for draft in _sorted(drafts_of(self._own)):
            made.setdefault(draft.fields["prompt"], self._made(self._own, draft, draft.units[0]))
        for draft in _sorted(drafts_of(self._around)):
            unit = self._unit_with(draft.uses) if draft.uses & known else self._outside(draft.uses)
            made.setdefault(draft.fields["prompt"], self._made(self._around, draft, unit))
        for at in range(len(self._units)):
            for draft in self._retellings(at):
                made.setdefault(draft.fields["prompt"], self._made(self._own, draft, at))
        return [one for one in made.values() if _is_taken(one.task)]

    def _best(self, made: Sequence[_Made], unit: int, taken: Sequence[_Made], *, closed: bool) -> _Made:
        """The question for a unit: not asked yet, on sentences not asked about, of its unit, of the kind wanted."""
        used = frozenset[str]().union(*(one.uses for one in taken))

        def cost(one: _Made) -> tuple[bool, bool, int, bool]:
            is_closed = one.task.kind in ("mcq", "number")
            return (one in taken, bool(one.uses & used), abs(one.unit - unit), is_closed is not closed)

        return min(made, key=cost)

    def _says(self, asked: _Made) -> tuple[str, tuple[str, ...]]:
        """Sentences that stand around what is asked and do not give it away; where there are none, their place.

        Beside the words, the sentences that they rest on.
        """
        part = self._part(asked.uses)
        own = self._units[asked.unit].sentences if asked.unit < len(self._units) else ()
        check = Check(asked.task.secret())
        chosen: list[str] = []
        for sentence in dict.fromkeys([*own, *part.sentences]):
            vague = starts_vaguely(sentence, self.language) and not chosen
            if sentence in asked.uses or vague or len(chosen) == MOST_SAID:
                continue
            if check.passes(" ".join([*chosen, sentence])):
                chosen.append(sentence)
        name = "notes_part" if chosen else "notes_alone"
        text = shortened(" ".join(chosen), SAID_WORDS)
        named = self.frames.say(name, heading=part.heading, text=text)
        words = named if part.heading and check.passes(named) else self.frames.say(f"{name}_bare", text=text)
        return words, tuple(chosen) or tuple(sorted(asked.uses))

    def _part(self, uses: frozenset[str]) -> Unit:
        """The part of the notes that a question is about."""
        return next((unit for unit in self._around.units if uses & set(unit.sentences)), self._around.units[0])

    def _made(self, material: Material, draft: Draft, unit: int) -> _Made:
        fields = draft.fields
        numeric = fields["format"] == "numeric"
        because = self.frames.say("notes_because", text=" ".join(sorted(draft.uses)))
        task = Task(
            fields["prompt"],
            "number" if numeric else "mcq" if fields["format"] == "mcq" else "text",
            fields["correct_answer"],
            self.frames.say("notes_can", title=material.titles[draft.units[0]]),
            wrong=tuple((row["option"], row["misconception"]) for row in fields.get("misconceptions", ())),
            criteria=tuple(fields.get("criteria", ())),
            anchors=(fields["correct_answer"],) if fields.get("criteria") else (),
            tolerance=float(fields.get("tolerance") or 0),
            unit=fields.get("unit", "") if numeric else "",
            because=because,
            solution=(because,),
        )
        return _Made(task, unit, draft.uses, material)

    def _helped(self, made: _Made) -> Task:
        place = Place(made.task, made.uses, self._part(made.uses).heading, self._beside(made.uses), self.language)
        task = with_help(made.task, help_candidates(place, made.material, self.frames), self.frames)
        smaller = (self.frames.say("notes_smaller", text=text) for text in place.beside[:MOST_TRIED])
        check = Check(task.secret())
        return replace(task, smaller=next((text for text in smaller if check.passes(text)), ""))

    def _retellings(self, at: int) -> Iterator[Draft]:
        """An open question on each term of the unit: where nothing else can be asked, this can."""
        unit = self._units[at]
        for key in self._lexicon.in_text(unit.text):
            told = next((each for each in unit.sentences if key in self._lexicon.in_text(each)), "")
            if len(words_of(told)) >= UNIT_WORDS:
                term = self._own.quoted(key)
                names = ("notes_retell", "notes_retell_label", "notes_retell_named", "notes_retell_states")
                prompt, label, named, states = (self.frames.say(name, term=term) for name in names)
                fields = open_fields(prompt, told, [(label, told, 0.8), (named, states, 0.2)], 2)
                yield Draft(Kind.TELL, (at,), frozenset({told}), key, fields)

    def _outside(self, uses: frozenset[str]) -> int:
        """Behind all units: what stands under one of their headings is nearer to them than the rest of the notes."""
        near = self._part(uses).heading in {unit.heading for unit in self._units}
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


def _sorted(drafts: Sequence[Draft]) -> list[Draft]:
    """Those that hide what they ask for, the better kinds first; one on two parts at once is for a diagnostic."""
    fitting = [draft for draft in drafts if hides(draft) and draft.kind is not Kind.RELATE]
    return sorted(fitting, key=lambda draft: -KINDS[draft.kind][1])


def _is_taken(task: Task) -> bool:
    """Whether the server takes the question."""
    try:
        checked(task.draft())
    except QuestionRefused:
        return False
    return True
