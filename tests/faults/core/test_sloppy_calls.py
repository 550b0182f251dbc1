"""T10 in short: some sloppy variants of every call; `make faults ARGS=sloppy` plays a thousand of each."""

import json
from typing import Any

import pytest

from faults.core.sloppy_calls import WANTED_SHARE, all_calls, play
from harness.agents.sloppy.valid_calls import CHOICE, OPEN, VERDICTS

VARIANTS = 60


async def test_T10_calls_that_a_person_would_understand_are_taken_in_one_go() -> None:
    shares = {}
    for call in await all_calls():
        assert await call.refusal(call.given) is None, call.name
        outcome = await play(call, VARIANTS, seed=1)
        shares[call.name] = outcome.share
        assert not any("OtherMeaning" in why for _, why in outcome.examples.values()), outcome.examples
    assert all(share >= WANTED_SHARE for share in shares.values()), shares


async def test_T10_the_same_seed_makes_the_same_calls() -> None:
    (call,) = [one for one in await all_calls() if one.name == "save_diagnostic_question (choice)"]
    first, again = [await play(call, VARIANTS, seed=3) for _ in range(2)]
    assert (first.taken, first.refused) == (again.taken, again.refused)


@pytest.mark.parametrize(
    "slip",
    [
        {"verdicts": [{**one, "verdict": word} for one, word in zip(VERDICTS["verdicts"], words, strict=True)]}
        for words in (("MET", "Partly."), ("yes", "half"), ("correct", "partially met"))
    ]
    + [{"verdicts": [json.dumps(VERDICTS["verdicts"])]}, {"answer_id": [VERDICTS["answer_id"], ""]}],
)
async def test_T10_verdicts_in_other_words_and_lists_in_lists_are_taken_without_any_other_slip(
    slip: dict[str, Any],
) -> None:
    (call,) = [one for one in await all_calls() if one.name == "record_grade"]
    assert await call.refusal({**call.given, **slip}) is None


async def test_T10_a_verdict_that_says_nothing_is_asked_for_again() -> None:
    (call,) = [one for one in await all_calls() if one.name == "record_grade"]
    unclear = [{**one, "verdict": "quite"} for one in VERDICTS["verdicts"]]
    for _ in range(2):
        refusal = await call.refusal({**call.given, "verdicts": unclear})
        assert refusal is not None
        assert "say met, partly or missing" in refusal


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("choice", {**CHOICE, "correct_answer": "a lot more"}),
        ("choice", {**CHOICE, "options": ["the same", "a little less"]}),
        ("choice", {**CHOICE, "options": ["the same", "less", "more", "all of the above"]}),
        ("choice", {**CHOICE, "prompt": "The ammeter shows the same. What does it show?"}),
        ("open", {**OPEN, "criteria": OPEN["criteria"][:1]}),
        ("open", {**OPEN, "criteria": None}),
    ],
)
async def test_T10_what_would_harm_a_learner_is_refused(name: str, given: dict[str, Any]) -> None:
    (call,) = [one for one in await all_calls() if one.name == f"save_diagnostic_question ({name})"]
    refusal = await call.refusal({**given, "tests": call.given["tests"]})
    assert refusal is not None
    assert "InvalidQuestion" in refusal
