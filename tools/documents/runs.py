# SPDX-License-Identifier: BSD-2-Clause
"""The kept runs, by kind.

A file in one of PLACES is KIND.json or KIND-DATE.json (KIND-DATE-WORDS.json); the last by name is the kind's run.
Documents name kinds, so a new file replaces the old one everywhere.
"""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLACES = tuple(ROOT / place / "results" for place in ("lab", "tests/system/kernel", "tests/system/netbsd", "tests/system/freebsd", "tests/soak", "tests/vm"))
NAME = re.compile(r"(?P<kind>[a-z][a-z_]*)(?:-(?P<date>\d{4}-\d\d-\d\d[\w-]*))?\.json")


class Trouble(Exception):
    """A document requests something that the run lacks."""


class Runs:
    def __init__(self, places=PLACES):
        self.paths, self.read = {}, {}
        for place in places:
            for path in sorted(pathlib.Path(place).glob("*.json")):
                if match := NAME.fullmatch(path.name):
                    self.paths.setdefault(match["kind"], path)
                    self.paths[match["kind"]] = max(self.paths[match["kind"]], path, key=lambda p: p.name)

    def __contains__(self, kind):
        return kind in self.paths

    def __getitem__(self, kind):
        if kind not in self.paths:
            raise Trouble(f"no run {kind}; there are: {', '.join(sorted(self.paths))}")
        if kind not in self.read:
            self.read[kind] = json.loads(self.paths[kind].read_text(encoding="utf-8"))
        return self.read[kind]

    def renamed(self, text):
        """The text with the names of files, for example in links, replaced by those of the runs in use."""
        def newest(match):
            path = self.paths.get(match["kind"])
            return path.name if path is not None and match["date"] else match[0]

        return re.sub(rf"\b{NAME.pattern}\b", newest, text)
