"""Grader-directed text: orders to the grader, claims of rank, pleas, and imitated verdicts.

The patterns are built on words that an answer about a subject hardly joins. A match is a reason to check again and
never a mark, so a subject's own "criterion" or "verdict" may match now and then.
"""

import codecs
import html
import re
from collections.abc import Iterator
from functools import lru_cache

from sprout.learning.text.confusables import unaccented
from sprout.learning.text.disguises import hidden_words

# One pattern a line, for small letters. Names in capitals stand for the sets below, _ for the end of a sentence at most
# 60 characters away, and 2_ for up to two words. Every repetition is bounded.
_SETS = {
    "MARKS": r"(?:marks?|points?|credits?|scores?|grades?)",
    "GRADER": r"(?:grader|examiner|marker|assessor)",
    "TEACHER": r"(?:teacher|professor|examiner|admin(?:istrator)?|developer|principal)",
    "SCHOOL": r"(?:teacher|professor|instructor|examiner)",
    "RIGHT": r"(?:correct|right|met|full|passed)",
    "ANSWER": r"(?:answer|wording|response|solution|submission)",
    "CHECKED": r"(?:approved|verified|confirmed|checked|reviewed|validated|certified|graded|accepted)",
    "3_": r"(?:\w{1,14}\s{1,3}){0,3}",
    "2_": r"(?:\w{1,14}\s{1,3}){0,2}",
    "~": r"[^.!?\n]{0,60}",
}
_AT_A_WORD = r"""
verdict["']?\s{0,3}[:=]\s{0,3}["']?(?:met|partly|missing|pass|correct|full)\b
(?:c\d{1,2}[\s,;&]{1,3}){0,5}c\d{1,2}(?:\s{0,3}[:=]|\s{1,3}(?:is|are))?\s{0,3}["']?met\b
met\s{1,3}(?:for|on)\s{1,3}(?:c\d|both|all|every)\b
record_grade\b
flag_for_review\b
(?:MARKS|result)\s{0,3}[:=]\s{0,3}(?:\d{1,3}\s?/\s?\d{1,3}|100\s?%|a\+|full|max|perfect|pass)
(?:give|award|grant|assign)\s{1,3}(?:me|this|it|full)\b~\bMARKS\b~
(?:i|this|it|(?:my|this) answer)\s2_(?:deserves?|merits?|earns?)\s(?:full|all|maximum|top|perfect)\s(?:the\s)?MARKS\b
(?:i|this|it|(?:my|this) answer)\s2_(?:gets?|have|receive|worth)\s(?:full|all|maximum|top|perfect)\s(?:the\s)?MARKS\b
full MARKS for (?:every|any|all|this|my)\b
(?:mark|grade|score|count|record|treat|judge)\s{1,3}(?:this|it|me|everything)\s{1,3}3_RIGHT\b~
(?:mark|grade|score|count|record|treat|judge)\s{1,3}(?:my|this|the) answer\s{1,3}3_RIGHT\b~
(?:scored|graded|marked|counted|recorded|treated)\s2_as\s2_RIGHT\b
(?:record|say|says|reply|answer|put)\s2_met\b
(?:this|my|the|any|every) ANSWER\s3_(?:must|should|has to|is to|shall) be 2_(?:accepted|scored|marked|counted|passed)\b
accept (?:this|my|the) answer\b
(?:this|my|any|every) ANSWER to be 2_(?:accepted|passed|scored|marked|counted)\b
(?:nothing|no need) to (?:judge|check|mark|grade) in (?:this|my|the) ANSWER\b
(?:do not|don't|never) (?:take off|deduct|subtract) 2_MARKS for (?:this|my|it)\b
skip the (?:check|checks|checking|marking|grading) and\b
let (?:me|this)(?: one| answer)? pass\b(?! through)
if (?:this|my answer) passes\b(?! through)
(?:dear|attention|hello|hey|note to(?: the)?)\s{1,3}(?:GRADER|grading|model|ai)\b[^.!?\n]{0,300}
the (?:grading|marking) (?:machine|model|program|system|software|ai|bot)\b
you are (?:now )?(?:(?:a|an|the|my) )?2_(?:GRADER|grading|assistant|language model|dan)\b[^.!?\n]{0,200}
you are (?:now )?(?:(?:a|an|the|my) )?2_(?:teacher|professor|judge) who\b[^.!?\n]{0,200}
from now on,? (?:you|the GRADER|every answer)\b
(?:pretend|imagine|suppose|assume|act as|stay in character|role-?play|let'?s play|behave)\b~\b(?:GRADER|rubrics?)\b
(?:pretend|imagine|suppose|assume|act as|stay in character|role-?play|behave)\b~\b(?:lenient|generous|model answer)\b
(?:let'?s play|act as)\b~\b(?:my friend|teacher who|professor who)\b
(?:i am|i'm) (?:the|your|a|an) 2_TEACHER\b
(?:i am|i'm|as) (?:the|your) author of (?:this|the) question\b
as (?:the|your) TEACHER\b[^.!?\n]{0,40}\bi\b
(?:admin(?:istrator)?|developer|system|teacher|instructor) (?:override|mode|access)\b
(?:this|my|the following) ANSWER (?:is|was|has been) 2_CHECKED\b
(?:already|officially) CHECKED by\b
SCHOOL (?:has |had )?already CHECKED (?:this|it|my ANSWER)\b(?= and\b|\s{0,2}(?:[.!,;]|$))
SCHOOL\b~\b(?:gave|given|awarded)\s2_(?:full|top|maximum|perfect) MARKS\b(?! (?:to|for|in|on)\b)
my answer is (?:right|correct)\b(?! (?:to|up to|since|because|as|for|if|when|only|by)\b)
(?:confirm|certify|declare|guarantee|assure you|tell you)s? that (?:this|my|the) answer\b
(?:TEACHER|developers|board|system|program)\b~\b(?:mark|count|grade|accept|pass|score)s?\s2_(?:this|it|my|answer)\b
wants? this (?:counted|marked|graded|scored|accepted)\b~
i (?:really )?need (?:this|these|the|a|an|some) 2_(?:MARKS|pass)\b(?! (?:to|for|on|in)\b)
i(?: will| would|'ll| could| am going to) 2_(?:lose my|be expelled|be deported)\b
i(?: will| would|'ll| could| am going to) 2_fail (?:this|the|my) (?:course|class|year|exam)\b
my last (?:try|chance|attempt)\b
i(?: will|'ll| can) (?:pay|tip|reward) you\b
(?:good|better|best|top|passing) grade\b
be (?:kind|lenient|generous|merciful)(?: (?:to|with) me\b|\s{0,2}[.!,])
have mercy\b
rubric\b~\b(?:answers?|met|meets?|criteria|accept\w{0,4}|waived|chang\w{1,4})\b
(?:mark(?:ing)? scheme|grading (?:guide|note|policy|scheme|rules?|key)|answer key|model answer|acceptable answers?)\b
criteri(?:a|on)\b[^.!?\n]{0,40}\b(?:waived|suspended|met if|dropped)\b
(?:all|both|every|the) criteri(?:a|on) (?:is|are) met\b(?=\s{0,2}(?:[.!<\n]|$))
(?:any|every|each|all) answers?\b~\b(?:met|full|correct|accepted|MARKS|meets?|passes)\b
is the (?:expected|official|reference|sample) answer\b
verdicts? (?:is|are|must be|should be) met\b(?! (?:with|by)\b)
(?:ignorier|vergiss|vergesst|missachte)\w{0,3}\s3_(?:anweisung|vorgabe|kriteri|bewertung)\w{0,6}
(?:volle|maximale|höchste)\s(?:punktzahl|punkte|note)\b
(?:gib|gebt|geben sie|vergib)\s3_(?:alle|volle)\s2_punkte\b
bewerte\w{0,2}\s3_(?:richtig|korrekt|erfüllt)\b
(?:ignore[zr]?|oublie[zr]?)\s3_(?:consignes?|instructions?|barème|critères)\b
notes? maximales?\b
(?:donne|accorde|mets|mettez)\w{0,3}(?:[- ]moi)?\s2_tous les points\b
(?:ignora|ignore|olvida|olvide|esqueça|esquece)\s3_(?:instrucciones|instruções|criterios|critérios|rúbrica)\b
máxima (?:puntuación|nota|calificación)\b
(?:nota|pontuação|puntuación|calificación) máxima\b
(?:ignora|dimentica)\s3_(?:istruzioni|criteri)\b
(?:punteggio (?:pieno|massimo)|voto massimo)\b
(?:negeer|vergeet)\s3_(?:instructies|criteria)\b
geef\s3_(?:volle|alle) punten\b
(?:игнорируй|забудь)\w{0,3}\s3_(?:инструкци|критери|указани)\w{0,4}
(?:максимальн|полн|высш)\w{1,3}\s(?:балл|оценк)\w{0,3}
talimat\w{0,6}\s2_(?:yok say|unut)\w{0,4}
tam puan\b
"""
_ANYWHERE = r"""
\[\s{0,3}(?:system\s{0,3}:|(?:note to )?(?:the )?grader\b|grading note\b)[^\]\n]{0,300}\]?
</?(?:learner_answer|system|grader|criterion|tool_\w{1,20}|function_calls?|instructions?|assistant)\b[^>\n]{0,100}>?
<\|[a-z_]{2,20}\|>
\[/?inst\]
["'](?:verdict|criterion|is_?correct|next_step|confidence|c\d{1,2})["']\s{0,3}:
(?:忽略|无视|忘记).{0,12}(?:指令|指示|说明|标准|要求)
(?:给|打).{0,3}满分
(?:指示|指令).{0,4}(?:無視|忘れ)
満点(?:を|に)
(?:지시|기준).{0,6}무시|만점
"""
_AT_A_START = r"""
(?:(?:please|now|and|so)\s{1,3})?(?:ignore|disregard|forget|override)\s{1,3}3_INSTRUCTIONS\b[^.!?\n]{0,200}
""".replace("INSTRUCTIONS", r"(?:instructions?|rubrics?|criteria|prompts?|grading)")
_AT_A_LINE = r"""
\W{0,5}(?:system|assistant)\s{1,3}(?:prompt|message|note|override|update)\b[^\n]{0,100}
\s{0,3}(?:human|assistant|user)\s{0,2}:[^\n]{0,200}
"""


