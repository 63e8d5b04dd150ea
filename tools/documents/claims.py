# SPDX-License-Identifier: BSD-2-Clause
"""lab/claims.json: what kept runs hold of a document whose text has no comments.

    {"README.md": {"tables": {"HEADING": "KIND VIEW [NAME=VALUE,VALUE...]..."}, "claims": {"SENTENCE": "EXPRESSION"}}}

The first table of pipes below a heading is made from the run, as between the comments of other documents (blocks.py).  A
sentence must stand in the document, however its lines are broken, and its expression (inline.py) must be true of the runs.
"""

import json
import re

import inline
import markdown
from blocks import made
from runs import ROOT, Trouble

FILE = ROOT / "lab/claims.json"
TABLE = r"(?ms)^## {}$(?:(?!^## ).)*?^(?P<table>\|[^\n]*\n(?:\|[^\n]*\n)+)"


def words(sentence):
    return re.compile(r"\s+".join(map(re.escape, sentence.split())))


def checked(name, text, kept):
    """The text with its tables as the runs have them, the same with blanks for what is held, and [(line, what is wrong)]."""
    listed = json.loads(FILE.read_text(encoding="utf-8")).get(name, {})
    wrong, held = [], []
    for heading, directions in listed.get("tables", {}).items():
        match = re.search(TABLE.format(re.escape(heading)), text)
        try:
            if match is None:
                raise Trouble(f"no table below the heading {heading}")
            text = text[:match.start("table")] + made(directions, kept) + "\n" + text[match.end("table"):]
            held.append(re.compile(re.escape(made(directions, kept))))
        except (Trouble, ValueError, TypeError) as trouble:
            wrong.append((1, f"{trouble}: {directions}"))
    evaluator = inline.Evaluator(kept)
    for sentence, claim in listed.get("claims", {}).items():
        match = words(sentence).search(text)
        try:
            if match is None:
                raise Trouble("lab/claims.json has a sentence that the document has not")
            if not inline.is_true(evaluator, claim):
                raise Trouble(f"no longer true ({'; '.join(evaluator.seen)})")
            held.append(words(sentence))
        except Trouble as trouble:
            wrong.append((markdown.line_of(text, match.start()) if match else 1, f"{trouble}: {sentence}"))
    rest = text
    for one in held:
        rest = one.sub(markdown.blanks, rest)
    return text, rest, wrong
