# SPDX-License-Identifier: BSD-2-Clause
"""The KUnit suite, cprng_kunit.ko: the distribution's kernels lack KUnit, so it runs in the debug kernel."""

import re

import pytest

from conftest import HERE

pytestmark = pytest.mark.debug_kernel

CASES = re.findall(r"KUNIT_CASE\((\w+)\)", (HERE / "module" / "kunit.c").read_text(encoding="utf-8"))


def results(kernel, directory, parameters):
    """The suite's results, for each case and in total."""
    script = f"load {parameters}; insmod /m/cprng_kunit.ko || fail insmod; pass"
    # By default suites run only in a kernel configured for that, and allnoconfig is not.
    with kernel.boot(directory, script, append="kunit.enable=1") as machine:
        machine.finish()
        log = "\n".join(machine.log.all)
    # Case results are indented, and the debug kernel's log has no times.
    return dict(reversed(found) for found in re.findall(r"(?m)^ *(ok|not ok) \d+ (?:- )?(\w+)", log))


def test_the_suite_passes(release, tmp_path):
    """Catches a broken promise of the header: the RFC's bytes, whole requests, ranges, repeated words."""
    assert results(release, tmp_path, "") == {name: "ok" for name in [*CASES, "cprng"]}


def test_the_suite_can_fail(release, tmp_path):
    """Catches a suite that always passes: with a wrong byte of the cipher one case fails, and so does the suite."""
    expected = {name: "ok" for name in CASES} | {CASES[0]: "not ok", "cprng": "not ok"}
    assert results(release, tmp_path, "wrong_byte=1") == expected
