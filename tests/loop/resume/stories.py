"""Conversations of every shape that a run may have, for workers to die in."""

from harness.loop.scripted_turn import Arguments, policy_with
from sprout.events import Usage
from sprout.loop.context.strategy import Summarize
from sprout.loop.context.summary import SummaryResult
from sprout.loop.model import ModelTraits, Text, Thinking
from sprout.loop.tool_calls.permissions import Decision, Permissions, Rule
from sprout.loop.turn_steps import TurnResult
from tests.loop.resume.crashing_run import ScriptedReply, Story, World, call

MAX_DEATHS = 5
"""How often a worker of one run dies at most."""

PRICED = ModelTraits(priced=lambda usage: usage.model_copy(update={"cost_usd": usage.output_tokens / 1_000}))


def thought(text: str) -> Thinking:
    return Thinking(text, f"signed: {text}")


def _corrected(world: World) -> Arguments:
    async def wants_two_more(result: TurnResult) -> str | None:
        saved = sum(world.done[name] for name in ("late", "later"))
        return None if saved == 2 else f"{2 - saved} more are missing."

    return {"stop_checks": (wants_two_more,)}


def _never_content(_: World) -> Arguments:
    async def grumbles(result: TurnResult) -> str | None:
        return "This is not enough."

    return {"stop_checks": (grumbles,)}


def _summarised(world: World) -> Arguments:
    async def summarise(messages: object) -> SummaryResult:
        world.summaries += 1
        return SummaryResult(f"Record {world.summaries}.", Usage(input_tokens=10))

    return {"summarise": summarise, "strategy": Summarize(1_800)}


STORIES = {
    "reads and writes": Story(
        [
            ScriptedReply([Text("First."), call("look", "a"), call("look", "b"), call("send", "c"), call("look", "d")]),
            ScriptedReply([call("save", "e"), Text("And."), call("send", "f"), call("send", "g"), call("look", "h")]),
            ScriptedReply([Text("Done.")]),
        ]
    ),
    "thinking": Story(
        [
            ScriptedReply([thought("one"), Text("So."), call("look", "a"), thought("two"), call("save", "b")]),
            ScriptedReply([thought("three"), call("send", "c")]),
            ScriptedReply([thought("four"), Text("Well then.")]),
        ]
    ),
    "ended by a tool": Story([ScriptedReply([call("save", "a")]), ScriptedReply([Text("Last."), call("finish", "b")])]),
    "truncated text": Story(
        [
            ScriptedReply([call("look", "a")]),
            ScriptedReply([Text("One two ")], "max_tokens"),
            ScriptedReply([Text("three four ")], "max_tokens"),
            ScriptedReply([Text("five.")]),
        ]
    ),
    "truncated too often": Story(
        [ScriptedReply([Text(f"Part {number} ")], "max_tokens") for number in range(5)],
        policy=policy_with(max_continuations=2),
    ),
    "truncated in a call": Story(
        [
            ScriptedReply([Text("Now."), call("save", "a"), call("nothing", problem="cut")], "max_tokens"),
            ScriptedReply([call("send", "b")]),
            ScriptedReply([Text("Done.")]),
        ]
    ),
    "calls that are not run": Story(
        [
            ScriptedReply([call("summon"), call("send", "denied"), call("nothing", problem="half"), call("look", "a")]),
            ScriptedReply([Text("Then so."), call("nothing", problem="none")]),
            ScriptedReply([Text("Done.")]),
        ],
        arguments=lambda _: {"permissions": Permissions([Rule(Decision.DENY, "send", {"what": "denied"})])},
    ),
    "corrected": Story(
        [
            ScriptedReply([call("save", "early")]),
            ScriptedReply([Text("Done?")]),
            ScriptedReply([call("save", "late")]),
            ScriptedReply([Text("Now done?")]),
            ScriptedReply([call("save", "later")]),
            ScriptedReply([Text("Now it is.")]),
        ],
        arguments=_corrected,
    ),
    "corrected in vain": Story(
        [
            ScriptedReply([call("look", "a")]),
            ScriptedReply([Text("A.")]),
            ScriptedReply([Text("B.")]),
            ScriptedReply([Text("C.")]),
        ],
        arguments=_never_content,
    ),
    "a line that breaks": Story(
        [
            ScriptedReply(
                [Text("First."), call("send", "a"), call("look", "b"), Text("Lost."), call("save", "c")], breaks=3
            ),
            ScriptedReply([Text("Only words."), Text("More.")], breaks=1),
            ScriptedReply([Text("Done.")]),
        ]
    ),
    "paused": Story(
        [
            ScriptedReply([call("look", "a")]),
            ScriptedReply([Text("Wait.")], "pause_turn"),
            ScriptedReply([call("save", "b")]),
            ScriptedReply([Text("Done.")]),
        ]
    ),
    "refused": Story([ScriptedReply([call("look", "a")]), ScriptedReply([Text("No.")], "refusal")]),
    "made smaller": Story(
        [
            *(ScriptedReply([Text(f"{at}."), call("look", f"{at}"), call("save", f"s{at}")]) for at in range(10)),
            ScriptedReply([Text("So.")]),
        ],
        policy=policy_with(
            context_window=6_000,
            reserve_tokens=0,
            buffer_tokens=0,
            keep_compact=2,
            recovery_window=1,
            max_recoveries=99,
        ),
        arguments=_summarised,
        result="seen" + " leaf" * 150,
    ),
    "in circles": Story(
        [
            *(
                ScriptedReply([Text(f"Again {at}."), call("wait", " " * at + "0"), call("look", f"{at}")])
                for at in range(10)
            ),
            ScriptedReply([Text("So.")]),
        ],
        policy=policy_with(thrash_pattern=99),
    ),
    "permission": Story(
        [ScriptedReply([Text("Hm."), call("look", "a"), call("send", "asked"), call("save", "c")])],
        arguments=lambda _: {
            "can_wait": True,
            "permissions": Permissions([Rule(Decision.ASK, "send", {"what": "asked"})]),
        },
    ),
    "out of time": Story(
        [
            ScriptedReply([call("wait", "500"), call("save", "a")]),
            ScriptedReply([call("wait", "401")]),
            ScriptedReply([Text("So far so good.")]),
        ],
        cut_short=True,
    ),
    "out of iterations": Story(
        [ScriptedReply([call("save", f"{at}")]) for at in range(9)],
        policy=policy_with(max_iterations=4),
        cut_short=True,
    ),
    "out of money": Story(
        # Nine replies use up the budget. What a call had used when its worker died is counted by the day's ledger, as
        # reserved, but not by the run: each death may let the run go one reply further.
        [ScriptedReply([call("save", f"{at}")]) for at in range(9 + MAX_DEATHS)],
        policy=policy_with(max_run_tokens=2_500),
        cut_short=True,
        arguments=lambda _: {"traits": PRICED},
    ),
}
