"""Definitions: what pupils ask the meaning of, as they type it, and what merely has the word in it."""

import pytest

from sprout.offline.courses.definitions import asks_meaning, definition, plain_words
from sprout.offline.courses.glossary import glossary

PYTHON = "python_functions_and_lists"
BAYES = "bayesian_reasoning"
FRANCE = "french_revolution"

ASKED = {
    PYTHON: """
        what does None mean? | None
        what is NoneType | None
        whats a parameter again | parameter
        what's a list? | list
        parameter? | parameter
        what do you mean by indentation | indentation
        meaning of "return" | return
        define block | block
        explain append again | append
        can you explain range please | range
        i dont get what a slice is | slice
        I don't get parameters | parameter
        what does == do | ==
        what does // mean | //
        what is % | %
        what's the % sign | %
        what does `elif` mean?? | elif
        what does != mean | !=
        whats `:` | :
        what are [] | empty list
        hi, sorry i forgot what does def mean | def
        im confused what does body mean | body
        what is a paramter | parameter
        what is indentaton | indentation
        what is a fucntion | function
        wdym by indented | indentation
        what does "NameError: name 'visits' is not defined" mean | NameError
        what does 'NoneType' object has no attribute 'append' mean | AttributeError
        what does 'list' object is not callable mean | not callable
        what does list index out of range mean | IndexError
        unsupported operand type(s) for -: 'int' and 'str' means what | TypeError
        what is for | for
        what is the while loop for | while
        how does a for loop work | for
        no idea what iteration means | round
        ok but what is True and False | True
        what even is a condition | condition
        what is even | even number
        tell me what a name is in python | name
        WHAT IS A VARIABLE | name
        how am i supposed to know what a loop is | loop
        what is a list, and why is it empty | list
        """,
    BAYES: """
        what does base rate even mean | base rate
        wat is sensitivity | sensitivity
        what are odds again? | odds
        what's P(late | snow) | P( )
        what does the | mean | P( )
        what is a flase positive | false positive
        whats bayes rule | Bayes' rule
        what is bayes’ theorem | Bayes' rule
        prior? | base rate
        what does "given" mean here | given
        what is meant by the whole | whole
        what is even odds | even odds
        what is the false alarm rate | false alarm rate
        whats a false alarm | false positive
        what are natural frequencies | count
        i dont know what a likelyhood ratio is | likelihood ratio
        """,
    FRANCE: """
        who were the girondins | Girondins
        who is Robespierre | Robespierre
        what was the Third Estate | third estate
        what is the 3rd estate | third estate
        what does tithe mean | tithe
        what are cahiers | cahiers de doléances
        what's a livre | livre
        what is 18 Brumaire | 18 Brumaire
        what r sans culottes | sans-culottes
        what is a parlament | parlement
        what was the commitee of public safety | Committee of Public Safety
        what does coup d'etat mean | coup
        emigres? | émigrés
        what are feudal rights | dues
        wat is inflation | inflation
        explain the Terror | Terror
        what did they mean by "consent" | consent
        who was napolean | Napoleon
        tithe meaning | tithe
        """,
}

NOT_ASKED = {
    PYTHON: """
        is the second len still 2
        what is 3 times 4
        why does the call stop
        what is this for?
        what does this mean
        what for?
        what does it print
        what does the second print show
        i know what a list is but why is it empty
        why is it None
        what happens if n is None
        what if the condition is false
        which list is longer
        what is the value of x
        what is in the list
        what comes after the return
        where does the colon go
        what is the point
        what is the title
        3 == 4 is False right
        explain why the loop stops
        what is the difference between a list and a tree
        what is
        ?
        """,
    BAYES: """
        is the base rate 3 %
        how do i get the base rate
        is 9 to 1 the same as 90 %
        what is 4 % of 300
        what is the change
        how many false alarms are there
        do i count the row or the column
        is it more or less likely
        """,
    FRANCE: """
        what is the state
        what caused the terror
        why did the king call the Estates-General
        who called the Notables
        did the nobles pay the tithe
        how many livres is that
        what did the third estate want
        is a banker in the third estate
        """,
}

