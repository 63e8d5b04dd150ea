# SPDX-License-Identifier: BSD-2-Clause
"""Figures in prose and claims about them: expressions of kept runs in comments, which a page does not show.

    took 1.65<!--= others.others("cprng").bits32 --> ns         a figure: the number before the comment is the expression's
    took 18,000<!--=2 ... --> cycles                            to two digits; =.1f to one decimal; three digits without
    less than a lock<!--holds: A < B -->                        a claim: it must be true

An expression is Python's arithmetic, comparisons, `and`, `or`, `not`, FUNCTIONS, and paths into a run:

    KIND.TABLE(VALUE, COLUMN=VALUE...).COLUMN       a cell of the rows that have these values; the median of its repetitions
    KIND.TABLE(...).COLUMN.least  .most  .deviation  .values        what else it has of them
    KIND.TABLE.COLUMN                               of all rows: for min(), max(), count() and the like
    KIND.machine.cpus                               what else the run has; ["own_p99.999"] where a name is no word

Arithmetic with several rows is done row by row.
"""

import ast
import operator
import re

import markdown
from runs import Trouble

FIGURE = re.compile(r"(?P<stands>(?:(?<![\w.])[-−])?\d[\d,]*(?:\.\d+)?)?<!--=(?P<form>\S*)(?P<expression>\s.*?)-->", re.DOTALL)
CLAIM = re.compile(r"<!--holds:\s(?P<expression>.*?)-->", re.DOTALL)
FORM = re.compile(r"(?:\d|\.\d+f)?")


def three_digits(value):
    """As the lab prints its figures (lab/common/table.cpp)."""
    size = abs(value)
    if 0 < size < 0.0005:
        return f"{value:.4f}"
    return f"{value:,.{3 if size < 0.9995 else 2 if size < 9.995 else 1 if size < 99.95 else 0}f}"


def written(value, form=""):
    if not FORM.fullmatch(form):
        raise Trouble(f"no form {form}: a number of digits, or .Nf for N decimals")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Trouble(f"{value!r} is no figure")
    if form.startswith("."):
        return f"{value:,{form}}"
    if form:
        rounded = float(f"{value:.{int(form) - 1}e}")
        exponent = int(f"{rounded:e}".split("e")[1])
        return f"{rounded:,.{max(0, int(form) - 1 - exponent)}f}"
    return f"{value:,}" if isinstance(value, int) else three_digits(value)


# ------------------------------------------------------------------------------------------------------------- values


class Part:
    """Some JSON of a run, and where it stands, for messages."""

    def __init__(self, value, name):
        self.value, self.name = value, name

    def child(self, key):
        if isinstance(self.value, dict) and "tables" in self.value and key in self.value["tables"]:
            table = self.value["tables"][key]
            return Rows(table["rows"], f"{self.name}.{key}", list(table["rows"][0]))
        if isinstance(self.value, dict) and key in self.value:
            return wrapped(self.value[key], f"{self.name}.{key}")
        if isinstance(self.value, list) and isinstance(key, int) and key < len(self.value):
            return wrapped(self.value[key], f"{self.name}[{key}]")
        there = [*self.value.get("tables", {}), *self.value] if isinstance(self.value, dict) else []
        raise Trouble(f"{self.name} has no {key}; there are: {', '.join(there)}")


class Rows:
    """Rows of a table."""

    def __init__(self, rows, name, columns):
        self.rows, self.name, self.columns = rows, name, columns

    def chosen(self, values, named):
        for key in named:
            self.demand(key)

        def has(row):
            return all(any(same(cell, value) for cell in row.values()) for value in values) \
                and all(same(row[key], value) for key, value in named.items())

        rows = [row for row in self.rows if has(row)]
        name = f"{self.name}({', '.join([*map(repr, values), *(f'{k}={v!r}' for k, v in named.items())])})"
        if not rows:
            raise Trouble(f"no row is {name}")
        return Rows(rows, name, self.columns)

    def demand(self, column):
        if column not in self.columns:
            raise Trouble(f"{self.name} has no column {column}; there are: {', '.join(self.columns)}")

    def child(self, column):
        self.demand(column)
        if len(self.rows) == 1:
            return wrapped(self.rows[0][column], f"{self.name}.{column}")
        return [wrapped(row[column], f"{self.name}.{column}") for row in self.rows]


