"""Loop faults: what stands in a loop of a program and belongs before or behind it."""

import ast
from collections.abc import Iterator

_Loop = ast.For | ast.While


def loop_fault(program: str) -> str:
    """A sentence on a total that starts anew in each round, or on a `return` that ends the first one; empty without
    either, and where Python cannot read the program."""
    try:
        loops = [node for node in ast.walk(ast.parse(program)) if isinstance(node, _Loop)]
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    return next((fault for loop in loops for fault in _faults(loop)), "")


def prints_in_loop(program: str) -> bool:
    """Whether a `print` stands in a loop of the program, which Python can read."""
    loops = (node for node in ast.walk(ast.parse(program)) if isinstance(node, _Loop))
    return any(_is_print(node) for loop in loops for node in ast.walk(loop))


def _faults(loop: _Loop) -> Iterator[str]:
    for at, one in enumerate(loop.body):
        match one:
            case ast.Assign([ast.Name(name)], ast.Constant() | ast.List([])) if _goes_on(name, loop.body[at + 1 :]):
                start = ast.unparse(one)
                yield f"`{start}` stands in the loop, so `{name}` starts anew in each round: it belongs before it."
            case ast.Return():
                yield "`return` stands in the loop and ends it in its first round: it belongs behind the loop."


def _goes_on(name: str, body: list[ast.stmt]) -> bool:
    """Whether the lines change the value under the name by `+=`, by a sum with it or by `append`, and in no loop of
    their own, which may well begin anew in each round of this one."""
    for node in (node for one in body if not isinstance(one, _Loop) for node in ast.walk(one)):
        match node:
            case ast.AugAssign(ast.Name(changed)) if changed == name:
                return True
            case ast.Assign([ast.Name(changed)], value) if changed == name:
                return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(value))
            case ast.Call(ast.Attribute(ast.Name(changed), "append")) if changed == name:
                return True
    return False


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
