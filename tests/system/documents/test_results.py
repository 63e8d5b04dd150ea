# SPDX-License-Identifier: BSD-2-Clause
"""tests/support/results, by which `make test` ends."""

import pathlib
import subprocess

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "support/results"

BAR = 79 * "="
OUTPUTS = {
    "cases": (0, "2 skipped: no such file\\n[doctest] test cases:  9 |  9 passed | 0 failed | 4 skipped"),
    "scripts": (0, "SKIPPED [3] a.py:7: no such file\\nSKIPPED [1] a.py:9: no terminal\\n5 passed, 4 skipped in 0.1s"),
    "broken": (1, f"TEST CASE:  zero: said\\n\\na.cpp:1: MESSAGE: b\\n\\n{BAR}\\na.cpp:7:\\nTEST CASE:  one: two\\n\\na.cpp:9: ERROR: CHECK( c )\\n  logged: d\\n\\n{BAR}\\n[doctest] test cases:  3 |  2 passed | 1 failed | 0 skipped"),
    "script": (1, "FAILED a.py::test_b[c] - assert 0\\n1 failed, 4 passed in 0.1s"),
    "program": (0, "done"),
    "crashed": (3, ""),
    "absent": (77, ""),
}


def test_counts(tmp_path):
    """Catches skips, failures and reasons that are counted wrongly, and a count that another command of ctest has emptied."""
    lines = [f"add_test({name} sh -c \"printf '{text}\\\\n'; exit {status}\")\nset_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)\n"
             for name, (status, text) in OUTPUTS.items()]  # fmt: skip
    (tmp_path / "CTestTestfile.cmake").write_text("".join(lines))
    for more in (["--output-junit", "results.xml"], ["-N"]):
        subprocess.run(["ctest", *more], cwd=tmp_path, check=False, capture_output=True)
    printed = subprocess.run([RESULTS, tmp_path / "results.xml"], check=True, capture_output=True, text=True).stdout.splitlines()
    assert printed[:-1] == ["", "Failed:", "  broken: one: two: a.cpp:9: ERROR: CHECK( c )", "  logged: d", "  script: a.py::test_b[c]", "  crashed", ""]
    assert printed[-1] == "19 passed, 3 failed, 7 skipped: 5 no such file; 1 no terminal; 1 programs or devices are missing"
