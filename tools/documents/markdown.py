# SPDX-License-Identifier: BSD-2-Clause
"""Parts of a document; omitted parts are replaced by blanks, so that positions do not change."""

import re

# Tables and texts that the tool writes.
BLOCK = re.compile(r"(?ms)^<!-- table: ([^\n]*) -->\n(.*?)^<!-- end of table -->$")
MARK = re.compile(r"(?m)^<!-- (?:table: .*|end of table) -->$")

FENCED = re.compile(r"(?ms)^ *```.*?^ *```")
# Lines indented this far may continue a list, but do not begin with a command.
INDENTED = re.compile(r"(?m)(?<=\n\n)(?:(?: {4}|\t)\S[^\n]*\n(?:(?: {4}|\t)[^\n]*\n|\n(?=(?: {4}|\t)))*)")
# Or a comment, which may contain backquotes.
SPAN = re.compile(r"(?s)(?P<comment><!--.*?-->)|(?P<ticks>`+)(?!`)(?:[^`]|(?!(?P=ticks))`)*?(?P=ticks)(?!`)")


def blanks(match):
    return re.sub(r"[^\n]", " ", match[0])


def without_code(text):
    for pattern in (FENCED, INDENTED):
        text = pattern.sub(blanks, text)
    return SPAN.sub(lambda match: match[0] if match["comment"] else blanks(match), text)


def line_of(text, place):
    return text.count("\n", 0, place) + 1
