# SPDX-License-Identifier: BSD-2-Clause
"""CBMC proves properties of the code in src/core/buffer.h, src/core/claim.h, src/numbers/choices.[ch] and src/numbers/single.h,
and of the inlined trials.  buffer.c and choices.c state the properties.  With the mutants of these files (tests/mutants) the
proofs must fail."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mutants"))

import catalogue  # noqa: E402  # pylint: disable=wrong-import-position

ROOT = catalogue.ROOT
LARGE = "CPRNG_TEST_LARGE" in os.environ
MUTANTS = [m for m in catalogue.load() if m.file in ("src/core/buffer.h", "src/core/claim.h") and
           m.killer is not None and m.killer.program == "draw" or
           m.name in ("range64-end", "range64-order", "bernoulli-digits-equal", "bernoulli-nan", "bernoulli-draw-rest",
                      "bernoulli-stream-rest", "weighted-refused-64")]


def proof_of(mutant):
    if mutant.file.endswith("choices.h"):
        return "ranges"
    if mutant.file.startswith("include/"):
        return "bernoulli_of_draws" if mutant.file.endswith("draw.h") else "bernoulli_of_stream"
    if mutant.file.endswith("single.h"):
        return "bernoulli" if mutant.name.startswith("bernoulli") else "column"
    return "claims" if mutant.file.endswith("claim.h") else mutant.name.split("-")[0].replace("take", "keys").replace("put", "keys")


SINGLE = ("bernoulli", "bernoulli_of_stream", "bernoulli_of_draws", "column")
CHOICES = ("ranges", "order", "indexes", "sample", "distinct", *SINGLE)


def verdict(function, *folders):
    """CBMC's output for an entry, with headers of these folders first.  The longest loops wipe a key, swap a word, and count bits."""
    if shutil.which("cbmc") is None:
        pytest.skip("cbmc is not installed (Debian 13 has it)")
    includes = [f"-I{folder}" for folder in (*folders, ROOT / "src", ROOT / "include")]
    if function in CHOICES:
        source, *unwind = "choices.c", "--unwind", "3" if function in SINGLE else "10", "--unwindset", "cprng_distinct_begin.0:66,cprng_bernoulli.0:5"
    else:
        source, *unwind = "buffer.c", "--unwind", "34"
    output = subprocess.run(["cbmc", "-D__OPTIMIZE__", "--function", function, *includes, *unwind, "--unwinding-assertions",
                             "--bounds-check", "--pointer-check", HERE / source],
                            check=False, capture_output=True, text=True).stdout
    assert "VERIFICATION" in output, output
    return "successful" if "VERIFICATION SUCCESSFUL" in output else "failed"


@pytest.mark.parametrize("function", ["pop", "push", "keys", "claims", *CHOICES])
def test_proof(function):
    """Catches an access outside the page; a byte or a key that is not erased, wrongly changed, or taken twice; a number outside
    its bounds; an order that loses an element; a sample that repeats an element; a comparison with a probability that is not
    exact; and a weighted choice by another number than the bounded one."""
    assert verdict(function) == "successful"


@pytest.mark.parametrize("mutant", MUTANTS if LARGE else [m for m in MUTANTS if proof_of(m) in ("keys", "claims", "ranges", "column")],
                         ids=lambda mutant: mutant.name)
def test_proof_notices_a_mutant(mutant, tmp_path):
    """Catches a harness that proves nothing."""
    changed = tmp_path / pathlib.Path(*pathlib.Path(mutant.file).parts[1:])
    changed.parent.mkdir()
    changed.write_text(mutant.apply((ROOT / mutant.file).read_text(encoding="utf-8")), encoding="utf-8")
    assert verdict(proof_of(mutant), tmp_path) == "failed"
