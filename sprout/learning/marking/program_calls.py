"""Calls of a learner's functions in the expression of a program test."""

import ast
import builtins
from collections.abc import Iterator

from sprout.learning.questions.program_tests import ProgramTest


def learner_calls(test: ProgramTest) -> list[str]:
    """The calls of functions that the learner wrote, as they stand in the expression, each once.

    Of a function that the test gives to one of its own, as in `shown_by(area, 3, 5)`, the call is `area(3, 5)`.
    """
    expression = _parsed(test.after or "")
    own = {one.name for one in ast.walk(_parsed(test.before)) if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    return list(dict.fromkeys(_calls(expression, own, test.after or "")))


def named_case(test: ProgramTest) -> str:
    """The case, in words, that a test looks for in what the program did: "the empty list" of `"the empty list" in
    checked`; empty for a test of another kind."""
    match _parsed(test.after or ""):
        case ast.Module([ast.Expr(ast.Compare(ast.Constant(str(case)), [ast.In()], [ast.Name()]))]):
            return case if test.gives == "True" else ""
        case _:
            return ""


def wants_value(test: ProgramTest) -> bool:
    """Whether the test is a call of the learner's function that must hand a value back."""
    return test.gives not in (None, "None") and learner_calls(test) == [test.after]


def rules_out_value(test: ProgramTest) -> bool:
    """Whether the test only asks that a call does not hand back a certain wrong value: "f(2) == 7" must be False."""
    is_comparison = isinstance(_expression(test), ast.Compare)
    return test.gives == "False" and is_comparison and bool(learner_calls(test))


def made_name(test: ProgramTest) -> str:
    """The name whose value the test looks at, if that is all, and the test has not stored it itself; else empty."""
    expression = _expression(test)
    stored = {one.id for one in ast.walk(_parsed(test.before)) if isinstance(one, ast.Name)}
    return expression.id if isinstance(expression, ast.Name) and expression.id not in stored else ""


def records_output(test: ProgramTest) -> bool:
    """Whether the test looks at what its own `print` has kept, under a name of its own."""
    makes = [*ast.walk(_parsed(test.before))]
    own = {
        name.id for one in makes if isinstance(one, ast.Assign) for name in one.targets if isinstance(name, ast.Name)
    }
    prints = any(isinstance(one, ast.FunctionDef) and one.name == "print" for one in makes)
    looks_at = {one.id for one in ast.walk(_parsed(test.after or "")) if isinstance(one, ast.Name)}
    return prints and bool(looks_at) and looks_at <= own


def _calls(node: ast.AST, own: set[str], source: str) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name, arguments = node.func.id, [ast.get_source_segment(source, one) or "" for one in node.args]
        if name in own and node.args and isinstance(node.args[0], ast.Name):
            yield f"{arguments[0]}({', '.join(arguments[1:])})"
            return
        if name not in own and name not in vars(builtins):
            yield ast.get_source_segment(source, node) or ""
            return
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, own, source)


def _expression(test: ProgramTest) -> ast.expr | None:
    match _parsed(test.after or ""):
        case ast.Module([ast.Expr(value)]):
            return value
        case _:
            return None


def _parsed(code: str) -> ast.AST:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # a test that cannot run has no calls
        return ast.Module([], [])
