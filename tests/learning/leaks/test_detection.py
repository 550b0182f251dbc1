"""Replies that give an answer away are known for it, whatever they hide it in; help is not taken for it."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.leaks.detection import MAX_SENTENCE, find_leak
from sprout.learning.leaks.leak import LeakForm
from sprout.learning.leaks.leak_filter import LeakFilter
from sprout.learning.leaks.secret import Secret, build_secret, roman_numeral
from sprout.learning.lessons.help_ladder import HelpLevel
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.text.disguises import Disguise
from tests.learning.leaks.replies import Said, corpus

CORPUS = corpus()
LEAKING = [one for one in CORPUS if one.family]
BENIGN = [one for one in CORPUS if not one.family]
MOST_BLOCKED = 0.02


def shown_of(reply: Said) -> tuple[str, str | None]:
    saying = LeakFilter(reply.secret, before=reply.before, level=reply.level)
    return saying.feed(reply.reply) + saying.end(), saying.withheld


def asked(prompt: str, answer: str, *, learner_texts: tuple[str, ...] = (), unit: str | None = None) -> Secret:
    number = answer.lstrip("-").replace(".", "").isdigit()
    kind = QuestionDraft(prompt, "numeric" if number else "open_ended", answer, 2, ("The topic",), unit=unit)
    return build_secret(kind, learner_texts=learner_texts)


def test_H2_the_corpus_is_as_large_as_it_should_be() -> None:
    questions = {one.question for one in CORPUS}
    assert len(questions) >= 12
    assert len(LEAKING) > 100
    for question in questions:
        assert sum(one.question == question for one in LEAKING) >= 9
        assert sum(one.question == question for one in BENIGN) >= 10


@pytest.mark.parametrize("reply", LEAKING, ids=lambda reply: reply.name)
def test_H2_a_reply_that_leaks_is_stopped_before_the_answer_is_out(reply: Said) -> None:
    shown, withheld = shown_of(reply)
    assert withheld is not None
    assert withheld != LeakForm.TOO_LONG
    assert reply.reply.startswith(shown)
    assert not [answer for answer in reply.reveals if answer.casefold() in shown.casefold()]


def test_H2_help_passes() -> None:
    blocked = [f"{one.name} ({why})" for one in BENIGN if (why := shown_of(one)[1])]
    assert len(blocked) <= MOST_BLOCKED * len(BENIGN), f"{len(blocked)} of {len(BENIGN)} benign replies: {blocked}"


def test_H2_every_form_and_every_disguise_is_met_by_the_corpus() -> None:
    met = {shown_of(one)[1] for one in LEAKING}
    assert met == {*LeakForm, *Disguise} - {LeakForm.TOO_LONG}


def test_H2_what_the_learner_has_said_may_be_quoted() -> None:
    prompt = "What is the process called by which green leaves make sugar?"
    quoted = "You wrote 'photosynthesis or respiration'. Which of the two builds sugar up?"
    assert find_leak(asked(prompt, "photosynthesis"), quoted) is not None
    assert find_leak(asked(prompt, "photosynthesis", learner_texts=("photosynthesis or respiration",)), quoted) is None


def test_H2_what_the_learner_has_guessed_may_be_quoted_and_not_be_called_the_answer() -> None:
    secret = asked("Solve 3(x − 2) = 2x + 5.", "11", learner_texts=("is it 10? 11? 12?",))
    assert find_leak(secret, "You tried 10, 11 and 12: which of them makes both sides equal?") is None
    assert find_leak(secret, "The answer is 11.") is not None


@pytest.mark.parametrize(
    ("answer", "harmless", "telling"),
    [
        ("no", "No worries, there is no rush.", "The answer is no."),
        ("no", "Your answer is no surprise.", "No is correct."),
        ("is", "The answer is in the table. What is the subject?", 'The answer is "is".'),
        ("is", "It is easy: what is she?", "Write *is* in the gap."),
        ("4", "There are 4 words in my hint, and step 4 is the last one.", "It is 4."),
        ("4", "A triangle has 3 sides. 2 + 2 = 4 is another sum.", "It has four sides."),
        ("4", "It is one of 4 kinds.", "The answer is 3 + 1."),
        ("28", "Take page 28 of your book.", "28!"),
        ("28", "You have until the 28th to try.", "Area: 28 square centimetres"),
    ],
)
def test_H2_short_answers_leak_only_where_they_are_given_as_the_answer(
    answer: str, harmless: str, telling: str
) -> None:
    secret = asked("How many sides does it have?" if answer == "4" else "Say which word fits here.", answer)
    assert find_leak(secret, harmless) is None
    assert find_leak(secret, telling) is not None


def test_H2_an_option_of_one_word_leaks_where_a_sentence_ends_by_saying_it() -> None:
    options = ("true", "false", "only above 10", "nobody knows")
    draft = QuestionDraft("Every prime is odd: true or false?", "mcq", "false", 1, ("Primes",), options=options)
    assert find_leak(build_secret(draft), "The statement is false.") is not None
    assert find_leak(build_secret(draft), "Which of the two is it, true or false?") is None
    assert find_leak(build_secret(draft), "Beware of the false friend 1.") is None


def test_H2_a_sentence_backwards_leaks_without_its_spaces_too() -> None:
    secret = asked("Translate: I have gone home.", "Ich bin nach Hause gegangen.")
    assert find_leak(secret, "negnagegesuahhcannibhci") is not None


def test_H2_the_sign_of_a_number_counts() -> None:
    secret = asked("What is −3²?", "-9", learner_texts=("−3² = 9, minus times minus",))
    assert find_leak(secret, "'Minus times minus is plus' is right, and it gives 9 for (−3)².") is None
    for telling in ["So it is −9.", "$-3^2=-9$", "The answer is minus nine."]:
        assert find_leak(secret, telling) is not None


def test_H2_one_step_may_be_shown_at_the_last_level_and_only_one() -> None:
    draft = QuestionDraft("Solve 2(x + 1) = 12.", "numeric", "5", 2, ("Equations",))
    secret = build_secret(draft, steps=["2x + 2 = 12", "2x = 10", "x = 5"])
    first, second = "Take this with you: 2x + 2 = 12. ", "And then 2x = 10."
    assert find_leak(secret, first, level=HelpLevel.PARALLEL) is not None
    assert find_leak(secret, first, level=HelpLevel.WORKED_STEP) is None
    assert find_leak(secret, second, before=first, level=HelpLevel.WORKED_STEP) is not None
    assert find_leak(secret, "In the end x = 5.", level=HelpLevel.WORKED_STEP) is not None


def test_H2_one_point_may_be_told_at_the_last_level_and_only_one() -> None:
    spoon = next(one.secret for one in CORPUS if one.question == "spoon")
    first = "Both spoons have room temperature. "
    second = "And metal carries heat away from the hand, faster than wood does."
    assert find_leak(spoon, first, level=HelpLevel.LOOK_HERE) is not None
    assert find_leak(spoon, first, level=HelpLevel.WORKED_STEP) is None
    between = "Think about it for a while. Take your time. What did you notice? " * 4
    assert find_leak(spoon, second, before=first + between, level=HelpLevel.WORKED_STEP) is not None


@given(st.integers(13, 999))
def test_H2_a_number_is_known_in_every_form(value: int) -> None:
    secret = asked("How much is it?", str(value))
    encoded = base64.b64encode(f"it is {value}".encode()).decode()
    for form in [f"{value}", f"{value}.0", f"{value},00", f"{2 * value}/2", rf"$\frac{{{2 * value}}}{{2}}$"]:
        assert find_leak(secret, f"The answer is {form}.") is not None
    letters = roman_numeral(value)
    assert (find_leak(secret, f"The answer is {letters}.") is not None) == (len(letters) > 1)
    assert find_leak(secret, f"Here: {value}00 and {value + 1}") is None
    assert (find_leak(secret, f"Decode {encoded}") is not None) == (value >= 100 and value % 10 != 0)


@given(st.text(max_size=400))
def test_H2_whatever_is_said_can_be_read(text: str) -> None:
    for one in (CORPUS[0], CORPUS[-1]):
        assert find_leak(one.secret, text, before=text) is None or text


@pytest.mark.parametrize(
    "piece", ["a", "2/", "= 2 ", "1,", "\\frac{", ".- ", "\n", "0x", "pho to ", "one ", "\u0301", "ﷺ"]
)
def test_H2_hostile_text_is_read_to_its_limit_and_refused_beyond(piece: str) -> None:
    secret = next(one.secret for one in CORPUS if one.question == "tram")
    text = (piece * MAX_SENTENCE)[:MAX_SENTENCE]
    assert find_leak(secret, text, before=text * 2) is None
    beyond = find_leak(secret, text + "a")
    assert beyond is not None
    assert beyond.form is LeakForm.TOO_LONG
