"""O7: the probe of a model finds out what it can do, on servers that behave like real ones."""

from collections.abc import Callable

import pytest

from harness.loop.scripted_turn import claude_at
from sprout.errors import ModelFailure, ModelFailureKind
from sprout.llm.probe import probe_model
from sprout.llm.probe_requests import MOST_TOKENS
from sprout.loop.limits import total_tokens
from sprout.offline.demo.router import demo_model
from sprout.offline.faults.scenarios import Fault, FaultPlan
from sprout.offline.pace import Pace
from sprout.offline.reply import Body, Reply, TextOut, ToolOut
from sprout.offline.server import running_offline_server
from sprout.runs.model_probes import MIN_WINDOW, ModelProbe, ModelUnfit, require_fit

ADDRESS = "http://127.0.0.1:1"


class Answering:
    """A model of one function."""

    def __init__(self, answer: Callable[[Body], Reply | Fault]) -> None:
        self.answer = answer


async def probed(
    answer: Callable[[Body], Reply | Fault] | None = None,
    *,
    name: str = "a-local-model",
    pace: Pace | None = None,
    faults: FaultPlan | None = None,
    timeout_s: float = 20.0,
) -> ModelProbe:
    model = demo_model() if answer is None else Answering(answer)
    async with running_offline_server(model, pace=pace, faults=faults) as server, claude_at(server) as claude:
        return await probe_model(claude, name, ADDRESS, timeout_s=timeout_s)


def words_of(body: Body) -> str:
    return str(body["messages"][-1]["content"][-1]["text"])


def one_call(body: Body) -> Reply:
    """A model that calls one tool at a time."""
    reply = demo_model().answer(body)
    assert isinstance(reply, Reply)
    return Reply(reply.blocks[:1])


def only_words(body: Body) -> Reply:
    return Reply([TextOut("CEDAR one, two, three. The number is noted.")])


async def test_O7_a_model_that_does_all_is_fit_and_its_cost_stays_within_what_is_told() -> None:
    found = await probed()
    assert (found.tool_calls, found.calls_in_one_reply, found.nested_input) == (3, 3, True)
    assert found.fitness == "fit"
    assert found.streams
    assert 0 < total_tokens(found.usage) < MOST_TOKENS
    require_fit(found)


async def test_O7_a_model_that_calls_one_tool_at_a_time_is_told_so() -> None:
    found = await probed(one_call)
    assert (found.calls_in_one_reply, found.fitness) == (1, "one_call_at_a_time")


async def test_O9_a_model_that_only_speaks_of_calls_calls_none_and_is_asked_no_more_than_three_times() -> None:
    async with running_offline_server(Answering(only_words)) as server, claude_at(server) as claude:
        found = await probe_model(claude, "a-local-model", ADDRESS)
        offers = [request for request in server.requests if request.body.get("tools")]
    assert (found.tool_calls, found.fitness, found.heeds_system) == (0, "calls_no_tools", True)
    assert len(offers) == 3
    with pytest.raises(ModelUnfit, match="a-local-model"):
        require_fit(found)


async def test_O7_a_server_that_refuses_tools_has_a_model_that_calls_none() -> None:
    found = await probed(lambda body: Fault("too_long_llama_cpp") if body.get("tools") else only_words(body))
    assert found.fitness == "calls_no_tools"


async def test_O7_a_prompt_that_is_refused_tells_the_window() -> None:
    def answer(body: Body) -> Reply | Fault:
        return Fault("too_long_llama_cpp") if "code word" in words_of(body) else one_call(body)

    found = await probed(answer)
    assert (found.long_prompt, found.window) == ("refused", 8192)
    assert MIN_WINDOW > 8192
    assert found.fitness == "small_window"


async def test_O7_a_prompt_that_is_cut_silently_is_noticed() -> None:
    def answer(body: Body) -> Reply:
        if "code word" not in words_of(body):
            return one_call(body)
        return Reply([TextOut("Which word?")], usage={"input_tokens": 4096, "cache_creation_input_tokens": 0})

    found = await probed(answer)
    assert (found.long_prompt, found.window, found.fitness) == ("cut", 4096, "small_window")


async def test_O7_thinking_in_tags_counts_as_thinking_and_not_as_the_answer() -> None:
    found = await probed(lambda body: Reply([TextOut("<think>I count.</think>\nCEDAR one, two")]))
    assert (found.thinks, found.heeds_system) == (True, True)


async def test_O7_a_nested_input_of_another_shape_is_not_taken_for_one() -> None:
    def answer(body: Body) -> Reply:
        shelf = ToolOut("note_shelf", {"books": "Emma, Ulysses"})
        return Reply([shelf]) if body.get("tools", [{}])[0].get("name") == "note_shelf" else one_call(body)

    assert (await probed(answer)).nested_input is False


async def test_O7_what_the_time_does_not_reach_stays_unknown() -> None:
    found = await probed(one_call, pace=Pace(first_token_s=30.0), timeout_s=0.3)
    assert (found.tool_calls, found.fitness) == (None, "unknown")


async def test_O7_the_speed_of_a_reply_that_never_ends_in_time_is_told_all_the_same() -> None:
    found = await probed(lambda _: Reply([TextOut("one " * 400)]), pace=Pace(0.0, 50.0), timeout_s=0.8)
    assert found.tool_calls is None
    assert 0 < (found.tokens_per_s or 0) < 200


@pytest.mark.parametrize(
    ("fault", "kind"),
    [("bad_key", ModelFailureKind.BAD_KEY), ("overloaded", ModelFailureKind.OVERLOADED)],
)
async def test_O7_a_server_that_does_not_answer_says_nothing_about_its_model(
    fault: str, kind: ModelFailureKind
) -> None:
    with pytest.raises(ModelFailure) as caught:
        await probed(faults=FaultPlan.always(fault))
    assert caught.value.kind is kind
