"""Marking of programs: a grade from the runs of a learner's program, in words that tell which run failed, and how."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import dedent

from sprout.learning.actor import Actor
from sprout.learning.marking.gradebook import Gradebook
from sprout.learning.marking.grades import CriterionResult, Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.loop_faults import loop_fault, prints_in_loop
from sprout.learning.marking.program_calls import (
    learner_calls,
    made_name,
    named_case,
    records_output,
    rules_out_value,
    wants_value,
)
from sprout.learning.marking.program_faults import MISSING_NAME, fault_in_words, given_unused
from sprout.learning.marking.program_output import compare_output, compare_recorded, cut_output, near_miss, output_lines
from sprout.learning.marking.program_runs import (
    MAX_CPU_S,
    ProgramEnd,
    ProgramRun,
    ProgramRunner,
    ProgramsUnavailable,
)
from sprout.learning.marking.unprinted_values import with_values_printed
from sprout.learning.mastery.knowledge_tracing import NEUTRAL_SCORE
from sprout.learning.questions.program_tests import ProgramTest

MOST_IN_PART = NEUTRAL_SCORE  # a program that fails a test is wrong: it never speaks for knowing
NO_PROGRAM = "A program is asked for here, and this is none that Python can run. Write only its lines, without words."
NO_PROGRAM_DOUBT = "no program"
IN_NO_FUNCTION = (
    "A function is asked for: your line stands below one with `def {name}(…):`, further to the right{hands_back}."
)
ONLY_PRINT_MISSING = "What your program works out is right, and only `print` is missing: without it nothing is shown."
FEWEST_WORDS = 2  # of a sentence with numbers
MAX_SITUATION = 60  # characters of a line that is named by its code

_FENCED = re.compile(r"```[\w+-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_LABEL = re.compile(
    r"\A\s*(?:(?:my |the |mein |meine )?(?:answer|antwort|code|program|programm|solution|lösung)|(?:line|zeile) \d+) ?:"
    r"[ \t]*(?=[^\s\d]|\n)",
    re.IGNORECASE,
)
_STRAIGHT = str.maketrans("“”„‟‘’‚‛′″", "\"\"\"\"'''''\"")
_TYPED_AT_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)[ ]?(.*)$", re.MULTILINE)
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_QUOTED = re.compile(r"#[^\n]*|'[^'\n]*'|\"[^\"\n]*\"")
_CODE_SIGN = re.compile(r"[=()\[\]{}:+*/<>%@\"'#_]|\w\.\w|\d")
_WORDS_IN_A_ROW = re.compile(r"(?:(?<![\w.])[^\W\d_]+[,;]?[ \t]+){3,}[^\W\d_]+")
_KEYWORDS = re.compile(
    r"\b(?:and|as|assert|break|class|continue|def|elif|else|except|False|finally|from|global|if|import|in|lambda"
    r"|None|not|or|pass|raise|return|True|try|while|with|yield)\b"
)
_WORDS_ALONE = re.compile(r"(?!(?:def|for|if|return|while|print)\b)(?:[^\W\d_][^\W\d_'’]*[,.!:;?…]*(?:\s+|$)){2,30}")
_BEFORE_CODE = re.compile(
    r"\A(?:(?:ok|okay|so|well|hm+|um+|maybe|like|i think|i['’]?d say|it['’]?s|it is|this is|here is|here['’]s|the|my"
    r"|answer|code|program|function|is|it (?:has to|should|must) be|hier|mein|programm|antwort|ist)[ ,:]+)+"
    r"(?=(?:def|for|while|if|return|print)\b|[a-z_]\w* ?[-+*/]?=(?!=)|[a-z_]\w*\.[a-z_]+\()",
    re.IGNORECASE,
)
_CODE_WITH_NAMES = re.compile(
    r"[()\[\]{}\"'#_]|\w\.[^\W\d]|[^\W\d] ?[-+*/%<>=:]|[-+*/%<>=] ?[^\W\d]|^\s*(?:print|for|if|elif|else|while)\b",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_MAKES_FUNCTION = re.compile(r"^\s*def\b|\blambda\b", re.MULTILINE)
_DEFINITION = re.compile(r"(?:def|class|import|from)\b")
_STATEMENT = re.compile(r"^\s*(?:return|def|class|import|from|pass|break|continue|raise|assert|del)\b", re.MULTILINE)
_BELIEFS_SHOW = frozenset(ProgramEnd) - {ProgramEnd.NOT_COMPILED, ProgramEnd.DIED}


class ProgramMarker:
    """Marks answers that are programs. A program that lies about its own run can only cheat the learner who wrote it:
    what was expected is not where it runs."""

    def __init__(self, runner: ProgramRunner, gradebook: Gradebook) -> None:
        self._runner = runner
        self._gradebook = gradebook

    async def grade(self, answer_id: str, tests: Sequence[ProgramTest], answer: str, *, actor: Actor) -> Grade:
        """Mark the answer and record its grade; raises as `Gradebook.record` does."""
        return await self._gradebook.record(answer_id, await self.mark(tests, answer), actor=actor)

    async def mark(self, tests: Sequence[ProgramTest], answer: str) -> Grade:
        """The grade of the answer; ungraded where the program could not be run."""
        try:
            return await mark_program(self._runner, tests, answer)
        except ProgramsUnavailable as failure:
            return ungraded(str(failure))


async def mark_program(runner: ProgramRunner, tests: Sequence[ProgramTest], answer: str) -> Grade:
    """The grade of the program in the answer, or of what it may be meant as where Python cannot read it.

    Raises ProgramsUnavailable.
    """
    program = program_in(answer)
    runs = await runner.run(program, tests)
    if runs[0].end is ProgramEnd.NOT_COMPILED:
        for other in _other_readings(program):
            runs_of_other = await runner.run(other, tests)
            if runs_of_other[0].end is not ProgramEnd.NOT_COMPILED:
                program, runs = other, runs_of_other
                break
    grade = grade_runs(program, tests, runs)
    ran = grade.correct is False and all(run.end is ProgramEnd.COMPLETE for run in runs)
    is_unprinted = ran and await _is_right_but_unprinted(runner, tests, program)
    return _only_print_missing(grade) if is_unprinted else grade


async def _is_right_but_unprinted(runner: ProgramRunner, tests: Sequence[ProgramTest], program: str) -> bool:
    """Whether the program passes all tests, which are of its output, once it prints what it works out."""
    printing = with_values_printed(program) if all(test.prints for test in tests) else ""
    return bool(printing) and grade_runs(printing, tests, await runner.run(printing, tests)).correct is True


def _only_print_missing(grade: Grade) -> Grade:
    """The grade with that alone as its next step: what the tests say of wrong values does not hold."""
    results = tuple(replace(one, misconception=None) for one in grade.results)
    return replace(grade, results=results, misconceptions=(), next_step=ONLY_PRINT_MISSING)


def _other_readings(program: str) -> Iterator[str]:
    """Programs that one which Python cannot read may be meant as: with straight quotation marks, without the words
    around it, and moved to the left, all but its first line, whose indentation a stored answer loses."""
    straight = program.translate(_STRAIGHT)
    first, newline, rest = straight.partition("\n")
    seen = {program}
    for other in (straight, without_words(straight), first + newline + dedent(rest)):
        if other not in seen:
            seen.add(other)
            yield other


def grade_runs(program: str, tests: Sequence[ProgramTest], runs: Sequence[ProgramRun]) -> Grade:
    """The grade from the program's runs, each of the test at its place; tests without a run count as not passed.

    Right if all tests pass, else the share of those that do, which never reaches a right mark. Ungraded if the answer
    is words and no program, or one that Python cannot read.

    Args:
        tests: at least one.
    """
    passed = [passes(test, run) for test, run in zip(tests, runs, strict=False)]
    if not any(passed) and _is_prose(program, runs[0]):
        return Grade(GradeState.UNGRADED, remedy=Remedy.FOLLOW_UP, doubts=(NO_PROGRAM_DOUBT,), next_step=NO_PROGRAM)
    if runs[0].end is ProgramEnd.NOT_COMPILED:
        step = _next_step(program, tests[0], runs[0])
        return Grade(GradeState.UNGRADED, remedy=Remedy.FOLLOW_UP, doubts=("it cannot be read",), next_step=step)
    passed += [False] * (len(tests) - len(runs))
    right = all(passed)
    met = _without_hollow(tests, runs, passed)
    failed = next((at for at, one in enumerate(passed) if not one), None)
    return Grade(
        GradeState.GRADED,
        score=1.0 if right else round(min(sum(met) / len(tests), MOST_IN_PART), 6),
        correct=right,
        results=tuple(
            CriterionResult(
                f"t{position}",
                label,
                1 / len(tests),
                "met" if is_met else "missing",
                confidence=1.0 if position <= len(runs) else 0.0,
                misconception=None if is_passed or position > len(runs) else test.misconception,
            )
            for position, (test, is_passed, is_met, label) in enumerate(
                zip(tests, passed, met, run_labels(tests), strict=True), 1
            )
        ),
        misconceptions=_revealed(tests, runs, passed),
        next_step="" if failed is None else _next_step(program, tests[failed], runs[failed]),
    )


def _without_hollow(tests: Sequence[ProgramTest], runs: Sequence[ProgramRun], passed: Sequence[bool]) -> list[bool]:
    """Which of the passed tests are met. Where no call hands anything back though a value is wanted, that a value is
    not a certain wrong one shows nothing."""
    values = [run.value for test, run in zip(tests, runs, strict=False) if wants_value(test)]
    is_hollow = bool(values) and set(values) == {"None"}
    return [one and not (is_hollow and rules_out_value(test)) for test, one in zip(tests, passed, strict=True)]


def passes(test: ProgramTest, run: ProgramRun) -> bool:
    """Whether the run shows what the test expects."""
    if run.end is not ProgramEnd.COMPLETE:
        return False
    if test.prints is not None:
        return output_lines(run.printed) == output_lines(test.prints)
    return run.value is not None and run.value in (test.gives, _literal_repr(test.gives or ""))


def program_in(answer: str) -> str:
    """The program in an answer: its first code fence, or all of it without one.

    A label before it ("Answer:") is none of it. Of a session copied from Python's prompt, only the typed lines. The
    first line's indentation, which stored answers lose, is taken off the other lines too.
    """
    fenced = _FENCED.search(answer)
    program = fenced[1] if fenced else _LABEL.sub("", answer)
    typed = _TYPED_AT_PROMPT.findall(program) if program.lstrip().startswith(">>>") else []
    program = "\n".join(typed) or program
    first, newline, rest = program.expandtabs(4).strip("\n").partition("\n")
    if first.startswith(" "):
        return dedent(first + newline + rest)
    moved = dedent(rest)
    is_shifted = moved != rest and not first.rstrip().endswith((":", ",", "(", "[", "{", "\\"))
    return first + newline + (moved if is_shifted else rest)


def without_words(text: str) -> str:
    """The text without the words around a program and in its first line; the lines before it are left empty, so that
    messages still name the learner's."""
    lines = text.splitlines()
    code = [at for at, line in enumerate(lines) if line.strip() and not _WORDS_ALONE.fullmatch(line.strip())]
    if not code:
        return text
    begin = _BEFORE_CODE.sub("", lines[code[0]], count=1)
    return "\n".join((*[""] * code[0], begin, *lines[code[0] + 1 : code[-1] + 1]))


