# SPDX-License-Identifier: BSD-2-Clause
"""SPIN tries every order of the models' steps, and must find each mistake that -D builds into a model.  make check-proofs runs
all searches; make check runs, in seconds, the correct models and the mistakes that are found fastest."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LARGE = "CPRNG_TEST_LARGE" in os.environ
PENDING = ROOT / "kernel/linux/pending_key.pml"
GENERATION = ROOT / "tests/proofs/generation.pml"

# The searches: a thread and its handler; two threads, a fork by either of them, and a thread of the child.
ALONE = ("OTHERS=0", "OPERATIONS=1", "AGES_ALONE")
ALONE_TWICE = ("OTHERS=0", "OPERATIONS=2")
THREADS = ("OPERATIONS=1", "COARSER", "AGES_ALONE")
REPAIRS = ("SLOTS=2", "OTHERS=2", "OPERATIONS=1", "COARSER", "AGES_ALONE", "HANDLED=0", "INVALIDATIONS=0")
THREADS_TWICE = ("OPERATIONS=2", "COARSER", "HANDLED=0")

# For each model, the mistakes and the searches that find them.
MISTAKES = {
    PENDING: {name: () for name in ("IGNORES_READING", "NO_RELEASE", "ONE_SLOT", "STEPS_FIRST", "NO_RECHECK", "NO_REPEAT",
                                    "NO_BUSY")},
    GENERATION: {
        **{name: ALONE_TWICE for name in ("CLAIMS_WIPED", "CLAIM_IGNORED", "CONTENT_KEPT", "DRAWN_ONCE", "NO_ERASURE",
                                          "PUSH_ALWAYS", "PUT_ALWAYS", "RELEASE_UNCHECKED", "REMAINS_KEPT",
                                          "SAME_GENERATION", "STORES", "TOKEN_KEPT")},
        **{name: THREADS for name in ("ALONE_ASSUMED", "ERASE_CLAIMED", "ONE_TOKEN", "OTHERS_KEPT", "TAG_KEPT")},
        "LOCK_IGNORED": REPAIRS, "REPAIR_ANYHOW": REPAIRS,
        "UNDER_A_TOKEN": THREADS_TWICE, "UNLOCKED": (*THREADS_TWICE, "AGES_ALONE", "INVALIDATIONS=2"),
    },
}
OPTIONS = {"OPERATIONS", "OTHERS", "HANDLED", "INVALIDATIONS", "SLOTS", "COARSER", "AGES_ALONE"}
# Mistakes that make check also tries.
SOON = {"NO_RELEASE", "STEPS_FIRST", "NO_RECHECK", "STORES", "TOKEN_KEPT", "CONTENT_KEPT", "RELEASE_UNCHECKED"}
SEARCHES = [(PENDING, ()), (GENERATION, ALONE)]
LARGE_SEARCHES = [(GENERATION, ("OTHERS=0", "OPERATIONS=1")), (GENERATION, (*THREADS, "HANDLED=0")),
                  (GENERATION, (*THREADS, "INVALIDATIONS=0")), (GENERATION, (*THREADS, "BITSTATE"))]


def errors(directory, model, *definitions):
    """The number of errors found; the search stops at the first."""
    if shutil.which("spin") is None:
        pytest.skip("spin is not installed")
    options = [f"-D{name}" for name in definitions]
    subprocess.run(["spin", *options, "-a", model], cwd=directory, check=True, capture_output=True)
    # Optimising would take longer than a short search without it.
    subprocess.run(["cc", "-O2" if LARGE else "-O0", "-w", "-DSAFETY", "-DBITSTATE" if "BITSTATE" in definitions else "-DCOLLAPSE",
                    "-o", "pan", "pan.c"], cwd=directory, check=True, capture_output=True)
    # In the generation's model, a context that a fork has ended is not a deadlock: the model asserts that the others have ended.
    ends = ["-E"] if model == GENERATION else []
    # A hash table of 16 MiB: some states are mistaken for others, so the search is a sample, the same each time.
    ends += ["-w27"] if "BITSTATE" in definitions else []
    output = subprocess.run(["./pan", *ends, "-m200000"], cwd=directory, check=True, capture_output=True, text=True).stdout
    # An incomplete search proves nothing.
    assert "Search not completed" in output or not re.search("max search depth|out of memory", output), output
    return int(re.search(r"errors: (\d+)", output).group(1))


@pytest.mark.parametrize("model, definitions", SEARCHES + (LARGE_SEARCHES if LARGE else []),
                         ids=lambda value: value.stem if isinstance(value, pathlib.Path) else " ".join(value))
def test_model_is_right(model, definitions, tmp_path):
    """Catches an order of steps in which a key or a byte is used twice, lost, or from before a fork."""
    assert errors(tmp_path, model, *definitions) == 0


def test_mistakes_are_all_searched_for():
    """Catches a mistake in a model that no search covers."""
    for model, parts in ((PENDING, [PENDING]), (GENERATION, [GENERATION, GENERATION.with_name("slots.pml")])):
        known = {name for part in parts for name in re.findall(r"(?m)^#ifn?def (\w+)", part.read_text(encoding="utf-8"))}
        assert known - OPTIONS == set(MISTAKES[model])


@pytest.mark.parametrize("model, mistake", [(model, name) for model, names in MISTAKES.items() for name in names
                                            if LARGE or name in SOON],
                         ids=lambda value: value.stem if isinstance(value, pathlib.Path) else value)
def test_model_notices_a_mistake(model, mistake, tmp_path):
    """Catches a model that proves nothing: with the mistake, the search must fail."""
    assert errors(tmp_path, model, mistake, *MISTAKES[model][mistake]) == 1
