"""Conversations of every shape that a run may have, for carriers to die in."""

from typing import Any

from sprout.events import Usage
from sprout.loop.model import ModelTraits, Text, Thinking
from sprout.loop.permissions import Decision, Permissions, Rule
from sprout.loop.result import TurnResult
from sprout.loop.strategy import Summarize
from sprout.loop.summary import SummaryResult
from tests.loop.carriers import Say, Story, World, call
from tests.loop.played import changed

PRICED = ModelTraits(priced=lambda usage: usage.model_copy(update={"cost_usd": usage.output_tokens / 1_000}))


def thought(text: str) -> Thinking:
    return Thinking(text, f"signed: {text}")


def _corrected(world: World) -> dict[str, Any]:
    async def wants_two_more(result: TurnResult) -> str | None:
        saved = sum(world.done[name] for name in ("late", "later"))
        return None if saved == 2 else f"{2 - saved} more are missing."

    return {"stop_checks": (wants_two_more,)}


def _never_content(_: World) -> dict[str, Any]:
    async def grumbles(result: TurnResult) -> str | None:
        return "This is not enough."

    return {"stop_checks": (grumbles,)}


def _summarised(world: World) -> dict[str, Any]:
    async def summarise(messages: object) -> SummaryResult:
        world.summaries += 1
        return SummaryResult(f"Record {world.summaries}.", Usage(input_tokens=10))

    return {"summarise": summarise, "strategy": Summarize(1_800)}


STORIES = {
    "reads and writes": Story(
        [
            Say([Text("First."), call("look", "a"), call("look", "b"), call("send", "c"), call("look", "d")]),
            Say([call("save", "e"), Text("And."), call("send", "f"), call("send", "g"), call("look", "h")]),
            Say([Text("Done.")]),
        ]
    ),
    "thinking": Story(
        [
            Say([thought("one"), Text("So."), call("look", "a"), thought("two"), call("save", "b")]),
            Say([thought("three"), call("send", "c")]),
            Say([thought("four"), Text("Well then.")]),
        ]
    ),
    "ended by a tool": Story([Say([call("save", "a")]), Say([Text("Last."), call("finish", "b")])]),
    "truncated text": Story(
        [
            Say([call("look", "a")]),
            Say([Text("One two ")], "max_tokens"),
            Say([Text("three four ")], "max_tokens"),
            Say([Text("five.")]),
        ]
    ),
    "truncated too often": Story(
        [Say([Text(f"Part {number} ")], "max_tokens") for number in range(5)],
        policy=changed(max_continuations=2),
    ),
    "truncated in a call": Story(
        [
            Say([Text("Now."), call("save", "a"), call("nothing", problem="cut")], "max_tokens"),
            Say([call("send", "b")]),
            Say([Text("Done.")]),
        ]
    ),
    "calls that are not run": Story(
        [
            Say([call("summon"), call("send", "denied"), call("nothing", problem="half"), call("look", "a")]),
            Say([Text("Then so."), call("nothing", problem="none")]),
            Say([Text("Done.")]),
        ],
        arguments=lambda _: {"permissions": Permissions([Rule(Decision.DENY, "send", {"what": "denied"})])},
    ),
    "corrected": Story(
        [
            Say([call("save", "early")]),
            Say([Text("Done?")]),
            Say([call("save", "late")]),
            Say([Text("Now done?")]),
            Say([call("save", "later")]),
            Say([Text("Now it is.")]),
        ],
        arguments=_corrected,
    ),
    "corrected in vain": Story(
        [Say([call("look", "a")]), Say([Text("A.")]), Say([Text("B.")]), Say([Text("C.")])], arguments=_never_content
    ),
    "a line that breaks": Story(
        [
            Say([Text("First."), call("send", "a"), call("look", "b"), Text("Lost."), call("save", "c")], breaks=3),
            Say([Text("Only words."), Text("More.")], breaks=1),
            Say([Text("Done.")]),
        ]
    ),
    "paused": Story(
        [Say([call("look", "a")]), Say([Text("Wait.")], "pause_turn"), Say([call("save", "b")]), Say([Text("Done.")])]
    ),
    "refused": Story([Say([call("look", "a")]), Say([Text("No.")], "refusal")]),
    "made smaller": Story(
        [
            *(Say([Text(f"{at}."), call("look", f"{at}"), call("save", f"s{at}")]) for at in range(10)),
            Say([Text("So.")]),
        ],
        policy=changed(
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
            *(Say([Text(f"Again {at}."), call("wait", " " * at + "0"), call("look", f"{at}")]) for at in range(10)),
            Say([Text("So.")]),
        ],
        policy=changed(thrash_pattern=99),
    ),
    "permission": Story(
        [Say([Text("Hm."), call("look", "a"), call("send", "asked"), call("save", "c")])],
        arguments=lambda _: {
            "can_wait": True,
            "permissions": Permissions([Rule(Decision.ASK, "send", {"what": "asked"})]),
        },
    ),
    "out of time": Story(
        [Say([call("wait", "500"), call("save", "a")]), Say([call("wait", "401")]), Say([Text("So far so good.")])],
        cut_short=True,
    ),
    "out of iterations": Story(
        [Say([call("save", f"{at}")]) for at in range(9)], policy=changed(max_iterations=4), cut_short=True
    ),
    "out of money": Story(
        [Say([call("save", f"{at}")]) for at in range(9)],
        policy=changed(max_run_tokens=2_500),
        cut_short=True,
        arguments=lambda _: {"traits": PRICED},
    ),
}
