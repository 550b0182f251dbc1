"""Questions as items of QTI 3.0: choices, numbers, terms and answers in words, with their explanations as feedback.

Source: 1EdTech, Question and Test Interoperability: Assessment, Section and Item, version 3.0.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from sprout.learning.questions.qti_markup import QTI, add_markdown, element
from sprout.learning.questions.question_files import name_of
from sprout.learning.questions.question_sets import IdentifiedQuestion
from sprout.learning.questions.questions import QuestionDraft, parse_number

RESPONSE, SCORE, FEEDBACK, SOLUTION = "RESPONSE", "SCORE", "FEEDBACK", "solution"


def item_identifier(question: IdentifiedQuestion) -> str:
    """The identifier of the question's item; it stays the same from one package to the next."""
    return f"question-{question.id}"


def item_xml(question: IdentifiedQuestion) -> bytes:
    """The question as a document with one item, its answer in it."""
    draft = question.draft
    item = element(
        None,
        "qti-assessment-item",
        identifier=item_identifier(question),
        title=name_of(draft.prompt),
        adaptive="false",
        time_dependent="false",
    )
    explained = draft.solution or ((draft.correct_answer,) if _is_in_words(draft) else ())
    _declare(item, draft)
    _declare_outcomes(item, draft, has_feedback=bool(explained))
    _add_body(element(item, "qti-item-body"), draft)
    _add_processing(item, draft, has_feedback=bool(explained))
    if explained:
        _add_feedback(item, explained)
    return document(item, QTI)


def document(root: ET.Element, namespace: str) -> bytes:
    """The document of a root element, its namespace without a prefix."""
    ET.register_namespace("", namespace)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _is_in_words(draft: QuestionDraft) -> bool:
    return draft.format == "open_ended" and not draft.accepted


def _declare(item: ET.Element, draft: QuestionDraft) -> None:
    """The right response and, for terms, all that are accepted."""
    base = {"mcq": "identifier", "numeric": "float"}.get(draft.format, "string")
    declared = element(item, "qti-response-declaration", identifier=RESPONSE, cardinality="single", base_type=base)
    element(element(declared, "qti-correct-response"), "qti-value", _right_value(draft))
    if draft.accepted:
        mapping = element(declared, "qti-mapping", lower_bound="0", upper_bound="1", default_value="0")
        for term in draft.accepted:
            element(mapping, "qti-map-entry", map_key=term, mapped_value="1", case_sensitive="false")


def _right_value(draft: QuestionDraft) -> str:
    if draft.format == "mcq":
        return _option_identifier(draft.options.index(draft.correct_answer))
    number = parse_number(draft.correct_answer, unit=draft.unit) if draft.format == "numeric" else None
    return draft.correct_answer if number is None else f"{number:.12g}"


def _option_identifier(at: int) -> str:
    return f"option-{at + 1}"


def _declare_outcomes(item: ET.Element, draft: QuestionDraft, *, has_feedback: bool) -> None:
    external = {"external_scored": "human"} if _is_in_words(draft) else {}
    score = {"identifier": SCORE, "cardinality": "single", "base_type": "float", "normal_maximum": "1", **external}
    element(element(element(item, "qti-outcome-declaration", **score), "qti-default-value"), "qti-value", "0")
    if has_feedback:
        element(item, "qti-outcome-declaration", identifier=FEEDBACK, cardinality="single", base_type="identifier")


def _add_body(body: ET.Element, draft: QuestionDraft) -> None:
    add_markdown(element(body, "div"), draft.prompt)
    if draft.format == "mcq":
        choice = element(body, "qti-choice-interaction", response_identifier=RESPONSE, shuffle="true", max_choices="1")
        for at, option in enumerate(draft.options):
            element(choice, "qti-simple-choice", option, identifier=_option_identifier(at))
    elif _is_in_words(draft):
        _add_rubric(body, draft)
        element(body, "qti-extended-text-interaction", response_identifier=RESPONSE, expected_lines="5")
    else:
        line = element(body, "p")
        entry = element(line, "qti-text-entry-interaction", response_identifier=RESPONSE, expected_length="20")
        entry.tail = f" {draft.unit}" if draft.unit else None


def _add_rubric(body: ET.Element, draft: QuestionDraft) -> None:
    """The points of a good answer, for those who score."""
    rubric = element(body, "qti-rubric-block", view="scorer", use="scoring")
    points = element(element(rubric, "qti-content-body"), "ul")
    for statement in [criterion.statement for criterion in draft.criteria] or [draft.correct_answer]:
        add_markdown(element(points, "li"), statement)


def _add_processing(item: ET.Element, draft: QuestionDraft, *, has_feedback: bool) -> None:
    if _is_in_words(draft) and not has_feedback:
        return
    rules = element(item, "qti-response-processing")
    if draft.accepted:
        element(element(rules, "qti-set-outcome-value", identifier=SCORE), "qti-map-response", identifier=RESPONSE)
    elif not _is_in_words(draft):
        _score_if_right(rules, draft)
    if has_feedback:
        shown = element(rules, "qti-set-outcome-value", identifier=FEEDBACK)
        element(shown, "qti-base-value", SOLUTION, base_type="identifier")


def _score_if_right(rules: ET.Element, draft: QuestionDraft) -> None:
    right = element(element(rules, "qti-response-condition"), "qti-response-if")
    if draft.format == "mcq":
        test = element(right, "qti-match")
    elif draft.tolerance:
        within = f"{draft.tolerance:.12g}"
        test = element(right, "qti-equal", tolerance_mode="absolute", tolerance=f"{within} {within}")
    else:
        test = element(right, "qti-equal", tolerance_mode="exact")
    element(test, "qti-variable", identifier=RESPONSE)
    element(test, "qti-correct", identifier=RESPONSE)
    element(element(right, "qti-set-outcome-value", identifier=SCORE), "qti-base-value", "1", base_type="float")


def _add_feedback(item: ET.Element, explained: Sequence[str]) -> None:
    feedback = element(item, "qti-modal-feedback", outcome_identifier=FEEDBACK, identifier=SOLUTION, show_hide="show")
    content = element(feedback, "qti-content-body")
    for step in explained:
        add_markdown(content, step)
