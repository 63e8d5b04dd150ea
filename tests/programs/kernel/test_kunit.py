# SPDX-License-Identifier: BSD-2-Clause
"""The KUnit suite, cprng_kunit.ko: kernels of the distribution have no KUnit, so it runs in the debug kernel."""

import re

import pytest

from conftest import HERE

pytestmark = pytest.mark.debug_kernel

CASES = re.findall(r"KUNIT_CASE\((\w+)\)", (HERE / "module" / "kunit.c").read_text(encoding="utf-8"))


def results(kernel, directory, parameters):
    """What the suite said of each case, and of all."""
    script = f"load {parameters}; insmod /m/cprng_kunit.ko || fail insmod; pass"
    # By default suites are run in a kernel that says so, and allnoconfig does not.
    with kernel.boot(directory, script, append="kunit.enable=1") as machine:
        machine.finish()
        log = "\n".join(machine.log.all)
    # Those of cases are indented, and the debug kernel has no times.
    return dict(reversed(found) for found in re.findall(r"(?m)^ *(ok|not ok) \d+ (?:- )?(\w+)", log))


def test_the_suite_passes(release, tmp_path):
    """Catches a promise of the header that is not kept: bytes of the RFC, whole requests, ranges, words that come twice."""
    assert results(release, tmp_path, "") == {name: "ok" for name in [*CASES, "cprng"]}


def test_the_suite_can_fail(release, tmp_path):
    """Catches a suite that says ok whatever it finds: with a wrong byte of the cipher one case fails, and so does the suite."""
    expected = {name: "ok" for name in CASES} | {CASES[0]: "not ok", "cprng": "not ok"}
    assert results(release, tmp_path, "wrong_byte=1") == expected