def same(cell, value):
    if isinstance(value, (list, tuple)):
        return any(same(cell, one) for one in value)
    return type(cell) in (int, float, str, bool) and cell == value


def wrapped(value, name):
    return Part(value, name) if isinstance(value, (dict, list)) else value


def plain(value):
    """A number, a text or a list of them: a cell is its median."""
    if isinstance(value, Part) and isinstance(value.value, dict) and "median" in value.value:
        return value.value["median"]
    if isinstance(value, Part) and isinstance(value.value, list):
        return [plain(wrapped(one, value.name)) for one in value.value]
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, Rows):
        return [row for row in value.rows]
    if isinstance(value, Part):
        raise Trouble(f"{value.name} is no figure; it has: {', '.join(value.value)}")
    return value


def each(function, *operands):
    """The function of numbers, or row by row of lists."""
    operands = [plain(one) for one in operands]
    lengths = {len(one) for one in operands if isinstance(one, list)}
    if len(lengths) > 1:
        raise Trouble(f"lists of different lengths: {sorted(lengths)}")
    if lengths:
        rows = zip(*(one if isinstance(one, list) else [one] * max(lengths) for one in operands))
        return [each(function, *row) for row in rows]
    for one in operands:
        if not isinstance(one, (int, float)):
            raise Trouble(f"{one!r} is no figure: it cannot be calculated with")
    return function(*operands)


def flat(values):
    """Their figures; rows without one are left out."""
    for value in map(plain, values):
        if isinstance(value, list):
            yield from flat(value)
        elif value is not None:
            yield value


def extreme(function):
    def of(*values):
        there = list(flat(values))
        if not there:
            raise Trouble("no row has a figure")
        return function(there)
    return of


def number(text):
    """The number in a text, such as the ">= 0.900" of a target."""
    found = re.findall(r"\d[\d,]*(?:\.\d+)?", str(plain(text)))
    if len(found) != 1:
        raise Trouble(f"not one number: {text}")
    return float(found[0].replace(",", ""))


def count(value):
    return len(value.rows) if isinstance(value, Rows) else len(list(flat([value])))


FUNCTIONS = {
    "min": extreme(min),
    "max": extreme(max),
    "sum": extreme(sum),
    "count": count,
    "number": number,
    "abs": lambda value: each(abs, value),
    "percent": lambda part: each(lambda x: 100 * x, part),
    # by how many per cent A is more, or less, than B
    "more": lambda a, b: each(lambda x, y: 100 * (x / y - 1), a, b),
    "less": lambda a, b: each(lambda x, y: 100 * (1 - x / y), a, b),
    # A is B but for a tenth, or for the given part
    "about": lambda a, b, part=0.1: abs(plain(a) / plain(b) - 1) <= part,
}

ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
              ast.Pow: operator.pow}
COMPARISONS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
               ast.NotEq: operator.ne}


# -------------------------------------------------------------------------------------------------------- expressions