def run_labels(tests: Sequence[ProgramTest]) -> list[str]:
    """Names of the tests for their learner, each another one: what was run, the calls or the name whose value is
    looked at, and the situation; nothing of what is expected, and of an expression that asks about a wrong value only
    its calls."""
    labels = [_label(test) for test in tests]
    return [
        f"run {position}" if not label else label if label not in labels[: position - 1] else f"{label}, run {position}"
        for position, label in enumerate(labels, start=1)
    ]


def _label(test: ProgramTest) -> str:
    situation = " and ".join(_situation(test))
    with_values = f"with {situation}" if situation and not _DEFINITION.match(situation) else ""
    calls = " and ".join(learner_calls(test)) or made_name(test)
    return f"{calls if len(calls) <= MAX_SITUATION else ''} {with_values}".strip()


def _next_step(program: str, test: ProgramTest, run: ProgramRun) -> str:
    if missing := _function_missing(program, test, run):
        return missing
    expected = f"{test.gives or ''} {test.prints or ''}"
    fault = fault_in_words(program, run, given=test.before, expected=expected)
    if run.end is ProgramEnd.COMPLETE and test.prints is not None:
        missed = near_miss(program, output_lines(run.printed), output_lines(test.prints))
        fault = given_unused(program, run, test.before) or missed or fault
    if run.end is ProgramEnd.COMPLETE:
        fault = loop_fault(program) or fault
    return f"{_explain(program, test, run)} {fault}".rstrip()