DIFFERENCES = [
    (PYTHON, "what is the difference between = and ==", ("=", "==")),
    (PYTHON, "whats the difference between print and return?", ("print", "return")),
    (PYTHON, "print vs return", ("print", "return")),
    (PYTHON, "how is a parameter different from an argument", ("parameter", "argument")),
    (PYTHON, "is a list the same as a text", ("list", "text")),
    (PYTHON, "what is the difference between and and or", ("and", "or")),
    (PYTHON, "str or int, whats the difference", ("str", "int")),
    (BAYES, "difference between base rate and odds", ("base rate", "odds")),
    (FRANCE, "what's the difference between by order and by head?", ("by order", "by head")),
    (FRANCE, "whats the diff btw tax and dues", ("tax", "dues")),
    (FRANCE, "what are deficit and debt", ("deficit", "debt")),
]

QUESTIONS = [
    (slug, question.strip(), term.strip())
    for slug, lines in ASKED.items()
    for question, _, term in (line.rpartition(" | ") for line in lines.strip().splitlines())
]
OTHERS = [(slug, line.strip()) for slug, lines in NOT_ASKED.items() for line in lines.strip().splitlines()]


def says(slug: str, term: str) -> str:
    found = glossary(slug).find(term)
    assert found is not None
    assert found.term == term
    return found.says


@pytest.mark.parametrize(("slug", "question", "term"), QUESTIONS)
def test_a_word_is_defined_however_its_meaning_is_asked(slug: str, question: str, term: str) -> None:
    assert definition(slug, question) == says(slug, term)


@pytest.mark.parametrize(("slug", "question"), OTHERS)
def test_a_question_that_merely_has_a_word_gets_no_definition(slug: str, question: str) -> None:
    assert definition(slug, question) == ""


@pytest.mark.parametrize(("slug", "question", "terms"), DIFFERENCES)
def test_a_difference_is_answered_with_both_definitions_in_the_order_asked(
    slug: str, question: str, terms: tuple[str, str]
) -> None:
    first, second = (says(slug, term) for term in terms)
    answer = definition(slug, question)
    assert answer.startswith(first[:25])
    assert answer.partition(second[:25])[1], "the second follows"
    assert len(answer.split()) <= 55


def test_long_definitions_together_are_cut_to_their_first_sentences() -> None:
    answer = definition(BAYES, "difference between base rate and given")
    assert answer.startswith("The base rate is how common something is")
    assert "Other books" not in answer
    assert answer.endswith("look at the snowy days only.")


@pytest.mark.parametrize("slug", [PYTHON, BAYES, FRANCE])
def test_a_definition_is_found_by_each_of_its_names(slug: str) -> None:
    for term in dict.fromkeys(glossary(slug).terms.values()):
        for name in term.names:
            for question in (f"what does {name} mean?", f"what is {name}", f"whats the {name} again", f"{name}?"):
                assert definition(slug, question) == term.says, question


def test_a_word_of_another_course_and_of_none_is_not_known() -> None:
    assert definition(FRANCE, "what is a parameter") == ""
    assert definition("gardening", "what is a parameter") == ""


@pytest.mark.parametrize(
    "question",
    [
        "what does xyz mean",
        "what do you mean by xyz",
        "meaning of xyz",
        "define xyz",
        "what does this mean",
        "wdym xyz",
    ],
)
def test_a_question_in_so_many_words_asks_a_meaning(question: str) -> None:
    assert asks_meaning(question)


@pytest.mark.parametrize(
    "question", ["what is xyz", "i mean the second one", "is the mean 3", "why is it 4", "xyz?", ""]
)
def test_a_question_without_those_words_may_ask_something_else(question: str) -> None:
    assert not asks_meaning(question)


@pytest.mark.parametrize(
    "filling", ["what ", "a ", "is ", "'", "x and ", "what is a ", "\n", ". ", "mean by ", "(", "‘"]
)
def test_a_question_without_end_is_read_from_its_end(filling: str) -> None:
    assert definition(PYTHON, filling * 20_000) == ""
    assert definition(PYTHON, f"{filling * 20_000}\nwhat is a tuple") == ""


def test_plain_words_are_short_sentences_about_their_word() -> None:
    for word in ("staff", "gout", "skylight", "fir"):
        said = plain_words(f"what does {word} mean")
        assert word in said.casefold()
        assert said.endswith(".")
        assert len(said.split()) <= 20
    assert plain_words("why dont we count the eagle") == ""


def test_A11_who_somebody_was_is_answered_by_no_rule_of_that_name() -> None:
    assert definition("bayesian_reasoning", "who was bayes?") == ""
    assert definition("bayesian_reasoning", "what is bayes' rule?") != ""
    assert "wallpaper" in definition("french_revolution", "who was Réveillon?")
