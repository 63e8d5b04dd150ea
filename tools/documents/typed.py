# SPDX-License-Identifier: BSD-2-Clause
"""Figures in sentences without a table above that has them.

Figures are numbers with a unit of short times, rates, cycles, instructions or per cent, and ratios ("3.5 times as",
"half the speed"); a ratio in words cannot be in a table.  A table counts if tools/doc-tables makes it; figures typed
into another table are treated as in a sentence, with the unit of their column's heading.  Sizes, counts, longer times
and probabilities are mostly settings and are ignored, as are code and quotations (`>`).  Limits of the library in these
units are written as code, and lab/claims.json lists sentences with other unmeasured figures (`said`).
"""

import re

import markdown

WORDS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|" \
        "eighty|ninety|(?:a |one )?hundred|(?:a |one )?thousand|(?:a |one )?million|half an?"
NUMBER = rf"(?:(?<![\w.^/-])(?:[±~-])?\d[\d,]*(?:\.\d+)?|\b(?:{WORDS})\b)"
UNIT = r"(?:(?:TSC |CPU |core |clock )?cycles?\b|(?:ns|µs|μs|us|ms|s)\b(?!')|(?:nano|micro|milli)seconds?\b|" \
       r"[kKMG]i?B(?:/s| a second)\b|instructions?\b|%|per ?cent\b)"
SEPARATOR = r"(?:\s(?:to|and|or)\s|,\s|[–/]| ± ?)"
MEASURED = re.compile(rf"(?P<numbers>{NUMBER}(?:{SEPARATOR}{NUMBER})*)[\s-]?(?P<unit>{UNIT})")

FRACTION = r"(?:(?:an?|one|two|three|four) (?:half|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|twentieth|thirtieth|" \
           r"fiftieth|hundredth|thousandth)s?|half)"
MORE = r"(?:as|the|that|faster|slower|more|less|longer|shorter|larger|smaller|dearer|cheaper|higher|lower|below|above)"
RATIO = re.compile(
    rf"(?P<numbers>{NUMBER})\stimes\s{MORE}\b(?! (?:second|minute|hour|day|key))|"
    rf"(?:by a )?factor of\s(?P<factor>{NUMBER})|(?P<x>{NUMBER})\s?[x×](?=[\s,.;)])(?!\s\d)|"
    rf"(?:twice|{FRACTION})\s(?:as\s(?:fast|slow|long|much|dear|cheap)\b|(?:of\s)?(?:the|its)\s(?:speed|time|cost|price|rate|"
    rf"throughput)\b)|"
    r"(?<![\w.])\d[\d.]*\sof\s(?:the|its|their|that|\w+'s)\s(?:speed|time|cost|rate|throughput)\b|"
    rf"\b(?:by|saves?|costs?|loses?|gains?)\s(?:(?:about|nearly|some)\s)?{FRACTION}\b")

TABLE = re.compile(r"(?m)^\|(?P<head>[^\n]*)\|\n\|[-:| ]+\|\n(?P<rows>(?:\|[^\n]*\n?)+)")
HEADING = re.compile(rf"(?<![\w-]){UNIT}")
NOT_SAID = (re.compile(r"(?m)^ *>[^\n]*$"), re.compile(r"\]\([^)\s]*\)|https?://\S+"), re.compile(r"(?s)<!--.*?-->"))
FIGURE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w.])")


def figures(text):
    return {one.rstrip(",").replace(",", "") for one in FIGURE.findall(text)}


def columns(prose):
    """Columns of typed tables, with a unit in their heading and figures below it."""
    for table in TABLE.finditer(prose):
        rows = [row.strip("|").split("|") for row in table["rows"].splitlines()]
        for i, heading in enumerate(table["head"].split("|")):
            if HEADING.search(heading) and any(re.match(rf"\s*{NUMBER}", row[i]) for row in rows if i < len(row)):
                yield table.start(), f"a column of {' '.join(heading.split())}"


def typed(text, tables):
    """[(line, typed figure)]; `tables` are the places of the tables that the tool makes."""
    prose = text
    for start, end in tables:
        prose = prose[:start] + re.sub(r"[^\n]", " ", prose[start:end]) + prose[end:]
    prose = markdown.without_code(prose)
    for pattern in NOT_SAID:
        prose = pattern.sub(markdown.blanks, prose)
    problems = [(markdown.line_of(text, place), f"typed by hand: {what}") for place, what in columns(prose)]
    for pattern in (MEASURED, RATIO):
        for match in pattern.finditer(prose):
            numbers = figures(match[0])
            above = set().union(*(figures(text[start:end]) for start, end in tables if end <= match.start()))
            # "Two instructions" is usually a sequence, not a cost.
            sequence = pattern is MEASURED and match["unit"].startswith("instruction") and not numbers
            if not sequence and not (numbers and numbers <= above):
                problems.append((markdown.line_of(text, match.start()), f"in no table above: {' '.join(match[0].split())}"))
    return sorted(problems)
