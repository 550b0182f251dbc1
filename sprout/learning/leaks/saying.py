"""The tutor's words on their way to the learner: sentence by sentence, each behind the check for leaks (rule H2)."""

from sprout.learning.leaks.leak import LeakForm
from sprout.learning.leaks.leaks import LONGEST_SENTENCE, REMEMBERED, leak_in
from sprout.learning.leaks.secret import Secret
from sprout.learning.lessons.help import HelpLevel

SHORTEST_PIECE = 24  # characters; what is shorter waits for its neighbour
LONGEST_REPLY = 4_000  # a reply has 120 words; what is longer has a card of its own
LONGEST_INLINE = 300
LONGEST_DISPLAY = 1_000

_STOPS = frozenset(".!?…")
_WIDE_STOPS = frozenset("。！？")
_CLOSERS = frozenset("\"'”’“»›)]*_~")
_ABBREVIATIONS = frozenset(
    "al approx bzw ca cf chap co corp dr ed eds engl eq etc evtl fig ggf inc incl inkl jr lat max min mr mrs ms nr no "
    "nos pp prof sog sr st str tab usw vgl vol vs zb zzgl".split()
)


class Sentences:
    """Cuts text, letter by letter, after sentences and lines, wherever the text was parted on its way.

    Formulas, code in a line, numbers, ordinals and abbreviations are not torn; a cut is never later than
    `LONGEST_SENTENCE`. The cuts joined are the text.
    """

    def __init__(self) -> None:
        self._held: list[str] = []
        self._fenced = False
        self._stopped = False
        self._line_at = 0
        self._opened: dict[str, int] = {}

    def add(self, letter: str) -> str:
        """The piece that this letter completes, or nothing."""
        self._held.append(letter)
        if letter == "\n":
            return self._line_ended()
        if letter in _WIDE_STOPS and not self._within():
            return self._cut(len(self._held))
        if letter.isspace():
            ended = self._stopped and not self._fenced and not self._within() and not self._abbreviated()
            self._stopped = False
            return self._cut(len(self._held) - 1) if ended else self._overlong()
        self._stopped = letter in _STOPS or (self._stopped and letter in _CLOSERS)
        self._mark(letter)
        return self._overlong()

    def rest(self) -> str:
        """What has not been cut yet."""
        return self._cut(len(self._held), shortest=0)

    def _line_ended(self) -> str:
        if "".join(self._held[self._line_at : self._line_at + 40]).lstrip().startswith(("```", "~~~")):
            self._fenced = not self._fenced
        self._stopped = False
        self._line_at = len(self._held)
        if "$$" in self._opened and self._within():
            return self._overlong()
        self._opened.clear()
        return self._cut(len(self._held))

    def _mark(self, letter: str) -> None:
        """Note where a formula or code begins and ends."""
        before = self._held[-2] if len(self._held) > 1 else ""
        match letter:
            case "$" if before == "$":
                self._opened.pop("$", None)
                self._toggle("$$")
            case "$" if before != "\\":
                self._toggle("$")
            case "`":
                self._toggle("`")
            case "(" | "[" if before == "\\":
                self._opened["$" if letter == "(" else "$$"] = len(self._held)
            case ")" | "]" if before == "\\":
                self._opened.pop("$" if letter == ")" else "$$", None)

    def _toggle(self, mark: str) -> None:
        if self._opened.pop(mark, None) is None:
            self._opened[mark] = len(self._held)

    def _within(self) -> bool:
        """Whether a formula or code is open; one that goes on for too long was none, but a price, say."""
        return any(
            len(self._held) - at < (LONGEST_DISPLAY if mark == "$$" else LONGEST_INLINE)
            for mark, at in self._opened.items()
        )

    def _abbreviated(self) -> bool:
        """Whether the point before this space belongs to an abbreviation, a number or a single letter."""
        if self._held[-2] != ".":
            return False
        words = "".join(self._held[-16:-2]).split()
        word = words[-1].lstrip("(„“\"'*_[") if words else ""
        if not word:
            return True
        return word[-1].isdigit() or len(word) == 1 or "." in word or word.lower() in _ABBREVIATIONS

    def _overlong(self) -> str:
        return self._cut(len(self._held)) if len(self._held) > LONGEST_SENTENCE else ""

    def _cut(self, at: int, *, shortest: int = SHORTEST_PIECE) -> str:
        if at < shortest:
            return ""
        piece = "".join(self._held[:at])
        del self._held[:at]
        self._line_at = max(0, self._line_at - at)
        self._opened = {mark: place - at for mark, place in self._opened.items()}
        return piece


class Saying:
    """One reply behind the check: text goes in as it is written, what may be shown comes out.

    The sentence that leaks and everything after it is withheld; then the model is asked again. Work is bounded: a
    sentence is read once, with the last `REMEMBERED` characters before it, and an endless reply is withheld.

    Args:
        before: `said` of the reply before this one, where the question is the same; empty when it has just been posed.
        level: the level of help of this reply.
    """

    def __init__(self, secret: Secret, *, before: str = "", level: HelpLevel = HelpLevel.NONE) -> None:
        self._secret = secret
        self._level = level
        self._sentences = Sentences()
        self._length = 0
        self.said = f"{before}\n"[-REMEMBERED:] if before else ""
        self.withheld: str | None = None

    def feed(self, text: str) -> str:
        """What may be shown now that this text has come."""
        shown: list[str] = []
        for letter in text:
            if self.withheld is not None:
                break
            self._length += 1
            if self._length > LONGEST_REPLY:
                self.withheld = LeakForm.TOO_LONG
            elif piece := self._sentences.add(letter):
                shown.append(self._checked(piece))
        return "".join(shown)

    def end(self) -> str:
        """What may be shown of the rest; `withheld` now says whether all of the reply was, and why not: a reason for
        the log, not for the learner."""
        if self.withheld is not None:
            return ""
        return self._checked(self._sentences.rest())

    def _checked(self, piece: str) -> str:
        leak = leak_in(self._secret, piece, before=self.said, level=self._level) if piece.strip() else None
        if leak is not None:
            self.withheld = leak.form
            return ""
        self.said = (self.said + piece)[-REMEMBERED:]
        return piece
