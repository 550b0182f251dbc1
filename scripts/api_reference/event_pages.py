"""The page about events: how they are streamed, and what each one says."""

from pathlib import Path
from typing import Any, get_args

from scripts.api_reference.contract import EVENTS as CONTRACT
from scripts.api_reference.events import RUN, sample_events
from scripts.api_reference.fields import ANYTHING, said_of, shown_fields, table
from sprout.events import EVENT, Event, wire_data
from sprout.runs.bus import Passing
from sprout.runs.log import Logged
from sprout.web.sse import frame

Json = dict[str, Any]
STREAMS = Path(__file__).with_name("streams.md")
COMMON = ("agent", "runId", "at")
SEQ = 17


class NoWords(Exception):
    """An event is not described; the message says where to describe it."""


def event_classes() -> list[type[Any]]:
    """The classes of the union, in its order."""
    return list(get_args(get_args(Event)[0]))


def events_page() -> list[str]:
    """The page, line by line. Raises NoWords."""
    samples: dict[str, Event] = {event.kind: event for event in sample_events()}
    schemas = EVENT.json_schema(by_alias=True, mode="serialization")["$defs"]
    lines = [STREAMS.read_text(encoding="utf-8").rstrip("\n"), "", "## All events", ""]
    classes = event_classes()
    for described in classes:
        check_words(described, samples)
    kinds = [described.model_fields["kind"].default for described in classes]
    lines += table(
        ("event", "what it says", "id", "contract"),
        [
            (f"[`{kind}`](#{kind})", _first_sentence(one), "yes" if one.durable else "", _fields_of_contract(kind))
            for kind, one in zip(kinds, classes, strict=True)
        ],
    )
    lines += ["", "These fields are in every event, where there is something to say:", ""]
    lines += shown_fields({"properties": {n: schemas["AgentStart"]["properties"][n] for n in COMMON}})
    for kind, one in zip(kinds, classes, strict=True):
        lines += ["", *_event(kind, one, schemas[one.__name__], samples[kind])]
    lines += ["", "## What events are made of"]
    for name in sorted(schemas.keys() - {ANYTHING, *(one.__name__ for one in classes)}):
        said = schemas[name].get("description", "")
        lines += ["", f"### {name}", "", *([said_of({"description": said}), ""] if said else [])]
        lines += shown_fields(schemas[name], shapes="")
    return lines


def check_words(described: type[Any], samples: dict[str, Event]) -> None:
    """Raises NoWords where an event has no docstring or no example."""
    kind = described.model_fields["kind"].default
    if not described.__dict__.get("__doc__"):
        raise NoWords(f"sprout/events.py: say in the docstring of {described.__name__} what {kind} means, and when.")
    if kind not in samples:
        raise NoWords(f"scripts/api_reference/events.py: add an example of {kind}.")


def frame_of(event: Event) -> str:
    """The event as it goes over the wire, with a number where it is stored."""
    data = wire_data(event)
    news = Logged(RUN, SEQ, event.kind, data) if type(event).durable else Passing(RUN, event.kind, data)
    return frame(news).decode().rstrip("\n")


def _event(kind: str, described: type[Any], schema: Json, sample: Event) -> list[str]:
    own = {name: field for name, field in schema["properties"].items() if name not in (*COMMON, "kind")}
    lines = [f"### {kind}", "", " ".join(str(described.__doc__).split())]
    if own:
        lines += ["", *shown_fields({"properties": own}, shapes="")]
    return [*lines, "", "```text", frame_of(sample), "```"]


def _first_sentence(described: type[Any]) -> str:
    return (
        said_of({"description": described.__doc__}).partition(": ")[0].partition("; ")[0].rstrip(".").replace("`", "")
    )


def _fields_of_contract(kind: str) -> str:
    return CONTRACT.get(kind, "")