def _function_missing(program: str, test: ProgramTest, run: ProgramRun) -> str:
    """That the lines stand in no function, where a call of one is tested, and one of its inputs is not known; else
    empty."""
    calls, unknown = learner_calls(test), MISSING_NAME.match(run.error)
    if run.end is not ProgramEnd.RAISED or unknown is None or not calls or _MAKES_FUNCTION.search(program):
        return ""
    name = calls[0].partition("(")[0]
    if unknown[1] == name:
        return ""
    is_value = wants_value(test) or rules_out_value(test)
    return IN_NO_FUNCTION.format(name=name, hands_back=", and `return` hands its value back" if is_value else "")


def _explain(program: str, test: ProgramTest, run: ProgramRun) -> str:
    """One or two sentences for the learner on how the run failed."""
    situation = " and ".join(_situation(test))
    begin = f"With {situation}, your" if situation else "Your"
    match run.end:
        case ProgramEnd.NOT_COMPILED:
            return f"Python cannot read {_place(run)}: {_as_sentence(run.error)}"
        case ProgramEnd.RAISED:
            return f"{begin} program stopped in {_place(run)} with {_as_sentence(run.error)}"
        case ProgramEnd.RAISED_AFTER:
            return f"{begin} program ran, but {_failure_after(test, run)}."
        case ProgramEnd.DIED:
            return f"{begin} program ended before its result could be seen."
        case ProgramEnd.TOO_SLOW:
            return f"{begin} program did not end within {MAX_CPU_S} seconds: is there a loop that never stops?"
        case ProgramEnd.TOO_LONG:
            return f"{begin} program printed far too much: is there a loop that never stops?"
        case ProgramEnd.COMPLETE if test.after and (case := named_case(test)):
            return f"One case is not in your program yet, or not with its expected result: “{case}”."
        case ProgramEnd.COMPLETE if test.after and records_output(test):
            return compare_recorded(begin, run.value or "", test.gives or "", in_loop=prints_in_loop(program))
        case ProgramEnd.COMPLETE if test.after:
            lead = f"With {situation}, " if situation else "After your program, "
            value, expected = cut_output(run.value or ""), cut_output(test.gives or "")
            return f"{lead}{test.after} gives {value}; it should give {expected}.{_handed_back(run)}"
        case ProgramEnd.COMPLETE:
            return compare_output(begin, output_lines(run.printed), output_lines(test.prints or ""))