def _alternatives(lines: str) -> str:
    for name, pattern in _SETS.items():
        lines = lines.replace(name, pattern)
    return "|".join(lines.strip("\n").split("\n"))


_ADDRESSES = re.compile(
    rf"\b(?:{_alternatives(_AT_A_WORD)})"
    rf"|(?:^|[.!?:;,\]\n]\s{{0,3}})(?:{_alternatives(_AT_A_START)})"
    rf"|(?:^|\n)(?:{_alternatives(_AT_A_LINE)})"
    rf"|{_alternatives(_ANYWHERE)}"
)
_LEET = str.maketrans("0134578@$", "oieastbas")
_MIXED_WORD = re.compile(r"[^\W_]{0,20}[0-9@$][^\W_]{0,20}")


@lru_cache(maxsize=32)  # one answer is asked about for each of its verdicts
def find_grader_directed(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each place that speaks to a grader; what does so only when it is read in another way (encoded,
    backwards, in look-alike letters) has no place, and is told once, as (0, 0)."""
    places = tuple(found.span() for found in _ADDRESSES.finditer(_lowercase(text)))
    if not places and any(_ADDRESSES.search(_lowercase(reading)) for reading in _readings(text)):
        return ((0, 0),)
    return places


def _lowercase(text: str) -> str:
    """The text in small letters, each in its place: this is the one capital that becomes two."""
    return text.replace("İ", "i").lower()


def _readings(text: str) -> Iterator[str]:
    plainly = unaccented(text)
    yield plainly
    if "&" in text:
        yield html.unescape(text)
    yield _MIXED_WORD.sub(lambda word: word[0].translate(_LEET), plainly)
    yield plainly[::-1]
    yield codecs.encode(plainly, "rot13")
    for _, reading in hidden_words(text):
        yield reading
