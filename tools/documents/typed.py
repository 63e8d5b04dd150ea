# SPDX-License-Identifier: BSD-2-Clause
"""Figures that were typed: a number with the unit of a measurement, or a ratio, that no run stands behind.

Looked at are units of short times, rates, cycles, instructions, per cent, and ratios ("ten times as", "half the speed").
Sizes, counts, longer times and probabilities are mostly settings, and are left alone, as are code and quotations (`>`).
A figure that is none of a run is marked, behind it in its sentence (or its row of a table), or before its paragraph:

    <!-- quoted: SOURCE -->     from a paper, a message, a standard, another project
    <!-- set: WHERE -->         a limit, a target or a constant; a WHERE with a slash is a file

The same on a line of its own marks the paragraph, list or table below it; and all up to `<!-- end of quoted -->`, if there
is one.  A ratio in words may be held by a claim instead (`<!--holds: ... -->`).
"""

import re

import markdown
from runs import ROOT

WORDS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|" \
        "eighty|ninety|(?:a |one )?hundred|(?:a |one )?thousand|(?:a |one )?million|half an?"
MARK = r"(?:<!--=[_\n]*-->)"
NUMBER = rf"(?:(?<![\w.^/-])(?:[±~-])?\d[\d,]*(?:\.\d+)?{MARK}?|\b(?:{WORDS})\b)"
UNIT = r"(?:(?:TSC |CPU |core |clock )?cycles?\b|(?:ns|µs|μs|us|ms|s)\b(?!')|(?:nano|micro|milli)seconds?\b|" \
       r"[kKMG]i?B(?:/s| a second)\b|instructions?\b|%|per ?cent\b)"
SEPARATOR = rf"(?:\s(?:to|and|or)\s|,\s|[–/]| ± ?)"
MEASURED = re.compile(rf"(?P<numbers>{NUMBER}(?:{SEPARATOR}{NUMBER})*)[\s-]?(?P<unit>{UNIT})")

FRACTION = r"(?:(?:an?|one|two|three|four) (?:half|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|twentieth|thirtieth|" \
           r"fiftieth|hundredth|thousandth)s?|half)"
MORE = r"(?:as|the|that|faster|slower|more|less|longer|shorter|larger|smaller|dearer|cheaper|higher|lower|below|above)"
RATIO = re.compile(
    rf"(?P<times>{NUMBER})\stimes\s{MORE}\b(?! (?:second|minute|hour|day|key))|"
    rf"(?:by a )?factor of\s(?P<factor>{NUMBER})|(?P<x>{NUMBER})\s?[x×](?=[\s,.;)])(?!\s\d)|"
    rf"(?:twice|{FRACTION})\s(?:as\s(?:fast|slow|long|much|dear|cheap)\b|(?:of\s)?(?:the|its)\s(?:speed|time|cost|price|rate|"
    rf"throughput)\b)|"
    rf"\b(?:by|saves?|costs?|loses?|gains?)\s(?:(?:about|nearly|some)\s)?{FRACTION}\b")

TABLE = re.compile(r"(?m)^\|(?P<head>[^\n]*)\|\n\|[-:| ]+\|\n(?P<rows>(?:\|[^\n]*\n?)+)")
HEADING = re.compile(rf"(?<![\w-]){UNIT}")
PLACE = re.compile(r"<!-- (quoted|set): ([^\n]*?) -->")
LINE = r"^<!-- (?:quoted|set): [^\n]*? -->\n"
SECTION = re.compile(rf"(?ms){LINE}(?:(?!{LINE}).)*?^<!-- end of quoted -->$")
BEFORE = re.compile(rf"(?m){LINE}(?:(?!\n)[^\n]*\n)*")
QUOTATION = re.compile(r"(?m)^ *>[^\n]*$")
TARGET = re.compile(r"\]\([^)\s]*\)|https?://\S+")
HELD = re.compile(r"<!-- ?(?:quoted|set|holds):\s")
SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\n|\n(?=\|)")


def counts(match):
    """"Two instructions" are rather a sequence than a price."""
    return match["unit"].startswith("instruction") and not re.search(r"\d", match["numbers"])


def is_marked(match, text):
    """Every number is a run's, or the sentence goes on to say where it is from."""
    numbers = [text[match.start(name):match.end(name)] for name in ("numbers", "times", "factor", "x")
               if name in match.re.groupindex and match[name]]
    if numbers and all(one.endswith("-->") for one in re.findall(NUMBER, numbers[0])):
        return True
    end = SENTENCE_END.search(re.sub(r"(?s)<!--.*?-->", markdown.blanks, text), match.end())
    return HELD.search(text, match.end(), end.start() if end else len(text)) is not None


def typed_columns(prose, text):
    """Columns of hand-written tables with a unit in their heading and figures below it."""
    for table in TABLE.finditer(prose):
        rows = [row.strip("|").split("|") for row in text[table.start("rows"):table.end("rows")].splitlines()]
        for i, heading in enumerate(table["head"].split("|")):
            cells = [row[i] for row in rows if i < len(row)]
            if HEADING.search(heading) and any(re.match(rf"\s*{NUMBER}(?<!-->)", one) and "<!--" not in one for one in cells):
                yield table.start(), f"a column of {' '.join(heading.split())}"


def typed(text):
    """[(line, what is typed)]"""
    problems = [(markdown.line_of(text, match.start()), f"no {match[2]}") for match in PLACE.finditer(text)
                if match[1] == "set" and re.fullmatch(r"[\w.*/-]+/[\w.*/-]+", match[2]) and not list(ROOT.glob(match[2]))]
    text = markdown.without_code(markdown.BLOCK.sub(markdown.blanks, text))
    for pattern in (SECTION, BEFORE, QUOTATION, TARGET):
        text = pattern.sub(markdown.blanks, text)
    # What a comment says is no figure of the document.
    text = re.sub(r"(?s)(?<=<!--=).*?(?=-->)", lambda match: re.sub(r"[^\n]", "_", match[0]), text)
    prose = re.sub(r"(?s)<!--(?!=).*?-->", markdown.blanks, text)
    problems += [(markdown.line_of(text, place), f"typed by hand: {what}") for place, what in typed_columns(prose, text)]
    for pattern in (MEASURED, RATIO):
        for match in pattern.finditer(prose):
            if not is_marked(match, text) and not (pattern is MEASURED and counts(match)):
                what = " ".join(re.sub(MARK, "", match[0]).split())
                problems.append((markdown.line_of(text, match.start()), f"typed by hand: {what}"))
    return sorted(problems)