class Evaluator:
    def __init__(self, runs):
        self.runs = runs

    def value(self, expression):
        """What the expression comes to; of claims also the values that were compared, as a text."""
        self.seen = []
        try:
            tree = ast.parse(" ".join(expression.split()), mode="eval")
        except SyntaxError as error:
            raise Trouble(f"no expression: {error.msg}") from None
        return plain(self.node(tree.body))

    def node(self, node):
        method = getattr(self, f"do_{type(node).__name__}", None)
        if method is None:
            raise Trouble(f"an expression has no {type(node).__name__}")
        return method(node)

    def do_Constant(self, node):
        return node.value

    def do_Tuple(self, node):
        return [plain(self.node(one)) for one in node.elts]

    def do_Name(self, node):
        return Part(self.runs[node.id], node.id)

    def do_Attribute(self, node):
        return self.child(self.node(node.value), node.attr)

    def do_Subscript(self, node):
        return self.child(self.node(node.value), self.node(node.slice))

    def child(self, value, key):
        if isinstance(value, list):
            return [self.child(one, key) for one in value]
        if not hasattr(value, "child"):
            raise Trouble(f"{value!r} has no {key}")
        return value.child(key)

    def do_Call(self, node):
        values = [self.node(one) for one in node.args]
        named = {one.arg: plain(self.node(one.value)) for one in node.keywords}
        if isinstance(node.func, ast.Name):
            if node.func.id not in FUNCTIONS:
                raise Trouble(f"no function {node.func.id}; there are: {', '.join(FUNCTIONS)}")
            return FUNCTIONS[node.func.id](*values, **named)
        rows = self.node(node.func)
        if not isinstance(rows, Rows):
            raise Trouble(f"{ast.unparse(node.func)} is no table")
        return rows.chosen([plain(one) for one in values], named)

    def do_BinOp(self, node):
        if type(node.op) not in ARITHMETIC:
            raise Trouble(f"an expression has no {type(node.op).__name__}")
        try:
            return each(ARITHMETIC[type(node.op)], self.node(node.left), self.node(node.right))
        except ZeroDivisionError:
            raise Trouble("a division by zero") from None

    def do_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            return not plain(self.node(node.operand))
        return each(operator.neg, self.node(node.operand))

    def do_BoolOp(self, node):
        values = [plain(self.node(one)) for one in node.values]
        return all(values) if isinstance(node.op, ast.And) else any(values)

    def do_Compare(self, node):
        values = [plain(self.node(one)) for one in (node.left, *node.comparators)]
        for one in values:
            if isinstance(one, list) or one is None:
                raise Trouble(f"{one} cannot be compared: take min() or max()")
        unknown = [type(one).__name__ for one in node.ops if type(one) not in COMPARISONS]
        if unknown:
            raise Trouble(f"an expression has no {unknown[0]}")
        self.seen.append(" ".join([shown(values[0])] + [f"{sign(o)} {shown(v)}" for o, v in zip(node.ops, values[1:])]))
        return all(COMPARISONS[type(o)](a, b) for o, a, b in zip(node.ops, values, values[1:]))


def sign(op):
    return ast.unparse(ast.Compare(ast.Name("a"), [op], [ast.Name("b")]))[2:-2]


def shown(value):
    return written(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else repr(value)


def is_true(evaluator, expression):
    value = evaluator.value(expression)
    if not isinstance(value, bool):
        raise Trouble(f"no claim, but {value!r}")
    return value


def checked(text, runs):
    """The text with its figures as the runs have them, [(line, what was stale)] and [(line, what is wrong)]."""
    evaluator, parts, stale, wrong = Evaluator(runs), [], [], []
    prose, end = markdown.without_code(text), 0
    for match in FIGURE.finditer(prose):
        line, expression = markdown.line_of(text, match.start()), " ".join(match["expression"].split())
        try:
            if match["stands"] is None:
                raise Trouble("no number stands before the comment")
            value = written(evaluator.value(expression), match["form"])
        except Trouble as trouble:
            wrong.append((line, f"{trouble}: {expression}"))
            continue
        if value != match["stands"]:
            stale.append((line, f"{match['stands']} stands where the run has {value}: {expression}"))
        parts += [text[end:match.start("stands")], value]
        end = match.end("stands")
    for match in CLAIM.finditer(prose):
        line, claim = markdown.line_of(text, match.start()), " ".join(match["expression"].split())
        try:
            if prose[:match.start()].endswith("\n"):
                raise Trouble("a comment at the beginning of a line ends the paragraph")
            if not is_true(evaluator, claim):
                raise Trouble(f"no longer true ({'; '.join(evaluator.seen)})")
        except Trouble as trouble:
            wrong.append((line, f"{trouble}: {claim}"))
    return "".join([*parts, text[end:]]), stale, wrong
