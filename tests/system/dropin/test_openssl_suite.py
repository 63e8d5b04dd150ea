# SPDX-License-Identifier: BSD-2-Clause
"""The RAND tests of OpenSSL's own suite that an installed libcrypto can run, with the provider as generator.

docs/openssl.md lists the others and the reasons.
"""

import os
import pathlib
import re

import pytest

import openssl_suite
from dropin import LARGE, run
from test_openssl import configuration

pytestmark = pytest.mark.skipif(not LARGE, reason="make check-dropin: OpenSSL's own suite, whose source is fetched")


@pytest.fixture(name="work", scope="module")
def fixture_work(tmp_path_factory):
    given = os.environ.get("CPRNG_DROPIN_WORK")
    work = pathlib.Path(given) if given else tmp_path_factory.mktemp("suite")
    work.mkdir(exist_ok=True)
    return work


@pytest.fixture(name="tree", scope="module")
def fixture_tree(work):
    try:
        return openssl_suite.source(work)
    except openssl_suite.apt.Unavailable as reason:
        pytest.skip(f"no source of OpenSSL: {reason}")


TESTS = {
    "rand_status": ("rand_status_test", []),
    "fork safety": ("drbgtest", ["-test", "test_rand_fork_safety"]),
    "threads": ("drbgtest", ["-test", "test_multi_thread"]),
    "numbers": ("bntest", ["-test", "test_rand"]),
    "numbers in a range": ("bntest", ["-test", "test_rand_range", "-stochastic"]),
    "generators of OpenSSL": ("evp_test", ["test/recipes/30-test_evp_data/evprand.txt"]),
}


@pytest.mark.parametrize("name", TESTS)
def test_suite(tmp_path, work, tree, name):
    """Catches an answer of the provider that OpenSSL's own RAND tests reject."""
    program, arguments = TESTS[name]
    arguments = [tree / word if "/" in word else word for word in arguments]
    line = [openssl_suite.compiled(tree, work, program), *arguments]
    result = run(*line, env=configuration(tmp_path))
    if result.returncode != 0 and "-stochastic" in arguments:
        # It fails by chance once in 10,000 runs, as it says.
        result = run(*line, env=configuration(tmp_path))
    output = result.stdout.decode()
    assert result.returncode == 0 and "not ok" not in output, output + result.stderr.decode()
    assert re.search(r"(?m)^ok 1 ", output), output


def test_suite_has_the_provider(tmp_path, work, tree):
    """Catches programs of the suite that OpenSSL's generator serves: without the module they must fail."""
    env = configuration(tmp_path, tmp_path / "missing.so")
    result = run(openssl_suite.compiled(tree, work, "rand_status_test"), env=env)
    assert result.returncode != 0 and b"not ok 1" in result.stdout
