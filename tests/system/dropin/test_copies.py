# SPDX-License-Identifier: BSD-2-Clause
"""Two clones of a process that nothing reports (docs/snapshots.md): the UUIDs, of 16 bytes, that both draw."""

import os

import pytest
from test_openssl import configuration

from dropin import built, environment, good

COUNT = 70000
# The bytes of one buffer, of which the copies have drawn a little.
BUFFERED = 4032 // 16


def common(subject, env, mode="copies"):
    """How many of the values are in both copies."""
    preloaded = [built("CPRNG_COPIED"), *filter(None, [env.get("LD_PRELOAD")])]
    data = good(subject, mode, env={**env, "LD_PRELOAD": ":".join(preloaded)})
    values = [data[i:i + 16] for i in range(0, len(data), 16)]
    assert len(values) == 2 * COUNT
    copies = [set(values[:COUNT]), set(values[COUNT:])]
    assert all(len(copy) == COUNT for copy in copies)
    return len(copies[0] & copies[1])


def derived(text):
    """OpenSSL's own generators, seeded by the module."""
    assert text.count("\nrandom = CPRNG\n") == 1
    return text.replace("\nrandom = CPRNG\n", "\n")


def test_preload():
    """Catches two clones of a program that share more arc4random output than one buffer."""
    # At least one: otherwise these are no copies.
    assert 0 < common(built("CPRNG_SUBJECT"), environment()) <= BUFFERED


@pytest.mark.skipif("CPRNG_OPENSSL_SUBJECT" not in os.environ, reason="there is no OpenSSL 3")
class TestOpenssl:
    """Clones that draw through the provider."""

    def test_rand_bytes(self, tmp_path):
        """Catches two clones that share more RAND_bytes output than one buffer, and a buffer that survives an invalidation."""
        env = configuration(tmp_path)
        assert 0 < common(built("CPRNG_OPENSSL_SUBJECT"), env) <= BUFFERED
        assert common(built("CPRNG_OPENSSL_SUBJECT"), env, "copies-invalidated") == 0

    def test_generators_that_the_module_seeds(self, tmp_path):
        """Catches a window of OpenSSL's own generators that differs from the page's, and a remedy that does not work."""
        env = configuration(tmp_path, edit=derived)
        assert common(built("CPRNG_OPENSSL_SUBJECT"), env) == COUNT
        # A thread's generator asks its parent after that many requests, and the parent then asks the module.
        assert common(built("CPRNG_OPENSSL_SUBJECT"), env, "copies-invalidated") <= 2**16
        assert common(built("CPRNG_OPENSSL_SUBJECT"), env, "copies-polled") == 0
