# SPDX-License-Identifier: BSD-2-Clause
"""The list of mutants: reading and checking it.  Nothing is built here."""

from __future__ import annotations

import collections
import dataclasses
import json
import pathlib
import re
from collections.abc import Iterable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LISTS = ROOT / "tests/mutants"

# Test programs that tests/CMakeLists.txt lists with their sources, and those of pytest.
PROGRAMS = ("copies/copies_static-and-linked", "draw", "dropin", "erasure", "fortuna", "fuzz", "interrupted", "kernel", "lengths", "one", "os", "seed_file", "unit")
PYTEST = {name: ROOT / "tests/system" / name for name in ("dropin", "kernel", "one")}
# Presets whose builds have killers, beside the default one.
PRESETS = ("posix", "bsd", "macos")
# What a killer does to the mutant: a check of the test fails, the program dies of a signal, it never ends.
HOWS = ("fail", "crash", "hang")
DEFAULT_TIMEOUT = 60.0
# At most so many mutants of a file have the same killer: a third one that it detects shows nothing new about the test.  Keep those
# that differ most and that fewest other tests detect.  Mutants with a model are not counted: each shows that its model's mistake is
# one in the code.
MOST_OF_A_PAIR = 2


class CatalogueError(Exception):
    """A list of mutants that says something impossible."""


@dataclasses.dataclass(frozen=True)
class Killer:
    """The one test case that must fail."""

    program: str  # of build/tests; for pytest a folder of tests/system
    case: str  # its exact name; for pytest FILE::FUNCTION
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    preset: str | None = None  # whose build has the program


@dataclasses.dataclass(frozen=True)
class Mutant:
    """Changes to one file.  Exactly one of killer, equivalent and pending is set."""

    topic: str
    name: str
    file: str
    changes: tuple[tuple[str, str], ...]  # each text that is found and its replacement, in this order
    breaks: str  # a sentence
    killer: Killer | None = None
    how: str = "fail"
    timeout: float | None = DEFAULT_TIMEOUT
    equivalent: str | None = None  # why no test can detect it
    pending: str | None = None  # why there is no killer yet
    test_sources: tuple[str, ...] = ()  # the test program's that include the file: compiled instead of the library's
    sources: tuple[str, ...] = ()  # the library's that are compiled with it; all that include the file unless given
    needs: tuple[str, ...] = ()  # flags of the processor, as /proc/cpuinfo names them
    model: str | None = None  # the same mistake in a model for SPIN, which tests/proofs/test_models.py finds

    def problem(self) -> str | None:
        """Why the mutant cannot be applied; None when it can."""
        path = ROOT / self.file
        if not path.is_file():
            return f"there is no {self.file}"
        text = path.read_text(encoding="utf-8")
        for find, replace in self.changes:
            found = text.count(find)
            if found != 1:
                return f"its text {find!r} occurs {found} times in {self.file}, not once"
            text = text.replace(find, replace)
        return None

    def apply(self, text: str) -> str:
        """The mutated file."""
        for find, replace in self.changes:
            text = text.replace(find, replace)
        return text


_STRINGS = ("name", "file", "breaks")
_VERDICTS = ("killer", "equivalent", "pending")
_OTHERS = ("how", "timeout", "sources", "test_sources", "needs", "model")


def _killer(entry: dict[str, Any]) -> Killer:
    unknown = set(entry) - {"program", "case", "arguments", "environment", "preset"}
    if unknown or "program" not in entry or "case" not in entry:
        raise CatalogueError("a killer has a program and a case, and may have arguments, an environment and a preset")
    if entry["program"] not in PROGRAMS:
        raise CatalogueError(f"there is no test program {entry['program']}")
    if entry.get("preset") not in (None, *PRESETS):
        raise CatalogueError(f"no killer is built by the preset {entry['preset']}")
    return Killer(entry["program"], entry["case"], tuple(entry.get("arguments", ())),
                  tuple(sorted(entry.get("environment", {}).items())), entry.get("preset"))


def _default_timeout(entry: dict[str, Any]) -> float | None:
    """None for the kernel module and the one file: guests and compilers have timeouts of their own, and take minutes."""
    return None if entry.get("killer", {}).get("program") in ("kernel", "one") else DEFAULT_TIMEOUT


def _changes(find: Any, replace: Any) -> tuple[tuple[str, str], ...]:
    finds, replaces = (value if isinstance(value, list) else [value] for value in (find, replace))
    if len(finds) != len(replaces) or not all(isinstance(text, str) for text in finds + replaces) or not all(finds):
        raise CatalogueError("find and replace are texts, or lists of as many texts")
    if any(old == new for old, new in zip(finds, replaces)):
        raise CatalogueError("it changes nothing")
    return tuple(zip(finds, replaces))


def _mutant(topic: str, entry: dict[str, Any]) -> Mutant:
    unknown = set(entry) - set(_STRINGS + ("find", "replace") + _VERDICTS + _OTHERS)
    if unknown:
        raise CatalogueError(f"unknown: {', '.join(sorted(unknown))}")
    for key in _STRINGS:
        if not isinstance(entry.get(key), str) or not entry[key]:
            raise CatalogueError(f"no {key}")
    changes = _changes(entry.get("find"), entry.get("replace"))
    if sum(key in entry for key in _VERDICTS) != 1:
        raise CatalogueError("one of killer, equivalent, pending must be there")
    if entry.get("how", "fail") not in HOWS:
        raise CatalogueError(f"how is one of {', '.join(HOWS)}")
    return Mutant(topic=topic, changes=changes, killer=_killer(entry["killer"]) if "killer" in entry else None,
                  how=entry.get("how", "fail"), timeout=entry.get("timeout", _default_timeout(entry)),
                  equivalent=entry.get("equivalent"), pending=entry.get("pending"),
                  sources=tuple(entry.get("sources", ())), test_sources=tuple(entry.get("test_sources", ())), needs=tuple(entry.get("needs", ())),
                  model=entry.get("model"),
                  **{key: entry[key] for key in _STRINGS})


