"""A tool for the tutor: exact arithmetic. SPROUT_TUTOR_TOOLS=tutor_tool:calculate, with this folder on PYTHONPATH."""

import ast
import operator
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from sprout.errors import ToolFailure
from sprout.loop.tools import tool

OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


@tool()
async def calculate(
    expression: Annotated[str, Field(max_length=200, description="numbers, + - * / and brackets: (1/2 + 1/3) * 6")],
) -> str:
    """Work out an expression exactly. Use it for every sum that you tell the learner, instead of your head."""
    try:
        return str(evaluate(ast.parse(expression.strip(), mode="eval").body))
    except ZeroDivisionError:
        raise ToolFailure("This divides by zero.") from None
    except (SyntaxError, ValueError, RecursionError):
        raise ToolFailure(f"{expression!r} is not made of numbers, + - * / and brackets alone.") from None


def evaluate(part: ast.expr) -> Fraction:
    """The value of a part of an expression. Raises ValueError where it holds anything else than numbers and sums."""
    match part:
        case ast.Constant(value=int() | float() as number):
            return Fraction(str(number))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -evaluate(inner)
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in OPERATIONS:
            return Fraction(OPERATIONS[type(operation)](evaluate(left), evaluate(right)))
    raise ValueError(ast.dump(part))
