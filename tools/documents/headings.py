# SPDX-License-Identifier: BSD-2-Clause
"""A column's heading and its key name one thing, also where a page shows the column alone.

A heading has lines.  All but the last are its group, which tables print once for neighbours of the same group.  A key has
parts, divided by "_": those before the last are its prefix.
"""

import itertools
import re

# A heading with one of these depends on another column.
POINTS_ELSEWHERE = re.compile(r"\b(that|those|there|the same|ditto)\b")
UNIT = re.compile(r"(?<!')\b(ns|us|ms|s|cycles|[KMGT]i?B/s|MB|M/s)\b|µs")
# The keys of ratios, and a table of nothing else.
RATIO = re.compile(r"(^|_)(over_[a-z]|factor|speed|times|x|ratio)")
RATIOS = "ratios"


def group_of(heading):
    group = heading.rpartition("\n")[0]
    return "" if group.endswith("-") else group  # a divided word


def shown(headings):
    """The lines of each heading; a group's are empty where the column to the left shows them."""
    lines, left = [], None
    for heading in headings:
        group, newline, last = heading.rpartition("\n")
        lines.append([""] * (group.count("\n") + 1) + [last] if newline and group == left else heading.split("\n"))
        left = group if newline else None
    return lines


def wrong(name, columns):
    """What is wrong with the headings of a table, a sentence for each."""
    headings = {column["key"]: column["heading"] for column in columns}
    said = []
    for key, heading in headings.items():
        shown_as = repr(heading.replace("\n", " / "))
        if heading.startswith("\n"):
            said.append(f"{key} has the heading of its neighbour above {shown_as}")
        if POINTS_ELSEWHERE.search(heading.replace("\n", " ")):
            said.append(f"the heading of {key} refers to another column: {shown_as}")
        if (name == RATIOS or RATIO.search(key)) and UNIT.search(heading):
            said.append(f"{key} is a ratio and its heading has a unit: {shown_as}")
    for one, other in itertools.combinations(headings, 2):
        if headings[one] and headings[one] == headings[other]:
            said.append(f"{one} and {other} have one heading")
            continue
        groups = group_of(headings[one]), group_of(headings[other])
        parts = {*one.split("_")} & {*other.split("_")}
        if groups[0] and groups[0] == groups[1] and not parts and "_" in one + other:
            said.append(f"{one} and {other} are under one heading, {groups[0]!r}, and their keys have no part in common")
        prefix = one.rpartition("_")[0]
        if prefix and prefix == other.rpartition("_")[0] and groups[0] != groups[1]:
            said.append(f"{one} and {other} are keys of one group, and their headings are not")
    return said