def _handed_back(run: ProgramRun) -> str:
    if run.value != "None":
        return ""
    shown = " `print` only shows a value; `return` hands it back." if run.printed.strip() else ""
    return f" None means that the call handed nothing back.{shown}"


def _failure_after(test: ProgramTest, run: ProgramRun) -> str:
    """Failure of the test's expression: what it needs is not there, a call of it stopped, or it has no value."""
    expression, missing = test.after or "", MISSING_NAME.match(run.error)
    if missing and re.search(rf"\b{re.escape(missing[1])}\b", expression):
        called = next((call for call in learner_calls(test) if call.startswith(f"{missing[1]}(")), "")
        return f"{called} could not be called: {run.error}" if called else f"it made no {missing[1]}: {run.error}"
    return f"{expression} then {'stopped' if learner_calls(test) else 'failed'} with {run.error}"


def _as_sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _situation(test: ProgramTest) -> list[str]:
    """The names and input that the test sets, as far as a few words can say them."""
    said = [test.before] if test.before and "\n" not in test.before and len(test.before) <= MAX_SITUATION else []
    typed = test.typed.splitlines()
    return [*said, f"{' and '.join(typed)} typed in"] if typed and len(test.typed) <= MAX_SITUATION else said


def _place(run: ProgramRun) -> str:
    return "your program" if run.line is None else f"line {run.line}"


def _revealed(tests: Sequence[ProgramTest], runs: Sequence[ProgramRun], passed: Sequence[bool]) -> tuple[str, ...]:
    """Misconceptions of the tests that failed. A program that passes none reveals what it believes only if each of its
    tests stands for a belief: else it may just be unfinished."""
    if not any(passed) and not all(test.misconception for test in tests):
        return ()
    failed = [
        test.misconception
        for test, run, is_passed in zip(tests, runs, passed, strict=False)
        if not is_passed and run.end in _BELIEFS_SHOW
    ]
    return tuple(dict.fromkeys(belief for belief in failed if belief))


def _is_prose(program: str, run: ProgramRun) -> bool:
    """Whether a text that does not run is words about a program, and none itself."""
    is_unread = run.end is ProgramEnd.NOT_COMPILED or run.error.startswith("NameError")
    bare = _APOSTROPHE.sub("", _QUOTED.sub("''", program))
    words = _KEYWORDS.sub("+", bare)
    is_code = (_CODE_SIGN.search(bare) or _STATEMENT.search(bare)) is not None
    if run.end is ProgramEnd.NOT_COMPILED and not _STATEMENT.search(bare) and not _CODE_WITH_NAMES.search(bare):
        # A sentence with numbers in it, such as: it's 18, no wait 3+4+5+6 = 18; or: maybe 3? or 4
        is_code = is_code and "?" not in bare and len(_WORD.findall(words)) < FEWEST_WORDS
    return is_unread and (not is_code or _WORDS_IN_A_ROW.search(words) is not None)


def _literal_repr(expected: str) -> str:
    """The expected `repr` as Python writes it: 'a' for "a"."""
    try:
        return repr(ast.literal_eval(expected))
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # of an object that has no literal
        return expected
