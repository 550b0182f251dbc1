"""Unprinted values: what a program works out on a line of its own, or keeps last, and does not print."""

import ast
from collections.abc import Iterator, Sequence


def with_values_printed(program: str) -> str:
    """The program with `print` around each value that stands alone, or else after the name that it stores last.

    Empty where there is no such value, and where Python cannot read the program.
    """
    try:
        tree = ast.parse(program)
        is_changed = _print_values(tree.body) or _print_last_name(tree.body)
        return ast.unparse(tree) if is_changed else ""
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""


def _print_values(body: Sequence[ast.stmt]) -> bool:
    """Print the values that stand alone, in loops and branches too, but in no function; False if there are none."""
    is_changed = False
    for one in body:
        if isinstance(one, ast.Expr):
            if not _prints(one.value):
                one.value = _print_call(one.value)
                is_changed = True
        elif isinstance(one, ast.If | ast.For | ast.While):
            is_changed = _print_values([*one.body, *one.orelse]) or is_changed
    return is_changed


def _print_last_name(body: list[ast.stmt]) -> bool:
    """Print the name that is stored last; False if there is none, or if the program prints something."""
    if any(_prints(node) for one in body for node in ast.walk(one)) or not (names := [*_stored_names(body)]):
        return False
    body.append(ast.Expr(_print_call(ast.Name(names[-1], ast.Load()))))
    return True


def _stored_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that are stored, in loops and branches too, but in no function."""
    for one in body:
        match one:
            case ast.Assign([ast.Name(name)]) | ast.AugAssign(ast.Name(name)):
                yield name
            case ast.If() | ast.For() | ast.While():
                yield from _stored_names([*one.body, *one.orelse])


def _prints(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def _print_call(value: ast.expr) -> ast.Call:
    return ast.Call(ast.Name("print", ast.Load()), [value], [])