def load(directory: pathlib.Path = LISTS) -> list[Mutant]:
    """All mutants, in the order of the files and within them."""
    mutants: list[Mutant] = []
    names: set[str] = set()
    for path in sorted(directory.glob("*.json")):
        text = path.read_text(encoding="utf-8")
        entries = json.loads(text)
        if text != layout(entries):
            raise CatalogueError(f"{path.name} is not laid out as tests/mutants/run --format does it")
        for number, entry in enumerate(entries, 1):
            try:
                mutant = _mutant(path.stem, entry)
                if mutant.name in names:
                    raise CatalogueError("another mutant has this name")
            except CatalogueError as error:
                raise CatalogueError(f"{path.name}, {number} ({entry.get('name', 'no name')}): {error}") from error
            names.add(mutant.name)
            mutants.append(mutant)
    return mutants


def layout(entries: list[dict[str, Any]]) -> str:
    """A list as its file has it: a line for the place, the text found, its replacement, what it breaks, and the rest."""
    lines = (("name", "file"), ("find",), ("replace",), ("breaks",))
    texts = []
    for entry in entries:
        groups = [*lines, tuple(key for key in entry if not any(key in line for line in lines))]
        texts.append(",\n  ".join(json.dumps({key: entry[key] for key in group}, ensure_ascii=False)[1:-1] for group in groups))
    return "[\n" + ",\n".join(f"{{ {text} }}" for text in texts) + "\n]\n"


def cases_of(sources: Iterable[pathlib.Path]) -> set[str]:
    """The names of the test cases in these sources."""
    return {case for path in sources for case in re.findall(r'TEST_CASE\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))}


def test_cases(program: str) -> set[str]:
    """The names of the test cases in the sources of a test program; of those of pytest, FILE::FUNCTION."""
    if program in PYTEST:
        # Defined there, or imported.
        return {f"{path.name}::{name}" for path in PYTEST[program].glob("test_*.py")
                for names in re.findall(r"(?m)^(?:def|from \w+ import)\b(?: \(.*\n)?(.*)", path.read_text(encoding="utf-8"))
                for name in re.findall(r"\btest_\w+", names)}
    if program.startswith("copies/"):
        return cases_of((ROOT / "tests/promises/6-anywhere/copies").glob("*.cpp"))
    listing = "".join((ROOT / "tests" / name).read_text(encoding="utf-8") for name in ("CMakeLists.txt", "other-systems.cmake", "fuzz/fuzz.cmake"))
    listing = re.sub(r"(?m)#.*$", "", listing)
    # The program's list, its library of objects, and what one system adds.
    lists = [words for name, other, words in re.findall(r"cprng_test\(NAME ([\w-]+)(?: PROGRAM (\w+))?([^)]*)\)", listing)
             if (other or name.replace("-", "_")) == program]
    lists += re.findall(rf"(?:add_\w+\(cprng_test_{program}(?:_\w+)?|set\({program}_sources)\s([^)]*)\)", listing)
    sources = [ROOT / "tests" / word for words in lists for word in words.split() if word.endswith(".cpp") and "$" not in word]
    missing = [path.relative_to(ROOT) for path in sources if not path.is_file()]
    if missing:
        raise CatalogueError(f"tests/CMakeLists.txt lists {missing[0]} for {program}, and there is no such file")
    return cases_of(sources)


def problems(mutants: list[Mutant]) -> list[str]:
    """What a look at the sources tells: texts that are stale, killers that do not exist."""
    cases = {program: test_cases(program) for program in PROGRAMS}
    found: list[str] = []
    mistakes = {name for path in (ROOT / "kernel/linux", ROOT / "tests/proofs") for model in path.glob("*.pml")
                for name in re.findall(r"(?m)^#ifn?def (\w+)", model.read_text(encoding="utf-8"))}
    for mutant in mutants:
        stale = mutant.problem()
        if stale is not None:
            found.append(f"{mutant.topic}: {mutant.name} is stale: {stale}")
        # A function of pytest may have parameters in brackets.
        if mutant.killer is not None and re.sub(r"\[.*\]$", "", mutant.killer.case) not in cases[mutant.killer.program]:
            found.append(f"{mutant.topic}: {mutant.name}: no test case \"{mutant.killer.case}\" in {mutant.killer.program}")
        if mutant.model is not None and mutant.model not in mistakes:
            found.append(f"{mutant.topic}: {mutant.name}: no model has the mistake {mutant.model}")
        found += [f"{mutant.topic}: {mutant.name}: there is no {path}" for path in mutant.sources + mutant.test_sources
                  if not (ROOT / path).is_file()]
    pairs = collections.Counter((m.killer, m.file) for m in mutants if m.killer is not None and m.model is None)
    found += [f"{count} mutants of {file} have the killer \"{killer.case}\": {MOST_OF_A_PAIR} are enough"
              for (killer, file), count in pairs.items() if count > MOST_OF_A_PAIR]
    return found
