"""The tagged text of a request, read as data: whatever is escaped inside a tag is never a tag."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_TAGS = (
    "topic|wish|size|existing|concept|subconcept|overview|document|title|desc|path|passage|asked|question|prompt"
    "|option|answer|reason|item|criterion|label|statement|partly_if|misconception|anchor|learner_answer"
    "|next|state|plan|can|callable_tools|pending|smaller|settled|solution|marking|next_step|help|memory|note"
    "|mix_up|contrast|neighbour"
)
_TAG = re.compile(rf'<(/?)({_TAGS})((?:\s+[\w-]+="[^"<>]*")*)\s*(/?)>')
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"<>]*)"')
_RANGE = re.compile(r"^\s*(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?\s*$")


@dataclass(slots=True)
class Tag:
    """A tag with what is directly in it."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    child_tags: list["Tag"] = field(default_factory=list)

    def children(self, name: str) -> Iterator["Tag"]:
        """The tags of this name directly inside."""
        return (tag for tag in self.child_tags if tag.name == name)

    def text_of(self, name: str) -> str:
        """The text of the first tag of this name directly inside; empty if there is none."""
        return next((tag.text.strip() for tag in self.children(name)), "")


def parse_request(text: str) -> Tag:
    """All that is tagged in a text, below one root. Tags that are left open end with the one around them."""
    root = Tag("request")
    open_tags = [root]
    at = 0
    for match in _TAG.finditer(text):
        open_tags[-1].text += unescape(text[at : match.start()])
        at = match.end()
        closing, name, attributes, alone = match.groups()
        if closing:
            _close(open_tags, name)
            continue
        tag = Tag(name, {key: unescape(value) for key, value in _ATTRIBUTE.findall(attributes)})
        open_tags[-1].child_tags.append(tag)
        if not alone:
            open_tags.append(tag)
    open_tags[-1].text += unescape(text[at:])
    return root


def requested_size(request: Tag, name: str, default: tuple[int, int]) -> tuple[int, int]:
    """The range that `<size name="least-most"/>` asks for, or `default` where it does not say."""
    for tag in request.children("size"):
        if match := _RANGE.match(tag.attributes.get(name, "")):
            least = int(match[1])
            return least, max(least, int(match[2] or least))
    return default


def existing_titles(request: Tag) -> set[str]:
    """Titles that are there already, in lower case: tagged, or one in a line."""
    found: set[str] = set()
    for tag in request.children("existing"):
        inner = [each.text_of("title") or each.text for each in tag.child_tags]
        found.update(title.strip(" -*\t").casefold() for title in inner or tag.text.splitlines() if title.strip())
    return found


def existing_prompts(request: Tag) -> set[str]:
    """The prompts of questions that are saved already, in small letters and with single spaces."""
    return {
        " ".join(each.text.casefold().split()) for tag in request.children("asked") for each in tag.children("question")
    }


def passage_texts(passages: Iterable[Tag]) -> list[tuple[str, str, str]]:
    """Document, path of headings and text of each passage that has any."""
    return [
        (tag.attributes.get("doc", ""), tag.attributes.get("heading", ""), tag.text)
        for tag in passages
        if tag.text.strip()
    ]


def unescape(text: str) -> str:
    """The text with the three escapes that the server makes undone; `&amp;lt;` stays `&lt;`."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


def _close(open_tags: list[Tag], name: str) -> None:
    if any(tag.name == name for tag in open_tags[1:]):
        while open_tags.pop().name != name:
            pass
