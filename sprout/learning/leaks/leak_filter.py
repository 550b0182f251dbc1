"""Leak filter: passes the tutor's words to the learner sentence by sentence, each after a check for leaks."""

from sprout.learning.leaks.detection import MAX_SENTENCE, REMEMBERED_CHARACTERS, find_leak
from sprout.learning.leaks.leak import LeakForm
from sprout.learning.leaks.secret import Secret
from sprout.learning.lessons.help_ladder import HelpLevel

MIN_PIECE = 24  # characters; what is shorter waits for its neighbour
MAX_REPLY = 4_000  # a reply has 120 words; what is longer has a card of its own
MAX_INLINE_FORMULA = 300
MAX_DISPLAY_FORMULA = 1_000

_STOPS = frozenset(".!?…")
_WIDE_STOPS = frozenset("。！？")
_CLOSERS = frozenset("\"'”’“»›)]*_~")
_ABBREVIATIONS = frozenset(
    "al approx bzw ca cf chap co corp dr ed eds engl eq etc evtl fig ggf inc incl inkl jr lat max min mr mrs ms nr no "
    "nos pp prof sog sr st str tab usw vgl vol vs zb zzgl".split()
)


class SentenceSplitter:
    """Cuts text, letter by letter, after sentences and lines, wherever the text was parted on its way.

    Formulas, code in a line, numbers, ordinals and abbreviations are not torn; a cut is never later than
    `MAX_SENTENCE`. The cuts joined are the text.
    """

    def __init__(self) -> None:
        self._buffer: list[str] = []
        self._fenced = False
        self._after_stop = False
        self._line_at = 0
        self._open_marks: dict[str, int] = {}

    def add(self, letter: str) -> str:
        """The piece that this letter completes, or nothing."""
        self._buffer.append(letter)
        if letter == "\n":
            return self._end_line()
        if letter in _WIDE_STOPS and not self._within():
            return self._cut(len(self._buffer))
        if letter.isspace():
            ended = self._after_stop and not self._fenced and not self._within() and not self._abbreviated()
            self._after_stop = False
            return self._cut(len(self._buffer) - 1) if ended else self._overlong()
        self._after_stop = letter in _STOPS or (self._after_stop and letter in _CLOSERS)
        self._mark(letter)
        return self._overlong()

    def flush(self) -> str:
        """Cut off the rest of the text, and return it."""
        return self._cut(len(self._buffer), shortest=0)

    def _end_line(self) -> str:
        if "".join(self._buffer[self._line_at : self._line_at + 40]).lstrip().startswith(("```", "~~~")):
            self._fenced = not self._fenced
        self._after_stop = False
        self._line_at = len(self._buffer)
        if "$$" in self._open_marks and self._within():
            return self._overlong()
        self._open_marks.clear()
        return self._cut(len(self._buffer))

    def _mark(self, letter: str) -> None:
        """Note where a formula or code begins and ends."""
        before = self._buffer[-2] if len(self._buffer) > 1 else ""
        match letter:
            case "$" if before == "$":
                self._open_marks.pop("$", None)
                self._toggle("$$")
            case "$" if before != "\\":
                self._toggle("$")
            case "`":
                self._toggle("`")
            case "(" | "[" if before == "\\":
                self._open_marks["$" if letter == "(" else "$$"] = len(self._buffer)
            case ")" | "]" if before == "\\":
                self._open_marks.pop("$" if letter == ")" else "$$", None)

    def _toggle(self, mark: str) -> None:
        if self._open_marks.pop(mark, None) is None:
            self._open_marks[mark] = len(self._buffer)

    def _within(self) -> bool:
        """Whether a formula or code is open; one that goes on for too long was none, but a price, say."""
        return any(
            len(self._buffer) - at < (MAX_DISPLAY_FORMULA if mark == "$$" else MAX_INLINE_FORMULA)
            for mark, at in self._open_marks.items()
        )

    def _abbreviated(self) -> bool:
        """Whether the point before this space belongs to an abbreviation, a number or a single letter."""
        if self._buffer[-2] != ".":
            return False
        words = "".join(self._buffer[-16:-2]).split()
        word = words[-1].lstrip("(„“\"'*_[") if words else ""
        if not word:
            return True
        return word[-1].isdigit() or len(word) == 1 or "." in word or word.lower() in _ABBREVIATIONS

    def _overlong(self) -> str:
        return self._cut(len(self._buffer)) if len(self._buffer) > MAX_SENTENCE else ""

    def _cut(self, at: int, *, shortest: int = MIN_PIECE) -> str:
        if at < shortest:
            return ""
        piece = "".join(self._buffer[:at])
        del self._buffer[:at]
        self._line_at = max(0, self._line_at - at)
        self._open_marks = {mark: place - at for mark, place in self._open_marks.items()}
        return piece


class LeakFilter:
    """One reply behind the check: text goes in as it is written, what may be shown comes out.

    The sentence that leaks and everything after it is withheld; then the model is asked again. Work is bounded: a
    sentence is read once, with the last `REMEMBERED_CHARACTERS` characters before it, and an endless reply is withheld.

    Args:
        before: `said` of the reply before this one, where the question is the same; empty when it has just been asked.
        level: the level of help of this reply.
    """

    def __init__(self, secret: Secret, *, before: str = "", level: HelpLevel = HelpLevel.NONE) -> None:
        self._secret = secret
        self._level = level
        self._sentences = SentenceSplitter()
        self._length = 0
        self.recent_text = f"{before}\n"[-REMEMBERED_CHARACTERS:] if before else ""
        self.withheld: str | None = None

    def feed(self, text: str) -> str:
        """Take in the next text of the reply, and return what may be shown now."""
        shown: list[str] = []
        for letter in text:
            if self.withheld is not None:
                break
            self._length += 1
            if self._length > MAX_REPLY:
                self.withheld = LeakForm.TOO_LONG
            elif piece := self._sentences.add(letter):
                shown.append(self._check(piece))
        return "".join(shown)

    def end(self) -> str:
        """Return what may be shown of the rest of the reply.

        From now on `withheld` is final: None if all of the reply was shown, else the reason, which is for the log and
        not for the learner.
        """
        if self.withheld is not None:
            return ""
        return self._check(self._sentences.flush())

    def _check(self, piece: str) -> str:
        leak = find_leak(self._secret, piece, before=self.recent_text, level=self._level) if piece.strip() else None
        if leak is not None:
            self.withheld = leak.form
            return ""
        self.recent_text = (self.recent_text + piece)[-REMEMBERED_CHARACTERS:]
        return piece
