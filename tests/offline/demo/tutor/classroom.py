"""A classroom for the offline tutor: what the server would send at each turn, and what it holds every reply against."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sprout.agents.fences import fenced, wrapped
from sprout.agents.tutor.turn_state import mix_up_element
from sprout.learning.leaks.leak_filter import LeakFilter
from sprout.learning.leaks.secret import build_secret
from sprout.learning.lessons.fading import fading_after
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.lessons.help_ladder import GAP_LADDER, HelpLadder, HelpLevel, LadderStep
from sprout.learning.lessons.lesson_plan import LessonPlan
from sprout.learning.lessons.turn_notes import NOTE_TEXTS, TurnNote
from sprout.learning.misconceptions.repository import HeldBelief
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.program_tests import ProgramTest
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft
from sprout.learning.text.normalization import folded, occurs_in
from sprout.offline.courses.lesson_format import Lesson
from sprout.offline.demo.conversation import Conversation, read_conversation
from sprout.offline.reply import Reply, TextOut, ToolOut

ENDING = ("ask_checkpoint", "show_reading", "complete_subconcept", "reply", "raise_concern")
SPEAKING = ("reply", "raise_concern")
TOOLS = (
    "check_student_progress",
    "check_prerequisite_mastery",
    "generate_example",
    "create_exercise",
    "visualize_concept",
    "record_exercise_result",
    "memory_recall",
    "memory_store",
    *ENDING,
)
MOST_WORDS = 120
LABELS = "ABCD"
EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")

INLINE_CODE = re.compile("`[^`\n]*`")  # what a learner wrote may hold any sign

TutorFunction = Callable[[Conversation], Reply]


def a_lesson() -> Lesson:
    """A lesson on speed: a number, a choice and an open question."""
    return Lesson.model_validate(
        {
            "subconcept": "Speed: how much way each hour gets",
            "steps": [
                {
                    "can": "work out a speed from a way and a time",
                    "says": "A cyclist rides 36 km in 2 hours. Share the way out over the hours, and each gets 18 km. "
                    "That share is the speed. It hides the hill in the middle: it is what each hour would get if all "
                    "hours were alike.",
                    "asks": {
                        "kind": "numeric",
                        "prompt": "A boat covers 60 km in 4 hours. What is its speed in km per hour?",
                        "answer": "15",
                        "unit": "km/h",
                        "diagnostic_values": {"240": "multiplies way and time", "0.07": "shares the time over the way"},
                        "help": [
                            "Go back to the cyclist and see what was shared out over what.",
                            "Look at the two numbers of the boat. Which of them stands where the cyclist had 2?",
                            "A train covers 210 km in 3 hours. Each hour gets a third: 210 ÷ 3 = … Then do yours.",
                            "One step of yours: the way of the boat is cut into four equal parts. Work out one.",
                        ],
                        "because": "Each of the four hours gets the same share of the way.",
                        "solution": "Cut the 60 km into four equal parts. 60 ÷ 4 = 15, so 15 km in each hour.",
                    },
                    "again": {
                        "kind": "numeric",
                        "prompt": "A snail covers 45 cm in 9 minutes. What is its speed in cm per minute?",
                        "answer": "5",
                        "unit": "cm/min",
                        "diagnostic_values": {"405": "multiplies way and time"},
                        "help": [
                            "Go back to the hours of the cyclist: what takes their place for the snail?",
                            "Look at the 9. Is it a way or a time?",
                            "A beetle covers 28 cm in 4 minutes. Each minute gets a fourth: 28 ÷ 4 = … Then do yours.",
                            "One step of yours: mark nine equal pieces on a line of 45 cm and measure one.",
                        ],
                        "because": "Every one of the nine minutes gets the same piece of the way.",
                        "solution": "Share the 45 cm out over the nine minutes. 45 ÷ 9 = 5, so 5 cm in each minute.",
                    },
                },
                {
                    "can": "compare two speeds with different times",
                    "says": "One tap fills 12 litres in 3 minutes, another 10 litres in 2. The first has given more "
                    "water, the second gives more each minute: 5 litres against 4. To compare, bring both to one and "
                    "the same time.",
                    "asks": {
                        "kind": "mcq",
                        "prompt": "Ann runs 300 m in 60 s, Ben runs 500 m in 125 s. Who is faster, and why?",
                        "answer": "Ann: in each second she gets 5 m and he gets 4 m",
                        "wrong": [
                            {
                                "option": "Ben: he runs 500 m, and she runs only 300 m",
                                "misconception": "longer is faster",
                            },
                            {
                                "option": "Ann: she needs 60 s, and he needs 125 s",
                                "misconception": "less time is faster",
                            },
                            {
                                "option": "Both: the one has way, the other has time",
                                "misconception": "way and time cancel",
                            },
                        ],
                        "help": [
                            "Read again how the two taps were brought to the same time.",
                            "Look at the two times. What could both runners be brought to?",
                            "Two printers: 90 pages in 3 minutes, 100 in 4. Per minute: 30 against … Finish it.",
                            "One step of yours: work out how many metres Ben gets in a single second.",
                        ],
                        "because": "Brought to one second, the longer way alone decides.",
                        "solution": "300 ÷ 60 = 5 and 500 ÷ 125 = 4. In each second Ann gets more.",
                    },
                    "again": {
                        "kind": "numeric",
                        "prompt": "Cem reads 240 pages in 8 hours, Dora 175 in 5. By how much per hour is Dora ahead?",
                        "answer": "5",
                        "unit": "pages",
                        "diagnostic_values": {"-65": "compares the totals"},
                        "help": [
                            "Go back to the taps: what was worked out for each before they were compared?",
                            "Look at the two hours, 8 and 5, before you look at the pages.",
                            "Two knitters: 60 rows in 6 hours, 36 in 3. Each hour: 10 against … Now yours.",
                            "One step of yours: work out how many pages Cem reads in a single hour.",
                        ],
                        "because": "Only what each reads in an hour can be compared.",
                        "solution": "240 ÷ 8 = 30 and 175 ÷ 5 = 35. Each hour Dora reads 5 pages more.",
                    },
                },
                {
                    "can": "say why an average speed is not the middle of two speeds",
                    "says": "A walker goes up a hill for 40 minutes and runs down in 10. Most of the walk was slow, so "
                    "the speed of the whole walk lies nearer to the slow one. Ask for how long each speed lasted "
                    "before you take a middle.",
                    "asks": {
                        "kind": "text",
                        "prompt": "A car goes 30 km at 30 km/h and 30 km at 60 km/h. A friend says that its average is "
                        "45 km/h. Explain in two sentences what is wrong.",
                        "answer": "The slow part lasts an hour and the quick one only half as long, so slow driving "
                        "weighs more. Taken together it is 60 km in one and a half hours, which makes 40 km/h.",
                        "partial": "The car drives slowly for longer.",
                        "criteria": [
                            {
                                "label": "how long each part lasts",
                                "statement": "The slow part takes twice as much time as the quick one.",
                                "weight": 0.5,
                                "misconception": "takes the middle of two speeds for the average",
                            },
                            {
                                "label": "the whole way over the whole time",
                                "statement": "Divides the total distance by the total duration and gets 40.",
                                "weight": 0.5,
                            },
                        ],
                        "help": [
                            "Go back to the walker: what was asked before a middle was taken?",
                            "Look at the two parts of the trip and write beside each how many minutes it lasts.",
                            "A swimmer: 1 km at 2 km/h lasts 30 minutes, 1 km at 4 km/h lasts 15. Which speed rules?",
                            "One step of yours: the first part of the trip lasts a full hour.",
                        ],
                        "because": "A speed weighs as much as the time that it lasts.",
                        "solution": "30 km at 30 km/h last 1 hour, 30 km at 60 km/h last half an hour. "
                        "60 km in 1.5 hours are 40 km/h.",
                    },
                    "again": {
                        "kind": "numeric",
                        "prompt": "A bus goes 12 km at 12 km/h and 12 km at 36 km/h. What is its average in km/h?",
                        "answer": "18",
                        "unit": "km/h",
                        "diagnostic_values": {"24": "takes the middle of two speeds for the average"},
                        "help": [
                            "Go back to the walker and to what made the slow part weigh more.",
                            "Look at each half of the bus trip: how many minutes does it take?",
                            "A boat: 6 km at 6 km/h, 6 km at 12 km/h. 12 km in 1.5 hours: 12 ÷ 1.5 = … Now yours.",
                            "One step of yours: the second half of the trip lasts 20 minutes.",
                        ],
                        "because": "The slow half lasts three times as long, so it pulls the average down.",
                        "solution": "The halves last 60 and 20 minutes. 24 km in 80 minutes are 18 km in an hour.",
                    },
                },
            ],
            "example": {
                "title": "From Ulm to Bonn",
                "text": "1. The way is 400 km, the time 5 hours.\n2. Share the way over the hours: 400 ÷ 5 = 80.",
            },
            "contrast": {
                "idea": "Whoever covers the longer way is faster, and the average is the middle of two speeds.",
                "case": "A snail got 3 m since morning, a child 1 m in one second. The idea says: the snail.",
            },
            "summary": "You can share a way out over a time, compare two speeds at one time, and weigh speeds by how "
            "long they last. Speeds that change all the time come later.",
        }
    )


def draft_of(call: Mapping[str, Any]) -> QuestionDraft:
    """The question of an `ask_checkpoint` call as the server makes it, and accepts it. Raises InvalidQuestion."""
    number = call.get("number") or {}
    is_choice = call["type"] == "mcq"
    beliefs = [(one["option"], one["misconception"]) for one in call.get("wrong", ())]
    beliefs += [(f"{one['value']:g}", one["misconception"]) for one in number.get("misreadings", ())]
    return validate_draft(
        QuestionDraft(
            prompt=call["question"],
            format="mcq" if is_choice else "numeric" if number else "open_ended",
            correct_answer=f"{number['value']:g}" if number else call["answer"],
            difficulty=3,
            tests=("This",),
            options=tuple(call.get("options", ())),
            program_tests=tuple(ProgramTest(**one) for one in call.get("program_tests", ())),
            accepted=tuple(call.get("accepted", ())),
            criteria=tuple(
                Criterion(one["label"], one["statement"], one["weight"], one.get("partly_if"))
                for one in call.get("criteria", ())
            ),
            tolerance=number.get("tolerance"),
            unit=number.get("unit"),
            misconceptions=tuple(Misconception(*one) for one in beliefs),
        )
    )


def withheld_reason(
    call: Mapping[str, Any], reply: str, *, messages: Sequence[str] = (), before: str = "", level: int = 0
) -> str | None:
    """Why the server would not show a reply while the question of that call is open; None where it would."""
    draft = draft_of(call)
    label = next((LABELS[at] for at, option in enumerate(draft.options) if option == draft.correct_answer), None)
    secret = build_secret(
        draft, anchors=call.get("anchors", ()), steps=call.get("solution", ()), learner_texts=messages, label=label
    )
    saying = LeakFilter(secret, before=before, level=HelpLevel(level))
    shown = saying.feed(reply) + saying.end()
    assert saying.withheld is not None or shown == reply
    return saying.withheld


def is_copyable(call: Mapping[str, Any]) -> bool:
    """Return True if the explanation contains the answer to an open question, word for word."""
    answer = folded(call["answer"]).rstrip(".!")
    return call["type"] != "mcq" and len(answer.split()) > 2 and occurs_in(answer, folded(call["message"]))


def assert_tone(words: str) -> None:
    """The rules that hold for everything that the tutor says."""
    assert words.strip()
    assert len(words.split()) <= MOST_WORDS, words
    assert words.count("!") <= 1, words
    assert not EMOJI.search(words), words
    assert "{" not in INLINE_CODE.sub("", words), words
    assert not re.search(r"^\W*(?:new |checkpoint )?question\b", words, re.IGNORECASE | re.MULTILINE), words


@dataclass
class Classroom:
    """One conversation, with the server's side of it: what is pending, its ladder, what was said and asked.

    Args:
        learns: how many answers right without help it takes until the lesson may be completed.
        callable_tools: the only tools that may be called; None if all may.
    """

    tutor: TutorFunction
    subject: str
    learns: int = 2
    mastery: float = 0.3
    held: Sequence[HeldBelief] = ()
    neighbours: Sequence[str] = ()
    tools: tuple[str, ...] = TOOLS
    callable_tools: tuple[str, ...] | None = None
    results: dict[str, str] = field(default_factory=dict)
    transcript: list[tuple[str, str]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    pending: dict[str, Any] | None = None
    ladder: HelpLadder = HelpLadder()
    plan: LessonPlan = LessonPlan()
    read: list[dict[str, Any]] = field(default_factory=list)
    unaided: int = 0
    attempts: int = 0
    missed: int = 0
    said: str = ""
    mix_up: str = ""
    completed: str = ""
    last_reply: str = ""
    calls: list[ToolOut] = field(default_factory=list)

    def open(self) -> str:
        return self._run_turn("opening", "", self.state("opening"))

    def ask(self, words: str, *, kind: str = "message") -> str:
        """A turn that is no attempt, and moves nothing."""
        self.ladder = self.ladder.wait()
        return self._run_turn(kind, words, self.state(kind))

    def name_no_option(self, words: str, *, note: TurnNote = TurnNote.NO_OPTION) -> str:
        """An answer to a choice that names none of its options, or more than one."""
        self.ladder = self.ladder.wait()
        return self._run_turn("answer", words, self.state("answer", note=note))

    def ask_for_help(self, words: str = "I don't know") -> str:
        """A turn without an attempt that brings the next level, or the solution."""
        self.ladder = self.ladder.after_help()
        return self._run_turn("answer", words, self.state("answer"))

    def push(self, move: str) -> str:
        """A turn by a button: show the solution, or change the question. The server stores what it stands for."""
        self.ladder = self.ladder.show() if move == "show" else self.ladder.change()
        said = self._run_turn("message", "", self.state("message"))
        self.transcript.insert(-1, ("user", fixed_text(f"move_{move}", "en")))
        return said

    def compare(self, said: str, *, misconception: str = "") -> str:
        """An answer that nobody marks, which the learner has compared."""
        self.ladder, self.said, self.mix_up = self.ladder.compare().after_comparison(), said, misconception
        self.attempts += 1
        return self._run_turn("message", "", self.state("message"))

    def answer(
        self,
        words: str,
        *,
        right: bool,
        misconception: str = "",
        spans: Sequence[tuple[str, str, str]] = (),
        next_step: str = "",
        sure: bool = False,
    ) -> str:
        """An attempt; `spans` are label, verdict and the learner's words of each criterion."""
        level = self.ladder.level
        self.ladder = self.ladder.after_attempt(right=right)
        self.attempts += 1
        self.missed += not right
        self.unaided += right and not level
        marking = wrapped(
            "marking",
            *(fenced("criterion", text, limit=300, label=label, verdict=verdict) for label, verdict, text in spans),
            fenced("misconception", misconception, limit=300),
            fenced("next_step", next_step, limit=300),
            state="graded",
            correct=str(right).lower(),
            score="1.00" if right else "0.00",
            **({"sure": "true"} if sure else {}),
        )
        return self._run_turn("answer", words, self.state("answer", marking))

    def answer_unmarked(self, words: str, state: str = "unsure", *, next_step: str = "") -> str:
        self.ladder = replace(self.ladder, attempts=self.ladder.attempts + 1, step=LadderStep.WAIT)
        marking = wrapped(
            "marking", fenced("next_step", next_step, limit=300), state=state, correct="none", score="none"
        )
        return self._run_turn("answer", words, self.state("answer", marking))

    @property
    def is_learned(self) -> bool:
        return self.unaided >= self.learns

    @property
    def comes_last(self) -> bool:
        """Whether the last step of the plan is the next one."""
        alone = self.ladder.ended and not self.ladder.level
        return self.open_question is None and alone and len(self.asked) == self.plan.step_count - 1

    @property
    def may_end(self) -> bool:
        """Whether it is learned, or all that was asked is about passages and they are read to the end."""
        are_read = all("reading" in one for one in self.asked) and 0 < self.plan.step_count <= len(self.plan.asked)
        return self.is_learned or are_read

    @property
    def open_question(self) -> dict[str, Any] | None:
        return None if self.pending is None or self.ladder.ended else self.pending

    def state(self, kind: str, marking: str = "", *, note: TurnNote | None = None) -> str:
        """The server's words of a turn."""
        parts = [
            wrapped("plan", *map(self._plan_line, range(self.plan.step_count))),
            wrapped("asked", *(fenced("question", one["question"], limit=2000) for one in self.asked)),
            self._pending(),
            self._settled(),
            marking,
            self._help(),
            *map(mix_up_element, self.held),
            *(fenced("neighbour", title, limit=200) for title in self.neighbours if self.comes_last),
            "" if self.callable_tools is None else wrapped("callable_tools", ", ".join(self.callable_tools)),
            fenced("note", NOTE_TEXTS[note], limit=300, kind=note.value) if note else "",
        ]
        return wrapped(
            "state",
            *parts,
            separator="\n",
            turn=kind,
            chunk="1",
            chunks="3",
            attempts=str(self.attempts),
            mastery=f"{self.mastery:.2f}",
            may_complete=str(self.may_end and self.open_question is None).lower(),
            unaided_right=str(self.unaided),
            missed=str(self.missed if self.open_question is not None else 0),
            **({} if self.open_question is not None else {"fading": self._fading()}),
        )

    def _plan_line(self, at: int) -> str:
        reached = {"reached": "true"} if at + 1 in self.plan.asked else {}
        return fenced("can", self.plan.goals[at], limit=300, **reached)

    def _fading(self) -> str:
        """The form of the question that is due; before the first one the diagnostic counts as well."""
        diagnostic = json.loads(self.results.get("check_student_progress", "{}")).get("diagnosticScore") or 0.0
        known = self.mastery if self.asked else max(self.mastery, diagnostic)
        return fading_after(known, self.ladder if self.ladder.ended else None).value

    def _pending(self) -> str:
        if self.open_question is None:
            return ""
        options = [f"{LABELS[at]}. {option}" for at, option in enumerate(self.open_question.get("options", ()))]
        return wrapped(
            "pending",
            fenced("prompt", self.open_question["question"], limit=2000),
            *(fenced("option", option, limit=400) for option in options),
            type=self.open_question["type"],
            level=str(int(self.ladder.level)),
            step=self.ladder.step.value,
        )

    def _settled(self) -> str:
        if self.pending is None or not self.ladder.ended:
            return ""
        worked = self.ladder.may_show_answer
        solution = [fenced("solution", "\n".join(self.pending["solution"]), limit=2000)] if worked else []
        return wrapped(
            "settled",
            fenced("prompt", self.pending["question"], limit=2000),
            *solution,
            *([fenced("misconception", self.mix_up, limit=300)] if self.mix_up else []),
            how="worked_through" if self.ladder.step is LadderStep.WORK_THROUGH else self.ladder.step.value,
            level=str(int(self.ladder.level)),
            **({"said": self.said} if self.said else {}),
        )

    def _help(self) -> str:
        if self.open_question is None:
            return ""
        if self.ladder.step is LadderStep.GIVE_HELP:
            return fenced(
                "help",
                self.open_question["help"][self.ladder.level - self.ladder.given - 1],
                limit=2000,
                level=str(int(self.ladder.level)),
            )
        return ""

    def _run_turn(self, kind: str, words: str, state: str) -> str:
        """One run: the model speaks until its turn ends; what it says is checked as the server checks it."""
        last = [{"type": "text", "text": state}] + ([{"type": "text", "text": words}] if words else [])
        messages: list[dict[str, Any]] = [{"role": "user", "content": self.subject}]
        messages += [{"role": role, "content": text} for role, text in self.transcript]
        messages.append({"role": "user", "content": last})
        before, heard = self._since_posed()
        self.calls = []
        for at in range(5):
            reply = self.tutor(read_conversation(self._body(messages)))
            self.calls += [call for call in reply.tool_calls if call.name != "reply"]
            if ended := self._end_turn(reply, [*heard, words], before):
                self.transcript += ([("user", words)] if words else []) + [("assistant", ended)]
                return self.last_reply
            used = [
                {"type": "tool_use", "id": f"call{at}_{number}", "name": call.name, "input": dict(call.input)}
                for number, call in enumerate(reply.tool_calls)
            ]
            results = [
                {"type": "tool_result", "tool_use_id": one["id"], "content": self.results.get(str(one["name"]), "{}")}
                for one in used
            ]
            messages += [{"role": "assistant", "content": used}, {"role": "user", "content": results}]
        raise AssertionError("the turn does not end")

    def _body(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        tools = [{"name": name, "input_schema": {"type": "object"}} for name in self.tools]
        return {"model": "m", "max_tokens": 8000, "messages": messages, "tools": tools}

    def _end_turn(self, reply: Reply, heard: Sequence[str], before: str) -> str:
        """The rendered reply if the turn is over; a reply has either words or calls, and at most one that ends it."""
        ending = [call for call in reply.tool_calls if call.name in ENDING]
        words = "".join(block.text for block in reply.blocks if isinstance(block, TextOut))
        assert len(ending) <= 1
        if not ending and reply.tool_calls:
            assert not words
            return ""
        if not ending or ending[0].name in SPEAKING:
            words = words or str(ending[0].input["message"])
            self.last_reply = words
            assert_tone(words)
            if self.open_question is not None:
                reason = withheld_reason(
                    self.open_question, words, messages=heard, before=before, level=int(self.ladder.level)
                )
                assert reason is None, f"{reason}: {words}"
                return self._render_reply(words, self.open_question)
            return words
        assert self.open_question is None, "nothing is asked or completed while a question is open"
        assert {call.name for call in reply.tool_calls} <= {ending[0].name, "generate_example"}
        call = dict(ending[0].input)
        self.last_reply = call["message"]
        assert_tone(self.last_reply)
        if ending[0].name == "complete_subconcept":
            assert self.may_end
            self.completed, self.pending = self.last_reply, None
            return self.last_reply
        assert bool(call.get("plan")) is not bool(self.plan.goals)
        same_again = self.pending is not None and self.ladder.level > HelpLevel.NONE
        self.plan = self.plan.after(call.get("plan", ()), call["can"], same_again=same_again)
        if ending[0].name == "show_reading":
            self.read.append(call)
            self.pending = None
            return self.last_reply
        draft_of(call)
        assert not is_copyable(call)
        assert len(call["help"]) == (1 if call.get("gap") else 4)
        assert call["solution"]
        assert next(iter(call)) == "message"
        self.asked.append(call)
        self.ladder = GAP_LADDER if call.get("gap") else HelpLadder()
        self.pending, self.missed, self.said, self.mix_up = call, 0, "", ""
        return self._render_reply(self.last_reply, call)

    def _render_reply(self, words: str, call: Mapping[str, Any]) -> str:
        options = "\n".join(f"{LABELS[at]}. {option}" for at, option in enumerate(call.get("options", ())))
        return f"{words}\n\nQuestion Type: text\n\nQuestion:\n{call['question']}\n\n{options}".strip()

    def _since_posed(self) -> tuple[str, list[str]]:
        if self.pending is None:
            return "", []
        asked = self.pending["question"].strip()
        first = len(self.transcript)
        for at, (role, text) in reversed([*enumerate(self.transcript)]):
            if role == "assistant":
                if asked not in text:
                    break
                first = at
        since = self.transcript[first + 1 :]
        mine = [text.partition("\n\nQuestion Type:")[0] for role, text in since if role == "assistant"]
        return "\n".join(mine), [text for role, text in since if role == "user"]


def first_message(topic: str, title: str, desc: str = "", passages: str = "", after: str = "") -> str:
    """The first message of a conversation."""
    return "\n".join(
        [
            wrapped("topic", fenced("title", topic, limit=200)),
            wrapped("concept", fenced("title", "The concept", limit=200), fenced("desc", "", limit=9)),
            wrapped("subconcept", fenced("title", title, limit=200), fenced("desc", desc, limit=900)),
            wrapped("next", fenced("subconcept", after, limit=200)) if after else "",
            passages,
        ]
    )
