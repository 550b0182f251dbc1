"""Attempts: what counts as a try at a question, and what asks, gives up or complains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.marking.attempts import (
    asks_something,
    complains,
    is_genuine_attempt,
    matter_of,
    only_acknowledges,
    wants_change,
    wants_solution,
    wants_to_stop,
)

PROMPT = "A tram covers 1.5 km in 3 minutes at steady speed. What is its speed in m/s, to two places?"


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "?!", "…", "\u200b", "idk", "IDK!!", "I don't know", "i dont know sorry", "no idea", "hint", "Hint?",
        "please just tell me the answer", "just give me the answer now", "tell me", "skip", "Can I have a hint?",
        "help me please",
        "ok idk, just tell me", "Ich weiß es nicht", "keine Ahnung", "Sag mir bitte einfach die Antwort", "Tipp!",
        "je ne sais pas", "dis-moi la réponse", "s'il te plaît", "no sé", "Dime la respuesta, por favor", "não sei",
        "non lo so", "weet ik niet", "nie wiem", "bilmiyorum", "не знаю", "不知道", "わからない", "모르겠어요", PROMPT,
        PROMPT.upper(), "A tram covers 1.5 km in 3 minutes at steady speed. What is its speed in m/s",
    ],
)  # fmt: skip
def test_H1_a_request_and_a_copy_of_the_prompt_are_no_try(text: str) -> None:
    assert not is_genuine_attempt(text, prompt=PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        "4", "0.5", "-3", "no", "yes", "is", "x", "idk, something with conduction?", "I don't know but maybe 500",
        "keine Ahnung, vielleicht 30?", "the answer is 3", "3 minutes", "1.5 km in 3 minutes is 0.5", "光合作用",
        "help is on its way", "a", "weil es warm ist",
    ],
)  # fmt: skip
def test_H1_a_short_or_unsure_answer_is_a_try(text: str) -> None:
    assert is_genuine_attempt(text, prompt=PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        "thats silly, this question is unclear", "This question is stupid!", "the question makes no sense",
        "bad question", "What a dumb exercise.", "I'm confused", "we didn't learn this", "are you kidding me?",
        "seriously?", "I don't want to.", "this is sooo boring you suck", "die Frage ist unklar",
        "i am scared i will fail the exam", "this is too hard for me, im dumb", "This is unfair, I never learnt this",
        "fuck off", "you are a useless bot", "your stupid", "what a dumb tutor you are",
        "i hate you stupid machine", "i am scared of this", "what",
        "google it yourself", "just google it", "do it yourself!!", "look it up yourself ffs", "mach's doch selbst",
        "la question est nulle", "Die Aufgabe ist zu schwer, keine Lust",
    ],
)  # fmt: skip
def test_A11_a_complaint_is_no_try(text: str) -> None:
    assert complains(text)
    assert not is_genuine_attempt(text, prompt=PROMPT)


@pytest.mark.parametrize("text", ["stop", "can we stop now?", "ugh, lets take a break", "bye!", "Ich muss los."])
def test_A11_the_wish_to_stop_is_no_try(text: str) -> None:
    assert wants_to_stop(text)
    assert not is_genuine_attempt(text, prompt=PROMPT)


@pytest.mark.parametrize(
    "text", ["it will stop", "the king could not stop it", "stop after 3 rounds", "this is boring"]
)
def test_A11_other_words_are_no_wish_to_stop(text: str) -> None:
    assert not wants_to_stop(text)


@pytest.mark.parametrize(
    "text",
    [
        "the tax is unfair", "it is wrong", "the king asked a question", "the list is wrong, it starts at 0",
        "bad harvests", "the question of the estates was hard to answer", "no sense of time", "hard",
        "die Steuer war ungerecht", "stop, the index is wrong",
    ],
)  # fmt: skip
def test_A11_words_that_find_fault_with_the_subject_are_a_try(text: str) -> None:
    assert not complains(text)
    assert is_genuine_attempt(text, prompt=PROMPT)


def test_H1_the_same_answer_once_more_is_no_try() -> None:
    assert not is_genuine_attempt(" 500 ", prompt=PROMPT, last_attempt="500")
    assert not is_genuine_attempt("It is  cold.", prompt=PROMPT, last_attempt="it is cold.")
    assert is_genuine_attempt("-500", prompt=PROMPT, last_attempt="500")
    assert is_genuine_attempt("mW", prompt=PROMPT, last_attempt="MW")


def test_H1_code_with_a_line_moved_in_is_another_attempt() -> None:
    outside, inside = "if fuel < 10:\n    print(fuel)\nfuel = 60", "if fuel < 10:\n    print(fuel)\n    fuel = 60"
    assert is_genuine_attempt(inside, prompt=PROMPT, last_attempt=outside, code=True)
    assert not is_genuine_attempt(f"{outside}\n", prompt=PROMPT, last_attempt=outside, code=True)


def test_H1_the_right_answer_is_a_try_though_it_reads_like_a_request() -> None:
    asked = 'Which English word means "Hinweis"?'
    assert not is_genuine_attempt("hint", prompt=asked)
    assert is_genuine_attempt("Hint", prompt=asked, answers=["hint"])


@given(st.text(max_size=300), st.text(max_size=100))
def test_H1_whatever_is_written_is_a_try_or_not(text: str, prompt: str) -> None:
    assert is_genuine_attempt(text, prompt=prompt) in {True, False}
    assert not is_genuine_attempt(text, prompt=prompt, last_attempt=text)


@pytest.mark.parametrize("piece", ["idk ", "a", "? ", "no ", "не знаю ", "\u0301", "ﷺ"])
def test_H1_a_hundred_thousand_characters_are_read(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    assert is_genuine_attempt(text, prompt=PROMPT) == (piece in {"a", "no ", "ﷺ"})


@pytest.mark.parametrize(
    "text",
    [
        "I'm so stupid", "im too dumb for this", "this is stupid!!", "ugh", "I hate this", "wtf", "I don't get it.",
        "i dont understand the question", "Ich bin zu doof", "ich versteh das nicht", "das nervt", "c'est trop dur",
        "no entiendo nada", "не понимаю", "太难了",
    ],
)  # fmt: skip
def test_A11_frustration_is_no_try(text: str) -> None:
    assert not is_genuine_attempt(text, prompt=PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        "People were stupid to believe it", "it is boring work, so the wage was low", "I hate this but it is 500",
        "whatever the price is, the tax stays the same", "too hard wood does not float",
    ],
)  # fmt: skip
def test_A11_an_answer_with_such_words_is_a_try(text: str) -> None:
    assert is_genuine_attempt(text, prompt=PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        "What does posterior mean?", "whats a tariff?", "How do I get from metres to km?", "Can you explain it again?",
        "Was bedeutet „Stand“?", "wie soll ich das rechnen?", "c'est quoi la gabelle ?", "¿Qué significa eso?",
        "что такое налог?", "can you give me an example first",
        "why do women not count here? they dont even get mentioned", "Could you show me the text again please? Thanks!",
    ],
)  # fmt: skip
def test_A11_a_question_of_the_learner_is_no_try(text: str) -> None:
    assert asks_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "Isn't it because warm air rises?", "When the price of bread rose?", "Was it the king?", "500?",
        "the third estate, right?", "Because they pay no taxes? The others did.",
        "What is left after tax is 40. Right?", "Who is right? Nobody, they all miss the base rate.",
        "what is the rate? 5 of 10", "what about the nobles?", "How about 5?", "who, the nobles?",
        "why? because bread was dear",
    ],
)  # fmt: skip
def test_A11_a_guess_with_a_question_mark_is_a_try(text: str) -> None:
    assert not asks_something(text)
    assert is_genuine_attempt(text, prompt=PROMPT)


def test_A11_a_question_is_the_answer_where_one_is_asked_for() -> None:
    assert not asks_something("What is the share of red ones?", answers=("How many of all are red?",))


@pytest.mark.parametrize(
    "text",
    ["change the question", "Can I have a different question, please?", "another question!", "andere Frage bitte"],
)
def test_A9_another_question_is_asked_for_in_words(text: str) -> None:
    assert wants_change(text)
    assert not wants_solution(text)


@pytest.mark.parametrize("text", ["", "the question changed", "please", "another question is who paid", "show me"])
def test_A9_other_words_ask_for_no_other_question(text: str) -> None:
    assert not wants_change(text)
    assert not wants_solution(text)


def test_A9_the_solution_is_asked_for_in_words() -> None:
    assert wants_solution("Show me, and go on.")
    assert wants_solution("please just show me the solution")


@pytest.mark.parametrize(
    ("text", "says_only_that"),
    [("ok", True), ("hmm", True), ("ok done, thanks!", True), ("", False), ("ok 5", False), ("done by me", False)],
)
def test_A11_an_ok_is_neither_a_try_nor_a_call_for_help(text: str, says_only_that: bool) -> None:
    assert only_acknowledges(text) is says_only_that


@pytest.mark.parametrize(
    "text",
    [
        "why isn't it 6", "but why is 90 % wrong?", "what's wrong with 420", "what did I do wrong",
        "wieso ist 90 falsch", "where's my mistake",
    ],
)  # fmt: skip
def test_a_question_about_an_answer_is_none_whatever_number_it_names(text: str) -> None:
    assert asks_something(text)


@pytest.mark.parametrize("text", ["why is it 42? because 7 times 6", "why not 42", "6, what else"])
def test_a_number_with_its_reason_is_an_answer(text: str) -> None:
    assert not asks_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "what is an exclamation mark in python lol", "explain journeyman pls", "whats a guild for in the end",
        "tell me what a deficit is", "how do they even vote on such a thing", "erklär mir das mit der Steuer",
    ],
)  # fmt: skip
def test_A11_a_question_without_its_mark_is_no_try_where_it_has_nothing_of_the_answer(text: str) -> None:
    assert asks_something(text, answers=("The bread was dear, so families bought no shoes.",))


@pytest.mark.parametrize(
    "text",
    [
        "what is left for bread is too little", "why loads of people joined in", "what is 5", "explains the bread",
        "how to buy shoes without money", "why they came is because of hunger",
    ],
)  # fmt: skip
def test_A11_words_that_begin_like_a_question_and_answer_are_a_try(text: str) -> None:
    assert not asks_something(text, answers=("The bread was dear, so families bought no shoes.",))


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("idc kill it lol", ["kill"]),
        ("the loans", ["loans"]),
        ("lol", []),
        ("i hate this, bread is dear", ["bread", "dear"]),
    ],
)
def test_A11_the_matter_of_words_is_what_neither_vents_nor_fills(text: str, matter: list[str]) -> None:
    assert matter_of(text) == matter
