"""Slips in the input of single tools: questions, checkpoints, verdicts and solutions."""

from random import Random
from typing import Any

from harness.agents.sloppy.slips import Input, Slip, absent, other_words, quoted, too_many

FORMATS = {
    "mcq": ("multiple choice", "Multiple-Choice", "single_choice"),
    "open_ended": ("open", "open-ended", "free text"),
    "numeric": ("number", "numerical"),
}
TYPES = {
    "mcq": ("multiple choice",),
    "text": ("open", "free text"),
    "code": ("program",),
    "draw": ("drawing", "sketch"),
}
MARKS = {"met": ("yes", "fully met"), "partly": ("partial", "half"), "missing": ("no", "not met")}


def labelled_options(given: Input, random: Random) -> Input:
    """Letters before the options; the right one by its letter, or with it."""
    options = given.get("options")
    key = "correct_answer" if "correct_answer" in given else "answer"
    if not options or len(options) != 4 or given.get(key) not in options:
        return given
    mark = random.choice(("{}) ", "{}. ", "({}) "))
    letter = "ABCD"[options.index(given[key])]
    right = random.choice((letter, f"{letter})", letter.lower() + ".", mark.format(letter) + given[key], given[key]))
    return {**given, "options": [mark.format(a) + one for a, one in zip("ABCD", options, strict=True)], key: right}


def letter_alone(given: Input, random: Random) -> Input:
    """The right option by its letter, though the options have none."""
    options, key = given.get("options"), "correct_answer" if "correct_answer" in given else "answer"
    if not options or given.get(key) not in options:
        return given
    letter = "ABCD"[options.index(given[key])]
    return {**given, key: random.choice((letter, f"Option {letter}", f"{letter}."))}


def options_in_one_text(given: Input, random: Random) -> Input:
    options = given.get("options")
    if not isinstance(options, list) or any(";" in one for one in options):
        return given
    sign = random.choice(("; ", "\n"))
    text = (
        sign.join(options)
        if random.random() < 0.5
        else " ".join(f"{a}) {o}" for a, o in zip("ABCD", options, strict=False))
    )
    return {**given, "options": text}


def belief_about_the_right_one(given: Input, random: Random) -> Input:
    name = "wrong" if "answer" in given else "misconceptions"
    right = given.get("answer", given.get("correct_answer"))
    return {**given, name: [*(given.get(name) or []), {"option": right, "misconception": "none, it is right"}]}


def beliefs_as_an_object(given: Input, random: Random) -> Input:
    name = "wrong" if "answer" in given else "misconceptions"
    found = given.get(name)
    if not isinstance(found, list) or not found:
        return given
    return {**given, name: {one["option"]: one["misconception"] for one in found}}


def options_for_another_format(given: Input, random: Random) -> Input:
    return {**given, "options": random.choice(([], None, ["yes", "no"]))}


def other_weights(given: Input, random: Random) -> Input:
    """Points, percent, or no weights at all."""
    criteria = given.get("criteria")
    if not isinstance(criteria, list):
        return given
    kind = random.choice(("percent", "points", "none", "more than all"))
    factor = {"percent": 100, "points": 10, "more than all": 1.5}.get(kind)
    return {
        **given,
        "criteria": [
            {key: value for key, value in one.items() if key != "weight"}
            | ({} if factor is None else {"weight": one["weight"] * factor})
            for one in criteria
        ],
    }


def number_with_its_unit(given: Input, random: Random) -> Input:
    unit = given.get("unit") or ""
    answer = random.choice((f"{given['correct_answer']} {unit}", f"about {given['correct_answer']}"))
    return {**given, "correct_answer": answer}


def criteria_by_label(given: Input, random: Random) -> Input:
    """Criteria by their number or label, where their ids are asked for."""
    names: dict[str, Any] = random.choice(({"c1": 1, "c2": 2}, {"c1": "C1", "c2": "criterion c2"}, {"c1": "The cause"}))
    verdicts = given.get("verdicts")
    if not isinstance(verdicts, list):
        return given
    return {
        **given,
        "verdicts": [{**one, "criterion": names.get(one["criterion"], one["criterion"])} for one in verdicts],
    }


def confidence_in_percent(given: Input, random: Random) -> Input:
    verdicts = given.get("verdicts")
    if not isinstance(verdicts, list):
        return given
    change = random.choice((lambda share: f"{share:.0%}", lambda share: share * 100, lambda share: None))
    return {**given, "verdicts": [{**one, "confidence": change(one["confidence"])} for one in verdicts]}


def quoted_spans(given: Input, random: Random) -> Input:
    verdicts = given.get("verdicts")
    if not isinstance(verdicts, list):
        return given
    return {**given, "verdicts": [{**one, "span": f"“{one['span']}”"} for one in verdicts]}


def marks_in_other_words(given: Input, random: Random) -> Input:
    verdicts = given.get("verdicts")
    if not isinstance(verdicts, list):
        return given
    return {
        **given,
        "verdicts": [
            {**one, "verdict": random.choice((one["verdict"].upper(), *MARKS[one["verdict"]]))} for one in verdicts
        ],
    }


def option_by_its_text(given: Input, random: Random) -> Input:
    texts = {"o1": "the same", "o2": "a little less"}
    solutions = given.get("solutions")
    if not isinstance(solutions, list):
        return given
    return {
        **given,
        "solutions": [
            {**one, "option_id": texts.get(one["option_id"], one["option_id"])} if "option_id" in one else one
            for one in solutions
        ],
    }


def strange_solution(given: Input, random: Random) -> Input:
    """An entry for a question that was not given, beside the others."""
    solutions = given.get("solutions")
    if not isinstance(solutions, list):
        return given
    return {**given, "solutions": [*solutions, {"question_id": "q9", "sure": 0.9}]}


def other_count_of_helps(given: Input, random: Random) -> Input:
    helps = given.get("help")
    return {**given, "help": random.choice(([*helps, "More."], helps[:3]))} if isinstance(helps, list) else given


def stray_passages(given: Input, random: Random) -> Input:
    return {**given, "passages": ["p-none", "the notes"]}


COMMON: tuple[Slip, ...] = (quoted("tests"), other_words("format", FORMATS), absent("anchors", "unit", "tolerance"))
CHOICE_SLIPS: tuple[Slip, ...] = (
    *COMMON,
    labelled_options,
    letter_alone,
    options_in_one_text,
    belief_about_the_right_one,
    beliefs_as_an_object,
    too_many("options", 1),
)
OPEN_SLIPS: tuple[Slip, ...] = (*COMMON, other_weights, options_for_another_format, too_many("anchors", 2))
NUMERIC_SLIPS: tuple[Slip, ...] = (*COMMON, number_with_its_unit, options_for_another_format, beliefs_as_an_object)
CHECKPOINT_SLIPS: tuple[Slip, ...] = (
    other_words("type", TYPES),
    labelled_options,
    letter_alone,
    belief_about_the_right_one,
    beliefs_as_an_object,
    other_weights,
    other_count_of_helps,
    stray_passages,
    too_many("plan", 12),
    absent("anchors", "passages"),
)
GRADE_SLIPS: tuple[Slip, ...] = (criteria_by_label, confidence_in_percent, quoted_spans, marks_in_other_words)
SOLUTION_SLIPS: tuple[Slip, ...] = (option_by_its_text, strange_solution)
