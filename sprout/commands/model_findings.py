"""Findings of `sprout doctor --model`: what each model in use can do, in words, and stored."""

from collections.abc import AsyncIterator, Iterator

from sprout.commands.finding import Finding, FindingStatus
from sprout.commands.provider import open_claude
from sprout.config import Settings
from sprout.errors import SproutError
from sprout.llm.probe import probe_model
from sprout.loop.limits import total_tokens
from sprout.models import model_address, model_addresses, models_in_use
from sprout.runs.model_probes import MIN_WINDOW, TOOL_OFFERS, Fitness, ModelProbe
from sprout.store.engine.database import open_database
from sprout.store.runs.model_probes import SqlModelProbes

VERDICTS: dict[Fitness, tuple[FindingStatus, str]] = {
    "calls_no_tools": (
        FindingStatus.BROKEN,
        "calls no tools, so agents cannot work with it: choose another with SPROUT_MODEL",
    ),
    "small_window": (
        FindingStatus.BROKEN,
        f"reads less than {MIN_WINDOW:,} tokens at once, too few for a lesson: give its server a larger window",
    ),
    "answers_in_form": (FindingStatus.OK, "answers in a fixed form instead of calling tools, which takes longer"),
    "one_call_at_a_time": (FindingStatus.OK, "calls one tool at a time, so a path takes longer"),
    "fit": (FindingStatus.OK, "can do the work of agents"),
    "unknown": (FindingStatus.NOTE, "was too slow to be examined in a minute: a path would take hours"),
}
LONG_PROMPTS = {
    "kept": "a long prompt is read whole",
    "cut": "a long prompt is cut by its server without a word",
    "refused": "a long prompt is refused",
    "lost": "the beginning of a long prompt is forgotten",
    "slow": "a long prompt takes too long to read",
}


async def probe_models(settings: Settings) -> AsyncIterator[Finding]:
    """Probe the models one after another, and store the results."""
    probes: list[ModelProbe] = []
    for model in models_in_use(settings):
        try:
            async with open_claude(settings, model) as claude:
                probes.append(await probe_model(claude, model, model_address(settings, model)))
        except SproutError as error:
            yield Finding("probe", FindingStatus.BROKEN, f"{model}: {error}")
        else:
            status, verdict = VERDICTS[probes[-1].fitness]
            yield Finding("probe", status, f"{model} {verdict}")
            yield Finding("", FindingStatus.NOTE, "; ".join(_details(probes[-1])))
    if probes:
        yield await _store(settings, probes)


def _details(probe: ModelProbe) -> Iterator[str]:
    if probe.tool_calls is not None:
        yield f"{probe.tool_calls} of {TOOL_OFFERS} tool calls came"
    if probe.calls_in_form is not None:
        yield f"{probe.calls_in_form} of {TOOL_OFFERS} in a fixed form"
    if probe.calls_in_one_reply is not None:
        yield f"{probe.calls_in_one_reply} of 3 in one reply"
    if probe.nested_input is not None:
        yield "nested input is right" if probe.nested_input else "nested input is wrong"
    if probe.heeds_system is not None:
        yield "the system prompt is followed" if probe.heeds_system else "the system prompt is not followed"
    if probe.streams is not None:
        yield "streams" if probe.streams else "does not stream"
    if probe.thinks:
        yield "thinks"
    if probe.long_prompt is not None:
        yield LONG_PROMPTS[probe.long_prompt]
    if probe.window is not None:
        yield f"its window is {probe.window:,} tokens"
    if probe.tokens_per_s is not None:
        yield f"{probe.tokens_per_s:,.0f} tokens/s after {probe.first_byte_s or 0:.1f} s"
    yield f"this took {total_tokens(probe.usage):,} tokens"


async def _store(settings: Settings, probes: list[ModelProbe]) -> Finding:
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        async with open_database(settings.database) as database:
            stored = SqlModelProbes(database, model_addresses(settings))
            for probe in probes:
                await stored.save(probe)
    except SproutError as error:
        advice = f"the result was not stored: {error} While a server runs, probe in the settings of its page."
        return Finding("", FindingStatus.NOTE, advice)
    return Finding("", FindingStatus.OK, "the result is stored: runs and the page go by it")
